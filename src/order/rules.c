/* The twelve rules of docs/schedule-language.md. Each is stated once, in a function with its number; they
 * are gone through twice, to count the waits of each point and then to write them side by side. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "order/aborts.h"
#include "order/match.h"
#include "order/progress.h"

struct builder {
    struct order *order;
    const struct program *program;
    struct progress progress;
    const bool *skipped; /* by statement; NULL */
    uint8_t *connected;  /* by communicator and peer, of the rank at hand: bits of enum connection. NULL: what
                            there is besides the rules is left out */
    bool counting;
};

static void hold_until(struct builder *builder, uint32_t point, struct wait wait)
{
    struct order *order = builder->order;
    if (builder->counting)
        order->first_wait[point + 1]++;
    else
        order->waits[order->first_wait[point]++] = wait;
}

static void hold(struct builder *builder, uint32_t point, uint32_t until, uint8_t rule)
{
    hold_until(builder, point, (struct wait){.point = until, .rule = rule, .strength = ALWAYS});
}

/* Where the rank aborts the communicator later, what holds its communication ends with that. */
static enum strength until_aborted(const struct builder *builder, uint32_t call, enum strength strength)
{
    const uint32_t *aborted_by = builder->order->aborted_by;
    return aborted_by && aborted_by[call] != NONE ? ABORTABLE : strength;
}

static const struct statement *statement_of(const struct builder *builder, uint32_t call)
{
    return call_statement(builder->program, call);
}

/* Rule 1: a rank's host program makes its calls in order. */
static void rule_1_host_program(struct builder *builder, uint32_t call)
{
    if (call > builder->program->ranks[statement_of(builder, call)->rank].first_call)
        hold(builder, point_of(call, ENTERED), point_of(call - 1, RETURNED), 1);
    hold(builder, point_of(call, RETURNED), point_of(call, ENTERED), 1);
}

/* Rule 2: an operation starts after it was submitted and after the one before it in its stream. */
static void rule_2_stream(struct builder *builder, uint32_t call, uint32_t submitted_by)
{
    uint32_t last = builder->progress.streams[statement_of(builder, call)->stream].last;
    hold(builder, point_of(call, STARTED), point_of(submitted_by, ENTERED), 2);
    if (last != NONE)
        hold(builder, point_of(call, STARTED), point_of(last, DONE), 2);
    hold(builder, point_of(call, DONE), point_of(call, STARTED), 2);
}

/* Rule 3: POINT waits for the latest record of the event that the host program has made. */
static void rule_3_event(struct builder *builder, uint32_t call, enum phase held)
{
    uint32_t record = builder->progress.recorded[statement_of(builder, call)->event];
    builder->order->bound[call] = record;
    if (record != NONE)
        hold(builder, point_of(call, held), point_of(record, DONE), 3);
}

static void hold_for_blocking_streams(struct builder *builder, uint32_t point,
                                      const struct device_progress *device, enum fresh_list list)
{
    const struct stream_progress *streams = builder->progress.streams;
    for (uint32_t stream = device->first_fresh[list]; stream != NONE;
         stream = streams[stream].next_fresh[list])
        hold(builder, point, point_of(streams[stream].last, DONE), 4);
}

/* Rule 4: the legacy default stream and the blocking streams of its device wait for one another. POINT is the
 * start of an operation on STREAM. */
static void rule_4_default_stream(struct builder *builder, uint32_t point, uint32_t stream)
{
    const struct stream *described = &builder->program->streams[stream];
    const struct device_progress *device = progress_device(&builder->progress, stream);
    if (described->is_default)
        hold_for_blocking_streams(builder, point, device, FRESH_FOR_DEFAULT);
    else if (!described->nonblocking && device->default_serial > builder->progress.streams[stream].serial &&
             device->last_default != NONE)
        hold(builder, point, point_of(device->last_default, DONE), 4);
}

/* Rule 4 for the host: waiting for the default stream is waiting for the blocking ones too. */
static void rule_4_default_sync(struct builder *builder, uint32_t call)
{
    uint32_t stream = statement_of(builder, call)->stream;
    struct device_progress *device = progress_device(&builder->progress, stream);
    if (!builder->program->streams[stream].is_default)
        return;
    hold_for_blocking_streams(builder, point_of(call, RETURNED), device, FRESH_FOR_DEFAULT_SYNC);
    progress_clear_fresh(&builder->progress, device, FRESH_FOR_DEFAULT_SYNC);
}

/* Rule 5: a receive is done no sooner than its send started; a send may wait for its receive. */
static void rule_5_transfer(struct builder *builder, uint32_t call)
{
    const struct statement *statement = statement_of(builder, call);
    uint32_t peer = builder->order->match[call];
    enum strength strength = statement->kind == CALL_RECV ? ALWAYS : MAY;
    hold_until(builder, point_of(call, DONE),
               (struct wait){.point = peer == NONE ? NONE : point_of(peer, STARTED),
                             .rule = 5,
                             .strength = (uint8_t)until_aborted(builder, call, strength),
                             .rank = statement->peer});
}

/* Rule 6: the members of a group make progress together from its end on; the group is done when all are. */
static void rule_6_group(struct builder *builder, uint32_t end)
{
    const struct progress *progress = &builder->progress;
    hold(builder, point_of(end, STARTED), point_of(end, ENTERED), 6);
    hold(builder, point_of(end, DONE), point_of(end, STARTED), 6);
    for (uint32_t i = 0; i < progress->member_count; i++) {
        builder->order->bound[progress->members[i]] = end;
        hold(builder, point_of(end, DONE), point_of(progress->members[i], DONE), 6);
    }
}

/* Rule 6: a group of one communicator with members on several streams stands in each of them as one
 * operation: none of its members starts before all these streams have come to it (NCCL user guide,
 * usage/streams). */
static void rule_6_start(struct builder *builder, uint32_t member)
{
    const struct progress *progress = &builder->progress;
    uint32_t point = point_of(member, STARTED);
    for (uint32_t i = 0; i < progress->group_stream_count; i++) {
        uint32_t stream = progress->group_streams[i], last = progress->streams[stream].last;
        if (stream == statement_of(builder, member)->stream)
            continue;
        if (last != NONE)
            hold(builder, point, point_of(last, DONE), 6);
        rule_4_default_stream(builder, point, stream);
    }
}

/* Rule 6 in a group over several communicators: NCCL launches the members of each by themselves, and no
 * stream waits for those on another (seen: docs/measured.md). What comes next in a stream waits for the last
 * member on it, and that for the others on it. */
static void rule_6_streams(struct builder *builder)
{
    const struct progress *progress = &builder->progress;
    struct order *order = builder->order;
    if (!order->ends_stream)
        order->ends_stream = memory_zeroed(builder->program->call_count, sizeof *order->ends_stream);
    for (uint32_t i = 0; i < progress->member_count; i++) {
        uint32_t member = progress->members[i];
        uint32_t *last = &progress->streams[statement_of(builder, member)->stream].last_member;
        if (*last != NONE) {
            hold(builder, point_of(member, DONE), point_of(*last, DONE), 6);
            order->ends_stream[*last] = false;
        }
        order->ends_stream[member] = true;
        *last = member;
    }
}

/* A broadcast's root need not wait for those that it sends to, nor they for one another. Besides the rules:
 * NCCL 2.28 was seen to come back from ncclCommDestroy without the other ranks (docs/measured.md). */
static enum strength meeting_strength(const struct builder *builder, const struct statement *statement,
                                      uint32_t other_rank)
{
    bool is_free = statement->kind == CALL_BROADCAST && other_rank != statement->peer;
    return is_free || (builder->connected && statement->kind == CALL_DESTROY) ? MAY : ALWAYS;
}

/* CALL's point HELD waits until every other rank has come to point MET of its matching call. */
static void hold_for_ranks(struct builder *builder, uint32_t call, enum phase held, enum phase met,
                           uint8_t rule)
{
    const uint32_t *match = builder->order->match;
    const struct statement *statement = statement_of(builder, call);
    uint32_t ranks = builder->program->rank_count;
    uint32_t next = match[call];
    for (uint32_t step = 1; step < ranks; step++) {
        uint32_t rank = (statement->rank + step) % ranks;
        bool comes = next != call && statement_of(builder, next)->rank == rank;
        hold_until(builder, point_of(call, held),
                   (struct wait){.point = comes ? point_of(next, met) : NONE,
                                 .rule = rule,
                                 .strength = (uint8_t)until_aborted(
                                     builder, call, meeting_strength(builder, statement, rank)),
                                 .rank = (uint16_t)rank});
        if (comes)
            next = match[next];
    }
}

/* Rule 7: an allreduce is done no sooner than it started on every rank; so is a communicator's making. */
static void rule_7_collective(struct builder *builder, uint32_t call)
{
    hold_for_ranks(builder, call, DONE, STARTED, 7);
}

static void rule_7_creation(struct builder *builder, uint32_t call)
{
    hold_for_ranks(builder, call, RETURNED, ENTERED, 7);
}

/* Rule 8: sync and poll hold the host program until what they name is done; a barrier holds all of them. */
static void rule_8_stream(struct builder *builder, uint32_t call)
{
    uint32_t last = builder->progress.streams[statement_of(builder, call)->stream].last;
    if (last != NONE)
        hold(builder, point_of(call, RETURNED), point_of(last, DONE), 8);
}

static void rule_8_device(struct builder *builder, uint32_t call)
{
    struct progress *progress = &builder->progress;
    struct device_progress *device = &progress->devices[statement_of(builder, call)->gpu];
    for (uint32_t stream = device->first_fresh[FRESH_FOR_DEVICE_SYNC]; stream != NONE;
         stream = progress->streams[stream].next_fresh[FRESH_FOR_DEVICE_SYNC])
        hold(builder, point_of(call, RETURNED), point_of(progress->streams[stream].last, DONE), 8);
    progress_clear_fresh(progress, device, FRESH_FOR_DEVICE_SYNC);
}

static void rule_8_barrier(struct builder *builder, uint32_t call)
{
    hold_for_ranks(builder, call, RETURNED, ENTERED, 8);
}

/* Rule 9: what has happened when a copy returns. */
static void rule_9_copy_returns(struct builder *builder, uint32_t call)
{
    const struct statement *copy = statement_of(builder, call);
    uint32_t source = builder->program->spans[copy->first_span].memory;
    bool pageable = builder->program->memories[source].kind == MEMORY_PAGEABLE;
    enum copy_direction direction = copy_direction(builder->program, copy);
    if (direction == COPY_HOST_TO_HOST)
        hold(builder, point_of(call, RETURNED), point_of(call, DONE), 9);
    else if (!copy->has_stream && direction == COPY_DEVICE_TO_HOST)
        hold(builder, point_of(call, RETURNED), point_of(call, DONE), 9);
    else if (!copy->has_stream && direction == COPY_HOST_TO_DEVICE)
        hold(builder, point_of(call, RETURNED), point_of(call, pageable ? STARTED : DONE), 9);
}

/* Rule 9 for a set without a stream, which the page leaves open: on what the host can reach it is done when
 * it returns (CUDA driver API, api-sync-behavior: memset of pinned host memory or a Unified Memory region).
 */
static void rule_9_set_returns(struct builder *builder, uint32_t call)
{
    const struct statement *set = statement_of(builder, call);
    uint8_t kind = builder->program->memories[builder->program->spans[set->first_span].memory].kind;
    if (!set->has_stream && kind != MEMORY_DEVICE)
        hold(builder, point_of(call, RETURNED), point_of(call, DONE), 9);
}

/* Rule 10: free and buffer may make the host wait for all work of the device. So may page-locked and managed
 * allocations, which is no RULE. */
static void rule_10_allocation(struct builder *builder, uint32_t call, uint8_t rule)
{
    struct progress *progress = &builder->progress;
    const struct memory *memory = &builder->program->memories[statement_of(builder, call)->memory];
    struct device_progress *device = &progress->devices[memory->gpu];
    for (uint32_t stream = device->first_fresh[FRESH_FOR_ALLOCATION]; stream != NONE;
         stream = progress->streams[stream].next_fresh[FRESH_FOR_ALLOCATION])
        hold_until(builder, point_of(call, RETURNED),
                   (struct wait){.point = point_of(progress->streams[stream].last, DONE),
                                 .rule = rule,
                                 .strength = MAY});
    progress_clear_fresh(progress, device, FRESH_FOR_ALLOCATION);
}

/* Rule 11: the communication of one GPU may have to take turns in the order of the calls. */
static void rule_11_turn(struct builder *builder, uint32_t call)
{
    const struct statement *statement = statement_of(builder, call);
    uint32_t last = progress_device(&builder->progress, statement->stream)->last_communication;
    if (last != NONE)
        hold_until(builder, point_of(call, STARTED),
                   (struct wait){.point = point_of(last, DONE),
                                 .rule = 11,
                                 .strength = (uint8_t)until_aborted(builder, call, MAY)});
}

/* Not a rule: NCCL may connect ranks at their first transfer in a direction, and all at the first collective,
 * and hold the host programs until both or all have come to it (NCCL user guide: NCCL_RUNTIME_CONNECT, on by
 * default; usage/groups: every call may have to block). */
enum connection { CONNECTED_TO = 1, CONNECTED_FROM = 2, CONNECTED_ALL = 4 };

static void besides_connection(struct builder *builder, uint32_t call, uint32_t submitted_by)
{
    const struct order *order = builder->order;
    const struct statement *statement = statement_of(builder, call);
    bool is_transfer = statement->kind == CALL_SEND || statement->kind == CALL_RECV;
    enum connection what = statement->kind == CALL_SEND   ? CONNECTED_TO
                           : statement->kind == CALL_RECV ? CONNECTED_FROM
                                                          : CONNECTED_ALL;
    uint32_t place = statement->communicator * builder->program->rank_count +
                     (is_transfer ? statement->peer : statement->rank);
    if (builder->connected[place] & what)
        return;
    builder->connected[place] |= (uint8_t)what;
    for (uint32_t part = order->match[call]; part != NONE && part != call;
         part = is_transfer ? NONE : order->match[part]) {
        const struct statement *other = statement_of(builder, part);
        uint32_t with = other->in_group && !builder->counting ? order->bound[part] : part;
        hold_until(builder, point_of(submitted_by, RETURNED),
                   (struct wait){.point = point_of(with, ENTERED),
                                 .rule = BESIDES_CONNECTION,
                                 .strength = MAY,
                                 .rank = other->rank});
    }
}

/* Not a rule: a copy on a stream may hold the host where one side is pageable (CUDA driver API,
 * api-sync-behavior: might be synchronous). */
static void besides_pageable_copy(struct builder *builder, uint32_t call)
{
    const struct span *spans = &builder->program->spans[statement_of(builder, call)->first_span];
    const struct memory *memories = builder->program->memories;
    if (memories[spans[0].memory].kind == MEMORY_PAGEABLE ||
        memories[spans[1].memory].kind == MEMORY_PAGEABLE)
        hold_until(
            builder, point_of(call, RETURNED),
            (struct wait){.point = point_of(call, DONE), .rule = BESIDES_HOST_MEMORY, .strength = MAY});
}

/* Rule 12: destroy waits for the communicator's work and for the other ranks; abort waits for nothing. */
static void rule_12_destroy(struct builder *builder, uint32_t call)
{
    const struct progress *progress = &builder->progress;
    uint32_t communicator = statement_of(builder, call)->communicator;
    for (uint32_t work = progress->first_work[communicator]; work != NONE; work = progress->work[work].next)
        hold(builder, point_of(call, RETURNED), point_of(progress->work[work].operation, DONE), 12);
    hold_for_ranks(builder, call, RETURNED, ENTERED, 12);
}

static void hold_operation(struct builder *builder, uint32_t call, uint32_t submitted_by)
{
    rule_2_stream(builder, call, submitted_by);
    rule_4_default_stream(builder, point_of(call, STARTED), statement_of(builder, call)->stream);
}

static void hold_communication(struct builder *builder, uint32_t call, uint32_t submitted_by)
{
    uint8_t kind = statement_of(builder, call)->kind;
    hold_operation(builder, call, submitted_by);
    rule_11_turn(builder, call);
    if (builder->connected)
        besides_connection(builder, call, submitted_by);
    if (kind == CALL_SEND || kind == CALL_RECV)
        rule_5_transfer(builder, call);
    else
        rule_7_collective(builder, call);
}

static void submit(struct builder *builder, uint32_t call)
{
    progress_submit(&builder->progress, statement_of(builder, call)->stream, call);
}

/* The communication CALL stands in its stream; UNIT is what is done with it: the call, or its group's end.
 * TURN is what others take their turn after. */
static void submit_communication(struct builder *builder, uint32_t call, uint32_t unit, uint32_t turn)
{
    const struct statement *statement = statement_of(builder, call);
    progress_submit(&builder->progress, statement->stream, unit);
    progress_device(&builder->progress, statement->stream)->last_communication = turn;
    progress_add_work(&builder->progress, statement->communicator, statement->stream, unit);
}

static bool group_is_of_one_communicator(const struct builder *builder)
{
    const struct progress *progress = &builder->progress;
    for (uint32_t i = 1; i < progress->member_count; i++)
        if (statement_of(builder, progress->members[i])->communicator !=
            statement_of(builder, progress->members[0])->communicator)
            return false;
    return true;
}

/* All members are held by what stood before the group, and only then stand in the way themselves. */
static void end_group(struct builder *builder, uint32_t end)
{
    struct progress *progress = &builder->progress;
    if (progress->depth > 0 && --progress->depth > 0)
        return;
    bool is_one = group_is_of_one_communicator(builder);
    for (uint32_t i = 0; i < progress->member_count; i++) {
        hold_communication(builder, progress->members[i], end);
        if (is_one)
            rule_6_start(builder, progress->members[i]);
    }
    rule_6_group(builder, end);
    if (!is_one)
        rule_6_streams(builder);
    for (uint32_t i = 0; i < progress->member_count; i++)
        submit_communication(builder, progress->members[i], is_one ? end : progress->members[i], end);
    progress_clear_group(progress);
}

static void communicate(struct builder *builder, uint32_t call)
{
    if (builder->progress.depth > 0) {
        progress_add_member(&builder->progress, call);
        return;
    }
    hold_communication(builder, call, call);
    submit_communication(builder, call, call, call);
}

static void make_call(struct builder *builder, uint32_t call)
{
    const struct statement *statement = statement_of(builder, call);
    rule_1_host_program(builder, call);
    if (builder->skipped && builder->skipped[builder->program->calls[call].statement])
        return;
    switch (statement->kind) {
    case CALL_LAUNCH:
        hold_operation(builder, call, call);
        submit(builder, call);
        break;
    case CALL_SET:
        hold_operation(builder, call, call);
        rule_9_set_returns(builder, call);
        submit(builder, call);
        break;
    case CALL_COPY:
        hold_operation(builder, call, call);
        rule_9_copy_returns(builder, call);
        if (builder->connected)
            besides_pageable_copy(builder, call);
        submit(builder, call);
        break;
    case CALL_RECORD:
        hold_operation(builder, call, call);
        submit(builder, call);
        builder->progress.recorded[statement->event] = call;
        break;
    case CALL_WAIT:
        hold_operation(builder, call, call);
        rule_3_event(builder, call, DONE);
        submit(builder, call);
        break;
    case CALL_SEND:
    case CALL_RECV:
    case CALL_ALLREDUCE:
    case CALL_BROADCAST:
        communicate(builder, call);
        break;
    case CALL_GROUP:
        builder->progress.depth++;
        break;
    case CALL_GROUP_END:
        end_group(builder, call);
        break;
    case CALL_SYNC_STREAM:
    case CALL_POLL_STREAM:
        rule_8_stream(builder, call);
        rule_4_default_sync(builder, call);
        break;
    case CALL_SYNC_EVENT:
    case CALL_POLL_EVENT:
        rule_3_event(builder, call, RETURNED);
        break;
    case CALL_QUERY_EVENT:
        builder->order->bound[call] = builder->progress.recorded[statement->event];
        break;
    case CALL_SYNC_DEVICE:
        rule_8_device(builder, call);
        break;
    case CALL_BARRIER:
        rule_8_barrier(builder, call);
        break;
    case CALL_COMM:
        rule_7_creation(builder, call);
        break;
    case CALL_BUFFER:
    case CALL_FREE:
        rule_10_allocation(builder, call, 10);
        break;
    case CALL_HOST:
    case CALL_MANAGED:
        if (builder->connected && builder->program->memories[statement->memory].kind != MEMORY_PAGEABLE)
            rule_10_allocation(builder, call, BESIDES_HOST_MEMORY);
        break;
    case CALL_DESTROY:
        rule_12_destroy(builder, call);
        builder->progress.first_work[statement->communicator] = NONE;
        break;
    case CALL_ABORT:
        builder->progress.first_work[statement->communicator] = NONE;
        break;
    default: /* use gpu, streams, query, read and write hold nothing */
        break;
    }
}

static size_t connections(const struct program *program)
{
    return (size_t)program->communicator_count * program->rank_count;
}

static void make_all_calls(struct builder *builder)
{
    const struct program *program = builder->program;
    progress_open(&builder->progress, program);
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        progress_begin_rank(&builder->progress);
        if (builder->connected)
            memset(builder->connected, 0, connections(program));
        for (uint32_t i = 0; i < program->ranks[rank].call_count; i++)
            make_call(builder, program->ranks[rank].first_call + i);
    }
    progress_close(&builder->progress);
}

/* From counts of the point before each to the sum of all before it. */
static void sum_counts(struct order *order)
{
    for (uint32_t point = 0; point < order->point_count; point++)
        order->first_wait[point + 1] += order->first_wait[point];
}

static uint32_t *copy_calls(const struct program *program, const uint32_t *by_call)
{
    uint32_t *copy = memory_resize(NULL, program->call_count, sizeof *copy);
    memcpy(copy, by_call, program->call_count * sizeof *copy);
    return copy;
}

static struct order *build(struct builder *builder)
{
    const struct program *program = builder->program;
    struct order *order = memory_zeroed(1, sizeof *order);
    order->program = program;
    order->point_count = program->call_count * PHASE_COUNT;
    order->first_wait = memory_zeroed((size_t)order->point_count + 1, sizeof *order->first_wait);
    order->match = memory_all_ones(program->call_count, sizeof *order->match);
    order->bound = memory_all_ones(program->call_count, sizeof *order->bound);
    order_match(order);
    if (order->abort_of)
        order->aborted_by = copy_calls(program, order->abort_of);

    builder->order = order;
    builder->counting = true;
    make_all_calls(builder);
    sum_counts(order);
    order->waits = memory_resize(NULL, order->first_wait[order->point_count], sizeof *order->waits);
    builder->counting = false;
    make_all_calls(builder);
    /* Writing moved the beginning of each point's waits to their end, which is the next one's beginning. */
    memmove(order->first_wait + 1, order->first_wait, order->point_count * sizeof *order->first_wait);
    order->first_wait[0] = 0;
    if (order->abort_of)
        settle_aborts(order);
    return order;
}

struct order *order_build_without(const struct program *program, const bool *skipped)
{
    return build(&(struct builder){.program = program, .skipped = skipped});
}

struct order *order_build_besides(const struct program *program)
{
    uint8_t *connected = memory_zeroed(connections(program), 1);
    struct order *order = build(&(struct builder){.program = program, .connected = connected});
    free(connected);
    return order;
}

struct order *order_build(const struct program *program)
{
    return order_build_without(program, NULL);
}

void order_free(struct order *order)
{
    if (!order)
        return;
    free(order->first_wait);
    free(order->waits);
    free(order->match);
    free(order->bound);
    free(order->ends_stream);
    free(order->abort_of);
    free(order->aborted_by);
    free(order->first_ended);
    free(order->next_ended);
    free(order);
}
