#include "log_order.h"

#include "device/cuda/run.h"

/* A group's end has no times of its own: it starts when it is entered, and is done when its members are. */
static int64_t point_time(const struct view *view, uint32_t point)
{
    uint32_t end = point_call(point);
    if (call_statement(view->program, end)->kind != CALL_GROUP_END || point_phase(point) < STARTED)
        return view_point_time(view, point);
    int64_t last = view_point_time(view, point_of(end, ENTERED));
    for (uint32_t call = 0; point_phase(point) == DONE && call < end; call++) {
        if (view->order->bound[call] != end || !call_is_communication(call_statement(view->program, call)))
            continue;
        int64_t done = view_point_time(view, point_of(call, DONE));
        if (done == TIME_NONE)
            return TIME_NONE;
        last = done > last ? done : last;
    }
    return last;
}

static void check_wait(struct log_order *result, const struct view *view, uint32_t point, uint32_t earlier,
                       int64_t tolerance)
{
    int64_t happened = point_time(view, point), before = point_time(view, earlier);
    result->checked++;
    if (before != TIME_NONE && before <= happened + tolerance)
        return;
    result->violated++;
    int64_t by = before == TIME_NONE ? INT64_MAX : before - happened;
    if (by > result->by) {
        result->by = by;
        result->point = point;
        result->earlier = earlier;
    }
}

struct log_order log_order_check(const struct view *view, int64_t tolerance)
{
    const struct order *order = view->order;
    struct log_order result = {0};
    for (uint32_t point = 0; point < order->point_count; point++) {
        if (point_time(view, point) == TIME_NONE)
            continue;
        for (uint32_t i = order->first_wait[point]; i < order->first_wait[point + 1]; i++) {
            const struct wait *wait = &order->waits[i];
            if (wait->strength == ALWAYS && wait->point != NONE &&
                !cuda_run_may_pass(view->program, point, wait))
                check_wait(&result, view, point, wait->point, tolerance);
        }
    }
    return result;
}
