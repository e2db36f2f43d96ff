#include "export/c.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "export/c_inside.h"

void export_line_map_free(struct export_line_map *map)
{
    free(map->calls);
    free(map->lines);
    *map = (struct export_line_map){0};
}

static bool names_communicator(const struct statement *statement)
{
    return call_is_communication(statement) || statement->kind == CALL_COMM ||
           statement->kind == CALL_DESTROY || statement->kind == CALL_ABORT;
}

bool c_uses_communicator(const struct c_export *export, uint32_t communicator)
{
    return export->uses_communicator[communicator];
}

bool c_is_made_at_start(const struct c_export *export, uint32_t communicator)
{
    return export->uses_communicator[communicator] && export->program->communicators[communicator].from_start;
}

static void note_launch(struct c_export *export, const struct statement *statement)
{
    for (uint32_t i = 0; i < statement->span_count; i++) {
        const struct span *span = &export->program->spans[statement->first_span + i];
        uint8_t type = export->program->memories[span->memory].type;
        export->adds_to_bytes |= (span->access & ACCESS_ACCUMULATE) && element_size(type) == 1;
    }
}

static void note_needs_of(struct c_export *export, const struct statement *statement)
{
    const struct program *program = export->program;
    if (names_communicator(statement))
        export->uses_communicator[statement->communicator] = true;
    export->transfers |= call_is_transfer(statement);
    export->collects |= call_is_collective(statement);
    export->meets |= statement->kind == CALL_BARRIER;
    export->delays |= statement->takes_ns > 0;
    export->asks |= statement->kind == CALL_POLL_STREAM || statement->kind == CALL_POLL_EVENT ||
                    statement->kind == CALL_QUERY_STREAM || statement->kind == CALL_QUERY_EVENT;
    if (statement->kind == CALL_READ || statement->kind == CALL_WRITE) {
        bool *used = statement->kind == CALL_READ ? export->printed : export->written;
        used[program->memories[program->spans[statement->first_span].memory].type] = true;
    }
    if (statement->kind == CALL_LAUNCH)
        note_launch(export, statement);
}

static void note_needs(struct c_export *export)
{
    const struct program *program = export->program;
    export->uses_communicator = memory_zeroed(program->communicator_count, sizeof(bool));
    for (uint32_t i = 0; i < program->statement_count; i++)
        note_needs_of(export, &program->statements[i]);
    for (uint32_t i = 0; i < program->memory_count; i++) {
        const struct memory *memory = &program->memories[i];
        export->allocates |= memory->kind == MEMORY_PAGEABLE;
        export->printed[memory->type] = true;
    }
    for (uint32_t i = 0; i < program->communicator_count; i++)
        export->communicator_count += export->uses_communicator[i];
    export->communicates = export->communicator_count > 0;
    export->reaches = c_reaches_peers(program);
}

/* What the lines from each mark on stand for, line by line. */
static void make_map(const struct c_export *export, const struct text *out, size_t begin,
                     struct export_line_map *map)
{
    const char *bytes = text_string(out);
    const struct program *program = export->program;
    size_t mark = 0;
    uint32_t call = NONE, capacity = 0;
    *map = (struct export_line_map){.lines = memory_all_ones(program->call_count, sizeof *map->lines)};
    for (size_t offset = begin; offset < out->length; map->line_count++) {
        for (; mark < export->mark_count && export->marks[mark].offset <= offset; mark++) {
            call = export->marks[mark].call;
            if (call != NONE)
                map->lines[call] = map->line_count;
        }
        ARRAY_RESERVE(map->calls, map->line_count, capacity);
        map->calls[map->line_count] = call;
        offset = (size_t)(strchr(bytes + offset, '\n') - bytes) + 1;
    }
    for (uint32_t i = 0; i < program->call_count; i++)
        map->lines[i] = export->stands_for[i] == NONE ? NONE : map->lines[export->stands_for[i]];
}

void export_c(const struct order *order, const char *file, struct text *out, struct export_line_map *map)
{
    const struct program *program = order->program;
    struct c_export export = {.order = order, .program = program};
    size_t begin = out->length;
    export.stands_for = memory_all_ones(program->call_count, sizeof *export.stands_for);
    c_names_open(&export.names, program);
    note_needs(&export);
    c_collect_kernels(&export);
    c_write_head(&export, file, out);
    c_write_helpers(&export, out);
    c_write_kernels(&export, out);
    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        c_write_rank(&export, rank, out);
    c_write_main(&export, out);
    if (map)
        make_map(&export, out, begin, map);
    for (uint32_t i = 0; i < export.kernel_count; i++) {
        free(export.kernels[i].parameters);
        free(export.kernels[i].body);
    }
    free(export.kernels);
    free(export.kernel_of);
    free(export.marks);
    free(export.stands_for);
    free(export.uses_communicator);
    c_names_close(&export.names);
}
