/* Who waits for which point. Each call heads the list of those that wait for one of its points, so that an
 * event costs no more than the waits that it ends. */
#include "log/fold.h"

/* Takes the call out of the list that it is in. */
static void leave_list(struct view *view, uint32_t call)
{
    struct view_call *state = &view->calls[call];
    if (state->waiting_for == NONE)
        return;
    if (state->previous_waiter != NONE)
        view->calls[state->previous_waiter].next_waiter = state->next_waiter;
    else
        view->calls[point_call(state->waiting_for)].first_waiter = state->next_waiter;
    if (state->next_waiter != NONE)
        view->calls[state->next_waiter].previous_waiter = state->previous_waiter;
    state->waiting_for = NONE;
}

void begin_wait(struct view *view, uint32_t call, uint32_t point, uint8_t rule)
{
    struct view_call *state = &view->calls[call];
    leave_list(view, call);
    state->waiting = true;
    state->waiting_for = point;
    state->waiting_rule = rule;
    if (point == NONE)
        return;
    struct view_call *awaited = &view->calls[point_call(point)];
    state->previous_waiter = NONE;
    state->next_waiter = awaited->first_waiter;
    if (state->next_waiter != NONE)
        view->calls[state->next_waiter].previous_waiter = call;
    awaited->first_waiter = call;
}

void end_wait(struct view *view, uint32_t call, int64_t time)
{
    struct view_call *state = &view->calls[call];
    if (!state->waiting)
        return;
    leave_list(view, call);
    state->waiting = false;
    state->waited_until = time;
}

void end_waits_for(struct view *view, uint32_t point, int64_t time)
{
    uint32_t next;
    for (uint32_t call = view->calls[point_call(point)].first_waiter; call != NONE; call = next) {
        next = view->calls[call].next_waiter;
        if (view->calls[call].waiting_for == point)
            end_wait(view, call, time);
    }
}
