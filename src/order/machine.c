#include "order/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Points stay far below this bit: there are at most 4 * SCHEDULE_MAX_CALLS. */
#define DEPENDENT_UNTIL_ABORT 0x80000000U

/* Whether the rank's abort ended what holds POINT, a point of a call on the communicator. */
static bool was_aborted(const struct machine *machine, uint32_t point)
{
    return machine->happened[point_of(machine->order->aborted_by[point_call(point)], ENTERED)];
}

/* Counts the waits of each point, and of each point those that wait for it. */
static void count_waits(struct machine *machine)
{
    const struct order *order = machine->order;
    for (uint32_t point = 0; point < order->point_count; point++)
        for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++) {
            const struct wait *wait = &order->waits[w];
            if (!choice_takes(order, machine->choice, point, wait))
                continue;
            machine->missing[point]++;
            if (wait->point != NONE)
                machine->first_dependent[wait->point + 1]++;
        }
    for (uint32_t point = 0; point < order->point_count; point++)
        machine->first_dependent[point + 1] += machine->first_dependent[point];
}

static void list_dependents(struct machine *machine)
{
    const struct order *order = machine->order;
    for (uint32_t point = 0; point < order->point_count; point++)
        for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++) {
            const struct wait *wait = &order->waits[w];
            if (wait->point == NONE || !choice_takes(order, machine->choice, point, wait))
                continue;
            uint32_t dependent = wait->strength == ABORTABLE ? point | DEPENDENT_UNTIL_ABORT : point;
            machine->dependents[machine->first_dependent[wait->point]++] = dependent;
        }
    /* Writing moved each beginning to its end, which is the next one's beginning. */
    memmove(machine->first_dependent + 1, machine->first_dependent,
            order->point_count * sizeof *machine->first_dependent);
    machine->first_dependent[0] = 0;
}

struct machine *machine_open(const struct order *order, enum choice choice)
{
    struct machine *machine = memory_zeroed(1, sizeof *machine);
    machine->order = order;
    machine->choice = choice;
    machine->missing = memory_zeroed(order->point_count, sizeof *machine->missing);
    machine->happened = memory_zeroed(order->point_count, sizeof *machine->happened);
    machine->first_dependent =
        memory_zeroed((size_t)order->point_count + 1, sizeof *machine->first_dependent);
    count_waits(machine);
    machine->dependents =
        memory_resize(NULL, machine->first_dependent[order->point_count], sizeof *machine->dependents);
    list_dependents(machine);
    return machine;
}

void machine_close(struct machine *machine)
{
    if (!machine)
        return;
    free(machine->missing);
    free(machine->happened);
    free(machine->first_dependent);
    free(machine->dependents);
    free(machine);
}

bool machine_may_happen(const struct machine *machine, uint32_t point)
{
    return !machine->happened[point] && machine->missing[point] == 0 &&
           order_has_point(machine->order, point);
}

struct readiness {
    void (*ready)(void *context, uint32_t point);
    void *context;
};

static void satisfy(struct machine *machine, uint32_t point, const struct readiness *readiness)
{
    if (--machine->missing[point] == 0 && !machine->happened[point] && readiness->ready)
        readiness->ready(readiness->context, point);
}

/* The abort CALL ends the waits that are unsatisfied still; UNDO puts them back. */
static void change_aborted(struct machine *machine, uint32_t call, bool undo,
                           const struct readiness *readiness)
{
    const struct order *order = machine->order;
    for (uint32_t ended = order->first_ended[call]; ended != NONE; ended = order->next_ended[ended])
        for (uint32_t point = point_of(ended, STARTED); point <= point_of(ended, DONE); point++)
            for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++) {
                const struct wait *wait = &order->waits[w];
                if (wait->strength != ABORTABLE || !choice_takes(order, machine->choice, point, wait) ||
                    (wait->point != NONE && machine->happened[wait->point]))
                    continue;
                if (undo)
                    machine->missing[point]++;
                else
                    satisfy(machine, point, readiness);
            }
}

static bool is_abort(const struct machine *machine, uint32_t point)
{
    return machine->order->first_ended && point_phase(point) == ENTERED &&
           machine->order->first_ended[point_call(point)] != NONE;
}

void machine_happen(struct machine *machine, uint32_t point, void (*ready)(void *context, uint32_t point),
                    void *context)
{
    const struct readiness readiness = {ready, context};
    machine->happened[point] = 1;
    machine->happened_count++;
    for (uint32_t d = machine->first_dependent[point]; d < machine->first_dependent[point + 1]; d++) {
        uint32_t dependent = machine->dependents[d] & ~DEPENDENT_UNTIL_ABORT;
        if (!(machine->dependents[d] & DEPENDENT_UNTIL_ABORT) || !was_aborted(machine, dependent))
            satisfy(machine, dependent, &readiness);
    }
    if (is_abort(machine, point))
        change_aborted(machine, point_call(point), false, &readiness);
}

void machine_undo(struct machine *machine, uint32_t point)
{
    if (is_abort(machine, point))
        change_aborted(machine, point_call(point), true, NULL);
    for (uint32_t d = machine->first_dependent[point]; d < machine->first_dependent[point + 1]; d++) {
        uint32_t dependent = machine->dependents[d] & ~DEPENDENT_UNTIL_ABORT;
        if (!(machine->dependents[d] & DEPENDENT_UNTIL_ABORT) || !was_aborted(machine, dependent))
            machine->missing[dependent]++;
    }
    machine->happened[point] = 0;
    machine->happened_count--;
}

void machine_begin(struct machine *machine, void (*ready)(void *context, uint32_t point), void *context)
{
    for (uint32_t point = 0; point < machine->order->point_count; point++)
        if (machine_may_happen(machine, point))
            ready(context, point);
}

struct ready_points {
    uint32_t *points;
    uint32_t count, capacity;
};

static void push_ready(void *context, uint32_t point)
{
    struct ready_points *ready = context;
    ARRAY_RESERVE(ready->points, ready->count, ready->capacity);
    ready->points[ready->count++] = point;
}

static uint32_t count_points(const struct order *order)
{
    uint32_t count = 0;
    for (uint32_t point = 0; point < order->point_count; point++)
        count += order_has_point(order, point);
    return count;
}

bool machine_run(struct machine *machine)
{
    struct ready_points ready = {0};
    machine_begin(machine, push_ready, &ready);
    while (ready.count > 0)
        machine_happen(machine, ready.points[--ready.count], push_ready, &ready);
    free(ready.points);
    return machine->happened_count == count_points(machine->order);
}

bool machine_holds(const struct machine *machine, uint32_t point, const struct wait *wait)
{
    if (wait->strength == ABORTABLE && was_aborted(machine, point))
        return false;
    return (wait->point == NONE || !machine->happened[wait->point]) &&
           choice_takes(machine->order, machine->choice, point, wait);
}

const struct wait *machine_held_by(const struct machine *machine, uint32_t point)
{
    const struct order *order = machine->order;
    for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++)
        if (machine_holds(machine, point, &order->waits[w]))
            return &order->waits[w];
    return NULL;
}
