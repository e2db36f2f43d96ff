/* The twelve rules of docs/schedule-language.md. Each is stated once, in a function with its number. */
#include "order/rules.h"

#include "base/memory.h"
#include "order/connect.h"

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

/* Rule 1: a rank's host program makes its calls in order. */
void rule_1_host_program(struct builder *builder, uint32_t call)
{
    if (call > builder->program->ranks[statement_of(builder, call)->rank].first_call)
        hold(builder, point_of(call, ENTERED), point_of(call - 1, RETURNED), 1);
    hold(builder, point_of(call, RETURNED), point_of(call, ENTERED), 1);
}

/* Rule 2: an operation starts after it was submitted and after the one before it in its stream. */
void rule_2_stream(struct builder *builder, uint32_t call, uint32_t submitted_by)
{
    uint32_t last = builder->progress.streams[statement_of(builder, call)->stream].last;
    hold(builder, point_of(call, STARTED), point_of(submitted_by, ENTERED), 2);
    if (last != NONE)
        hold(builder, point_of(call, STARTED), point_of(last, DONE), 2);
    hold(builder, point_of(call, DONE), point_of(call, STARTED), 2);
}

/* Rule 3: POINT waits for the latest record of the event that the host program has made. */
void rule_3_event(struct builder *builder, uint32_t call, enum phase held)
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
void rule_4_default_stream(struct builder *builder, uint32_t point, uint32_t stream)
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
void rule_4_default_sync(struct builder *builder, uint32_t call)
{
    uint32_t stream = statement_of(builder, call)->stream;
    struct device_progress *device = progress_device(&builder->progress, stream);
    if (!builder->program->streams[stream].is_default)
        return;
    hold_for_blocking_streams(builder, point_of(call, RETURNED), device, FRESH_FOR_DEFAULT_SYNC);
    progress_clear_fresh(&builder->progress, device, FRESH_FOR_DEFAULT_SYNC);
}

/* Rule 5: a receive is done no sooner than its send started; a send may wait for its receive. */
void rule_5_transfer(struct builder *builder, uint32_t call)
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
void rule_6_group(struct builder *builder, uint32_t end)
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
void rule_6_start(struct builder *builder, uint32_t member)
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

/* NCCL takes no more in a group (NCCL user guide, api/group). */
enum { MEMBER_LIMIT = 2048 };

/* Rule 6 in a group over several communicators: NCCL launches the members of each by themselves (seen:
 * docs/measured.md), when all streams that those are on have come to the group. */
void rule_6_start_apart(struct builder *builder, uint32_t member)
{
    const struct progress *progress = &builder->progress;
    const struct statement *statement = statement_of(builder, member);
    for (uint32_t i = 0; progress->member_count <= MEMBER_LIMIT && i < progress->member_count; i++) {
        const struct statement *other = statement_of(builder, progress->members[i]);
        uint32_t last = progress->streams[other->stream].last;
        if (other->communicator != statement->communicator || other->stream == statement->stream)
            continue;
        if (last != NONE)
            hold(builder, point_of(member, STARTED), point_of(last, DONE), 6);
        rule_4_default_stream(builder, point_of(member, STARTED), other->stream);
    }
}

/* And no stream waits for members on another: what comes next waits for the last member on it, and that for
 * the others on it. */
void rule_6_streams(struct builder *builder)
{
    const struct progress *progress = &builder->progress;
    struct order *order = builder->order;
    if (!order->place)
        order->place = memory_zeroed(builder->program->call_count, sizeof *order->place);
    for (uint32_t i = 0; i < progress->member_count; i++) {
        uint32_t member = progress->members[i];
        uint32_t *last = &progress->streams[statement_of(builder, member)->stream].last_member;
        order->place[member] = LAST_PLACE | 1;
        if (*last != NONE) {
            hold(builder, point_of(member, DONE), point_of(*last, DONE), 6);
            order->place[*last] &= ~LAST_PLACE;
            order->place[member] += order->place[*last];
        }
        *last = member;
    }
}

/* A broadcast's root need not wait for those that it sends to, nor they for one another. Besides the rules:
 * NCCL 2.28 was seen to come back from ncclCommDestroy without the other ranks (docs/measured.md). */
static enum strength meeting_strength(const struct builder *builder, const struct statement *statement,
                                      uint32_t other_rank)
{
    bool is_free = statement->kind == CALL_BROADCAST && other_rank != statement->peer;
    return is_free || (builder->first_uses && statement->kind == CALL_DESTROY) ? MAY : ALWAYS;
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
void rule_7_collective(struct builder *builder, uint32_t call)
{
    hold_for_ranks(builder, call, DONE, STARTED, 7);
}

void rule_7_creation(struct builder *builder, uint32_t call)
{
    hold_for_ranks(builder, call, RETURNED, ENTERED, 7);
}

/* Rule 8: sync and poll hold the host program until what they name is done; a barrier holds all of them. */
void rule_8_stream(struct builder *builder, uint32_t call)
{
    uint32_t last = builder->progress.streams[statement_of(builder, call)->stream].last;
    if (last != NONE)
        hold(builder, point_of(call, RETURNED), point_of(last, DONE), 8);
}

void rule_8_device(struct builder *builder, uint32_t call)
{
    struct progress *progress = &builder->progress;
    struct device_progress *device = &progress->devices[statement_of(builder, call)->gpu];
    for (uint32_t stream = device->first_fresh[FRESH_FOR_DEVICE_SYNC]; stream != NONE;
         stream = progress->streams[stream].next_fresh[FRESH_FOR_DEVICE_SYNC])
        hold(builder, point_of(call, RETURNED), point_of(progress->streams[stream].last, DONE), 8);
    progress_clear_fresh(progress, device, FRESH_FOR_DEVICE_SYNC);
}

void rule_8_barrier(struct builder *builder, uint32_t call)
{
    hold_for_ranks(builder, call, RETURNED, ENTERED, 8);
}

/* Rule 9: what has happened when a copy returns. */
void rule_9_copy_returns(struct builder *builder, uint32_t call)
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
void rule_9_set_returns(struct builder *builder, uint32_t call)
{
    const struct statement *set = statement_of(builder, call);
    uint8_t kind = builder->program->memories[builder->program->spans[set->first_span].memory].kind;
    if (!set->has_stream && kind != MEMORY_DEVICE)
        hold(builder, point_of(call, RETURNED), point_of(call, DONE), 9);
}

/* Rule 10: free and buffer may make the host wait for all work of the device. So may page-locked and managed
 * allocations, which is no RULE. */
void rule_10_allocation(struct builder *builder, uint32_t call, uint8_t rule)
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
void rule_11_turn(struct builder *builder, uint32_t call)
{
    const struct statement *statement = statement_of(builder, call);
    uint32_t last = progress_device(&builder->progress, statement->stream)->last_communication;
    if (last != NONE)
        hold_until(builder, point_of(call, STARTED),
                   (struct wait){.point = point_of(last, DONE),
                                 .rule = 11,
                                 .strength = (uint8_t)until_aborted(builder, call, MAY)});
}

/* Rule 12: destroy waits for the communicator's work and for the other ranks; abort waits for nothing. */
void rule_12_destroy(struct builder *builder, uint32_t call)
{
    const struct progress *progress = &builder->progress;
    uint32_t communicator = statement_of(builder, call)->communicator;
    for (uint32_t work = progress->first_work[communicator]; work != NONE; work = progress->work[work].next)
        hold(builder, point_of(call, RETURNED), point_of(progress->work[work].operation, DONE), 12);
    hold_for_ranks(builder, call, RETURNED, ENTERED, 12);
}

/* Not a rule: a first use may hold the host program until the others have come to theirs (connect.h). */
void besides_connection(struct builder *builder, uint32_t call, uint32_t submitted_by)
{
    const struct order *order = builder->order;
    bool is_transfer = call_is_transfer(statement_of(builder, call));
    for (uint32_t part = order->match[call]; builder->first_uses[call] && part != NONE && part != call;
         part = is_transfer ? NONE : order->match[part])
        hold_until(builder, point_of(submitted_by, RETURNED),
                   (struct wait){.point = point_of(submitter_of(order, part), ENTERED),
                                 .rule = BESIDES_CONNECTION,
                                 .strength = MAY,
                                 .rank = statement_of(builder, part)->rank});
}

/* Not a rule: a copy on a stream may hold the host where one side is pageable (CUDA driver API,
 * api-sync-behavior: might be synchronous). */
void besides_pageable_copy(struct builder *builder, uint32_t call)
{
    const struct span *spans = &builder->program->spans[statement_of(builder, call)->first_span];
    const struct memory *memories = builder->program->memories;
    if (memories[spans[0].memory].kind == MEMORY_PAGEABLE ||
        memories[spans[1].memory].kind == MEMORY_PAGEABLE)
        hold_until(
            builder, point_of(call, RETURNED),
            (struct wait){.point = point_of(call, DONE), .rule = BESIDES_HOST_MEMORY, .strength = MAY});
}
