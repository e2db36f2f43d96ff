/* A partner for what has none. */
#include <string.h>

#include "order/remedy.h"
#include "order/severed.h"

static void append_part(const struct remedy *remedy, uint32_t memory, uint32_t first, uint32_t count,
                        struct text *out)
{
    const struct memory *described = &remedy->program->memories[memory];
    text_append(out, described->name);
    if (count < described->count)
        text_format(out, "[%u:%u]", first, first + count);
}

static void append_via(const char *communicator, struct text *out)
{
    if (strcmp(communicator, "world") != 0)
        text_format(out, " via %s", communicator);
}

static void append_takes(const struct remedy *remedy, uint32_t call, struct text *out)
{
    struct text words = {0};
    call_describe(remedy->program, call, &words);
    const char *takes = strstr(text_string(&words), " takes ");
    if (takes)
        text_append(out, takes);
    text_free(&words);
}

void replace_communication(const struct remedy *remedy, uint32_t call, uint32_t count,
                           const char *communicator)
{
    const struct statement *statement = remedy_statement_of(remedy, call);
    const struct span *span = &remedy->program->spans[statement->first_span];
    struct text words = {0};
    text_format(&words, "%s ", call_kind_name((enum call_kind)statement->kind));
    append_part(remedy, span->memory, span->first, count, &words);
    if (call_is_transfer(statement))
        text_format(&words, statement->kind == CALL_SEND ? " to %u" : " from %u", statement->peer);
    if (statement->kind == CALL_BROADCAST)
        text_format(&words, " root %u", statement->peer);
    text_format(&words, " on %s", stream_name_of(remedy, call));
    append_via(communicator, &words);
    append_takes(remedy, call, &words);
    change_replace(remedy->change, line_of(remedy, call), "%s", text_string(&words));
    text_free(&words);
}

/* The last line that belongs to the rank's host program; 0 where it has no calls. */
static uint32_t last_line(const struct remedy *remedy, uint32_t rank)
{
    const struct rank *described = &remedy->program->ranks[rank];
    uint32_t last = 0;
    for (uint32_t i = 0; i < described->call_count; i++) {
        uint32_t line = line_of(remedy, described->first_call + i);
        last = line > last ? line : last;
    }
    return last;
}

/* RANK's memory that can take the elements of SPAN whole, by the same name if there is one, or ALIKE only by
 * that; NONE. */
static uint32_t memory_for(const struct remedy *remedy, uint32_t rank, const struct span *span, bool alike)
{
    const struct program *program = remedy->program;
    const struct memory *model = &program->memories[span->memory];
    uint32_t found = NONE;
    for (uint32_t m = 0; m < program->memory_count; m++) {
        const struct memory *memory = &program->memories[m];
        if (memory->rank != rank || memory->type != model->type || memory->count < span->count)
            continue;
        bool is_alike = strcmp(memory->name, model->name) == 0;
        if (is_alike || (found == NONE && !alike))
            found = m;
    }
    return found;
}

static uint32_t stream_for(const struct remedy *remedy, uint32_t rank, const char *name)
{
    const struct program *program = remedy->program;
    uint32_t found = NONE;
    for (uint32_t s = 0; s < program->stream_count; s++)
        if (program->streams[s].rank == rank &&
            (found == NONE || strcmp(program->streams[s].name, name) == 0))
            found = s;
    return found;
}

bool describe_partner(const struct remedy *remedy, uint32_t call, uint32_t rank, bool alike, struct text *out)
{
    const struct statement *statement = remedy_statement_of(remedy, call);
    if (!call_is_communication(statement)) {
        call_describe(remedy->program, call, out);
        return true;
    }
    const struct span *span = span_of(remedy, call);
    uint32_t memory = memory_for(remedy, rank, span, alike);
    uint32_t stream = stream_for(remedy, rank, stream_name_of(remedy, call));
    if (memory == NONE || stream == NONE)
        return false;
    const char *keyword = statement->kind == CALL_SEND   ? "recv"
                          : statement->kind == CALL_RECV ? "send"
                                                         : call_kind_name((enum call_kind)statement->kind);
    text_format(out, "%s ", keyword);
    append_part(remedy, memory, 0, span->count, out);
    if (call_is_transfer(statement))
        text_format(out, statement->kind == CALL_SEND ? " from %u" : " to %u", statement->rank);
    if (statement->kind == CALL_BROADCAST)
        text_format(out, " root %u", statement->peer);
    text_format(out, " on %s", remedy->program->streams[stream].name);
    append_via(communicator_name_of(remedy, call), out);
    return true;
}

/* What CALL has no partner for, at the end of RANK's host program. */
static void insert_partner(const struct remedy *remedy, uint32_t call, uint32_t rank)
{
    uint32_t line = last_line(remedy, rank);
    struct text words = {0};
    /* A sum with another of the rank's buffers would be another sum. */
    bool alike = call_is_collective(remedy_statement_of(remedy, call));
    if (line > 0 && describe_partner(remedy, call, rank, alike, &words))
        change_insert_after(remedy->change, line, "%s", text_string(&words));
    text_free(&words);
}

static void insert_partners(const struct remedy *remedy, uint32_t call)
{
    const struct statement *statement = remedy_statement_of(remedy, call);
    if (call_is_transfer(statement)) {
        insert_partner(remedy, call, statement->peer);
        return;
    }
    uint32_t present = call;
    while (remedy->order->match[present] > present)
        present = remedy->order->match[present];
    present = remedy->order->match[present]; /* the one of the lowest rank */
    for (uint32_t rank = 0; rank < remedy->program->rank_count; rank++) {
        if (remedy_statement_of(remedy, present)->rank == rank)
            present = remedy->order->match[present];
        else
            insert_partner(remedy, call, rank);
    }
}

/* The call goes, and where it is one of a meeting the other ranks' calls go with it. */
static void remove_unmatched(const struct remedy *remedy, uint32_t call)
{
    uint32_t next = remedy->order->match[call];
    change_remove(remedy->change, line_of(remedy, call));
    for (; next != NONE && next != call; next = remedy->order->match[next])
        change_remove(remedy->change, line_of(remedy, next));
}

/* The rank that aborts waits first for its own part in what CALL takes part in. */
static void sync_before_abort(const struct remedy *remedy, uint32_t call, uint32_t abort)
{
    uint32_t partner = severed_partner(remedy->order, call, abort);
    change_insert_before(remedy->change, line_of(remedy, abort), "sync %s", stream_name_of(remedy, partner));
}

/* The call of RANK that destroys or aborts the communicator; NONE. */
static uint32_t end_of_communicator(const struct remedy *remedy, uint32_t rank, uint32_t communicator)
{
    const struct rank *described = &remedy->program->ranks[rank];
    for (uint32_t call = described->first_call; call < described->first_call + described->call_count;
         call++) {
        const struct statement *statement = remedy_statement_of(remedy, call);
        if ((statement->kind == CALL_DESTROY || statement->kind == CALL_ABORT) &&
            statement->communicator == communicator)
            return call;
    }
    return NONE;
}

/* `destroy` on every rank instead, which waits for the work of all. */
static void destroy_instead(const struct remedy *remedy, uint32_t abort)
{
    const char *communicator = communicator_name_of(remedy, abort);
    for (uint32_t rank = 0; rank < remedy->program->rank_count; rank++) {
        uint32_t end = end_of_communicator(remedy, rank, remedy_statement_of(remedy, abort)->communicator);
        if (end != NONE && remedy_statement_of(remedy, end)->kind == CALL_ABORT)
            change_replace(remedy->change, line_of(remedy, end), "destroy %s", communicator);
        else if (end == NONE && last_line(remedy, rank) > 0)
            change_insert_after(remedy->change, last_line(remedy, rank), "destroy %s", communicator);
    }
}

static bool remedy_severed(const struct remedy *remedy, unsigned attempt)
{
    if (attempt == 0)
        sync_before_abort(remedy, remedy->finding->call, remedy->finding->other);
    else if (attempt == 1)
        destroy_instead(remedy, remedy->finding->other);
    return attempt < 2;
}

bool remedy_partner(const struct remedy *remedy, unsigned attempt)
{
    uint32_t call = remedy->finding->call;
    if (is_severed(remedy->finding))
        return remedy_severed(remedy, attempt);
    bool inserts_first = remedy_statement_of(remedy, call)->kind != CALL_RECV;
    if (attempt > 1 || is_behind_mismatch(remedy, call))
        return false;
    if ((attempt == 0) == inserts_first)
        insert_partners(remedy, call);
    else
        remove_unmatched(remedy, call);
    return true;
}
