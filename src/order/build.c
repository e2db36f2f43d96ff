/* Goes through all calls twice: to count the waits of each point, and then to write them side by side. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "order/aborts.h"
#include "order/match.h"
#include "order/rules.h"

static void hold_operation(struct builder *builder, uint32_t call, uint32_t submitted_by)
{
    rule_2_stream(builder, call, submitted_by);
    rule_4_default_stream(builder, point_of(call, STARTED), statement_of(builder, call)->stream);
}

static void hold_communication(struct builder *builder, uint32_t call, uint32_t submitted_by)
{
    hold_operation(builder, call, submitted_by);
    rule_11_turn(builder, call);
    if (builder->first_uses)
        besides_connection(builder, call, submitted_by);
    if (call_is_transfer(statement_of(builder, call)))
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

/* Each stream goes on from the group's end. */
static void submit_together(struct builder *builder, uint32_t end)
{
    for (uint32_t i = 0; i < builder->progress.member_count; i++)
        submit_communication(builder, builder->progress.members[i], end, end);
}

/* Each stream goes on from its last member. Where the default stream has one and blocking streams do,
 * whichever of them comes second has waited for the first (rule 4): what comes next in either waits for both.
 */
static void submit_apart(struct builder *builder, uint32_t end)
{
    struct progress *progress = &builder->progress;
    rule_6_streams(builder);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < progress->member_count; i++) {
            uint32_t member = progress->members[i], stream = statement_of(builder, member)->stream;
            if (builder->program->streams[stream].is_default != (pass == 0))
                continue;
            submit_communication(builder, member, member, end);
            if (pass == 1)
                progress_put_before_default(progress, stream, end, builder->order->bound);
        }
    }
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
        (is_one ? rule_6_start : rule_6_start_apart)(builder, progress->members[i]);
    }
    rule_6_group(builder, end);
    if (is_one)
        submit_together(builder, end);
    else
        submit_apart(builder, end);
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
        if (builder->first_uses)
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
        if (builder->first_uses && builder->program->memories[statement->memory].kind != MEMORY_PAGEABLE)
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

static void make_all_calls(struct builder *builder)
{
    const struct program *program = builder->program;
    progress_open(&builder->progress, program);
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        progress_begin_rank(&builder->progress);
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

struct order *order_build_besides(const struct program *program, const bool *first_uses)
{
    return build(&(struct builder){.program = program, .first_uses = first_uses});
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
    free(order->place);
    free(order->abort_of);
    free(order->aborted_by);
    free(order->first_ended);
    free(order->next_ended);
    free(order);
}
