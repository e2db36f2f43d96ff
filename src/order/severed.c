#include "order/severed.h"

#include <stdlib.h>

#include "base/memory.h"
#include "order/aborts.h"
#include "order/wording.h"

struct severing {
    const struct order *order;
    const struct program *program;
    const uint32_t *ended;
    struct findings *findings;
    uint32_t *taken_by;    /* by call: another rank's abort that may take its partner away; NONE */
    bool *partner_is_done; /* by call: when that abort is entered */
    bool *reported;        /* by statement */
};

/* PARTNER stays when the abort ends CALL. That a send or a collective is done on one rank says nothing of the
 * others: what it gave may be on its way still, and the abort stops who carries it (docs/measured.md). A
 * receive that is done has all of its send. */
static void take_away(struct severing *severing, const struct abort_entry *entry, uint32_t call,
                      uint32_t partner)
{
    bool is_done = is_done_before(entry, call);
    bool is_received = is_done && call_statement(severing->program, partner)->kind == CALL_SEND;
    if (severing->taken_by[partner] != NONE || severing->order->abort_of[partner] == entry->abort ||
        is_received || is_done_before(entry, partner))
        return;
    severing->taken_by[partner] = entry->abort;
    severing->partner_is_done[partner] = is_done;
}

static void look_at_abort(void *context, const struct abort_entry *entry)
{
    struct severing *severing = context;
    const struct order *order = severing->order;
    for (uint32_t call = order->first_ended[entry->abort]; call != NONE; call = order->next_ended[call]) {
        if (severing->ended[call] != NONE)
            continue;
        for (uint32_t next = order->match[call]; next != NONE && next != call; next = order->match[next])
            take_away(severing, entry, call, next);
    }
}

/* What a point needs to have happened before it. */
struct needs {
    const struct order *order;
    bool *points;        /* by point */
    const bool *certain; /* by point: no wait holds there that may not; NULL: nowhere does one */
    uint32_t abort;      /* with CERTAIN: until this one is entered, what it ends is not aborted */
    uint32_t *stack;
    uint32_t count, capacity;
};

static bool is_needed(const struct needs *needs, uint32_t point, const struct wait *wait)
{
    bool is_abortable = wait->strength == ABORTABLE;
    if (wait->point == NONE || needs->points[wait->point] ||
        (is_abortable && (!needs->certain || needs->order->aborted_by[point_call(point)] != needs->abort)))
        return false;
    return strength_without_abort(needs->order, point, wait) == ALWAYS ||
           (needs->certain && !needs->certain[point]);
}

static void add_needed(struct needs *needs, uint32_t point)
{
    needs->points[point] = true;
    ARRAY_RESERVE(needs->stack, needs->count, needs->capacity);
    needs->stack[needs->count++] = point;
}

static void find_needs(struct needs *needs, uint32_t point)
{
    const struct order *order = needs->order;
    add_needed(needs, point);
    while (needs->count > 0) {
        uint32_t next = needs->stack[--needs->count];
        for (uint32_t w = order->first_wait[next]; w < order->first_wait[next + 1]; w++)
            if (is_needed(needs, next, &order->waits[w]))
                add_needed(needs, order->waits[w].point);
    }
    free(needs->stack);
}

/* Of the calls that the abort OWN ends and the abort OTHER may cut off before: those that keep their rank
 * from OWN when they do not end. What OTHER needs has happened: there nothing waits for them. */
static void find_blocking_of(const struct severing *severing, uint32_t own, uint32_t other, bool *blocking)
{
    const struct order *order = severing->order;
    struct needs certain = {.order = order}, all = {.order = order, .abort = own};
    certain.points = memory_zeroed(order->point_count, sizeof *certain.points);
    all.points = memory_zeroed(order->point_count, sizeof *all.points);
    find_needs(&certain, point_of(other, ENTERED));
    all.certain = certain.points;
    find_needs(&all, point_of(own, ENTERED));
    for (uint32_t call = order->first_ended[own]; call != NONE; call = order->next_ended[call])
        if (order->aborted_by[call] == own && severing->taken_by[call] == other)
            blocking[call] = all.points[point_of(call, DONE)];
    free(certain.points);
    free(all.points);
}

/* Calls that another rank's abort may cut off, and their own rank then does not come to abort. By call. */
static bool *find_blocking(const struct severing *severing)
{
    const struct order *order = severing->order;
    uint32_t calls = severing->program->call_count;
    bool *blocking = memory_zeroed(calls, sizeof *blocking), *seen = memory_zeroed(calls, sizeof *seen);
    for (uint32_t call = 0; call < calls; call++) {
        uint32_t own = order->aborted_by[call], other = severing->taken_by[call];
        if (own == NONE || other == NONE || seen[call])
            continue;
        find_blocking_of(severing, own, other, blocking);
        for (uint32_t next = call; next != NONE; next = order->next_ended[next])
            seen[next] |= severing->taken_by[next] == other;
    }
    free(seen);
    return blocking;
}

static void explain(const struct severing *severing, uint32_t call, struct text *text)
{
    uint32_t abort = severing->taken_by[call], partner = severed_partner(severing->order, call, abort);
    word_call(severing->program, call, text);
    text_append(text, " may wait for ever: ");
    if (severing->partner_is_done[call])
        text_append(text, "nothing makes ");
    word_call(severing->program, abort, text);
    text_append(text, severing->partner_is_done[call] ? " wait until that is done, and what "
                                                      : " waits for nothing, so it may end ");
    word_call_of_rank(severing->program, partner, text);
    text_append(text, severing->partner_is_done[call] ? " has given may still be on its way"
                                                      : " before that took part");
}

static void report(struct severing *severing, uint32_t call)
{
    bool *reported = &severing->reported[severing->program->calls[call].statement];
    const struct statement *statement = call_statement(severing->program, call);
    struct finding *finding =
        *reported ? NULL
                  : findings_add(severing->findings, FINDING_UNMATCHED, call, severing->taken_by[call],
                                 severing->program->spans[statement->first_span].memory);
    *reported = true;
    if (!finding)
        return;
    struct text text = {0};
    explain(severing, call, &text);
    finding->text = memory_copy_string(text_string(&text));
    text_free(&text);
}

uint32_t severed_partner(const struct order *order, uint32_t call, uint32_t abort)
{
    uint32_t partner = order->match[call];
    while (order->abort_of[partner] != abort)
        partner = order->match[partner];
    return partner;
}

static void report_all(struct severing *severing, const struct position *ends)
{
    bool *blocking = find_blocking(severing);
    for (uint32_t call = 0; call < severing->program->call_count; call++)
        if (severing->taken_by[call] != NONE && severing->ended[call] == NONE && ends[call].count > 0 &&
            (severing->order->aborted_by[call] == NONE || blocking[call]))
            report(severing, call);
    free(blocking);
}

void find_severed(const struct order *order, const uint32_t *ended, struct findings *findings)
{
    if (!order->abort_of)
        return;
    const struct program *program = order->program;
    struct severing severing = {.order = order, .program = program, .ended = ended, .findings = findings};
    struct position *ends = memory_zeroed(program->call_count, sizeof *ends);
    severing.taken_by = memory_all_ones(program->call_count, sizeof *severing.taken_by);
    severing.partner_is_done = memory_zeroed(program->call_count, sizeof *severing.partner_is_done);
    severing.reported = memory_zeroed(program->statement_count, sizeof *severing.reported);
    aborts_run(order, ends, look_at_abort, &severing);
    report_all(&severing, ends);
    free(ends);
    free(severing.taken_by);
    free(severing.partner_is_done);
    free(severing.reported);
}
