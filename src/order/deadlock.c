#include "order/deadlock.h"

#include <stdlib.h>

#include "base/memory.h"
#include "order/machine.h"
#include "order/wording.h"

struct stack {
    uint32_t *points;
    uint32_t count, capacity;
};

static void push(struct stack *stack, uint32_t point)
{
    ARRAY_RESERVE(stack->points, stack->count, stack->capacity);
    stack->points[stack->count++] = point;
}

/* The next of the waits on other points that hold POINT, from number FROM on: its number, or NONE. */
static uint32_t next_unsatisfied(const struct machine *machine, uint32_t point, uint32_t from)
{
    const struct order *order = machine->order;
    for (uint32_t w = from; w < order->first_wait[point + 1]; w++)
        if (order->waits[w].point != NONE && machine_holds(machine, point, &order->waits[w]))
            return w;
    return NONE;
}

/* Tarjan's strongly connected components over the points that never happen, without recursion. */
struct knots {
    const struct machine *machine;
    uint32_t *number;    /* by point: when it was reached, from 1; 0 before */
    uint32_t *low;       /* by point: the lowest number that it leads to */
    uint32_t *component; /* by point; NONE before it is known */
    uint32_t *position;  /* by point on the path: the next wait to look at */
    struct stack path, open;
    uint32_t reached, component_count;
};

static void reach(struct knots *knots, uint32_t point)
{
    knots->number[point] = knots->low[point] = ++knots->reached;
    knots->position[point] = knots->machine->order->first_wait[point];
    push(&knots->path, point);
    push(&knots->open, point);
}

static void lower(struct knots *knots, uint32_t point, uint32_t to)
{
    if (to < knots->low[point])
        knots->low[point] = to;
}

static void close_component(struct knots *knots, uint32_t point)
{
    uint32_t member;
    do {
        member = knots->open.points[--knots->open.count];
        knots->component[member] = knots->component_count;
    } while (member != point);
    knots->component_count++;
}

static void leave(struct knots *knots, uint32_t point)
{
    knots->path.count--;
    if (knots->low[point] == knots->number[point])
        close_component(knots, point);
    if (knots->path.count > 0)
        lower(knots, knots->path.points[knots->path.count - 1], knots->low[point]);
}

static void find_components_from(struct knots *knots, uint32_t start)
{
    const struct wait *waits = knots->machine->order->waits;
    reach(knots, start);
    while (knots->path.count > 0) {
        uint32_t point = knots->path.points[knots->path.count - 1];
        uint32_t wait = next_unsatisfied(knots->machine, point, knots->position[point]);
        if (wait == NONE) {
            leave(knots, point);
            continue;
        }
        knots->position[point] = wait + 1;
        uint32_t next = waits[wait].point;
        if (knots->number[next] == 0)
            reach(knots, next);
        else if (knots->component[next] == NONE)
            lower(knots, point, knots->number[next]);
    }
}

/* The shortest way from START back to it within its component: the waits, walked breadth first. CAME_FROM is
 * all NONE before and after. */
static bool find_cycle(const struct knots *knots, uint32_t start, uint32_t *came_from, struct stack *seen,
                       struct stack *cycle)
{
    const struct wait *waits = knots->machine->order->waits;
    uint32_t last = NONE;
    seen->count = cycle->count = 0;
    push(seen, start);
    for (uint32_t i = 0; i < seen->count && last == NONE; i++) {
        uint32_t point = seen->points[i];
        uint32_t wait = knots->machine->order->first_wait[point];
        while (last == NONE && (wait = next_unsatisfied(knots->machine, point, wait)) != NONE) {
            uint32_t next = waits[wait++].point;
            if (next == start) {
                last = point;
            } else if (knots->component[next] == knots->component[start] && came_from[next] == NONE) {
                came_from[next] = point;
                push(seen, next);
            }
        }
    }
    for (uint32_t point = last; point != NONE; point = point == start ? NONE : came_from[point])
        push(cycle, point);
    for (uint32_t i = 0; i < seen->count; i++)
        came_from[seen->points[i]] = NONE;
    return last != NONE;
}

/* From the end of the way to its beginning: turned round, each point waits for the next. */
static void turn_round(struct stack *cycle)
{
    for (uint32_t i = 0; i < cycle->count / 2; i++) {
        uint32_t other = cycle->points[cycle->count - 1 - i];
        cycle->points[cycle->count - 1 - i] = cycle->points[i];
        cycle->points[i] = other;
    }
}

static void keep_if_shorter(struct stack *shortest, const struct stack *cycle)
{
    if (shortest->count > 0 && cycle->count >= shortest->count)
        return;
    shortest->count = 0;
    for (uint32_t i = 0; i < cycle->count; i++)
        push(shortest, cycle->points[i]);
}

static bool touches_ended(const struct stack *cycle, const uint32_t *ended)
{
    for (uint32_t i = 0; i < cycle->count && ended; i++)
        if (ended[point_call(cycle->points[i])] != NONE)
            return true;
    return false;
}

/* The call to point at: the first communication of the cycle, or else its first call. */
static uint32_t first_call_of(const struct program *program, const struct stack *cycle)
{
    uint32_t first = NONE;
    for (uint32_t i = 0; i < cycle->count; i++) {
        uint32_t call = point_call(cycle->points[i]);
        bool better = first == NONE || call < first;
        if (first != NONE)
            better = call_is_communication(call_statement(program, call)) ==
                             call_is_communication(call_statement(program, first))
                         ? call < first
                         : call_is_communication(call_statement(program, call));
        if (better)
            first = call;
    }
    return first;
}

/* Turns the cycle so that it begins where CALL is come to. */
static uint32_t *begin_with(const struct stack *cycle, uint32_t call)
{
    uint32_t *points = memory_resize(NULL, cycle->count, sizeof *points);
    uint32_t start = 0;
    while (point_call(cycle->points[start]) != call ||
           point_call(cycle->points[(start + cycle->count - 1) % cycle->count]) == call)
        start++;
    for (uint32_t i = 0; i < cycle->count; i++)
        points[i] = cycle->points[(start + i) % cycle->count];
    return points;
}

/* Whether both go through the same points of the same statements: the rounds of a `repeat` do. */
static bool is_same_cycle(const struct program *program, const struct finding *finding,
                          const uint32_t *points, uint32_t length)
{
    if (finding->kind != FINDING_DEADLOCK || finding->cycle_length != length)
        return false;
    for (uint32_t i = 0; i < length; i++)
        if (point_phase(finding->cycle[i]) != point_phase(points[i]) ||
            program->calls[point_call(finding->cycle[i])].statement !=
                program->calls[point_call(points[i])].statement)
            return false;
    return true;
}

static void add_finding(const struct order *order, const struct stack *cycle, struct findings *findings)
{
    uint32_t call = first_call_of(order->program, cycle);
    uint32_t *points = begin_with(cycle, call);
    bool is_known = false;
    for (uint32_t i = 0; i < findings->count && !is_known; i++)
        is_known = is_same_cycle(order->program, &findings->items[i], points, cycle->count);
    struct finding *finding = is_known ? NULL : findings_add(findings, FINDING_DEADLOCK, call, NONE, NONE);
    if (!finding) {
        free(points);
        return;
    }
    finding->cycle = points;
    finding->cycle_length = cycle->count;
}

/* So many points of a knot are tried as the start of its shortest cycle. */
enum { STARTS_PER_KNOT = 32, STEPS_PER_KNOT = 1 << 20 };

/* One finding for each component that has a cycle: points come with their component's number. */
static void report_knots(struct knots *knots, const uint32_t *ended, struct findings *findings)
{
    const struct order *order = knots->machine->order;
    uint32_t *tried = memory_zeroed(knots->component_count, sizeof *tried);
    uint32_t *came_from = memory_all_ones(order->point_count, sizeof *came_from);
    struct stack *shortest = memory_zeroed(knots->component_count, sizeof *shortest);
    struct stack seen = {0}, cycle = {0};
    uint32_t steps = 0;
    for (uint32_t point = 0; point < order->point_count; point++) {
        uint32_t component = knots->component[point];
        if (component == NONE || tried[component] >= STARTS_PER_KNOT ||
            (steps > STEPS_PER_KNOT && tried[component] > 0))
            continue;
        if (!find_cycle(knots, point, came_from, &seen, &cycle))
            continue;
        tried[component]++;
        steps += seen.count;
        turn_round(&cycle);
        keep_if_shorter(&shortest[component], &cycle);
    }
    for (uint32_t component = 0; component < knots->component_count; component++) {
        if (shortest[component].count > 0 && !touches_ended(&shortest[component], ended))
            add_finding(order, &shortest[component], findings);
        free(shortest[component].points);
    }
    free(shortest);
    free(tried);
    free(came_from);
    free(seen.points);
    free(cycle.points);
}

static void find_knots(const struct machine *machine, const uint32_t *ended, struct findings *findings)
{
    uint32_t points = machine->order->point_count;
    struct knots knots = {.machine = machine};
    knots.number = memory_zeroed(points, sizeof *knots.number);
    knots.low = memory_zeroed(points, sizeof *knots.low);
    knots.position = memory_zeroed(points, sizeof *knots.position);
    knots.component = memory_all_ones(points, sizeof *knots.component);
    for (uint32_t point = 0; point < points; point++)
        if (!machine->happened[point] && order_has_point(machine->order, point) && knots.number[point] == 0)
            find_components_from(&knots, point);
    report_knots(&knots, ended, findings);
    free(knots.number);
    free(knots.low);
    free(knots.position);
    free(knots.component);
    free(knots.path.points);
    free(knots.open.points);
}

bool find_deadlocks(const struct order *order, const uint32_t *ended, struct findings *findings)
{
    struct machine *machine = machine_open(order, CHOICE_STRICT);
    bool all_happened = machine_run(machine);
    if (!all_happened)
        find_knots(machine, ended, findings);
    machine_close(machine);
    return all_happened;
}

static const struct wait *wait_between(const struct order *order, uint32_t point, uint32_t next)
{
    for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++)
        if (order->waits[w].point == next)
            return &order->waits[w];
    return NULL;
}

/* From the host point at *AT on, to the last one that the run of calls before it leads to. */
static uint32_t skip_host_calls(const struct order *order, const struct finding *finding, uint32_t at)
{
    while (at + 1 < finding->cycle_length &&
           wait_between(order, finding->cycle[at], finding->cycle[at + 1])->rule == 1)
        at++;
    return at;
}

void word_deadlock(const struct order *order, const struct finding *finding, struct text *out)
{
    text_append(out, "a circle of waits: ");
    word_call(order->program, point_call(finding->cycle[0]), out);
    const char *joint = "";
    for (uint32_t i = 0; i < finding->cycle_length; i++) {
        uint32_t point = finding->cycle[i], next_at = (i + 1) % finding->cycle_length;
        const struct wait *wait = wait_between(order, point, finding->cycle[next_at]);
        if (point_call(point) == point_call(wait->point))
            continue;
        text_append(out, joint);
        joint = "; which";
        word_reason(order, point, wait, out);
        if (wait->rule == 1 && next_at > i) {
            i = skip_host_calls(order, finding, next_at) - 1;
            next_at = i + 1;
        }
        word_call(order->program, point_call(finding->cycle[next_at]), out);
    }
}
