#include "order/explore_steps.h"

#include <stdlib.h>

#include "base/memory.h"
#include "order/moved.h"
#include "schedule/kernel.h"

struct link {
    uint32_t from, to; /* items */
};

struct builder {
    struct step_table *table;
    const struct order *order;
    const struct program *program;
    struct link *links;
    uint32_t link_count, link_capacity;
};

static void link_items(struct builder *builder, uint32_t from, uint32_t to)
{
    ARRAY_RESERVE(builder->links, builder->link_count, builder->link_capacity);
    builder->links[builder->link_count++] = (struct link){from, to};
}

/* A step of the call, behind the item AFTER. */
static uint32_t add_step(struct builder *builder, uint32_t call, enum step_kind kind, uint32_t after)
{
    struct step_table *table = builder->table;
    ARRAY_RESERVE(table->steps, table->step_count, table->step_capacity);
    uint32_t step = table->step_count++;
    table->steps[step] = (struct step){.call = call,
                                       .kind = (uint8_t)kind,
                                       .first_access = table->access_count,
                                       .first_source = table->source_count};
    link_items(builder, after, step_item(table, step));
    return step;
}

/* To the latest step. */
static void add_access(struct builder *builder, const struct step_access *access)
{
    struct step_table *table = builder->table;
    ARRAY_RESERVE(table->accesses, table->access_count, table->access_capacity);
    table->accesses[table->access_count++] = *access;
    table->steps[table->step_count - 1].access_count++;
}

static void add_span(struct builder *builder, const struct span *span, uint32_t offset, uint32_t length,
                     uint32_t access)
{
    uint32_t begin = span->first * element_size(builder->program->memories[span->memory].type) + offset;
    add_access(builder, &(struct step_access){span->memory, begin, begin + length, access});
}

static uint32_t bytes_of(const struct builder *builder, const struct span *span)
{
    return (uint32_t)span_bytes(builder->program, span);
}

static void keep(struct builder *builder, uint32_t step, uint32_t length)
{
    builder->table->steps[step].kept_at = builder->table->kept_bytes;
    builder->table->steps[step].kept_length = length;
    builder->table->kept_bytes += length;
}

/* The step USER uses what SOURCE keeps. The sources of one step come one behind the other. */
static void add_source(struct builder *builder, uint32_t user, uint32_t source)
{
    struct step_table *table = builder->table;
    ARRAY_RESERVE(table->sources, table->source_count, table->source_capacity);
    if (table->steps[user].source_count++ == 0)
        table->steps[user].first_source = table->source_count;
    table->sources[table->source_count++] = source;
    table->steps[source].readers++;
}

/* What the host program does itself, or asks the runtime for. */
static void add_host_step(struct builder *builder, uint32_t call, enum step_kind kind)
{
    const struct statement *statement = call_statement(builder->program, call);
    uint32_t step = add_step(builder, call, kind, point_of(call, ENTERED));
    link_items(builder, step_item(builder->table, step), point_of(call, RETURNED));
    if (kind == STEP_ALLOCATE || kind == STEP_FREE) {
        const struct memory *memory = &builder->program->memories[statement->memory];
        uint32_t bytes = memory->count * element_size(memory->type);
        add_access(builder, &(struct step_access){statement->memory, 0, bytes, ACCESS_WRITE});
        return;
    }
    const struct span *span = &builder->program->spans[statement->first_span];
    add_span(builder, span, 0, bytes_of(builder, span), span->access);
    if (kind == STEP_HOST_READ)
        keep(builder, step, bytes_of(builder, span));
}

/* The spans of the call that it has one of these accesses to. Returns how many bytes they are. */
static uint32_t add_spans(struct builder *builder, uint32_t call, uint32_t accesses)
{
    const struct statement *statement = call_statement(builder->program, call);
    uint32_t bytes = 0;
    for (uint32_t s = 0; s < statement->span_count; s++) {
        const struct span *span = &builder->program->spans[statement->first_span + s];
        if (!(span->access & accesses))
            continue;
        add_span(builder, span, 0, bytes_of(builder, span), span->access & accesses);
        bytes += bytes_of(builder, span);
    }
    return bytes;
}

static bool has_inputs(const struct builder *builder, const struct statement *launch)
{
    for (uint32_t s = 0; s < launch->span_count; s++)
        if (builder->program->spans[launch->first_span + s].access & ACCESS_READ)
            return true;
    return false;
}

/* A kernel, or a set. */
static void add_kernel_steps(struct builder *builder, uint32_t call)
{
    const struct statement *statement = call_statement(builder->program, call);
    bool doubles = kernel_reads_inputs(builder->program, statement);
    uint32_t before = point_of(call, STARTED), inputs = NONE;
    if (doubles || has_inputs(builder, statement)) {
        inputs = add_step(builder, call, doubles ? STEP_READ_INPUTS : STEP_OBSERVE, before);
        keep(builder, inputs, add_spans(builder, call, ACCESS_READ));
        before = step_item(builder->table, inputs);
    }
    uint32_t step = add_step(builder, call, STEP_WRITE_OUTPUTS, before);
    add_spans(builder, call, ACCESS_CHANGE);
    if (doubles)
        add_source(builder, step, inputs);
    link_items(builder, step_item(builder->table, step), point_of(call, DONE));
}

/* Steps for each piece of what the call moves, behind one another and behind the item AFTER. */
static void add_pieces(struct builder *builder, uint32_t call, enum step_kind kind, uint32_t after)
{
    const struct span *spans = &builder->program->spans[call_statement(builder->program, call)->first_span];
    uint32_t bytes = moved_bytes(builder->order, call), unit = moved_unit(builder->order, call);
    uint32_t half = bytes / unit / 2 * unit;
    for (uint32_t offset = 0; offset < bytes;) {
        uint32_t length = offset == 0 && half > 0 ? half : bytes - offset;
        uint32_t step = add_step(builder, call, kind, after);
        builder->table->steps[step].offset = offset;
        builder->table->steps[step].length = length;
        if (kind == STEP_GIVE || kind == STEP_COPY)
            add_span(builder, &spans[0], offset, length, ACCESS_READ);
        if (kind == STEP_TAKE)
            add_span(builder, &spans[0], offset, length, ACCESS_WRITE);
        if (kind == STEP_COPY)
            add_span(builder, &spans[1], offset, length, ACCESS_WRITE);
        if (kind == STEP_GIVE)
            keep(builder, step, length);
        after = step_item(builder->table, step);
        offset += length;
    }
    if (after != point_of(call, STARTED))
        link_items(builder, after, point_of(call, DONE));
}

/* A staged source is read once, before the call returns; its pieces then only write. */
static void add_copy_steps(struct builder *builder, uint32_t call)
{
    struct step_table *table = builder->table;
    if (!copy_is_staged(builder->program, call_statement(builder->program, call))) {
        add_pieces(builder, call, STEP_COPY, point_of(call, STARTED));
        return;
    }
    const struct span *source = &builder->program->spans[call_statement(builder->program, call)->first_span];
    uint32_t bytes = moved_bytes(builder->order, call);
    uint32_t stage = add_step(builder, call, STEP_STAGE, point_of(call, STARTED));
    add_span(builder, source, 0, bytes, ACCESS_READ);
    keep(builder, stage, bytes);
    link_items(builder, step_item(table, stage), point_of(call, RETURNED));
    uint32_t first = table->step_count;
    add_pieces(builder, call, STEP_COPY, step_item(table, stage));
    for (uint32_t step = first; step < table->step_count; step++) {
        table->accesses[table->steps[step].first_access].access = 0;
        add_source(builder, step, stage);
    }
}

/* Whether everyone that the communication needs takes part in it; else nothing ever moves. */
static bool all_take_part(const struct builder *builder, uint32_t call)
{
    const uint32_t *match = builder->order->match;
    if (call_is_transfer(call_statement(builder->program, call)))
        return match[call] != NONE;
    uint32_t ranks = 1;
    for (uint32_t next = match[call]; next != call; next = match[next])
        ranks++;
    return ranks == builder->program->rank_count && ranks > 1;
}

static void add_communication_steps(struct builder *builder, uint32_t call)
{
    const struct statement *statement = call_statement(builder->program, call);
    const uint32_t *aborted_by = builder->order->aborted_by;
    uint32_t first = builder->table->step_count;
    if (!all_take_part(builder, call))
        return;
    bool is_root = statement->kind == CALL_BROADCAST && statement->peer == statement->rank;
    bool gives = statement->kind == CALL_SEND || statement->kind == CALL_ALLREDUCE || is_root;
    bool takes = statement->kind == CALL_RECV || statement->kind == CALL_ALLREDUCE ||
                 (statement->kind == CALL_BROADCAST && !is_root);
    if (gives)
        add_pieces(builder, call, STEP_GIVE, point_of(call, STARTED));
    if (takes)
        add_pieces(builder, call, STEP_TAKE, point_of(call, STARTED));
    if (!aborted_by || aborted_by[call] == NONE || builder->table->step_count == first)
        return;
    uint32_t step = add_step(builder, call, STEP_GIVE_UP, point_of(call, STARTED));
    link_items(builder, point_of(aborted_by[call], ENTERED), step_item(builder->table, step));
}

static void add_steps(struct builder *builder, uint32_t call)
{
    switch (call_statement(builder->program, call)->kind) {
    case CALL_BUFFER:
    case CALL_HOST:
    case CALL_MANAGED:
        add_host_step(builder, call, STEP_ALLOCATE);
        break;
    case CALL_FREE:
        add_host_step(builder, call, STEP_FREE);
        break;
    case CALL_READ:
        add_host_step(builder, call, STEP_HOST_READ);
        break;
    case CALL_WRITE:
        add_host_step(builder, call, STEP_HOST_WRITE);
        break;
    case CALL_LAUNCH:
    case CALL_SET:
        add_kernel_steps(builder, call);
        break;
    case CALL_COPY:
        add_copy_steps(builder, call);
        break;
    case CALL_SEND:
    case CALL_RECV:
    case CALL_ALLREDUCE:
    case CALL_BROADCAST:
        add_communication_steps(builder, call);
        break;
    default:
        break;
    }
}

/* The step of GIVER that gives the piece which TAKE takes. */
static uint32_t giving_step(const struct step_table *table, uint32_t giver, const struct step *take)
{
    for (uint32_t step = table->first_step[giver]; step < table->first_step[giver + 1]; step++)
        if (table->steps[step].kind == STEP_GIVE && table->steps[step].offset == take->offset)
            return step;
    return NONE;
}

static void take_from(struct builder *builder, uint32_t take, uint32_t giver)
{
    struct step_table *table = builder->table;
    uint32_t give = giving_step(table, giver, &table->steps[take]);
    if (give == NONE)
        return;
    add_source(builder, take, give);
    link_items(builder, step_item(table, give), step_item(table, take));
}

/* A piece is taken when all have given it whom it comes from. */
static void link_take(struct builder *builder, uint32_t take)
{
    const uint32_t *match = builder->order->match;
    uint32_t call = builder->table->steps[take].call, first = call;
    if (call_statement(builder->program, call)->kind == CALL_RECV) {
        take_from(builder, take, match[call]);
        return;
    }
    for (uint32_t next = match[call]; next != call; next = match[next])
        first = next < first ? next : first; /* calls are numbered rank by rank */
    uint32_t giver = first;
    do {
        take_from(builder, take, giver);
        giver = match[giver];
    } while (giver != first);
}

static void sort_links(struct builder *builder)
{
    struct step_table *table = builder->table;
    uint32_t items = builder->order->point_count + table->step_count;
    table->missing = memory_zeroed(items, sizeof *table->missing);
    table->first_link = memory_zeroed((size_t)items + 1, sizeof *table->first_link);
    table->links = memory_resize(NULL, builder->link_count, sizeof *table->links);
    for (uint32_t i = 0; i < builder->link_count; i++) {
        table->missing[builder->links[i].to]++;
        table->first_link[builder->links[i].from]++;
    }
    for (uint32_t item = 1; item <= items; item++)
        table->first_link[item] += table->first_link[item - 1];
    for (uint32_t i = builder->link_count; i > 0; i--) /* from the end of each item's to its beginning */
        table->links[--table->first_link[builder->links[i - 1].from]] = builder->links[i - 1].to;
}

struct step_table *steps_build(const struct order *order)
{
    struct step_table *table = memory_zeroed(1, sizeof *table);
    struct builder builder = {.table = table, .order = order, .program = order->program};
    table->order = order;
    table->first_step = memory_zeroed((size_t)order->program->call_count + 1, sizeof *table->first_step);
    for (uint32_t call = 0; call < order->program->call_count; call++) {
        table->first_step[call] = table->step_count;
        add_steps(&builder, call);
    }
    table->first_step[order->program->call_count] = table->step_count;
    for (uint32_t step = 0; step < table->step_count; step++)
        if (table->steps[step].kind == STEP_TAKE)
            link_take(&builder, step);
    sort_links(&builder);
    free(builder.links);
    return table;
}

void steps_free(struct step_table *table)
{
    free(table->steps);
    free(table->first_step);
    free(table->accesses);
    free(table->sources);
    free(table->missing);
    free(table->first_link);
    free(table->links);
    free(table);
}

bool link_is_loose(const struct step_table *table, uint32_t from, uint32_t to)
{
    uint32_t points = table->order->point_count;
    const uint32_t *aborted_by = table->order->aborted_by;
    if (!aborted_by || from < points || to < points)
        return false;
    const struct step *source = &table->steps[from - points], *user = &table->steps[to - points];
    return source->kind == STEP_GIVE && user->kind == STEP_TAKE && aborted_by[user->call] != NONE;
}

static bool accesses_conflict(const struct step_access *a, const struct step_access *b)
{
    bool writes = (a->access | b->access) & ACCESS_CHANGE;
    bool both_add = a->access == ACCESS_ACCUMULATE && b->access == ACCESS_ACCUMULATE;
    return a->memory == b->memory && a->begin < b->end && b->begin < a->end && a->access && b->access &&
           writes && !both_add;
}

/* Giving up ends the moving of its own call. */
static bool gives_up(const struct step *step, const struct step *other)
{
    return step->kind == STEP_GIVE_UP && step->call == other->call;
}

bool steps_conflict(const struct step_table *table, uint32_t a, uint32_t b)
{
    const struct step *first = &table->steps[a], *second = &table->steps[b];
    if (gives_up(first, second) || gives_up(second, first))
        return true;
    for (uint32_t i = 0; i < first->access_count; i++)
        for (uint32_t j = 0; j < second->access_count; j++)
            if (accesses_conflict(&table->accesses[first->first_access + i],
                                  &table->accesses[second->first_access + j]))
                return true;
    return false;
}
