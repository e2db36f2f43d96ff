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
    bool is_sent =
        call_statement(severing->program, partner)->kind == CALL_SEND && is_done_before(entry, call);
    if (severing->taken_by[partner] != NONE || is_sent || is_done_before(entry, partner))
        return;
    severing->taken_by[partner] = entry->abort;
    severing->partner_is_done[partner] = is_done_before(entry, call);
}

static void look_at_abort(void *context, const struct abort_entry *entry)
{
    struct severing *severing = context;
    const uint32_t *match = severing->order->match;
    uint32_t first =
        severing->program->ranks[call_statement(severing->program, entry->abort)->rank].first_call;
    for (uint32_t call = first; call < entry->abort; call++) {
        if (severing->order->abort_of[call] != entry->abort || severing->ended[call] != NONE)
            continue;
        for (uint32_t next = match[call]; next != NONE && next != call; next = match[next])
            take_away(severing, entry, call, next);
    }
}

/* A list of points that may happen. */
struct ready {
    uint32_t *points;
    uint32_t count, capacity;
};

static void push(void *context, uint32_t point)
{
    struct ready *ready = context;
    ARRAY_RESERVE(ready->points, ready->count, ready->capacity);
    ready->points[ready->count++] = point;
}

/* Lets all happen that may, but for the ends of the calls that WAIT. */
static void run_without(struct machine *machine, const bool *wait)
{
    struct ready ready = {0};
    machine_begin(machine, push, &ready);
    while (ready.count > 0) {
        uint32_t point = ready.points[--ready.count];
        if (point_phase(point) != DONE || !wait[point_call(point)])
            machine_happen(machine, point, push, &ready);
    }
    free(ready.points);
}

/* Clears WAIT where the call's own rank comes to its abort although those calls never end. */
static void give_up(const struct severing *severing, bool *wait)
{
    struct machine *machine = machine_open(severing->order, CHOICE_STRICT);
    run_without(machine, wait);
    for (uint32_t call = 0; call < severing->program->call_count; call++)
        wait[call] = wait[call] && !machine->happened[point_of(severing->order->aborted_by[call], ENTERED)];
    machine_close(machine);
}

/* Of the calls that another rank's abort may cut off and that their own rank aborts too: those that keep it
 * from coming to that. By call. */
static bool *find_blocking(const struct severing *severing)
{
    uint32_t calls = severing->program->call_count;
    bool *blocking = memory_zeroed(calls, sizeof *blocking), *alone = memory_zeroed(calls, sizeof *alone);
    for (uint32_t call = 0; call < calls; call++)
        blocking[call] = severing->taken_by[call] != NONE && severing->order->aborted_by[call] != NONE;
    give_up(severing,
            blocking); /* nearly always all of them; the others one by one, which not all may wait at once */
    for (uint32_t call = 0; call < calls; call++) {
        if (!blocking[call])
            continue;
        alone[call] = true;
        give_up(severing, alone);
        blocking[call] = alone[call];
        alone[call] = false;
    }
    free(alone);
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

void find_severed(const struct order *order, const uint32_t *ended, struct findings *findings)
{
    if (!order->abort_of)
        return;
    const struct program *program = order->program;
    struct severing severing = {.order = order, .program = program, .ended = ended, .findings = findings};
    severing.taken_by = memory_all_ones(program->call_count, sizeof *severing.taken_by);
    severing.partner_is_done = memory_zeroed(program->call_count, sizeof *severing.partner_is_done);
    severing.reported = memory_zeroed(program->statement_count, sizeof *severing.reported);
    aborts_run(order, look_at_abort, &severing);
    bool *blocking = find_blocking(&severing);
    for (uint32_t call = 0; call < program->call_count; call++)
        if (severing.taken_by[call] != NONE && ended[call] == NONE &&
            (order->aborted_by[call] == NONE || blocking[call]))
            report(&severing, call);
    free(blocking);
    free(severing.taken_by);
    free(severing.partner_is_done);
    free(severing.reported);
}
