#include "schedule/bind.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "schedule/storage.h"

void binder_fault(struct binder *binder, const char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char words[1024];
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    diagnostics_add(binder->diagnostics, line_place(binder->schedule, &binder->line, at), "%s", words);
}

struct name *binder_name(struct binder *binder, enum sort sort, struct word word)
{
    uint32_t index = names_find(&binder->names, sort, word);
    return &binder->names.items[index];
}

bool binder_is_from_start(struct binder *binder, struct word word)
{
    uint32_t index = names_find(&binder->shared, SORT_COMMUNICATOR, word);
    uint32_t thing = binder->shared.items[index].thing;
    return thing != NONE && binder->program->communicators[thing].from_start;
}

/* Whether it is there from the start under some variants at least. */
static bool may_be_from_start(struct binder *binder, struct word word)
{
    uint32_t index = names_find(&binder->shared, SORT_COMMUNICATOR, word);
    return binder->shared.items[index].off_line || binder_is_from_start(binder, word);
}

const struct statement *binder_earlier_statement(const struct binder *binder)
{
    if (!binder->line_statements || binder->line_statements[binder->line.number - 1] == NONE)
        return NULL;
    return &binder->program->statements[binder->line_statements[binder->line.number - 1]];
}

static void note_unknown(struct binder *binder, enum sort sort, struct word word, bool line_is_on)
{
    uint32_t name = names_find(&binder->names, sort, word);
    ARRAY_RESERVE(binder->unknown, binder->unknown_count, binder->unknown_capacity);
    binder->unknown[binder->unknown_count++] = (struct unknown_use){
        .word = word, .name = name, .line = binder->line.number, .line_is_on = line_is_on};
}

/* What a name stands for; NONE where it stands for nothing yet, which is noted. */
static uint32_t use_name(struct binder *binder, enum sort sort, struct word word)
{
    uint32_t thing = binder_name(binder, sort, word)->thing;
    if (thing == NONE) {
        note_unknown(binder, sort, word, true);
        binder->is_incomplete = true;
    }
    return thing;
}

static uint32_t use_communicator(struct binder *binder, struct word word)
{
    uint32_t index = names_find(&binder->shared, SORT_COMMUNICATOR, word);
    return binder_is_from_start(binder, word) ? binder->shared.items[index].thing
                                              : use_name(binder, SORT_COMMUNICATOR, word);
}

static uint32_t use_stream(struct binder *binder, struct word word)
{
    return word_is(word, "default") ? binder->default_streams[binder->gpu]
                                    : use_name(binder, SORT_STREAM, word);
}

static uint32_t use_event(struct binder *binder, struct word word)
{
    struct name *name = binder_name(binder, SORT_EVENT, word);
    struct program *program = binder->program;
    if (name->thing == NONE) {
        ARRAY_RESERVE(program->events, program->event_count, binder->event_capacity);
        program->events[program->event_count] =
            (struct event){.name = storage_name(program, word), .rank = binder->rank};
        name->thing = program->event_count++;
    }
    return name->thing;
}

static uint32_t use_kernel(struct binder *binder, struct word word)
{
    uint32_t index = names_find(&binder->shared, SORT_KERNEL, word);
    struct name *name = &binder->shared.items[index];
    struct program *program = binder->program;
    if (name->thing == NONE) {
        ARRAY_RESERVE(program->kernels, program->kernel_count, binder->kernel_capacity);
        program->kernels[program->kernel_count] = storage_name(program, word);
        name->thing = program->kernel_count++;
    }
    return name->thing;
}

static void bind_span(struct binder *binder, const struct part *part, uint32_t access)
{
    struct program *program = binder->program;
    struct span span = {.memory = use_name(binder, SORT_MEMORY, part->name),
                        .first = part->first,
                        .count = part->count,
                        .access = access};
    uint32_t count = span.memory == NONE ? UINT32_MAX : program->memories[span.memory].count;
    if (part->count == 0)
        span.count = count;
    else if ((uint64_t)part->first + part->count > count) {
        binder_fault(
            binder, part->name.at, "found element %u of `%.*s`, expected 0 to %u: it has %u elements",
            part->first + (part->count - 1), (int)part->name.length, part->name.at, count - 1, count);
    }
    ARRAY_RESERVE(program->spans, program->span_count, binder->span_capacity);
    program->spans[program->span_count++] = span;
}

static void bind_spans(struct binder *binder, struct statement *statement)
{
    const struct line *line = &binder->line;
    statement->first_span = binder->program->span_count;
    statement->span_count = line->part_count;
    for (uint32_t i = 0; i < line->part_count; i++) {
        uint32_t access = line->parts[i].access;
        if (line->kind == CALL_BROADCAST)
            access = line->quantity == binder->rank ? ACCESS_READ : ACCESS_WRITE;
        bind_span(binder, &line->parts[i], access);
    }
}

static void bind_peer(struct binder *binder, struct statement *statement)
{
    const struct line *line = &binder->line;
    uint32_t rank_count = binder->program->rank_count;
    if (!line->quantity_word.at || line->faulty)
        return;
    if (line->quantity >= rank_count)
        binder_fault(binder, line->quantity_word.at,
                     "found rank %u, expected 0 to %u: the schedule has %u rank%s", line->quantity,
                     rank_count - 1, rank_count, rank_count == 1 ? "" : "s");
    statement->peer = (uint16_t)line->quantity;
}

static void bind_free(struct binder *binder, struct statement *statement)
{
    statement->memory = use_name(binder, SORT_MEMORY, binder->line.name);
    binder_name(binder, SORT_MEMORY, binder->line.name)->freed = true;
}

/* What only this kind of line has. */
static void bind_kind(struct binder *binder, struct statement *statement)
{
    const struct line *line = &binder->line;
    bool has_name = line->name.at;
    switch (line->kind) {
    case CALL_BUFFER:
    case CALL_HOST:
    case CALL_MANAGED:
        if (has_name)
            bind_declared_memory(binder, statement);
        break;
    case CALL_STREAM:
        if (has_name)
            bind_declared_stream(binder, statement);
        break;
    case CALL_COMM:
        if (line->communicator.at)
            bind_declared_communicator(binder, statement);
        break;
    case CALL_FREE:
        if (has_name)
            bind_free(binder, statement);
        break;
    case CALL_DESTROY:
    case CALL_ABORT:
        if (line->communicator.at)
            statement->communicator = use_communicator(binder, line->communicator);
        break;
    case CALL_LAUNCH:
        if (has_name)
            statement->kernel = use_kernel(binder, line->name);
        break;
    case CALL_SEND:
    case CALL_RECV:
    case CALL_BROADCAST:
        bind_peer(binder, statement);
        break;
    case CALL_RECORD:
    case CALL_WAIT:
    case CALL_SYNC_EVENT:
    case CALL_POLL_EVENT:
    case CALL_QUERY_EVENT:
        if (has_name)
            statement->event = use_event(binder, line->name);
        break;
    case CALL_USE_GPU:
        if (!line->faulty)
            bind_use_gpu(binder, (uint16_t)line->quantity);
        statement->gpu = binder->gpu;
        break;
    case CALL_SET:
        statement->value = (uint8_t)line->quantity;
        break;
    default:
        break;
    }
}

static void bind_stream_and_communicator(struct binder *binder, struct statement *statement)
{
    const struct line *line = &binder->line;
    statement->has_stream = line->stream.at;
    if (line->stream.at)
        statement->stream = use_stream(binder, line->stream);
    else if (line->kind == CALL_COPY || line->kind == CALL_SET)
        statement->stream = binder->default_streams[binder->gpu];
    if (call_is_communication(statement))
        statement->communicator = line->communicator.at ? use_communicator(binder, line->communicator) : 0;
}

/* Whether a line that is bound again means what it meant before. */
static bool binds_the_same(const struct program *program, const struct statement *a,
                           const struct statement *b)
{
    return a->gpu == b->gpu && a->stream == b->stream && a->memory == b->memory &&
           a->span_count == b->span_count &&
           (a->span_count == 0 || memcmp(&program->spans[a->first_span], &program->spans[b->first_span],
                                         a->span_count * sizeof *program->spans) == 0);
}

static uint32_t keep_statement(struct binder *binder, struct statement statement)
{
    struct program *program = binder->program;
    uint32_t number = binder->line.number;
    const struct statement *earlier = binder_earlier_statement(binder);
    if (earlier && binds_the_same(program, earlier, &statement)) {
        program->span_count -= statement.span_count;
        return binder->line_statements[number - 1];
    }
    ARRAY_RESERVE(program->statements, program->statement_count, binder->statement_capacity);
    program->statements[program->statement_count] = statement;
    if (binder->line_statements)
        binder->line_statements[number - 1] = program->statement_count;
    return program->statement_count++;
}

uint32_t bind_line(struct binder *binder)
{
    const struct line *line = &binder->line;
    struct statement statement = {.kind = (uint8_t)line->kind,
                                  .rank = binder->rank,
                                  .gpu = binder->gpu,
                                  .line = line->number,
                                  .column = (uint32_t)(line->keyword.at - line->start) + 1,
                                  .stream = NONE,
                                  .event = NONE,
                                  .communicator = NONE,
                                  .memory = NONE,
                                  .kernel = NONE,
                                  .takes_ns = line->takes_ns,
                                  .in_group = binder->group_depth > 0};
    bind_kind(binder, &statement);
    bind_stream_and_communicator(binder, &statement);
    bind_spans(binder, &statement);
    return line->faulty ? NONE : keep_statement(binder, statement);
}

static void look_at_off_name(struct binder *binder, enum sort sort, struct word word)
{
    const struct name *name = binder_name(binder, sort, word);
    if (name->thing == NONE && !name->off_line && !name->faulty)
        note_unknown(binder, sort, word, false);
}

void bind_off_line(struct binder *binder)
{
    const struct line *line = &binder->line;
    if (line->kind == CALL_BUFFER || line->kind == CALL_HOST || line->kind == CALL_MANAGED ||
        line->kind == CALL_STREAM) {
        enum sort sort = line->kind == CALL_STREAM ? SORT_STREAM : SORT_MEMORY;
        if (line->name.at)
            binder_name(binder, sort, line->name)->off_line = line->number;
        return;
    }
    if (line->kind == CALL_COMM && line->communicator.at)
        binder_name(binder, SORT_COMMUNICATOR, line->communicator)->off_line = line->number;
    else if (line->communicator.at && !may_be_from_start(binder, line->communicator))
        look_at_off_name(binder, SORT_COMMUNICATOR, line->communicator);
    if (line->kind == CALL_FREE && line->name.at)
        look_at_off_name(binder, SORT_MEMORY, line->name);
    if (line->stream.at && !word_is(line->stream, "default"))
        look_at_off_name(binder, SORT_STREAM, line->stream);
    for (uint32_t i = 0; i < line->part_count; i++)
        look_at_off_name(binder, SORT_MEMORY, line->parts[i].name);
}

void bind_unknown_line(struct binder *binder)
{
    if (!binder->line.name.at)
        return;
    binder_name(binder, SORT_MEMORY, binder->line.name)->faulty = true;
    binder_name(binder, SORT_STREAM, binder->line.name)->faulty = true;
    binder_name(binder, SORT_COMMUNICATOR, binder->line.name)->faulty = true;
}

void bind_begin_rank(struct binder *binder, uint16_t rank)
{
    binder->rank = rank;
    binder->group_depth = 0;
    binder->unknown_count = 0;
    names_clear(&binder->names);
    memset(binder->default_streams, 0xFF, sizeof binder->default_streams);
}

void binder_free(struct binder *binder)
{
    line_free(&binder->line);
    names_free(&binder->names);
    names_free(&binder->shared);
    free(binder->unknown);
    free(binder->line_statements);
}
