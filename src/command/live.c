#include "command/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "command/command.h"
#include "command/excursion.h"
#include "command/fullscreen.h"
#include "command/message.h"
#include "command/playback.h"
#include "command/steer.h"
#include "screen/terminal.h"

/* So many calls are checked at once; more only when the reader asks. */
enum { CHECKED_AT_ONCE = 2000 };

/* A step's end is on the screen together with its text, without the way there, unless that takes longer. */
enum { ARRIVAL_MS = 100 };

static void take_record(void *context, const struct record *record)
{
    struct live *live = context;
    steer_take(live, record);
    if (record->kind == RECORD_NOTE && record->rank != NONE)
        walk_notice(&live->walk, true, "%.*s", (int)record->length, record->bytes);
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

/* What is to be released by hand is held from the start, and what was edited runs. */
static void begin_as_asked(struct live *live)
{
    if (live->walk.challenge && live->walk.challenge->kind == CHALLENGE_RELEASE) {
        session_hold_all(live->session, true);
        live->walk.is_held = true;
        session_set_goal(live->session, &(struct session_goal){.kind = GOAL_SETTLE});
    } else if (live->options->is_running) {
        live->is_running = live->is_playing = true;
    }
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
    live->is_running = live->is_playing = live->walk.is_held = live->is_releasing = false;
    live->target = -1;
    live->past = 0;
    live->tip = view_open(live->prepared->order);
    walk_begin_run(&live->walk, live->prepared->order, &live->log, live->prepared->variants);
    if (live->sharing)
        sharing_begin(live->sharing);
    if (live->prepared->program->call_count <= CHECKED_AT_ONCE)
        check(live);
    live->session = session_open(live->prepared->order, &options, error);
    if (live->session) {
        take_header(live);
        begin_as_asked(live);
    }
}

static void end_run(struct live *live)
{
    session_close(live->session);
    live->session = NULL;
    view_close(live->tip);
    log_free(&live->log);
    live->log = (struct log){0};
    live->walk.findings = NULL;
    aside_free(&live->aside, &live->walk);
    verdict_free(&live->verdict);
}

static void begin_again(struct live *live, int64_t target)
{
    struct error error = {0};
    bool shows_code = live->walk.code.is_shown;
    end_run(live);
    begin_run(live, &error);
    if (shows_code)
        aside_show_code(&live->aside, live->prepared->source.file, &live->walk);
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

static void show_findings(struct live *live)
{
    check(live);
    walk_open_overlay(&live->walk, OVERLAY_FINDINGS);
}

static void show_finding(struct live *live)
{
    const struct finding *finding = &live->verdict.findings.items[live->walk.overlay_chosen];
    live->walk.overlay = OVERLAY_NONE;
    int signal = playback_finding(&live->walk, live->verdict.order, finding);
    live->ending = signal ? 128 + signal : 0;
}

static void begin_challenge(struct live *live, size_t index)
{
    live->walk.overlay = OVERLAY_NONE;
    live->ending = excursion_challenge(&live->walk, live->prepared, live->options, index);
}

static void edit(struct live *live)
{
    live->ending = excursion_edit(&live->walk, live->prepared, live->options);
    live->is_leaving = live->options->edits && *live->options->edits;
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
        steer_go_on(live);
        state = session_pump(live->session);
    } while (state != SESSION_MOVING && must_go_on(live, before));
    if (session_is_unavailable(live->session))
        return NEWS_END;
    bool was_under_way = live->walk.is_under_way;
    live->walk.is_under_way = steer_is_under_way(live);
    if (live->log.count == before)
        return live->walk.is_under_way != was_under_way ? NEWS_SOME : NEWS_NONE;
    take_header(live);
    if (was_live && live->is_playing)
        fullscreen_play(&live->walk, SIZE_MAX);
    else if (was_live)
        walk_seek(&live->walk, live->log.count);
    return NEWS_SOME;
}

/* Lets the run arrive where it is under way to. */
static void arrive(struct live *live)
{
    struct pollfd fds[SESSION_MAX_DESCRIPTORS];
    int64_t end = fullscreen_clock_ms() + ARRIVAL_MS, left;
    while (pump_session(live) != NEWS_END && steer_is_under_way(live) &&
           (left = end - fullscreen_clock_ms()) > 0) {
        int timeout_ms;
        int count = session_descriptors(live->session, fds, &timeout_ms);
        poll(fds, (nfds_t)count, timeout_ms < 0 || left < timeout_ms ? (int)left : timeout_ms);
    }
}

static void obey(void *context, enum action action)
{
    struct live *live = context;
    bool was_under_way = live->session && steer_is_under_way(live);
    if (action == ACTION_TAKE_VARIANTS)
        take_variants(live);
    else if (action == ACTION_RESET)
        reset(live);
    else if (action == ACTION_CHECK)
        show_findings(live);
    else if (action == ACTION_SHOW_FINDING)
        show_finding(live);
    else if (action == ACTION_CHALLENGE)
        begin_challenge(live, live->walk.overlay_chosen);
    else if (action == ACTION_EDIT)
        edit(live);
    else if (action == ACTION_CODE)
        aside_show_code(&live->aside, live->prepared->source.file, &live->walk);
    else if (action == ACTION_COMPARE)
        aside_compare(&live->aside, &live->walk);
    else if (!live->session)
        walk_notice(&live->walk, true, "There is no run. R tries to begin one.");
    else if (action == ACTION_NEXT)
        steer_next(live);
    else if (action == ACTION_RUN)
        steer_run(live);
    else if (action == ACTION_RELEASE)
        steer_release(live);
    if (!was_under_way && live->session && steer_is_under_way(live))
        arrive(live);
}

/* What the presenter's notes ask for is done as if it were typed here. */
static bool pump_sharing(struct live *live)
{
    bool changed = sharing_take_followers(live->sharing, &live->walk);
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

static enum news pump(void *context)
{
    struct live *live = context;
    if (live->ending || live->is_leaving)
        return NEWS_END;
    bool is_new = live->sharing && pump_sharing(live);
    enum news news = pump_session(live);
    is_new |= learner_judge(live->options->progress, live->options->lesson, &live->walk);
    return news == NEWS_NONE && is_new ? NEWS_SOME : news;
}

static int descriptors(void *context, struct pollfd *fds, int *timeout_ms)
{
    const struct live *live = context;
    *timeout_ms = -1;
    return live->session ? session_descriptors(live->session, fds, timeout_ms) : 0;
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
    const struct lesson *lesson = options->begin_with ? live->walk.lesson : NULL;
    for (size_t i = 0; lesson && i < lesson->challenge_count; i++)
        if (strcmp(lesson->challenges[i].name, options->begin_with) == 0)
            begin_challenge(live, i);
    if (live->ending)
        return live->ending;
    int signal = fullscreen_run(&live->walk, &steering);
    if (live->ending)
        return live->ending;
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

/* Of a challenge, to the walk that comes back. */
static void tell_what_lies_below(struct live *live)
{
    struct walk *over = live->options->over, *walk = &live->walk;
    for (size_t i = 0; walk->challenge && over->lesson && i < over->lesson->challenge_count; i++)
        if (walk->challenge == &over->lesson->challenges[i])
            over->solved[i] |= walk->is_solved;
    if (!over->challenge || over->challenge != walk->challenge || !walk->is_judged)
        return;
    over->is_judged = true;
    over->is_solved = walk->is_solved;
    over->hints = walk->hints;
    text_clear(&over->verdict);
    text_append(&over->verdict, text_string(&walk->verdict));
}

int live_walk(struct prepared *prepared, const struct live_options *options)
{
    struct live live = {.prepared = prepared, .options = options};
    struct error error = {0};
    int status = EXIT_BAD_INPUT;
    walk_open(&live.walk, prepared->source.file, prepared->source.lesson, prepared->source.schedule);
    live.walk.is_presented = options->is_presented;
    live.walk.is_excursion = options->over != NULL;
    live.walk.is_from_menu = options->is_from_menu;
    live.walk.challenge = options->challenge;
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
        if (options->over)
            tell_what_lies_below(&live);
    }
    sharing_close(live.sharing);
    learner_close(&live.learner, &live.walk);
    end_run(&live);
    walk_close(&live.walk);
    if (status != EXIT_FINE)
        terminal_close();
    return status;
}
