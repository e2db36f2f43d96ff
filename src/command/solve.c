#include "command/solve.h"

#include "command/verdict.h"
#include "process/session.h"

bool solve_judge(const struct challenge *challenge, const struct view *view, struct text *why)
{
    struct verdict verdict = verdict_open(view->program);
    bool reached = goal_judge(challenge->goal, view, findings_error_count(&verdict.findings) == 0, why);
    verdict_free(&verdict);
    return reached;
}

static void take_record(void *context, const struct record *record)
{
    view_apply(context, record);
}

static void move_to(struct session *session, int kind)
{
    session_set_goal(session, &(struct session_goal){.kind = kind});
    session_wait(session);
}

/* Releases what the move says. False and WHY where there is nothing. */
static bool release(struct session *session, const struct program *program, const struct move *move,
                    struct text *why)
{
    struct error error;
    uint32_t stream, released = 0;
    challenge_track(move, program, &stream);
    while (released < move->count && session_release(session, move->rank, stream, &error)) {
        move_to(session, GOAL_SETTLE);
        released++;
    }
    if (released == move->count || (move->count == MOVE_ALL && released > 0))
        return true;
    text_format(why, "line %u: after %u released: %s", (unsigned)move->place.line, (unsigned)released,
                error.message);
    return false;
}

static bool play(const struct challenge *challenge, const struct order *order, struct text *why)
{
    struct error error;
    struct view *view = view_open(order);
    const struct session_options options = {
        .backend = BACKEND_SIM, .report_values = true, .stepped = true, .sink = take_record, .context = view};
    struct session *session = session_open(order, &options, &error);
    bool solved = session != NULL;
    if (!session)
        text_append(why, error.message);
    if (session && challenge->kind == CHALLENGE_RELEASE) {
        session_hold_all(session, true);
        move_to(session, GOAL_SETTLE);
        for (size_t i = 0; solved && i < challenge->move_count; i++)
            solved = release(session, order->program, &challenge->moves[i], why);
        session_hold_all(session, false);
    }
    if (solved) {
        move_to(session, GOAL_END);
        solved = solve_judge(challenge, view, why);
    }
    if (session)
        session_close(session);
    view_close(view);
    return solved;
}

bool solve_challenge(const struct lesson *lesson, const struct challenge *challenge, struct text *why)
{
    struct text text = {0};
    struct diagnostics faults = {0};
    challenge_solved_text(challenge, lesson->schedule, &text);
    struct schedule *schedule = schedule_parse(text.bytes, text.length, 1, &faults);
    struct program *program = schedule ? program_resolve(schedule, challenge->variants, &faults) : NULL;
    bool solved = false;
    if (program && program->rank_count <= RUN_MAX_RANKS) {
        struct order *order = order_build(program);
        solved = play(challenge, order, why);
        order_free(order);
    } else {
        diagnostics_print(&faults, "the schedule with the solution", why);
    }
    program_free(program);
    if (schedule)
        schedule_free(schedule);
    diagnostics_free(&faults);
    text_free(&text);
    return solved;
}
