#include "order/causality.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const struct statement *statement_of(const struct causality *causality, uint32_t call)
{
    return call_statement(causality->program, call);
}

static bool is_host_point(uint32_t point)
{
    return point_phase(point) == ENTERED || point_phase(point) == RETURNED;
}

/* How many calls of its rank have returned when the host program is at POINT. */
static uint32_t calls_returned(const struct causality *causality, uint32_t point)
{
    uint32_t call = point_call(point);
    const struct rank *rank = &causality->program->ranks[statement_of(causality, call)->rank];
    return call - rank->first_call + (point_phase(point) == RETURNED);
}

static uint32_t chain_of(const struct causality *causality, uint32_t call)
{
    return causality->stream_chains[statement_of(causality, call)->stream];
}

static bool is_group_end(const struct causality *causality, uint32_t call)
{
    return statement_of(causality, call)->kind == CALL_GROUP_END;
}

static bool is_member(const struct causality *causality, uint32_t call)
{
    return causality->order->bound[call] != NONE && call_is_communication(statement_of(causality, call));
}

/* Whether what POINT knew comes to DEPENDENT along their common chain. */
static bool follows_in_chain(const struct causality *causality, uint32_t point, uint32_t dependent)
{
    uint32_t call = point_call(point), next = point_call(dependent);
    if (point_phase(dependent) == STARTED && is_group_end(causality, next))
        return true; /* nothing is known there that the members do not learn from ENTERED */
    switch (point_phase(point)) {
    case ENTERED:
    case RETURNED:
        return is_host_point(dependent) &&
               statement_of(causality, call)->rank == statement_of(causality, next)->rank;
    case STARTED:
        return next == call && point_phase(dependent) == DONE;
    default:
        return point_phase(dependent) == STARTED && !is_group_end(causality, call) &&
               statement_of(causality, call)->stream == statement_of(causality, next)->stream;
    }
}

static void keep_snapshot(struct causality *causality, uint32_t point, uint32_t clock)
{
    const struct machine *machine = causality->machine;
    uint32_t waiting = 0;
    for (uint32_t d = machine->first_dependent[point]; d < machine->first_dependent[point + 1]; d++)
        waiting += !follows_in_chain(causality, point, machine->dependents[d]);
    if (waiting == 0)
        return;
    clock_hold(&causality->clocks, clock, waiting);
    causality->snapshots[point] = clock;
}

/* Adds what the points in other chains knew that POINT waited for. */
static void join_waits(struct causality *causality, uint32_t point, uint32_t *clock)
{
    const struct order *order = causality->order;
    for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++) {
        const struct wait *wait = &order->waits[w];
        if (wait->strength != ALWAYS || follows_in_chain(causality, wait->point, point))
            continue;
        uint32_t snapshot = causality->snapshots[wait->point];
        clock_join(&causality->clocks, clock, snapshot);
        if (is_host_point(wait->point))
            clock_raise(&causality->clocks, clock, statement_of(causality, point_call(wait->point))->rank,
                        calls_returned(causality, wait->point));
        clock_release(&causality->clocks, snapshot);
    }
}

static void pass_host_point(struct causality *causality, uint32_t point)
{
    uint32_t *clock = &causality->chain_clocks[statement_of(causality, point_call(point))->rank];
    join_waits(causality, point, clock);
    keep_snapshot(causality, point, *clock);
    causality->clock = *clock;
}

/* The members of a group are side by side: each has a clock of its own until the group is done. It stands
 * where the one that waits for it, the group's end, looks for it. */
static void start_member(struct causality *causality, uint32_t call)
{
    uint32_t clock = causality->chain_clocks[chain_of(causality, call)];
    clock_hold(&causality->clocks, clock, 1);
    join_waits(causality, point_of(call, STARTED), &clock);
    keep_snapshot(causality, point_of(call, STARTED), clock);
    causality->snapshots[point_of(call, DONE)] = clock;
    causality->clock = clock;
}

/* The chain goes on with what CLOCK knows. */
static void hand_on_clock(struct causality *causality, uint32_t chain, uint32_t *clock)
{
    causality->chain_counts[chain] = clock_entry(&causality->clocks, *clock, chain);
    clock_hold(&causality->clocks, *clock, 1);
    clock_release(&causality->clocks, causality->chain_clocks[chain]);
    causality->chain_clocks[chain] = *clock;
}

static void count_work(struct causality *causality, uint32_t chain, uint32_t *clock)
{
    clock_raise(&causality->clocks, clock, chain, causality->chain_counts[chain] + 1);
}

/* 0 but for members of a group over several communicators. */
static uint32_t place_of(const struct causality *causality, uint32_t call)
{
    return causality->order->place ? causality->order->place[call] : 0;
}

/* In such a group each member counts by itself, in their order on the stream, and the stream goes on from the
 * last of them. */
static void finish_place(struct causality *causality, uint32_t chain, uint32_t place, uint32_t *clock)
{
    count_work(causality, chain, clock);
    if (place & LAST_PLACE) {
        hand_on_clock(causality, chain, clock);
        causality->places_done[chain] = 0;
    } else {
        causality->chain_counts[chain]++;
        causality->places_done[chain]++;
    }
}

static void finish_member(struct causality *causality, uint32_t call)
{
    uint32_t clock = causality->snapshots[point_of(call, DONE)], place = place_of(causality, call);
    join_waits(causality, point_of(call, DONE), &clock);
    if (place)
        finish_place(causality, chain_of(causality, call), place, &clock);
    keep_snapshot(causality, point_of(call, DONE), clock);
    causality->clock = clock;
    clock_release(&causality->clocks, clock);
}

static void start_operation(struct causality *causality, uint32_t call)
{
    uint32_t *clock = &causality->chain_clocks[chain_of(causality, call)];
    join_waits(causality, point_of(call, STARTED), clock);
    keep_snapshot(causality, point_of(call, STARTED), *clock);
    causality->clock = *clock;
}

static void finish_operation(struct causality *causality, uint32_t call)
{
    uint32_t chain = chain_of(causality, call);
    uint32_t *clock = &causality->chain_clocks[chain];
    join_waits(causality, point_of(call, DONE), clock);
    clock_raise(&causality->clocks, clock, chain, ++causality->chain_counts[chain]);
    keep_snapshot(causality, point_of(call, DONE), *clock);
    causality->clock = *clock;
}

/* Calls CHANGE for the chain of each member of a group; a chain with several members comes as often. */
static void for_member_chains(struct causality *causality, uint32_t end, uint32_t *clock,
                              void (*change)(struct causality *causality, uint32_t chain, uint32_t *clock))
{
    const struct order *order = causality->order;
    uint32_t done = point_of(end, DONE);
    for (uint32_t w = order->first_wait[done]; w < order->first_wait[done + 1]; w++)
        if (point_phase(order->waits[w].point) == DONE)
            change(causality, chain_of(causality, point_call(order->waits[w].point)), clock);
}

/* Whether the streams of a group's members go on from its end. */
static bool streams_wait(const struct causality *causality, uint32_t end)
{
    uint32_t done = point_of(end, DONE);
    const struct order *order = causality->order;
    for (uint32_t w = order->first_wait[done]; w < order->first_wait[done + 1]; w++)
        if (point_phase(order->waits[w].point) == DONE)
            return place_of(causality, point_call(order->waits[w].point)) == 0;
    return true;
}

static void finish_group(struct causality *causality, uint32_t end)
{
    uint32_t clock = clock_new(&causality->clocks);
    join_waits(causality, point_of(end, DONE), &clock);
    if (streams_wait(causality, end)) {
        for_member_chains(causality, end, &clock, count_work);
        for_member_chains(causality, end, &clock, hand_on_clock);
    }
    keep_snapshot(causality, point_of(end, DONE), clock);
    causality->clock = clock;
    clock_release(&causality->clocks, clock);
}

static void pass(struct causality *causality, uint32_t point)
{
    uint32_t call = point_call(point);
    causality->point = point;
    if (is_host_point(point))
        pass_host_point(causality, point);
    else if (is_group_end(causality, call) && point_phase(point) == DONE)
        finish_group(causality, call);
    else if (is_group_end(causality, call))
        causality->clock = causality->chain_clocks[statement_of(causality, call)->rank];
    else if (is_member(causality, call))
        (point_phase(point) == STARTED ? start_member : finish_member)(causality, call);
    else
        (point_phase(point) == STARTED ? start_operation : finish_operation)(causality, call);
}

static void push_ready(void *context, uint32_t point)
{
    struct causality *causality = context;
    uint32_t ranks = causality->program->rank_count;
    if (is_host_point(point)) {
        causality->host_points[(causality->host_first + causality->host_count++) % ranks] = point;
        return;
    }
    ARRAY_RESERVE(causality->operation_points, causality->operation_count, causality->operation_capacity);
    causality->operation_points[causality->operation_count++] = point;
}

/* Operations first, and host programs in turns: then few snapshots are held at a time. */
static bool take_ready(struct causality *causality, uint32_t *point)
{
    if (causality->operation_count > 0) {
        *point = causality->operation_points[--causality->operation_count];
        return true;
    }
    if (causality->host_count == 0)
        return false;
    *point = causality->host_points[causality->host_first];
    causality->host_first = (causality->host_first + 1) % causality->program->rank_count;
    causality->host_count--;
    return true;
}

/* Numbers the streams that operations stand on, behind the host programs. Returns how many chains there are.
 */
static uint32_t number_chains(struct causality *causality)
{
    const struct program *program = causality->program;
    uint32_t chains = program->rank_count;
    causality->stream_chains = memory_all_ones(program->stream_count, sizeof(uint32_t));
    for (uint32_t s = 0; s < program->statement_count; s++) {
        const struct statement *statement = &program->statements[s];
        if (call_is_operation(statement) && statement->kind != CALL_GROUP_END &&
            causality->stream_chains[statement->stream] == NONE)
            causality->stream_chains[statement->stream] = chains++;
    }
    return chains;
}

static void open_causality(struct causality *causality, const struct order *order)
{
    *causality = (struct causality){.order = order, .program = order->program};
    causality->machine = machine_open(order, CHOICE_GUARANTEED);
    uint32_t chains = number_chains(causality);
    clock_pool_open(&causality->clocks, chains);
    causality->chain_clocks = memory_resize(NULL, chains, sizeof(uint32_t));
    causality->chain_counts = memory_zeroed(chains, sizeof(uint32_t));
    causality->places_done = memory_zeroed(chains, sizeof(uint32_t));
    for (uint32_t chain = 0; chain < chains; chain++)
        causality->chain_clocks[chain] = clock_new(&causality->clocks);
    causality->snapshots = memory_resize(NULL, order->point_count, sizeof(uint32_t));
    causality->host_points = memory_resize(NULL, order->program->rank_count, sizeof(uint32_t));
}

static void close_causality(struct causality *causality)
{
    machine_close(causality->machine);
    clock_pool_close(&causality->clocks);
    free(causality->stream_chains);
    free(causality->chain_clocks);
    free(causality->chain_counts);
    free(causality->places_done);
    free(causality->snapshots);
    free(causality->host_points);
    free(causality->operation_points);
}

void causality_run(const struct order *order, void (*visit)(void *context, const struct causality *causality),
                   void *context)
{
    struct causality causality;
    open_causality(&causality, order);
    machine_begin(causality.machine, push_ready, &causality);
    uint32_t point;
    while (take_ready(&causality, &point)) {
        pass(&causality, point);
        visit(context, &causality);
        machine_happen(causality.machine, point, push_ready, &causality);
    }
    close_causality(&causality);
}

struct position causality_end(const struct causality *causality, uint32_t call, enum phase phase)
{
    uint32_t rank = statement_of(causality, call)->rank;
    if (phase == RETURNED)
        return (struct position){rank, calls_returned(causality, point_of(call, RETURNED))};
    uint32_t chain = chain_of(causality, call), place = place_of(causality, call) & ~LAST_PLACE;
    return (struct position){chain,
                             place ? causality->chain_counts[chain] - causality->places_done[chain] + place
                                   : causality->chain_counts[chain] + 1};
}

uint32_t causality_known(const struct causality *causality, uint32_t chain)
{
    if (is_host_point(causality->point) &&
        chain == statement_of(causality, point_call(causality->point))->rank)
        return calls_returned(causality, causality->point);
    return clock_entry(&causality->clocks, causality->clock, chain);
}

bool causality_knows(const struct causality *causality, struct position position)
{
    return causality_known(causality, position.chain) >= position.count;
}
