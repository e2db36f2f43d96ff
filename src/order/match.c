#include "order/match.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "order/key_table.h"

enum meeting_kind {
    MEETING_TRANSFER, /* the sends of one rank to another, waiting for their receives */
    MEETING_COLLECTIVE,
    MEETING_CREATION,
    MEETING_END, /* destroy and abort: a rank's abort releases another's destroy */
    MEETING_BARRIER,
    MEETING_KIND_COUNT
};

/* What meets. FIRST and LAST: of the sends without a receive so far, or of the calls that have come. */
struct meeting {
    uint32_t first, last;
};

struct matcher {
    struct order *order;
    const struct program *program;
    struct key_table numbers; /* of meetings, by kind, communicator, and for a transfer the pair of ranks,
                                 else which one it is of its kind */
    struct meeting *meetings;
    uint32_t meeting_count, meeting_capacity;
    uint32_t *next;   /* by send: the one behind it in its queue */
    uint32_t *counts; /* by communicator and kind of meeting, of the rank at hand */
};

/* The meeting, made where there was none. Valid until the next call. */
static struct meeting *meeting_at(struct matcher *matcher, enum meeting_kind kind, uint32_t communicator,
                                  uint32_t index)
{
    uint32_t *number = key_table_at(&matcher->numbers, (struct key){{kind, communicator, index}});
    if (*number == NONE) {
        ARRAY_RESERVE(matcher->meetings, matcher->meeting_count, matcher->meeting_capacity);
        matcher->meetings[matcher->meeting_count] = (struct meeting){NONE, NONE};
        *number = matcher->meeting_count++;
    }
    return &matcher->meetings[*number];
}

static struct meeting *transfer_queue(struct matcher *matcher, const struct statement *statement,
                                      uint32_t from, uint32_t to)
{
    return meeting_at(matcher, MEETING_TRANSFER, statement->communicator, from << 16 | to);
}

static void queue_send(struct matcher *matcher, const struct statement *statement, uint32_t call)
{
    struct meeting *queue = transfer_queue(matcher, statement, statement->rank, statement->peer);
    matcher->next[call] = NONE;
    if (queue->first == NONE)
        queue->first = call;
    else
        matcher->next[queue->last] = call;
    queue->last = call;
}

static void match_receive(struct matcher *matcher, const struct statement *statement, uint32_t call)
{
    struct meeting *queue = transfer_queue(matcher, statement, statement->peer, statement->rank);
    uint32_t send = queue->first;
    if (send == NONE)
        return;
    queue->first = matcher->next[send];
    matcher->order->match[send] = call;
    matcher->order->match[call] = send;
}

/* Rank after rank: each call points at the one that came before it; the first is turned to the last when all
 * are known. The ring then runs from each rank to the next one that takes part. */
static void join_meeting(struct matcher *matcher, enum meeting_kind kind, uint32_t communicator,
                         uint32_t call)
{
    uint32_t *count = &matcher->counts[communicator * MEETING_KIND_COUNT + kind];
    struct meeting *meeting = meeting_at(matcher, kind, communicator, (*count)++);
    if (meeting->first == NONE)
        meeting->first = call;
    else
        matcher->order->match[meeting->last] = call;
    meeting->last = call;
    matcher->order->match[call] = meeting->first;
}

static void match_call(struct matcher *matcher, uint32_t call, bool receives)
{
    const struct statement *statement = call_statement(matcher->program, call);
    uint32_t communicator = statement->communicator;
    if (receives) {
        if (statement->kind == CALL_RECV)
            match_receive(matcher, statement, call);
        return;
    }
    switch (statement->kind) {
    case CALL_SEND:
        queue_send(matcher, statement, call);
        break;
    case CALL_ALLREDUCE:
    case CALL_BROADCAST:
        join_meeting(matcher, MEETING_COLLECTIVE, communicator, call);
        break;
    case CALL_COMM:
        join_meeting(matcher, MEETING_CREATION, communicator, call);
        break;
    case CALL_BARRIER:
        join_meeting(matcher, MEETING_BARRIER, 0, call);
        break;
    case CALL_DESTROY:
    case CALL_ABORT:
        join_meeting(matcher, MEETING_END, communicator, call);
        break;
    default:
        break;
    }
}

static void match_rank(struct matcher *matcher, const struct rank *rank, bool receives)
{
    size_t communicators = matcher->program->communicator_count;
    memset(matcher->counts, 0, communicators * MEETING_KIND_COUNT * sizeof *matcher->counts);
    for (uint32_t i = 0; i < rank->call_count; i++)
        match_call(matcher, rank->first_call + i, receives);
}

void note_members(const struct program *program, uint32_t end, const uint32_t *of_communicator,
                  uint32_t *of_call)
{
    for (uint32_t call = group_start(program, end); call < end; call++) {
        const struct statement *statement = call_statement(program, call);
        if (call_is_communication(statement))
            of_call[call] = of_communicator[statement->communicator];
    }
}

/* Backwards: what a communication call meets first on its way to the end of the host program. */
static void find_aborts(struct order *order, const struct rank *rank, uint32_t *aborting)
{
    for (uint32_t i = rank->call_count; i-- > 0;) {
        uint32_t call = rank->first_call + i;
        const struct statement *statement = call_statement(order->program, call);
        if (statement->kind == CALL_ABORT)
            aborting[statement->communicator] = call;
        else if (statement->kind == CALL_DESTROY || statement->kind == CALL_COMM)
            aborting[statement->communicator] = NONE;
        else if (statement->kind == CALL_GROUP_END && !statement->in_group)
            note_members(order->program, call, aborting, order->abort_of);
        else if (call_is_communication(statement) && !statement->in_group)
            order->abort_of[call] = aborting[statement->communicator];
    }
}

/* What each abort ends, in the order of the calls. */
static void list_ended(struct order *order)
{
    uint32_t calls = order->program->call_count;
    order->first_ended = memory_all_ones(calls, sizeof *order->first_ended);
    order->next_ended = memory_all_ones(calls, sizeof *order->next_ended);
    for (uint32_t call = calls; call-- > 0;) {
        uint32_t abort = order->abort_of[call];
        if (abort == NONE)
            continue;
        order->next_ended[call] = order->first_ended[abort];
        order->first_ended[abort] = call;
    }
}

static bool has_abort(const struct program *program)
{
    for (uint32_t i = 0; i < program->statement_count; i++)
        if (program->statements[i].kind == CALL_ABORT)
            return true;
    return false;
}

static void match_aborts(struct order *order)
{
    const struct program *program = order->program;
    if (!has_abort(program))
        return;
    order->abort_of = memory_all_ones(program->call_count, sizeof *order->abort_of);
    size_t bytes = program->communicator_count * sizeof(uint32_t);
    uint32_t *aborting = memory_resize(NULL, program->communicator_count, sizeof *aborting);
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        memset(aborting, 0xFF, bytes);
        find_aborts(order, &program->ranks[rank], aborting);
    }
    free(aborting);
    list_ended(order);
}

void order_match(struct order *order)
{
    const struct program *program = order->program;
    struct matcher matcher = {.order = order, .program = program};
    matcher.next = memory_resize(NULL, program->call_count, sizeof *matcher.next);
    matcher.counts = memory_zeroed(program->communicator_count, MEETING_KIND_COUNT * sizeof *matcher.counts);

    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        match_rank(&matcher, &program->ranks[rank], false);
    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        match_rank(&matcher, &program->ranks[rank], true);
    match_aborts(order);

    free(matcher.next);
    free(matcher.counts);
    free(matcher.numbers.slots);
    free(matcher.meetings);
}
