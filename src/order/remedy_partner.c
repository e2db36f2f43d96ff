/* A partner for what has none, and the same amount on both sides. */
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

static const char *communicator_of(const struct remedy *remedy, uint32_t call)
{
    return remedy->program->communicators[remedy_statement_of(remedy, call)->communicator].name;
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
    if (statement->kind == CALL_SEND || statement->kind == CALL_RECV)
        text_format(&words, statement->kind == CALL_SEND ? " to %u" : " from %u", statement->peer);
    if (statement->kind == CALL_BROADCAST)
        text_format(&words, " root %u", statement->peer);
    text_format(&words, " on %s", stream_name_of(remedy, call));
    append_via(communicator, &words);
    append_takes(remedy, call, &words);
    change_replace(remedy->change, line_of(remedy, call), "%s", text_string(&words));
    text_free(&words);
}

static const struct span *span_of(const struct remedy *remedy, uint32_t call)
{
    return &remedy->program->spans[remedy_statement_of(remedy, call)->first_span];
}

/* CALL's memory is declared with the type of OTHER's. */
static void replace_type(const struct remedy *remedy, uint32_t call, uint32_t other)
{
    const struct memory *memory = &remedy->program->memories[span_of(remedy, call)->memory];
    const struct memory *model = &remedy->program->memories[span_of(remedy, other)->memory];
    const struct statement *declaration = &remedy->program->statements[memory->declared];
    change_replace(remedy->change, declaration->line, "%s %s %s[%u]%s",
                   call_kind_name((enum call_kind)declaration->kind), memory->name,
                   element_type_name((enum element_type)model->type), memory->count,
                   memory->kind == MEMORY_PAGEABLE ? " pageable" : "");
}

/* CALL, a collective, becomes what OTHER is, on its own buffer and stream. */
static void replace_collective(const struct remedy *remedy, uint32_t call, uint32_t other)
{
    const struct statement *model = remedy_statement_of(remedy, other);
    const struct span *span = span_of(remedy, call);
    struct text words = {0};
    text_format(&words, "%s ", call_kind_name((enum call_kind)model->kind));
    append_part(remedy, span->memory, span->first, span->count, &words);
    if (model->kind == CALL_BROADCAST)
        text_format(&words, " root %u", model->peer);
    text_format(&words, " on %s", stream_name_of(remedy, call));
    append_via(communicator_of(remedy, call), &words);
    append_takes(remedy, call, &words);
    change_replace(remedy->change, line_of(remedy, call), "%s", text_string(&words));
    text_free(&words);
}

/* The call behind CALL in its host program that would fit OTHER, where CALL does not; NONE. */
static uint32_t find_fitting(const struct remedy *remedy, uint32_t call, uint32_t other)
{
    enum { LOOK_AHEAD = 10000 };
    const struct statement *statement = remedy_statement_of(remedy, call);
    const struct statement *model = remedy_statement_of(remedy, other);
    bool transfer = statement->kind == CALL_RECV;
    const struct rank *rank = &remedy->program->ranks[statement->rank];
    uint32_t end = rank->first_call + rank->call_count;
    for (uint32_t c = call + 1; c < end && c - call < LOOK_AHEAD; c++) {
        const struct statement *later = remedy_statement_of(remedy, c);
        if (later->kind != (transfer ? CALL_RECV : model->kind) ||
            later->communicator != statement->communicator || later->line <= statement->line ||
            later->peer != (transfer ? statement->peer : model->peer))
            continue;
        const struct memory *memories = remedy->program->memories;
        const struct span *fits = span_of(remedy, c), *wanted = span_of(remedy, other);
        if (fits->count == wanted->count && memories[fits->memory].type == memories[wanted->memory].type)
            return c;
    }
    return NONE;
}

/* The two sides name the same things in another order. */
static void move_fitting(const struct remedy *remedy, uint32_t call, uint32_t other)
{
    uint32_t fitting = find_fitting(remedy, call, other);
    if (fitting != NONE)
        change_move_before(remedy->change, line_of(remedy, fitting), line_of(remedy, call));
}

static bool remedy_mismatch(const struct remedy *remedy, unsigned attempt)
{
    uint32_t call = remedy->finding->call, other = remedy->finding->other;
    uint32_t mine = span_of(remedy, call)->count, theirs = span_of(remedy, other)->count;
    const struct statement *statement = remedy_statement_of(remedy, call);
    const struct statement *model = remedy_statement_of(remedy, other);
    bool transfer = statement->kind == CALL_RECV;
    switch (attempt) {
    case 0:
        move_fitting(remedy, call, other);
        return true;
    case 1:
        if (!transfer && (statement->kind != model->kind || statement->peer != model->peer))
            replace_collective(remedy, call, other);
        else if (mine > theirs)
            replace_communication(remedy, call, theirs, communicator_of(remedy, call));
        else if (mine < theirs)
            replace_communication(remedy, other, mine, communicator_of(remedy, other));
        else
            replace_type(remedy, call, other);
        return true;
    case 2:
        replace_type(remedy, other, call);
        return true;
    default:
        return false;
    }
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

/* RANK's memory that can take the elements of SPAN whole, by the same name if there is one; NONE. */
static uint32_t memory_for(const struct remedy *remedy, uint32_t rank, const struct span *span)
{
    const struct program *program = remedy->program;
    const struct memory *model = &program->memories[span->memory];
    uint32_t found = NONE;
    for (uint32_t m = 0; m < program->memory_count; m++) {
        const struct memory *memory = &program->memories[m];
        if (memory->rank != rank || memory->type != model->type || memory->count < span->count)
            continue;
        if (found == NONE || strcmp(memory->name, model->name) == 0)
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

/* What CALL has no partner for, at the end of RANK's host program. */
static void insert_partner(const struct remedy *remedy, uint32_t call, uint32_t rank)
{
    const struct statement *statement = remedy_statement_of(remedy, call);
    uint32_t line = last_line(remedy, rank);
    if (line == 0)
        return;
    if (!call_is_communication(statement)) {
        struct text words = {0};
        call_describe(remedy->program, call, &words);
        change_insert_after(remedy->change, line, "%s", text_string(&words));
        text_free(&words);
        return;
    }
    const struct span *span = span_of(remedy, call);
    uint32_t memory = memory_for(remedy, rank, span);
    uint32_t stream = stream_for(remedy, rank, stream_name_of(remedy, call));
    if (memory == NONE || stream == NONE)
        return;
    struct text words = {0};
    const char *keyword = statement->kind == CALL_SEND   ? "recv"
                          : statement->kind == CALL_RECV ? "send"
                                                         : call_kind_name((enum call_kind)statement->kind);
    text_format(&words, "%s ", keyword);
    append_part(remedy, memory, 0, span->count, &words);
    if (statement->kind == CALL_SEND || statement->kind == CALL_RECV)
        text_format(&words, statement->kind == CALL_SEND ? " from %u" : " to %u", statement->rank);
    if (statement->kind == CALL_BROADCAST)
        text_format(&words, " root %u", statement->peer);
    text_format(&words, " on %s", remedy->program->streams[stream].name);
    append_via(communicator_of(remedy, call), &words);
    change_insert_after(remedy->change, line, "%s", text_string(&words));
    text_free(&words);
}

static void insert_partners(const struct remedy *remedy, uint32_t call)
{
    const struct statement *statement = remedy_statement_of(remedy, call);
    if (statement->kind == CALL_SEND || statement->kind == CALL_RECV) {
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
    const char *communicator = communicator_of(remedy, abort);
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
    if (remedy->finding->kind == FINDING_MISMATCH)
        return remedy_mismatch(remedy, attempt);
    bool inserts_first = remedy_statement_of(remedy, call)->kind != CALL_RECV;
    if (attempt > 1)
        return false;
    if ((attempt == 0) == inserts_first)
        insert_partners(remedy, call);
    else
        remove_unmatched(remedy, call);
    return true;
}
