/* What one statement has wrong by itself, and what is used when it is gone. */
#include "order/remedy.h"

bool remedy_lifetime(const struct remedy *remedy, unsigned attempt)
{
    const struct finding *finding = remedy->finding;
    const struct statement *end = remedy_statement_of(remedy, finding->other);
    if (attempt > 0)
        return false;
    if (remedy_statement_of(remedy, finding->call)->kind == end->kind) {
        change_remove(remedy->change, line_of(remedy, finding->call));
        return true;
    }
    uint32_t last =
        last_use(remedy, finding->call, finding->memory == NONE ? NONE : end->memory, end->communicator);
    if (end->kind == CALL_FREE && order_has_point(remedy->order, point_of(last, STARTED)))
        change_insert_after(remedy->change, line_after(remedy, last), "sync %s",
                            stream_name_of(remedy, last));
    change_move_after(remedy->change, line_of(remedy, finding->other), line_after(remedy, last));
    return true;
}

/* All of the memory gets a value as soon as it is there: later it could overwrite what is there in part. */
static bool remedy_uninitialized(const struct remedy *remedy, unsigned attempt)
{
    const struct memory *memory = &remedy->program->memories[remedy->finding->memory];
    uint32_t declared = remedy->program->statements[memory->declared].line;
    if (attempt > 0)
        return false;
    remedy->change->lines[0] = declared;
    if (memory->kind == MEMORY_PINNED || memory->kind == MEMORY_PAGEABLE) {
        change_insert_after(remedy->change, declared, "write %s", memory->name);
        return true;
    }
    change_insert_after(remedy->change, declared, "set %s to 0", memory->name);
    change_insert_after(remedy->change, declared, "sync default");
    return true;
}

static void replace_declaration(const struct remedy *remedy, const char *keyword)
{
    const struct memory *memory = &remedy->program->memories[remedy->finding->memory];
    change_replace(remedy->change, remedy->program->statements[memory->declared].line, "%s %s %s[%u]",
                   keyword, memory->name, element_type_name((enum element_type)memory->type), memory->count);
}

static bool remedy_misuse(const struct remedy *remedy, unsigned attempt)
{
    const struct finding *finding = remedy->finding;
    const struct statement *statement = remedy_statement_of(remedy, finding->call);
    if (attempt > 0)
        return false;
    if (finding->memory == NONE) {
        uint32_t gpu = remedy->program->streams[statement->stream].gpu;
        change_insert_before(remedy->change, statement->line, "use gpu %u", gpu);
        change_insert_after(remedy->change, statement->line, "use gpu %u", statement->gpu);
    } else if (statement->kind == CALL_READ || statement->kind == CALL_WRITE) {
        replace_declaration(remedy, "managed");
    } else if (statement->kind != CALL_COPY) {
        replace_declaration(remedy, "host");
    }
    return true;
}

bool remedy_statement(const struct remedy *remedy, unsigned attempt)
{
    switch (remedy->finding->kind) {
    case FINDING_UNINITIALIZED:
        return remedy_uninitialized(remedy, attempt);
    case FINDING_MISUSE:
        return remedy_misuse(remedy, attempt);
    case FINDING_UNRECORDED:
        if (attempt == 0)
            change_remove(remedy->change, line_of(remedy, remedy->finding->call));
        return attempt == 0;
    default:
        return false;
    }
}
