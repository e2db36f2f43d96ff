#include "base/memory.h"
#include "device/sim/cost.h"
#include "device/sim/run.h"
#include "order/moved.h"

enum { PIECES = 8 };

static const struct span *spans_of(const struct driver *driver, uint32_t call)
{
    return &driver->program->spans[statement_in(driver, call)->first_span];
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Moving. */

static bool is_alone(const struct driver *driver, uint32_t call)
{
    const struct statement *statement = statement_in(driver, call);
    for (uint32_t s = 0; s < statement->span_count; s++)
        if (driver->flows_of_memory[spans_of(driver, call)[s].memory] > 0)
            return false;
    return true;
}

static uint32_t piece_end(const struct flow *flow, uint32_t piece)
{
    if (piece == flow->pieces)
        return flow->bytes;
    return (uint32_t)((uint64_t)(flow->bytes / flow->unit) * piece / flow->pieces) * flow->unit;
}

static int64_t piece_due(const struct flow *flow, uint32_t piece)
{
    return flow->begin + flow->duration * piece / flow->pieces;
}

static bool is_frozen(const struct driver *driver, const struct flow *flow)
{
    const struct sim_call *call = &driver->calls[flow->call];
    return call->orphaned || (driver->holding && !call->end_released);
}

static uint32_t due_pieces(const struct driver *driver, const struct flow *flow)
{
    uint32_t piece = flow->taken > flow->given ? flow->taken : flow->given;
    if (is_frozen(driver, flow))
        return piece;
    while (piece < flow->pieces && piece_due(flow, piece + 1) <= driver->now)
        piece++;
    return piece;
}

static void grant_pieces(struct driver *driver, const struct flow *flow, enum grant_kind kind, uint32_t from,
                         uint32_t to)
{
    uint32_t offset = piece_end(flow, from), length = piece_end(flow, to) - offset;
    bool answer = driver->setup.report_values && kind != GRANT_GIVE;
    if (length > 0)
        run_grant(driver, statement_in(driver, flow->call)->rank, kind, flow->call, offset, length, answer);
}

static void give(struct driver *driver, uint32_t call, uint32_t pieces)
{
    uint32_t index = driver->calls[call].flow;
    struct flow *flow = index == NONE ? NULL : &driver->flows[index];
    if (!flow || !flow->gives || flow->given >= pieces)
        return;
    grant_pieces(driver, flow, GRANT_GIVE, flow->given, pieces);
    flow->given = pieces;
}

static bool gave(const struct driver *driver, uint32_t call, uint32_t pieces)
{
    uint32_t index = driver->calls[call].flow;
    return driver->calls[call].moved || (index != NONE && driver->flows[index].given >= pieces);
}

/* No piece is taken before every rank that it comes from has given it. Whether they have. */
static bool let_others_give(struct driver *driver, uint32_t call, uint32_t pieces)
{
    uint32_t match = driver->order->match[call];
    const struct statement *statement = statement_in(driver, call);
    bool all = true;
    for (uint32_t next = match; next != call && next != NONE; next = driver->order->match[next]) {
        if (statement->kind == CALL_BROADCAST && statement_in(driver, next)->rank != statement->peer)
            continue;
        give(driver, next, pieces);
        all &= gave(driver, next, pieces);
    }
    return all;
}

static void move(struct driver *driver, struct flow *flow, uint32_t pieces)
{
    uint32_t call = flow->call;
    if (statement_in(driver, call)->kind == CALL_COPY) {
        if (flow->taken < pieces)
            grant_pieces(driver, flow, GRANT_COPY, flow->taken, pieces);
        flow->given = flow->taken = pieces;
        return;
    }
    give(driver, call, pieces);
    if (!flow->takes || flow->taken >= pieces || !let_others_give(driver, call, pieces))
        return;
    grant_pieces(driver, flow, GRANT_TAKE, flow->taken, pieces);
    flow->taken = pieces;
}

static void put_next_piece(struct driver *driver, const struct flow *flow)
{
    uint32_t next = (flow->takes ? flow->taken : flow->given) + 1;
    if (next >= flow->pieces || is_frozen(driver, flow))
        return; /* the last one comes with the end */
    int64_t due = piece_due(flow, next);
    heap_put(&driver->heap, due > driver->now ? due : driver->now, DUE_PIECE, flow->call);
}

static void go_stepwise(struct driver *driver, struct flow *flow)
{
    if (flow->stepwise)
        return;
    move(driver, flow, due_pieces(driver, flow));
    flow->stepwise = true;
    put_next_piece(driver, flow);
}

bool flow_is_moving(const struct driver *driver, uint32_t call)
{
    uint32_t index = driver->calls[call].flow;
    return index != NONE && !is_frozen(driver, &driver->flows[index]);
}

void flow_step(struct driver *driver, uint32_t call)
{
    struct flow *flow = &driver->flows[driver->calls[call].flow];
    move(driver, flow, due_pieces(driver, flow));
    put_next_piece(driver, flow);
}

static bool touches(const struct driver *driver, const struct flow *flow, uint32_t memory)
{
    const struct statement *statement = statement_in(driver, flow->call);
    for (uint32_t s = 0; s < statement->span_count; s++)
        if (spans_of(driver, flow->call)[s].memory == memory)
            return true;
    return false;
}

void flow_touch(struct driver *driver, const struct span *span)
{
    if (driver->flows_of_memory[span->memory] == 0)
        return;
    for (size_t i = 0; i < driver->flow_count; i++)
        if (touches(driver, &driver->flows[i], span->memory))
            move(driver, &driver->flows[i], due_pieces(driver, &driver->flows[i]));
}

/* Beginning and ending. */

/* Flows that share memory move piece by piece: each may find what the other has left half done. */
static void step_those_that_share(struct driver *driver, uint32_t call)
{
    const struct statement *statement = statement_in(driver, call);
    for (uint32_t s = 0; s < statement->span_count; s++)
        for (size_t i = 0; i < driver->flow_count; i++)
            if (touches(driver, &driver->flows[i], spans_of(driver, call)[s].memory))
                go_stepwise(driver, &driver->flows[i]);
}

static void open_flow(struct driver *driver, uint32_t call)
{
    const struct statement *statement = statement_in(driver, call);
    bool stepwise = driver->setup.report_values || !is_alone(driver, call);
    if (!driver->setup.report_values && stepwise)
        step_those_that_share(driver, call);
    uint32_t bytes = moved_bytes(driver->order, call), unit = moved_unit(driver->order, call);
    uint32_t sender = moved_sender(driver->order, call);
    uint32_t elements = bytes / unit;
    bool is_root = statement->kind == CALL_BROADCAST && statement->peer == statement->rank;
    ARRAY_RESERVE(driver->flows, driver->flow_count, driver->flow_capacity);
    struct flow *flow = &driver->flows[driver->flow_count];
    *flow = (struct flow){
        .call = call,
        .pieces = elements == 0 ? 1 : smaller(elements, PIECES),
        .unit = unit,
        .bytes = bytes,
        .begin = driver->now,
        .duration = cost_of_operation(driver->program, statement_in(driver, sender), bytes),
        .gives = statement->kind == CALL_SEND || statement->kind == CALL_ALLREDUCE || is_root ||
                 statement->kind == CALL_COPY,
        .takes = statement->kind == CALL_RECV || statement->kind == CALL_ALLREDUCE ||
                 statement->kind == CALL_COPY || (statement->kind == CALL_BROADCAST && !is_root),
        .stepwise = stepwise,
    };
    driver->calls[call].flow = (uint32_t)driver->flow_count++;
    for (uint32_t s = 0; s < statement->span_count; s++)
        driver->flows_of_memory[spans_of(driver, call)[s].memory]++;
    if (stepwise)
        put_next_piece(driver, flow);
}

/* Whether the other end CALL gave all, gives, or can begin to. What an aborted one gave is lost with it. */
static bool can_give(struct driver *driver, uint32_t call)
{
    struct sim_call *giver = &driver->calls[call];
    if (run_was_aborted(driver, call))
        return false;
    if (giver->moved || giver->flow != NONE)
        return giver->moved || !driver->lost[statement_in(driver, call)->rank];
    if (driver->lost[statement_in(driver, call)->rank] || !has_happened(driver, point_of(call, STARTED)))
        return false;
    open_flow(driver, call);
    return true;
}

/* Sees to it that all whom the call's data come from begin to give, if they have not; a send needs one who
 * takes. */
static bool others_take_part(struct driver *driver, uint32_t call)
{
    const struct statement *statement = statement_in(driver, call);
    uint32_t match = driver->order->match[call];
    if (statement->kind == CALL_RECV)
        return match != NONE && can_give(driver, match);
    if (statement->kind == CALL_SEND && driver->machine->choice == CHOICE_STRICT)
        return match != NONE && (driver->calls[match].moved || !run_was_aborted(driver, match));
    if (!call_is_collective(statement))
        return true;
    bool root_matters = statement->kind == CALL_BROADCAST;
    for (uint32_t next = match; next != call && next != NONE; next = driver->order->match[next])
        if ((!root_matters || statement_in(driver, next)->rank == statement->peer) && !can_give(driver, next))
            return false;
    return true;
}

bool flow_begin(struct driver *driver, uint32_t call, int64_t *duration)
{
    *duration = cost_of_abort();
    if (driver->calls[call].flow == NONE) {
        if (run_was_aborted(driver, call))
            return true;
        if (!others_take_part(driver, call))
            return false;
        if (driver->calls[call].flow == NONE)
            open_flow(driver, call);
    }
    *duration = driver->flows[driver->calls[call].flow].duration;
    return true;
}

void flow_go_on(struct driver *driver, uint32_t call)
{
    uint32_t index = driver->calls[call].flow;
    if (index != NONE && driver->flows[index].stepwise)
        put_next_piece(driver, &driver->flows[index]);
}

void flow_drop(struct driver *driver, uint32_t call)
{
    uint32_t index = driver->calls[call].flow;
    if (index == NONE)
        return;
    const struct statement *statement = statement_in(driver, call);
    for (uint32_t s = 0; s < statement->span_count; s++)
        driver->flows_of_memory[spans_of(driver, call)[s].memory]--;
    driver->calls[call].flow = NONE;
    driver->flows[index] = driver->flows[--driver->flow_count];
    if (index < driver->flow_count)
        driver->calls[driver->flows[index].call].flow = index;
}

void flow_end(struct driver *driver, uint32_t call)
{
    uint32_t index = driver->calls[call].flow;
    if (index == NONE)
        return;
    move(driver, &driver->flows[index], driver->flows[index].pieces);
    driver->calls[call].moved = true;
    flow_drop(driver, call);
}
