/* What aborts cut off, from executions that are played at random: which of the waits hold that may, what
 * comes first, and what a rank's abort takes from the others. None of the checker's clocks, nor its needs. */
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "base/memory.h"
#include "order/check.h"
#include "order/severed.h"

enum { RUNS = 24, RUNS_HELD = 3, MOST_RUNS = 6000 };

struct play {
    const struct order *order;
    const struct program *program;
    struct dice dice;
    uint8_t *happened; /* by point */
    bool *holds;       /* by wait: it is one of those that hold in this execution */
    bool *cut_off;     /* by call */
    bool *started;     /* by call: in some execution */
    bool *stuck;       /* by call: an execution ended in which it had started, was cut off, and did not end */
    uint32_t *ready;   /* points */
    uint32_t held;     /* the call whose end comes as late as it can; NONE */
};

static const struct statement *statement_of(const struct play *play, uint32_t call)
{
    return call_statement(play->program, call);
}

/* Rules 5, 7, 10 and 11. */
static bool may_be_left_out(const struct play *play, uint32_t point, const struct wait *wait)
{
    const struct statement *statement = statement_of(play, point_call(point));
    return wait->rule == 10 || wait->rule == 11 || (wait->rule == 5 && statement->kind == CALL_SEND) ||
           (wait->rule == 7 && statement->kind == CALL_BROADCAST && wait->rank != statement->peer);
}

static bool is_aborted(const struct play *play, uint32_t call)
{
    uint32_t abort = play->order->abort_of[call];
    return abort != NONE && play->happened[point_of(abort, ENTERED)];
}

static bool holds_up(const struct play *play, uint32_t point, uint32_t number)
{
    const struct wait *wait = &play->order->waits[number];
    bool is_of_communication = wait->rule == 5 || wait->rule == 7 || wait->rule == 11;
    return play->holds[number] && (wait->point == NONE || !play->happened[wait->point]) &&
           !(is_of_communication && is_aborted(play, point_call(point)));
}

static bool may_happen(const struct play *play, uint32_t point)
{
    const struct order *order = play->order;
    uint32_t call = point_call(point);
    if (play->happened[point] || !order_has_point(order, point) ||
        (point_phase(point) == DONE && play->cut_off[call] && !is_aborted(play, call)))
        return false;
    for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++)
        if (holds_up(play, point, w))
            return false;
    return true;
}

/* The other sides of what the abort ends, but for those that have it all. */
static void abort_now(struct play *play, uint32_t abort)
{
    const struct order *order = play->order;
    for (uint32_t call = order->first_ended[abort]; call != NONE; call = order->next_ended[call])
        for (uint32_t other = order->match[call]; other != NONE && other != call; other = order->match[other])
            play->cut_off[other] |=
                !play->happened[point_of(other, DONE)] &&
                !(statement_of(play, other)->kind == CALL_SEND && play->happened[point_of(call, DONE)]);
}

/* The end of the held call, or of the receive that it gives to. */
static bool is_held(const struct play *play, uint32_t point)
{
    if (play->held == NONE || point_phase(point) != DONE || play->cut_off[play->held])
        return false;
    bool is_send = statement_of(play, play->held)->kind == CALL_SEND;
    return point_call(point) == play->held ||
           (is_send && point_call(point) == play->order->match[play->held]);
}

static uint32_t list_ready(struct play *play)
{
    uint32_t count = 0;
    for (uint32_t point = 0; point < play->order->point_count; point++)
        if (!is_held(play, point) && may_happen(play, point))
            play->ready[count++] = point;
    return count;
}

static void choose_waits(struct play *play)
{
    const struct order *order = play->order;
    uint32_t percent = dice_below(&play->dice, 5) * 25; /* of those that may hold */
    for (uint32_t point = 0; point < order->point_count; point++)
        for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++)
            play->holds[w] =
                !may_be_left_out(play, point, &order->waits[w]) || dice_percent(&play->dice, percent);
}

/* Whether something is left that never happens. */
static bool note_what_is_left(struct play *play)
{
    bool left = false;
    for (uint32_t point = 0; point < play->order->point_count; point++) {
        uint32_t call = point_call(point);
        play->started[call] |= point_phase(point) == STARTED && play->happened[point];
        if (play->happened[point] || !order_has_point(play->order, point))
            continue;
        left = true;
        play->stuck[call] |=
            point_phase(point) == DONE && play->cut_off[call] && play->happened[point_of(call, STARTED)];
    }
    return left;
}

static bool play_once(struct play *play, uint32_t held)
{
    memset(play->happened, 0, play->order->point_count);
    memset(play->cut_off, 0, play->program->call_count * sizeof *play->cut_off);
    choose_waits(play);
    play->held = held;
    for (;;) {
        uint32_t count = list_ready(play);
        if (count == 0 && play->held == NONE)
            return note_what_is_left(play);
        if (count == 0) {
            play->held = NONE;
            continue;
        }
        uint32_t point = play->ready[dice_below(&play->dice, count)];
        play->happened[point] = 1;
        if (point_phase(point) == ENTERED && statement_of(play, point_call(point))->kind == CALL_ABORT)
            abort_now(play, point_call(point));
    }
}

static bool gets_stuck(struct play *play)
{
    bool left = false;
    for (int run = 0; run < RUNS; run++)
        left |= play_once(play, NONE);
    for (uint32_t call = 0; call < play->program->call_count; call++)
        for (int run = 0; run < RUNS_HELD && call_is_communication(statement_of(play, call)); run++)
            left |= play_once(play, call);
    return left;
}

/* Whether an execution shows the finding, which is of a call that is cut off. */
static bool is_shown(struct play *play, const struct finding *finding)
{
    for (int run = 0; run < MOST_RUNS && !play->stuck[finding->call]; run++)
        play_once(play, finding->call);
    return play->stuck[finding->call];
}

/* What comes behind a call that is cut off may be said to be so too, and never starts. */
static const char *compare_cut_off_calls(struct play *play, const struct findings *findings)
{
    bool any = false, all = true;
    for (uint32_t i = 0; i < findings->count; i++) {
        if (findings->items[i].kind != FINDING_UNMATCHED)
            continue;
        bool shown = is_shown(play, &findings->items[i]);
        any |= shown;
        all &= shown || !play->started[findings->items[i].call];
    }
    return any && all ? NULL : "the checker says that an abort cuts something off, and no execution shows it";
}

static const char *compare_findings(struct play *play, const struct findings *findings)
{
    bool hangs = false, hangs_otherwise = false;
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        hangs |= is_severed(finding);
        hangs_otherwise |=
            finding->kind == FINDING_DEADLOCK || (finding->kind == FINDING_UNMATCHED && !is_severed(finding));
        /* What is used after its end, and what does not fit, may do anything. */
        if (finding->kind == FINDING_MISMATCH ||
            (finding->kind == FINDING_USE_AFTER_FREE && finding->memory == NONE))
            return NULL;
    }
    if (gets_stuck(play) && !hangs && !hangs_otherwise)
        return "an execution gets stuck, and the checker does not say so";
    return hangs && !hangs_otherwise ? compare_cut_off_calls(play, findings) : NULL;
}

const char *compare_cut_off(const struct order *order)
{
    if (!order->first_ended)
        return NULL;
    struct play play = {.order = order, .program = order->program, .dice = {.state = order->point_count}};
    struct findings findings = order_check(order);
    play.happened = memory_zeroed(order->point_count, sizeof *play.happened);
    play.ready = memory_zeroed(order->point_count, sizeof *play.ready);
    play.holds = memory_zeroed((size_t)order->first_wait[order->point_count] + 1, sizeof *play.holds);
    play.cut_off = memory_zeroed(order->program->call_count, sizeof *play.cut_off);
    play.started = memory_zeroed(order->program->call_count, sizeof *play.started);
    play.stuck = memory_zeroed(order->program->call_count, sizeof *play.stuck);
    const char *difference = compare_findings(&play, &findings);
    free(play.happened);
    free(play.ready);
    free(play.holds);
    free(play.cut_off);
    free(play.started);
    free(play.stuck);
    findings_free(&findings);
    return difference;
}
