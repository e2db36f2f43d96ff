/* The truth about a small schedule, from the stepper alone: no clocks, no graph algorithms of the checker's.
 */
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "base/memory.h"
#include "order/machine.h"

enum { MOST_ACCESSES = 64, MOST_POINTS = 64, MOST_STATES = 1 << 14 };

/* Elements of a memory that a call uses from one point to another. */
struct use {
    uint32_t call, begin, end; /* points */
    uint32_t memory, life;     /* which of the memory's allocations it is */
    uint32_t first, count;
    uint32_t access; /* bits of enum access */
    bool frees;
};

struct search {
    const struct order *order;
    const struct program *program;
    struct machine *machine;
    struct use uses[MOST_ACCESSES];
    uint32_t use_count;
    uint64_t conflicts[MOST_ACCESSES]; /* by use: a bit for each that it conflicts with */
    uint8_t *watched;                  /* by point: its bit in a state, counted from 1; 0 for the others */
    uint32_t points[MOST_POINTS];
    uint32_t point_count;
    uint64_t met[MOST_ACCESSES];    /* by use: those seen in progress with it */
    uint64_t before[MOST_ACCESSES]; /* by use: those seen to begin after it had ended */
    uint64_t *seen;                 /* states: a hash table; 0 is an empty slot */
    uint32_t seen_count;
    uint32_t *ready; /* points that nobody watches, which happen at once */
    uint32_t ready_count, ready_capacity;
    uint32_t *trail; /* points that happened */
    uint32_t trail_count, trail_capacity;
    bool too_large;
};

static bool has_point(const struct search *search, uint32_t call, enum phase phase)
{
    return order_has_point(search->order, point_of(call, phase));
}

static void add_use(struct search *search, struct use use)
{
    if (search->use_count == MOST_ACCESSES) {
        search->too_large = true;
        return;
    }
    search->uses[search->use_count++] = use;
}

/* A plain copy from pageable memory has read it when it returns (rule 9). */
static bool is_read_by_return(const struct program *program, const struct statement *statement,
                              const struct span *span)
{
    return statement->kind == CALL_COPY && !statement->has_stream && span->access == ACCESS_READ &&
           program->memories[span->memory].kind == MEMORY_PAGEABLE &&
           copy_direction(program, statement) == COPY_HOST_TO_DEVICE;
}

static void list_uses_of_call(struct search *search, uint32_t call, const uint32_t *lives)
{
    const struct program *program = search->program;
    const struct statement *statement = call_statement(program, call);
    bool on_stream = has_point(search, call, DONE);
    struct use use = {.call = call,
                      .begin = point_of(call, on_stream ? STARTED : ENTERED),
                      .end = point_of(call, on_stream ? DONE : RETURNED)};
    if (statement->kind == CALL_FREE) {
        use.memory = statement->memory;
        use.life = lives[use.memory];
        use.count = program->memories[use.memory].count;
        use.access = ACCESS_WRITE;
        use.frees = true;
        add_use(search, use);
    }
    for (uint32_t s = 0; s < statement->span_count; s++) {
        const struct span *span = &program->spans[statement->first_span + s];
        struct use part = use;
        part.memory = span->memory;
        part.life = lives[span->memory];
        part.first = span->first;
        part.count = span->count;
        part.access = span->access;
        if (is_read_by_return(program, statement, span))
            part.end = point_of(call, RETURNED);
        add_use(search, part);
    }
}

static void list_uses(struct search *search)
{
    uint32_t lives[TRUTH_MEMORIES] = {0};
    for (uint32_t call = 0; call < search->program->call_count; call++) {
        const struct statement *statement = call_statement(search->program, call);
        if (statement->kind == CALL_BUFFER || statement->kind == CALL_HOST || statement->kind == CALL_MANAGED)
            lives[statement->memory]++;
        else
            list_uses_of_call(search, call, lives);
    }
}

static bool uses_conflict(const struct use *a, const struct use *b)
{
    bool writes = (a->access | b->access) & ACCESS_CHANGE;
    bool accumulate = a->access == ACCESS_ACCUMULATE && b->access == ACCESS_ACCUMULATE;
    return a->call != b->call && a->memory == b->memory && a->life == b->life && writes && !accumulate &&
           a->first < b->first + b->count && b->first < a->first + a->count;
}

static void watch(struct search *search, uint32_t point)
{
    if (search->watched[point])
        return;
    if (search->point_count == MOST_POINTS) {
        search->too_large = true;
        return;
    }
    search->points[search->point_count++] = point;
    search->watched[point] = (uint8_t)search->point_count;
}

static void list_conflicts(struct search *search)
{
    for (uint32_t a = 0; a < search->use_count; a++)
        for (uint32_t b = 0; b < search->use_count; b++) {
            if (!uses_conflict(&search->uses[a], &search->uses[b]))
                continue;
            search->conflicts[a] |= UINT64_C(1) << b;
            watch(search, search->uses[a].begin);
            watch(search, search->uses[a].end);
        }
}

/* Stepping. */

static void note_ready(void *context, uint32_t point)
{
    struct search *search = context;
    ARRAY_RESERVE(search->ready, search->ready_count, search->ready_capacity);
    search->ready[search->ready_count++] = point;
}

/* What USE, which begins now, finds of those that it conflicts with. */
static void note_begin(struct search *search, uint32_t use)
{
    const uint8_t *happened = search->machine->happened;
    for (uint32_t other = 0; other < search->use_count; other++) {
        if (!(search->conflicts[use] >> other & 1))
            continue;
        if (happened[search->uses[other].end])
            search->before[other] |= UINT64_C(1) << use;
        else if (happened[search->uses[other].begin])
            search->met[other] |= UINT64_C(1) << use;
    }
}

static void happen(struct search *search, uint32_t point)
{
    for (uint32_t use = 0; use < search->use_count; use++)
        if (search->uses[use].begin == point)
            note_begin(search, use);
    machine_happen(search->machine, point, note_ready, search);
    ARRAY_RESERVE(search->trail, search->trail_count, search->trail_capacity);
    search->trail[search->trail_count++] = point;
}

static void take_back(struct search *search, uint32_t to)
{
    while (search->trail_count > to)
        machine_undo(search->machine, search->trail[--search->trail_count]);
    search->ready_count = 0;
}

/* Lets happen what is ready and not watched: nothing can tell when it did. */
static void settle(struct search *search)
{
    while (search->ready_count > 0) {
        uint32_t point = search->ready[--search->ready_count];
        if (!search->watched[point])
            happen(search, point);
    }
}

/* Every state. */

static bool is_new(struct search *search, uint64_t state)
{
    uint64_t key = state + 1;
    uint64_t at = key * UINT64_C(0x9E3779B97F4A7C15) >> 40 & (MOST_STATES * 2 - 1);
    while (search->seen[at] != 0 && search->seen[at] != key)
        at = (at + 1) & (MOST_STATES * 2 - 1);
    if (search->seen[at] == key)
        return false;
    search->seen[at] = key;
    search->seen_count++;
    return true;
}

static void visit(struct search *search, uint64_t state)
{
    if (search->seen_count >= MOST_STATES || !is_new(search, state))
        return;
    for (uint32_t i = 0; i < search->point_count; i++) {
        if (!machine_may_happen(search->machine, search->points[i]))
            continue;
        uint32_t before = search->trail_count;
        happen(search, search->points[i]);
        settle(search);
        visit(search, state | UINT64_C(1) << i);
        take_back(search, before);
    }
}

static void visit_all(struct search *search, struct truth *truth)
{
    search->seen = memory_zeroed((size_t)MOST_STATES * 2, sizeof *search->seen);
    machine_begin(search->machine, note_ready, search);
    settle(search);
    visit(search, 0);
    truth->all_states = search->seen_count < MOST_STATES;
    take_back(search, 0);
    free(search->seen);
}

/* The other way to the same truth: nothing that happens ever keeps another point from happening, so what a
 * run that holds one point back for good does not reach comes always after that point. */

/* Runs to the end without HELD (NONE: with all that can happen). */
static void run_without(struct search *search, uint32_t held)
{
    machine_begin(search->machine, note_ready, search);
    while (search->ready_count > 0) {
        uint32_t point = search->ready[--search->ready_count];
        if (point == held)
            continue;
        machine_happen(search->machine, point, note_ready, search);
        ARRAY_RESERVE(search->trail, search->trail_count, search->trail_capacity);
        search->trail[search->trail_count++] = point;
    }
}

/* The uses that begin in a run in which HELD never happens. */
static uint64_t begun_without(struct search *search, uint32_t held)
{
    uint64_t begun = 0;
    run_without(search, held);
    for (uint32_t use = 0; use < search->use_count; use++)
        if (search->machine->happened[search->uses[use].begin])
            begun |= UINT64_C(1) << use;
    take_back(search, 0);
    return begun;
}

/* The uses that come to their end. What begins and never ends, such as a receive without its send, moves
 * nothing. */
static uint64_t find_ended(struct search *search)
{
    uint64_t ended = 0;
    run_without(search, NONE);
    for (uint32_t use = 0; use < search->use_count; use++)
        if (search->machine->happened[search->uses[use].end])
            ended |= UINT64_C(1) << use;
    take_back(search, 0);
    return ended;
}

static void judge_pairs(struct search *search, struct truth *truth)
{
    uint64_t ever = find_ended(search), without[MOST_ACCESSES];
    for (uint32_t use = 0; use < search->use_count; use++)
        without[use] = search->conflicts[use] ? begun_without(search, search->uses[use].end) : 0;
    for (uint32_t a = 0; a < search->use_count; a++)
        for (uint32_t b = 0; b < search->use_count; b++) {
            if (!(search->conflicts[a] >> b & 1) || !(ever >> a & 1) || !(ever >> b & 1))
                continue;
            bool b_may_be_first = without[a] >> b & 1, a_may_be_first = without[b] >> a & 1;
            bool meet = (search->met[a] >> b & 1) || (search->met[b] >> a & 1);
            bool a_was_first = search->before[a] >> b & 1, b_was_first = search->before[b] >> a & 1;
            uint32_t memory = search->uses[a].memory;
            if (truth->all_states &&
                (b_may_be_first != (meet || b_was_first) || a_may_be_first != (meet || a_was_first)))
                truth->contradiction = "all states, and runs that hold a point back, give different orders";
            if (search->uses[a].frees)
                truth->gone[memory] |= a_may_be_first;
            else if (!search->uses[b].frees)
                truth->raced[memory] |= a_may_be_first && b_may_be_first;
        }
}

/* What gets stuck. */

/* Runs to the end, taking the ready points in the order of the dice; NULL: latest first. */
static uint32_t run_to_the_end(struct search *search, struct dice *dice)
{
    machine_begin(search->machine, note_ready, search);
    while (search->ready_count > 0) {
        uint32_t at = dice ? dice_below(dice, search->ready_count) : search->ready_count - 1;
        uint32_t point = search->ready[at];
        search->ready[at] = search->ready[--search->ready_count];
        machine_happen(search->machine, point, note_ready, search);
        ARRAY_RESERVE(search->trail, search->trail_count, search->trail_capacity);
        search->trail[search->trail_count++] = point;
    }
    return search->machine->happened_count;
}

/* Whether following waits from POINT leads back to a point that is on the way. COLOURS: 1 on the way, 2 done.
 */
static bool leads_round(const struct machine *machine, uint32_t point, uint8_t *colours)
{
    const struct order *order = machine->order;
    colours[point] = 1;
    for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++) {
        const struct wait *wait = &order->waits[w];
        if (wait->point == NONE || !machine_holds(machine, point, wait) || colours[wait->point] == 2)
            continue;
        if (colours[wait->point] == 1 || leads_round(machine, wait->point, colours))
            return true;
    }
    colours[point] = 2;
    return false;
}

static void judge_what_is_left(const struct search *search, struct truth *truth)
{
    const struct machine *machine = search->machine;
    uint8_t *colours = memory_zeroed(search->order->point_count, 1);
    for (uint32_t point = 0; point < search->order->point_count; point++) {
        if (machine->happened[point] || !order_has_point(search->order, point))
            continue;
        truth->stuck = true;
        truth->circular |= colours[point] == 0 && leads_round(machine, point, colours);
        for (uint32_t w = search->order->first_wait[point]; w < search->order->first_wait[point + 1]; w++)
            truth->waits_for_nothing |= search->order->waits[w].point == NONE &&
                                        machine_holds(machine, point, &search->order->waits[w]);
    }
    free(colours);
}

static void judge_strict_runs(struct search *search, struct truth *truth)
{
    struct dice dice = {.state = search->order->point_count};
    search->machine = machine_open(search->order, CHOICE_STRICT);
    uint32_t happened = run_to_the_end(search, NULL);
    take_back(search, 0);
    for (int run = 0; run < 2; run++) {
        if (run_to_the_end(search, &dice) != happened)
            truth->contradiction = "two strict runs do not get equally far";
        if (run == 0)
            take_back(search, 0);
    }
    judge_what_is_left(search, truth);
    take_back(search, 0);
    machine_close(search->machine);
}

void find_truth(const struct order *order, struct truth *truth)
{
    struct search search = {.order = order, .program = order->program};
    *truth = (struct truth){0};
    if (order->program->memory_count > TRUTH_MEMORIES)
        return;
    search.watched = memory_zeroed(order->point_count, sizeof *search.watched);
    list_uses(&search);
    list_conflicts(&search);
    truth->fits = !search.too_large;
    if (truth->fits) {
        search.machine = machine_open(order, CHOICE_EAGER);
        visit_all(&search, truth);
        judge_pairs(&search, truth);
        machine_close(search.machine);
        judge_strict_runs(&search, truth);
    }
    free(search.watched);
    free(search.ready);
    free(search.trail);
}
