#include "command/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "command/command.h"
#include "command/fullscreen.h"
#include "command/learner.h"
#include "command/message.h"
#include "command/playback.h"
#include "command/verdict.h"
#include "lesson/until.h"
#include "screen/terminal.h"

struct live {
    struct prepared *prepared;
    const struct live_options *options;
    struct session *session; /* NULL where it could not be opened */
    struct log log;
    struct view *tip;        /* the fold of the whole log, ahead of what the walk shows */
    int64_t target;          /* the step to be reached without being shown; -1 */
    bool is_running;         /* on from moment to moment, until it is paused */
    bool is_releasing;       /* the chosen track's next, as soon as nothing moves */
    bool is_unpaced;         /* what happens next is shown at once */
    int signal;              /* that ended what lay over the walk; 0 */
    struct sharing *sharing; /* NULL where nobody else sees the walk */
    struct verdict verdict;
    struct learner learner;
    struct walk walk;
};

/* So many calls are checked at once; more only when the reader asks. */
enum { CHECKED_AT_ONCE = 2000 };

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

static void take_record(void *context, const struct record *record)
{
    struct live *live = context;
    append(live, record);
    if (live->is_running)
        follow_steps(live);
}

static bool step_holds(void *context)
{
    const struct live *live = context;
    const struct step *step = tip_step(live);
    return !step || !step->until || until_holds(step->until, live->tip);
}

/* What the session knows of the machine, as far as it does. */
static void take_header(struct live *live)
{
    const char *backend = session_backend(live->session);
    if (!live->log.header.backend || strcmp(live->log.header.backend, backend) != 0) {
        free(live->log.header.backend);
        live->log.header.backend = memory_copy_string(backend);
    }
    live->log.header.gpu_count = session_gpus(live->session, live->log.header.gpus);
}

static void check(struct live *live)
{
    if (!live->walk.findings)
        live->verdict = verdict_open(live->prepared->program);
    live->walk.findings = &live->verdict.findings;
}

static void begin_run(struct live *live, struct error *error)
{
    const struct session_options options = {
        .backend = live->options->backend,
        .eager = live->options->run.eager,
        .report_values = true,
        .stepped = true,
        .gpus = live->options->run.gpus,
        .sink = take_record,
        .context = live,
    };
    live->is_running = live->walk.is_held = live->is_releasing = false;
    live->is_unpaced = true; /* until the reader asks for something to happen */
    live->target = -1;
    live->tip = view_open(live->prepared->order);
    walk_begin_run(&live->walk, live->prepared->order, &live->log, live->prepared->variants);
    if (live->sharing)
        sharing_begin(live->sharing);
    if (live->prepared->program->call_count <= CHECKED_AT_ONCE)
        check(live);
    live->session = session_open(live->prepared->order, &options, error);
    if (live->session)
        take_header(live);
}

static void end_run(struct live *live)
{
    session_close(live->session);
    live->session = NULL;
    view_close(live->tip);
    log_free(&live->log);
    live->log = (struct log){0};
    live->walk.findings = NULL;
    verdict_free(&live->verdict);
}

static void begin_again(struct live *live, int64_t target)
{
    struct error error = {0};
    end_run(live);
    begin_run(live, &error);
    if (live->session)
        live->target = target;
    else
        walk_notice(&live->walk, true, "%s", error.message);
}

static void reset(struct live *live)
{
    begin_again(live, -1);
    if (live->session)
        walk_notice(&live->walk, false, "Everything begins anew, with new processes.");
}

/* The program with other variants. The one at hand stays where that fails. */
static void take_variants(struct live *live)
{
    struct diagnostics faults = {0};
    struct prepared *prepared = live->prepared;
    uint32_t variants = live->walk.overlay_variants;
    struct program *program = program_resolve(prepared->source.schedule, variants, &faults);
    if (!program) {
        walk_notice(&live->walk, true, "These variants do not go together: %s",
                    faults.count > 0 ? faults.items[0].text : "");
        diagnostics_free(&faults);
        return;
    }
    diagnostics_free(&faults);
    int64_t step = live->walk.view->step;
    struct program *old_program = prepared->program;
    struct order *old_order = prepared->order;
    prepared->variants = variants;
    prepared->program = program;
    prepared->order = order_build(program);
    begin_again(live, step);
    if (live->session)
        walk_notice(&live->walk, false, "Run again from the beginning with this program.");
    order_free(old_order);
    program_free(old_program);
}

static bool is_moving(const struct live *live)
{
    return session_state(live->session) == SESSION_MOVING;
}

static void set_goal(struct live *live, struct session_goal goal)
{
    session_set_goal(live->session, &goal);
}

/* Begins the step and lets the run go on to where it is about. */
static void begin_step(struct live *live, int64_t step)
{
    append_step(live, step);
    if (live->is_unpaced)
        walk_seek(&live->walk, live->log.count);
    else
        fullscreen_play(&live->walk, SIZE_MAX);
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
    live->is_unpaced = true;
    walk_seek(&live->walk, live->log.count);
}

static void obey_next(struct live *live)
{
    if (live->is_running)
        pause_run(live);
    if (live->walk.is_paced || is_moving(live)) {
        show_all(live);
        return;
    }
    if (!walk_is_live(&live->walk)) {
        fullscreen_play(&live->walk, walk_step_after(&live->walk));
        return;
    }
    int64_t next = step_after(live, live->tip->step);
    bool ended = session_state(live->session) == SESSION_ENDED;
    live->is_unpaced = false;
    let_go(live);
    if (next >= 0)
        begin_step(live, next);
    else if (ended)
        walk_notice(&live->walk, false,
                    "This is the end. R begins anew, v chooses variants, b goes back, q leaves.");
    else if (live->walk.lesson)
        set_goal(live, (struct session_goal){.kind = GOAL_END});
    else
        set_next_moment(live);
}

static void obey_run(struct live *live)
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
    if (!walk_is_live(&live->walk))
        fullscreen_play(&live->walk, SIZE_MAX);
    live->is_running = session_state(live->session) != SESSION_ENDED;
    live->is_unpaced = false;
    let_go(live);
}

static void obey_release(struct live *live)
{
    if (live->is_running)
        pause_run(live);
    if (!walk_is_live(&live->walk)) {
        bool was_paced = live->walk.is_paced;
        show_all(live);
        if (!was_paced)
            walk_notice(&live->walk, false,
                        "That was the past. This is where the run is: space again releases.");
        return;
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
    live->is_unpaced = false;
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

static void show_findings(struct live *live)
{
    check(live);
    walk_open_overlay(&live->walk, OVERLAY_FINDINGS);
}

static void show_finding(struct live *live)
{
    const struct finding *finding = &live->verdict.findings.items[live->walk.overlay_chosen];
    live->walk.overlay = OVERLAY_NONE;
    live->signal = playback_finding(&live->walk, live->verdict.order, finding);
}

static void obey(void *context, enum action action)
{
    struct live *live = context;
    if (action == ACTION_TAKE_VARIANTS)
        take_variants(live);
    else if (action == ACTION_RESET)
        reset(live);
    else if (action == ACTION_CHECK)
        show_findings(live);
    else if (action == ACTION_SHOW_FINDING)
        show_finding(live);
    else if (!live->session)
        walk_notice(&live->walk, true, "There is no run. R tries to begin one.");
    else if (action == ACTION_NEXT)
        obey_next(live);
    else if (action == ACTION_RUN)
        obey_run(live);
    else if (action == ACTION_RELEASE)
        obey_release(live);
}

/* On to the target without showing the way; from moment to moment while it runs. */
static void go_on(struct live *live)
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
        live->is_unpaced = true;
        begin_step(live, next);
        return;
    }
    live->target = -1;
    if (live->is_running && state == SESSION_ENDED)
        live->is_running = false;
    else if (live->is_running && !live->walk.is_paced)
        set_next_moment(live);
}

/* What the presenter's notes ask for is done as if it were typed here. */
static bool pump_sharing(struct live *live)
{
    bool changed = sharing_pump(live->sharing, &live->walk);
    for (uint32_t key; (key = sharing_key(live->sharing)) != 0; changed = true) {
        live->walk.overlay = OVERLAY_NONE;
        enum action action = walk_key(&live->walk, key);
        if (action != ACTION_NONE)
            obey(live, action);
    }
    return changed;
}

static void shown(void *context)
{
    struct live *live = context;
    learner_note(&live->learner, &live->walk);
    if (live->sharing)
        sharing_show(live->sharing, live->prepared, live->options->run.eager, &live->walk);
}

/* Whether the run, which rests, has to be sent on at once: nothing will wake the walk up for that. What it
 * waited for may have come without a record, such as a worker's last word on a moment that is long shown. */
static bool must_go_on(const struct live *live, size_t records_before)
{
    if (live->target >= 0)
        return true;
    if (session_state(live->session) == SESSION_ENDED || live->log.count != records_before)
        return false;
    return live->is_releasing || (live->is_running && !live->walk.is_paced);
}

static enum news pump_session(struct live *live)
{
    if (!live->session)
        return NEWS_NONE;
    size_t before = live->log.count;
    bool was_live = walk_is_live(&live->walk);
    enum session_state state;
    do {
        go_on(live);
        state = session_pump(live->session);
    } while (state != SESSION_MOVING && must_go_on(live, before));
    if (live->log.count == before)
        return NEWS_NONE;
    if (session_is_unavailable(live->session))
        return NEWS_END;
    take_header(live);
    if (was_live && !live->is_unpaced)
        fullscreen_play(&live->walk, SIZE_MAX);
    else if (was_live)
        walk_seek(&live->walk, live->log.count);
    return NEWS_SOME;
}

static enum news pump(void *context)
{
    struct live *live = context;
    if (live->signal)
        return NEWS_END;
    bool is_new = live->sharing && pump_sharing(live);
    enum news news = pump_session(live);
    return news == NEWS_NONE && is_new ? NEWS_SOME : news;
}

static int descriptors(void *context, struct pollfd *fds, int *timeout_ms)
{
    const struct live *live = context;
    *timeout_ms = -1;
    int count = live->session ? session_descriptors(live->session, fds, timeout_ms) : 0;
    return live->sharing ? sharing_descriptors(live->sharing, fds, count, timeout_ms) : count;
}

static bool open_sharing(struct live *live, struct error *error)
{
    struct text notice = {0};
    const struct sharing_options *options = &live->options->sharing;
    if (!options->is_shared)
        return true;
    live->sharing = sharing_open(options, live->prepared, error);
    if (!live->sharing)
        return false;
    live->walk.is_shared = true;
    sharing_describe(live->sharing, &notice);
    walk_notice(&live->walk, false, "%s", text_string(&notice));
    text_free(&notice);
    return true;
}

static void open_learner(struct live *live)
{
    struct text notice = {0};
    learner_open(&live->learner, live->options->progress, &live->walk);
    if (live->options->progress)
        study_take_notice(live->options->progress, &notice);
    if (notice.length > 0)
        walk_notice(&live->walk, true, "%s", text_string(&notice));
    text_free(&notice);
}

/* Walks until the reader leaves: the command's exit status. */
static int walk_to_the_end(struct live *live)
{
    const struct live_options *options = live->options;
    const struct steering steering = {live, obey, descriptors, pump, shown};
    if (options->step > 0 && options->step <= live->walk.step_count)
        live->target = (int64_t)live->walk.steps[options->step - 1];
    int signal = fullscreen_run(&live->walk, &steering);
    signal = live->signal ? live->signal : signal;
    return signal ? 128 + signal : EXIT_FINE;
}

/* Gives the terminal back and says why there is no run. */
static int complain_of_run(const struct live *live, const struct error *error)
{
    const char *reason = error->message;
    for (size_t i = 0; i < live->tip->message_count && reason[0] == '\0'; i++)
        if (live->tip->messages[i].is_error)
            reason = live->tip->messages[i].text;
    terminal_close();
    complain(live->options->command, "%s", reason);
    return live->options->backend == BACKEND_CUDA ? EXIT_NO_BACKEND : EXIT_HAZARD;
}

int live_walk(struct prepared *prepared, const struct live_options *options)
{
    struct live live = {.prepared = prepared, .options = options};
    struct error error = {0};
    int status = EXIT_BAD_INPUT;
    walk_open(&live.walk, prepared->source.file, prepared->source.lesson, prepared->source.schedule);
    live.walk.is_presented = options->is_presented;
    open_learner(&live);
    if (!open_sharing(&live, &error)) {
        terminal_close();
        complain(options->command, "%s", error.message);
    } else {
        begin_run(&live, &error);
        if (live.session)
            status = walk_to_the_end(&live);
        if (!live.session || session_is_unavailable(live.session))
            status = complain_of_run(&live, &error);
    }
    sharing_close(live.sharing);
    learner_close(&live.learner, &live.walk);
    end_run(&live);
    walk_close(&live.walk);
    if (status != EXIT_FINE)
        terminal_close();
    return status;
}
