/* Why a call or an operation does not go on, in plain words. */
#include "log/view.h"

#include "log/words.h"

/* The first wait of POINT that is not satisfied: one that every execution has before one that only some have;
 * NULL where there is none. */
static const struct wait *unmet_wait(const struct view *view, uint32_t point)
{
    const struct order *order = view->order;
    const struct wait *maybe = NULL;
    for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++) {
        const struct wait *wait = &order->waits[w];
        if (wait->point != NONE && view_point_time(view, wait->point) != TIME_NONE)
            continue;
        if (wait->strength == ALWAYS)
            return wait;
        if (!maybe)
            maybe = wait;
    }
    return maybe;
}

/* Whether the rank's process ended otherwise than at the end of the run. */
static bool is_gone(const struct view *view, uint32_t rank)
{
    return view->ranks[rank].exited && view->ranks[rank].exit_status != 0;
}

/* "recv x from 0 on comm"; of a group, where it ends. */
static void append_words(const struct view *view, uint32_t call, struct text *out)
{
    const struct statement *statement = call_statement(view->program, call);
    if (statement->kind == CALL_GROUP_END)
        text_format(out, "the group that ends in line %u",
                    schedule_first_line(view->program->schedule) + statement->line - 1);
    else
        describe_call_briefly(view->program, call, out);
}

/* "recv x from 0 on comm", or "rank 0's send x to 1 on S0" where it is another rank's. */
static void append_call(const struct view *view, uint32_t rank, uint32_t call, struct text *out)
{
    uint16_t owner = call_statement(view->program, call)->rank;
    if (owner != rank)
        text_format(out, "rank %u's ", owner);
    append_words(view, call, out);
}

/* Where a host program that has not come to CALL is. */
static void append_host_position(const struct view *view, uint32_t call, struct text *out)
{
    uint16_t rank = call_statement(view->program, call)->rank;
    const struct view_rank *state = &view->ranks[rank];
    if (is_gone(view, rank)) {
        text_format(out, "rank %u's process is gone", rank);
        return;
    }
    text_format(out, "rank %u is ", rank);
    if (state->current_call == NONE) {
        text_append(out, "not at its first call yet");
        return;
    }
    text_append(out, view->calls[state->current_call].returned == TIME_NONE ? "at " : "past ");
    describe_call_briefly(view->program, state->current_call, out);
}

/* What the first word of a transfer's counterpart is about: "rank 1's recv of x". */
static void append_counterpart(const struct view *view, uint32_t call, struct text *out)
{
    const struct program *program = view->program;
    const struct statement *statement = call_statement(program, call);
    text_format(out, "rank %u's %s", statement->rank, call_kind_name((enum call_kind)statement->kind));
    if (statement->span_count > 0)
        text_format(out, " of %s", program->memories[program->spans[statement->first_span].memory].name);
}

/* Why the point of another call has not come, in one short clause; appends nothing where it is on its way. */
static void append_reason(const struct view *view, uint32_t call, struct text *out)
{
    const struct view_call *state = &view->calls[call];
    const struct statement *statement = call_statement(view->program, call);
    if (is_gone(view, statement->rank))
        text_format(out, ": rank %u's process is gone", statement->rank);
    else if (call_is_operation(statement) ? state->submitted == TIME_NONE : state->called == TIME_NONE) {
        text_append(out, ": ");
        append_host_position(view, call, out);
    } else if (state->held)
        text_append(out, ": its gate is closed");
    else if (call_is_operation(statement) && state->started == TIME_NONE) {
        const struct wait *wait = unmet_wait(view, point_of(call, STARTED));
        if (wait && wait->point != NONE && point_call(wait->point) != call) {
            text_append(out, ": it is behind ");
            append_call(view, statement->rank, point_call(wait->point), out);
        }
    }
}

/* "waits for event E (recv x from 0 on comm is not done)" */
static void append_event_wait(const struct view *view, uint32_t rank, uint32_t record, struct text *out)
{
    const struct statement *statement = call_statement(view->program, record);
    text_format(out, "waits for event %s", view->program->events[statement->event].name);
    const struct wait *wait = unmet_wait(view, point_of(record, STARTED));
    if (is_gone(view, statement->rank)) {
        text_format(out, " (rank %u's process is gone)", statement->rank);
    } else if (wait && wait->point != NONE && point_call(wait->point) != record) {
        text_append(out, " (");
        append_call(view, rank, point_call(wait->point), out);
        text_append(out, " is not done)");
    }
}

/* Whether the other side of the communication CALL was there, and its rank aborts the communicator. */
static bool is_partner_aborted(const struct view *view, uint32_t call)
{
    const struct order *order = view->order;
    return order->match[call] != NONE && order->abort_of && order->abort_of[order->match[call]] != NONE;
}

/* Nothing can satisfy the wait: what the other rank leaves out, or has aborted. WAIT is NULL where the rules
 * know of none. */
static void append_impossible(const struct view *view, uint32_t call, const struct wait *wait,
                              struct text *out)
{
    const struct statement *statement = call_statement(view->program, call);
    const char *word = call_kind_name((enum call_kind)statement->kind);
    const char *fate = is_partner_aborted(view, call) ? "was aborted" : "never comes";
    if (statement->kind == CALL_SEND)
        text_format(out, "waits for rank %u's recv, which %s", statement->peer, fate);
    else if (statement->kind == CALL_RECV)
        text_format(out, "waits for rank %u's send, which %s", statement->peer, fate);
    else if (wait)
        text_format(out, "waits for rank %u's %s, which never comes", wait->rank, word);
    else
        text_format(out, "waits for another rank's %s, which %s", word, fate);
}

static void append_wait(const struct view *view, uint32_t call, const struct wait *wait, struct text *out)
{
    const struct statement *statement = call_statement(view->program, call);
    if (wait->point == NONE) {
        append_impossible(view, call, wait, out);
        return;
    }
    uint32_t other = point_call(wait->point);
    const struct statement *awaited = call_statement(view->program, other);
    if (awaited->kind == CALL_RECORD && wait->rule == 3) {
        append_event_wait(view, statement->rank, other, out);
        return;
    }
    if (wait->rule == 11) {
        text_append(out, "waits for its turn: ");
        append_call(view, statement->rank, other, out);
        text_append(out, " comes first");
        return;
    }
    text_append(out, "waits for ");
    if (awaited->rank != statement->rank)
        append_counterpart(view, other, out);
    else
        append_words(view, other, out);
    append_reason(view, other, out);
}

/* A wait that the run itself reported; its rank is known where the order has the same one. */
static void append_reported_wait(const struct view *view, uint32_t call, struct text *out)
{
    const struct view_call *state = &view->calls[call];
    const struct order *order = view->order;
    for (uint32_t w = order->first_wait[point_of(call, ENTERED)];
         w < order->first_wait[point_of(call, DONE) + 1]; w++) {
        if (order->waits[w].point == state->waiting_for) {
            append_wait(view, call, &order->waits[w], out);
            return;
        }
    }
    const struct wait reported = {.point = state->waiting_for, .rule = state->waiting_rule};
    if (reported.point == NONE)
        append_impossible(view, call, NULL, out);
    else
        append_wait(view, call, &reported, out);
}

/* Whether the operation stands in its stream and something holds its start. */
static bool is_queued(const struct view *view, uint32_t call)
{
    const struct view_call *state = &view->calls[call];
    if (state->submitted == TIME_NONE || state->started != TIME_NONE)
        return false;
    const struct wait *wait = unmet_wait(view, point_of(call, STARTED));
    return wait && (wait->point == NONE || point_call(wait->point) != call);
}

static void append_queue(const struct view *view, uint32_t call, struct text *out)
{
    const struct wait *wait = unmet_wait(view, point_of(call, STARTED));
    if (wait->point == NONE || wait->rule == 11) {
        append_wait(view, call, wait, out);
        return;
    }
    text_append(out, "behind ");
    append_call(view, call_statement(view->program, call)->rank, point_call(wait->point), out);
}

/* In a run that is stuck: what was begun and has not ended, although no rule holds it. */
static void append_unending(const struct view *view, uint32_t call, struct text *out)
{
    bool is_operation = call_is_operation(call_statement(view->program, call));
    if ((is_operation ? view->calls[call].started : view->calls[call].called) == TIME_NONE)
        return;
    if (is_operation && is_partner_aborted(view, call))
        append_impossible(view, call, NULL, out);
    else
        text_append(out, is_operation ? "does not end" : "does not come back");
}

void view_explain_wait(const struct view *view, uint32_t call, struct text *out)
{
    const struct view_call *state = &view->calls[call];
    const struct statement *statement = call_statement(view->program, call);
    bool is_operation = statement->kind == CALL_GROUP_END || call_is_operation(statement);
    if (is_operation ? state->done != TIME_NONE : state->returned != TIME_NONE)
        return;
    if (state->held) {
        text_append(out, "its gate is closed: space releases it");
    } else if (is_gone(view, statement->rank)) {
        text_format(out, "rank %u's process is gone", statement->rank);
    } else if (is_queued(view, call)) {
        append_queue(view, call, out);
    } else if (state->waiting) {
        append_reported_wait(view, call, out);
    } else if (call_is_operation(statement) ? state->submitted == TIME_NONE : state->called == TIME_NONE) {
        text_append(out, is_operation ? "not submitted yet: " : "not called yet: ");
        append_host_position(view, call, out);
    } else if (view->outcome == OUTCOME_STUCK) {
        append_unending(view, call, out);
    }
}
