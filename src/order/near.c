#include "order/near.h"

#include <stdlib.h>

#include "base/memory.h"
#include "order/wording.h"

/* A search stops after so many points: what is farther away is not near. */
enum { STEP_LIMIT = 4096, WAY_ROOM = 2 * STEP_LIMIT + 2 };

struct near_search {
    const struct machine *machine;
    const struct order *order;
    const struct program *program;
    uint32_t *came_from; /* by point: the one before it on the way from the start; NONE between searches */
    uint32_t *seen;      /* points, breadth first */
    uint32_t seen_count;
    uint32_t *way; /* calls, from the end of a way to its start */
};

struct near_search *near_open(const struct machine *guaranteed)
{
    struct near_search *search = memory_zeroed(1, sizeof *search);
    search->machine = guaranteed;
    search->order = guaranteed->order;
    search->program = guaranteed->order->program;
    search->came_from = memory_all_ones(search->order->point_count, sizeof *search->came_from);
    search->seen = memory_resize(NULL, STEP_LIMIT, sizeof *search->seen);
    search->way = memory_resize(NULL, WAY_ROOM, sizeof *search->way);
    return search;
}

void near_close(struct near_search *search)
{
    free(search->came_from);
    free(search->seen);
    free(search->way);
    free(search);
}

static void see(struct near_search *search, uint32_t point, uint32_t from)
{
    if (search->came_from[point] != NONE || search->seen_count == STEP_LIMIT)
        return;
    search->came_from[point] = from;
    search->seen[search->seen_count++] = point;
}

static void begin_at(struct near_search *search, uint32_t point)
{
    for (uint32_t i = 0; i < search->seen_count; i++)
        search->came_from[search->seen[i]] = NONE;
    search->seen_count = 0;
    see(search, point, point);
}

static void see_dependents(struct near_search *search, uint32_t point)
{
    const struct machine *machine = search->machine;
    for (uint32_t d = machine->first_dependent[point]; d < machine->first_dependent[point + 1]; d++)
        see(search, machine->dependents[d], point);
}

static void see_waits(struct near_search *search, uint32_t point)
{
    const struct order *order = search->order;
    for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++)
        if (order->waits[w].strength == ALWAYS && order->waits[w].point != NONE)
            see(search, order->waits[w].point, point);
}

static const struct statement *statement_of(const struct near_search *search, uint32_t call)
{
    return call_statement(search->program, call);
}

static bool is_host_point(uint32_t point)
{
    return point_phase(point) == ENTERED || point_phase(point) == RETURNED;
}

/* Whether the way leaves a stream or a host program, rather than going down it. */
static bool is_link(const struct near_search *search, uint32_t from, uint32_t to)
{
    bool down_stream =
        !is_host_point(from) && !is_host_point(to) &&
        statement_of(search, point_call(from))->stream == statement_of(search, point_call(to))->stream;
    return point_call(from) != point_call(to) && !(is_host_point(from) && is_host_point(to)) && !down_stream;
}

static uint32_t add_call(uint32_t *calls, uint32_t count, uint32_t call)
{
    if (calls[count - 1] != call)
        calls[count++] = call;
    return count;
}

static bool is_group_end(const struct near_search *search, uint32_t point)
{
    return !is_host_point(point) && statement_of(search, point_call(point))->kind == CALL_GROUP_END;
}

/* The point before POINT on the way. A group's end is passed over where the way goes down a stream through
 * the group. */
static uint32_t before_on_way(const struct near_search *search, uint32_t point)
{
    uint32_t before = search->came_from[point], passed = before;
    while (is_group_end(search, passed) && search->came_from[passed] != passed)
        passed = search->came_from[passed];
    return is_group_end(search, before) && !is_group_end(search, passed) && !is_link(search, passed, point)
               ? passed
               : before;
}

/* Fills the way with the calls from POINT back to the start, and returns how many. What the way only passes,
 * going down a stream or a host program, is left out. */
static uint32_t calls_on_way(const struct near_search *search, uint32_t point)
{
    uint32_t count = 0, *calls = search->way;
    calls[count++] = point_call(point);
    while (search->came_from[point] != point) {
        uint32_t before = before_on_way(search, point);
        if (is_link(search, before, point)) {
            count = add_call(calls, count, point_call(point));
            count = add_call(calls, count, point_call(before));
        }
        point = before;
    }
    return add_call(calls, count, point_call(point));
}

/* Of a longer way the beginning and the end are shown. */
enum { WAY_LIMIT = 8 };

/* FORWARD: the start's call comes first in time, so the list is turned round. Of another rank than RANK the
 * calls say which. Several calls of one line that follow one another are one. */
static void word_way(const struct near_search *search, uint32_t point, bool forward, uint32_t rank,
                     struct text *out)
{
    uint32_t count = calls_on_way(search, point), line = NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (count > WAY_LIMIT && i == WAY_LIMIT / 2) {
            text_append(out, " -> ...");
            i = count - WAY_LIMIT / 2;
        }
        uint32_t call = search->way[forward ? count - 1 - i : i];
        if (search->program->calls[call].statement == line)
            continue;
        if (line != NONE)
            text_append(out, " -> ");
        line = search->program->calls[call].statement;
        (statement_of(search, call)->rank == rank ? word_call_of_rank : word_call)(search->program, call,
                                                                                   out);
    }
}

/* What EARLIER comes before: the first point of LATER's stream or host program that it reaches. */
static uint32_t reach_forward(struct near_search *search, uint32_t earlier, uint32_t later)
{
    const struct statement *target = statement_of(search, later);
    begin_at(search, point_of(earlier, DONE));
    for (uint32_t i = 0; i < search->seen_count; i++) {
        uint32_t point = search->seen[i], call = point_call(point);
        const struct statement *statement = statement_of(search, call);
        bool returns = point_phase(point) == RETURNED && statement->rank == target->rank;
        bool in_stream = point_phase(point) == STARTED && statement->stream == target->stream && call > later;
        if (returns || (in_stream && target->stream != NONE))
            return point;
        see_dependents(search, point);
    }
    return NONE;
}

/* What LATER comes after: the last operation of EARLIER's stream among the points seen; NONE. */
static uint32_t find_in_stream(const struct near_search *search, uint32_t earlier, uint32_t later)
{
    for (uint32_t i = 0; i < search->seen_count; i++) {
        uint32_t point = search->seen[i], call = point_call(point);
        if (point_phase(point) == DONE && call != later &&
            statement_of(search, call)->stream == statement_of(search, earlier)->stream)
            return point;
    }
    return NONE;
}

/* The first record among the points seen; NONE. */
static uint32_t find_record(const struct near_search *search)
{
    for (uint32_t i = 0; i < search->seen_count; i++)
        if (statement_of(search, point_call(search->seen[i]))->kind == CALL_RECORD)
            return point_call(search->seen[i]);
    return NONE;
}

/* Whether an event was waited for when POINT happens. */
static bool is_behind_event(const struct near_search *search, uint32_t point)
{
    uint8_t kind = statement_of(search, point_call(point))->kind;
    return kind == CALL_WAIT
               ? point_phase(point) == DONE
               : (kind == CALL_SYNC_EVENT || kind == CALL_POLL_EVENT) && point_phase(point) == RETURNED;
}

/* The wait among the points seen that names the event of RECORD and takes another record of it. */
static uint32_t find_other_taker(const struct near_search *search, uint32_t record)
{
    for (uint32_t i = 0; i < search->seen_count; i++) {
        uint32_t call = point_call(search->seen[i]);
        const struct statement *statement = statement_of(search, call);
        if (is_behind_event(search, search->seen[i]) &&
            statement->event == statement_of(search, record)->event && search->order->bound[call] != record)
            return call;
    }
    return NONE;
}

/* Sees what LATER comes after. */
static void search_backward(struct near_search *search, uint32_t later)
{
    bool operates = order_has_point(search->order, point_of(later, STARTED));
    begin_at(search, point_of(later, operates ? STARTED : ENTERED));
    for (uint32_t i = 0; i < search->seen_count; i++)
        see_waits(search, search->seen[i]);
}

/* The event is there, but LATER's wait does not take the record behind EARLIER. Returns whether that is so.
 */
static bool word_wrong_record(struct near_search *search, uint32_t record, uint32_t later, struct text *out)
{
    search_backward(search, later);
    uint32_t taker = find_other_taker(search, record);
    if (taker == NONE)
        return false;
    uint32_t taken = search->order->bound[taker];
    text_append(out, ". ");
    word_call_of_rank(search->program, taker, out);
    if (taken == NONE) {
        text_append(out, " was called before the event was recorded, so it waits for nothing, and not for ");
    } else {
        text_append(out, " takes ");
        word_call_of_rank(search->program, taken, out);
        text_append(out, ", not ");
    }
    word_call_of_rank(search->program, record, out);
    return true;
}

static void word_forward(struct near_search *search, uint32_t earlier, uint32_t later, struct text *out)
{
    uint32_t reached = reach_forward(search, earlier, later);
    uint32_t record = find_record(search);
    bool is_behind = reached != NONE && point_phase(reached) == STARTED;
    if (record != NONE && !is_behind && word_wrong_record(search, record, later, out))
        return;
    if (record != NONE)
        reached = reach_forward(search, earlier, later);
    if (reached == NONE)
        return;
    text_append(out, ". The order that comes near is too late: ");
    word_way(search, reached, true, statement_of(search, later)->rank, out);
    if (point_phase(reached) == STARTED)
        text_append(out, ", which stands behind the second in its stream");
    else if (order_has_point(search->order, point_of(later, STARTED)))
        text_append(out, ", where the host waits only after it submitted the second");
    else
        text_append(out, ", where the host waits only after the second");
}

static void word_backward(struct near_search *search, uint32_t earlier, uint32_t later, struct text *out)
{
    bool operates = order_has_point(search->order, point_of(later, STARTED));
    if (operates && statement_of(search, earlier)->stream == statement_of(search, later)->stream)
        return;
    search_backward(search, later);
    uint32_t start = point_of(earlier, STARTED), reached = find_in_stream(search, earlier, later);
    if (search->came_from[start] != NONE) {
        text_append(out, ". The second comes after the start of the first, but not after its end: ");
        word_way(search, start, false, statement_of(search, later)->rank, out);
        return;
    }
    if (reached == NONE)
        return;
    text_append(out, ". The second comes after ");
    word_way(search, reached, false, statement_of(search, later)->rank, out);
    text_append(out, ", but the first was submitted to that stream after it");
}

void near_words(struct near_search *search, uint32_t earlier, uint32_t later, struct text *out)
{
    const uint32_t *bound = search->order->bound;
    if (call_is_communication(statement_of(search, earlier)) &&
        call_is_communication(statement_of(search, later)) && bound[earlier] != NONE &&
        bound[earlier] == bound[later]) {
        text_append(out, ". Both are members of one group, and those make progress side by side");
        return;
    }
    word_backward(search, earlier, later, out);
    word_forward(search, earlier, later, out);
}
