#include "command/steer.h"

#include "command/fullscreen.h"
#include "lesson/until.h"

static const struct step *tip_step(const struct live *live)
{
    const struct lesson *lesson = live->walk.lesson;
    return lesson && live->tip->step >= 0 ? &lesson->steps[live->tip->step] : NULL;
}

/* The lesson's step after STEP in this walk; -1 after the last. */
static int64_t step_after(const struct live *live, int64_t step)
{
    size_t number = walk_step_number(&live->walk, step);
    return number < live->walk.step_count ? (int64_t)live->walk.steps[number] : -1;
}

static void append(struct live *live, const struct record *record)
{
    log_append(&live->log, record);
    view_apply(live->tip, record);
}

static void append_step(struct live *live, int64_t step)
{
    append(live, &(struct record){.time = live->tip->now,
                                  .kind = RECORD_STEP,
                                  .rank = NONE,
                                  .call = NONE,
                                  .point = NONE,
                                  .memory = NONE,
                                  .number = step});
}

/* While a run goes on by itself, the text follows it. */
static void follow_steps(struct live *live)
{
    int64_t next = step_after(live, live->tip->step);
    while (next >= 0) {
        const struct until *until = live->walk.lesson->steps[next].until;
        if (until && !until_holds(until, live->tip))
            return;
        append_step(live, next);
        next = step_after(live, next);
    }
}

static bool step_holds(void *context)
{
    const struct live *live = context;
    const struct step *step = tip_step(live);
    return !step || !step->until || until_holds(step->until, live->tip);
}

bool steer_is_under_way(const struct live *live)
{
    return live->target >= 0 || (session_state(live->session) == SESSION_MOVING && !live->is_playing);
}

static void set_goal(struct live *live, struct session_goal goal)
{
    session_set_goal(live->session, &goal);
}

/* Begins the step and lets the run go on to where it is about. */
static void begin_step(struct live *live, int64_t step)
{
    append_step(live, step);
    walk_seek(&live->walk, live->log.count);
    if (session_state(live->session) != SESSION_ENDED && !step_holds(live))
        set_goal(live, (struct session_goal){.kind = GOAL_UNTIL, .holds = step_holds, .context = live});
}

static void let_go(struct live *live)
{
    if (live->walk.is_held)
        session_hold_all(live->session, false);
    live->walk.is_held = live->is_releasing = false;
}

/* On to whatever comes next. */
static void set_next_moment(struct live *live)
{
    int64_t due = session_next_due(live->session);
    if (due == TIME_NONE)
        set_goal(live, (struct session_goal){.kind = GOAL_END});
    else
        set_goal(live, (struct session_goal){.kind = GOAL_TIME, .time = due});
}

static void pause_run(struct live *live)
{
    live->is_running = false;
    if (session_state(live->session) != SESSION_ENDED)
        set_goal(live, (struct session_goal){.kind = GOAL_NONE});
}

static void show_all(struct live *live)
{
    live->walk.is_paced = false;
    walk_seek(&live->walk, live->log.count);
}

/* Whether what is shown had happened before: then there is a way on that needs nothing of the run. */
static bool is_looking_back(const struct live *live)
{
    return live->walk.is_paced ? live->walk.position < live->past : !walk_is_live(&live->walk);
}

static void obey_next_at_the_end(struct live *live)
{
    const char *leaves = live->walk.is_excursion   ? "Esc: back to the walk"
                         : live->walk.is_from_menu ? "q: back to the menu"
                                                   : "q leaves handoff";
    const char *challenges =
        live->walk.lesson && live->walk.lesson->challenge_count > 0 ? "C: challenges, " : "";
    walk_notice(&live->walk, false, "This is the end. %sR begins anew, b back, %s.", challenges, leaves);
}

void steer_next(struct live *live)
{
    if (live->is_running)
        pause_run(live);
    if (is_looking_back(live)) {
        live->walk.is_paced = false;
        walk_seek(&live->walk, walk_step_after(&live->walk));
        return;
    }
    int64_t shown = live->walk.view->step;
    show_all(live);
    if (live->tip->step != shown || steer_is_under_way(live))
        return;
    int64_t next = step_after(live, live->tip->step);
    bool ended = session_state(live->session) == SESSION_ENDED;
    live->is_playing = false;
    let_go(live);
    if (next >= 0)
        begin_step(live, next);
    else if (ended)
        obey_next_at_the_end(live);
    else if (live->walk.lesson)
        set_goal(live, (struct session_goal){.kind = GOAL_END});
    else
        set_next_moment(live);
}

void steer_run(struct live *live)
{
    if (live->is_running || live->walk.is_paced) {
        pause_run(live);
        live->walk.is_paced = false;
        walk_notice(&live->walk, false, "Paused. r goes on.");
        return;
    }
    if (session_state(live->session) == SESSION_ENDED && walk_is_live(&live->walk)) {
        walk_notice(&live->walk, false, "The run has ended. R begins anew, b goes back.");
        return;
    }
    if (!walk_is_live(&live->walk)) {
        live->past = live->log.count;
        fullscreen_play(&live->walk, SIZE_MAX);
    }
    live->is_running = session_state(live->session) != SESSION_ENDED;
    live->is_playing = true;
    let_go(live);
}

void steer_release(struct live *live)
{
    if (live->is_running)
        pause_run(live);
    if (!walk_is_live(&live->walk)) {
        bool was_paced = live->walk.is_paced;
        show_all(live);
        if (!was_paced) {
            walk_notice(&live->walk, false,
                        "That was the past. This is where the run is: space again releases.");
            return;
        }
    }
    if (session_state(live->session) == SESSION_ENDED) {
        walk_notice(&live->walk, false, "The run has ended: nothing is left to release. R begins anew.");
        return;
    }
    if (!live->walk.is_held) {
        session_hold_all(live->session, true);
        set_goal(live, (struct session_goal){.kind = GOAL_SETTLE});
    }
    live->walk.is_held = true;
    live->is_releasing = true;
    live->is_playing = true;
}

/* Once everything stands at a gate. */
static void release(struct live *live)
{
    struct error error;
    const struct track *track = walk_chosen_track(&live->walk);
    live->is_releasing = false;
    if (!session_release(live->session, track->rank, track->stream, &error))
        walk_notice(&live->walk, true, "%s", error.message);
    set_goal(live, (struct session_goal){.kind = GOAL_SETTLE});
}

void steer_go_on(struct live *live)
{
    enum session_state state = session_state(live->session);
    int64_t next = step_after(live, live->tip->step);
    if (state == SESSION_MOVING)
        return;
    if (live->is_releasing && state != SESSION_ENDED) {
        release(live);
        return;
    }
    if (live->target >= 0 && next >= 0 && next <= live->target) {
        begin_step(live, next);
        return;
    }
    live->target = -1;
    /* Who looks back has left the run where it is. */
    bool is_left = !live->walk.is_paced && !walk_is_live(&live->walk);
    if (live->is_running && (state == SESSION_ENDED || is_left))
        live->is_running = false;
    else if (live->is_running && !live->walk.is_paced)
        set_next_moment(live);
}

void steer_take(struct live *live, const struct record *record)
{
    append(live, record);
    if (live->is_running)
        follow_steps(live);
}
