#include "process/inside.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "process/worker.h"

enum {
    PUMP_NS = 5000000,       /* of work a call */
    STEPS_AT_ONCE = 64,      /* between two looks at the workers */
    REAP_AGAIN_AFTER_MS = 2, /* a worker that has closed its channel is about to be gone */
    SILENCE_MS = 500,        /* after which it is worth a look whether a worker was stopped */
};
static const int64_t LEAVING_NS = 3000000000; /* to close a device in */

static int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void session_say(void *context, const struct record *record)
{
    struct session *session = context;
    session->failed = session->failed || record->kind == RECORD_ERROR;
    session->said = record->time;
    session->options.sink(session->options.context, record);
    if (session->goal.kind == GOAL_UNTIL && !session->goal_reached)
        session->goal_reached = session->goal.holds(session->goal.context);
}

int64_t session_moment(const struct session *session)
{
    bool is_ahead = session->said != TIME_NONE && session->driving->awaiting(session->driver);
    return is_ahead ? session->said : session->driving->now(session->driver);
}

void session_say_text(struct session *session, uint8_t kind, uint32_t rank, const char *text, size_t length)
{
    session_say(session, &(struct record){.time = session_moment(session),
                                          .kind = kind,
                                          .rank = rank,
                                          .call = NONE,
                                          .point = NONE,
                                          .memory = NONE,
                                          .bytes = text,
                                          .length = length});
}

static void grant(void *context, uint32_t rank, const struct grant *grant)
{
    struct session *session = context;
    if (grant->kind == GRANT_LEAVE)
        session->told_to_leave[rank] = true;
    attended_grant(&session->workers[rank], grant);
}

/* Opening. */

static enum watch watch_of(const struct session *session)
{
    return session->options.unwatched ? WATCH_NOTHING : session->options.stepped ? WATCH_GATES : WATCH_MARKS;
}

static bool open_workers(struct session *session, struct error *error)
{
    uint32_t count = session->order->program->rank_count;
    struct worker_setup setup = {
        .load = session->chosen == BACKEND_CUDA ? session_load_cuda : session_load_sim,
        .order = session->order,
        .board = session->board,
        .gpu_list = session->options.gpus,
        .report_values = session->options.report_values,
        .watch = watch_of(session),
    };
    struct spawned spawned[RUN_MAX_RANKS];
    if (!spawn_workers(spawned, count, worker_run, &setup, error))
        return false;
    session->worker_count = count;
    for (uint32_t rank = 0; rank < count; rank++) {
        session->workers[rank].process = spawned[rank];
        session->workers[rank].output.descriptor = spawned[rank].output;
    }
    return true;
}

static void open_driver(struct session *session)
{
    int64_t pids[RUN_MAX_RANKS];
    for (uint32_t rank = 0; rank < session->worker_count; rank++)
        pids[rank] = session->workers[rank].process.pid;
    const struct driver_setup setup = {
        .order = session->order,
        .board = session->board,
        .eager = session->options.eager,
        .report_values = session->options.report_values,
        .watch = watch_of(session),
        .pids = pids,
        .grant = grant,
        .say = session_say,
        .context = session,
    };
    session->driver = session->driving->open(&setup);
}

/* The board, the workers and the driver, as the choice of the backend has it. */
static bool open_run(struct session *session, struct error *error)
{
    session->said = TIME_NONE;
    session->board = board_open(session->order->program->call_count, error);
    if (!session->board || !open_workers(session, error))
        return false;
    open_driver(session);
    session_hold_all(session, session->held);
    return true;
}

static void close_run(struct session *session)
{
    for (uint32_t rank = 0; rank < session->worker_count; rank++)
        attended_close(&session->workers[rank]);
    memset(session->workers, 0, sizeof session->workers);
    session->worker_count = 0;
    if (session->driver)
        session->driving->close(session->driver);
    session->driver = NULL;
    board_close(session->board);
    session->board = NULL;
}

static void free_texts(struct session *session)
{
    text_free(&session->description);
    text_free(&session->note);
    text_free(&session->refusal);
}

struct session *session_open(const struct order *order, const struct session_options *options,
                             struct error *error)
{
    if (order->program->rank_count > RUN_MAX_RANKS) {
        error_set(error, "the schedule has %u ranks, and a run takes at most %d", order->program->rank_count,
                  RUN_MAX_RANKS);
        return NULL;
    }
    struct session *session = memory_zeroed(1, sizeof *session);
    session->order = order;
    session->options = *options;
    if (!session_choose_backend(session, error) || !open_run(session, error)) {
        board_close(session->board);
        free_texts(session);
        free(session);
        return NULL;
    }
    return session;
}

void session_let_out(struct session *session)
{
    if (session->driver && session->driving->let_out)
        session->driving->let_out(session->driver);
}

void session_close(struct session *session)
{
    if (!session)
        return;
    close_run(session);
    free_texts(session);
    free(session->released);
    free(session);
}

size_t session_gpus(const struct session *session, uint16_t gpus[SCHEDULE_MAX_GPUS])
{
    const struct program *program = session->order->program;
    size_t count = 0;
    for (uint32_t stream = 0; stream < program->stream_count; stream++)
        if (program->streams[stream].gpu >= count)
            count = program->streams[stream].gpu + (size_t)1;
    memcpy(gpus, session->gpus, count * sizeof *gpus);
    return count;
}

/* Moving. */

void session_set_goal(struct session *session, const struct session_goal *goal)
{
    session->goal = *goal;
    session->goal_reached = goal->kind == GOAL_UNTIL && goal->holds(goal->context);
}

enum session_state session_state(const struct session *session)
{
    if (session->ended)
        return SESSION_ENDED;
    return session->leaving || session->goal.kind != GOAL_NONE ? SESSION_MOVING : SESSION_IDLE;
}

static bool is_backlogged(const struct session *session)
{
    for (uint32_t rank = 0; rank < session->worker_count; rank++)
        if (attended_backlog(&session->workers[rank]) > ATTENDED_BACKLOG)
            return true;
    return false;
}

static void rest(struct session *session)
{
    session->goal.kind = GOAL_NONE;
}

/* Lets the driver go on for some steps. Returns whether there may be more to do at once. */
static bool go_on(struct session *session)
{
    const struct driver_backend *driving = session->driving;
    session->awaiting = false;
    for (int step = 0; step < STEPS_AT_ONCE; step++) {
        if (session->leaving || session->goal.kind == GOAL_NONE || is_backlogged(session))
            return false;
        bool ahead = session->goal.kind != GOAL_UNTIL;
        int64_t until = session->goal.kind == GOAL_TIME ? session->goal.time : INT64_MAX;
        if (session->goal_reached && !driving->awaiting(session->driver)) {
            rest(session);
            return false;
        }
        switch (driving->advance(session->driver, until, ahead)) {
        case ADVANCED:
            break;
        case ADVANCE_AWAITS:
            session->awaiting = true;
            return false;
        case ADVANCE_RESTS:
            if (!driving->awaiting(session->driver))
                rest(session);
            return false;
        case ADVANCE_ENDED:
            session->leaving = true;
            session->left = monotonic_ns();
            return false;
        }
    }
    return true;
}

static bool all_are_gone(const struct session *session)
{
    for (uint32_t rank = 0; rank < session->worker_count; rank++)
        if (!session->workers[rank].gone)
            return false;
    return true;
}

static void say_end(struct session *session)
{
    for (uint32_t rank = 0; rank < session->worker_count; rank++)
        if (!session->exit_said[rank])
            session_say_exited(session, rank);
    session->ended = true;
    enum outcome outcome = session->failed ? OUTCOME_FAILED : session->driving->outcome(session->driver);
    session_say(session, &(struct record){.time = session_moment(session),
                                          .kind = RECORD_OUTCOME,
                                          .rank = NONE,
                                          .call = NONE,
                                          .point = NONE,
                                          .memory = NONE,
                                          .number = outcome});
}

static void say_released(struct session *session)
{
    for (size_t i = 0; i < session->released_count; i++)
        session_say(session, &(struct record){
                                 .time = session_moment(session),
                                 .kind = RECORD_RELEASED,
                                 .rank = call_statement(session->order->program, session->released[i])->rank,
                                 .call = session->released[i],
                                 .point = NONE,
                                 .memory = NONE});
    session->released_count = 0;
}

static void say_note(struct session *session)
{
    if (session->note.length == 0)
        return;
    session_say_text(session, RECORD_NOTE, NONE, text_string(&session->note), session->note.length);
    text_clear(&session->note);
}

/* Starts the run anew, simulated. */
static void fall_back(struct session *session)
{
    struct error error;
    close_run(session);
    session->options.backend = BACKEND_SIM;
    text_format(&session->note, "simulated: %s", text_string(&session->refusal));
    text_clear(&session->refusal);
    if (!session_choose_backend(session, &error) || !open_run(session, &error)) {
        text_clear(&session->note);
        text_append(&session->note, error.message);
        session->failed = session->leaving = true;
    }
    say_note(session);
}

/* Whether nothing more can happen before a worker says something. */
static bool depends_on_workers(const struct session *session)
{
    if (session->leaving)
        return !session->ended;
    return session->driver && session->goal.kind != GOAL_NONE &&
           (session->awaiting || session->driving->awaiting(session->driver));
}

/* Whether the run waits for workers that have said nothing for a while. */
static bool is_silent(const struct session *session, int64_t now)
{
    return depends_on_workers(session) && now - session->heard >= SILENCE_MS * INT64_C(1000000);
}

/* A worker that was told to leave and is blocked in a library is ended. */
static void press_to_leave(struct session *session)
{
    bool is_late = monotonic_ns() - session->left > LEAVING_NS;
    for (uint32_t rank = 0; is_late && rank < session->worker_count; rank++) {
        pid_t pid = session->workers[rank].process.pid;
        if (session->workers[rank].gone || pid <= 0)
            continue;
        session->pressed[rank] = true;
        kill(pid, SIGKILL);
    }
}

enum session_state session_pump(struct session *session)
{
    int64_t deadline = monotonic_ns() + PUMP_NS;
    say_note(session);
    say_released(session);
    bool more = !session->ended;
    while (more) {
        more = session_attend(session);
        if (more || !depends_on_workers(session))
            session->heard = monotonic_ns();
        if (session_must_fall_back(session))
            fall_back(session);
        more |= go_on(session);
        session->unfinished = more && monotonic_ns() >= deadline;
        if (session->unfinished)
            break;
    }
    for (uint32_t rank = 0; rank < session->worker_count; rank++)
        attended_flush(&session->workers[rank]);
    if (is_silent(session, monotonic_ns()))
        session_say_stopped(session);
    if (session->leaving && !session->ended)
        press_to_leave(session);
    if (session->leaving && !session->ended && all_are_gone(session))
        say_end(session);
    return session_state(session);
}

int session_descriptors(const struct session *session, struct pollfd *fds, int *timeout_ms)
{
    int count = 0;
    *timeout_ms = session->awaiting ? session->driving->timeout_ms(session->driver) : -1;
    if (depends_on_workers(session) && *timeout_ms < 0)
        *timeout_ms = SILENCE_MS;
    for (uint32_t rank = 0; rank < session->worker_count; rank++) {
        const struct attended *worker = &session->workers[rank];
        if (!worker->closed)
            fds[count++] = (struct pollfd){
                .fd = worker->process.channel,
                .events = (short)(attended_backlog(worker) > 0 ? POLLIN | POLLOUT : POLLIN),
            };
        if (worker->output.descriptor >= 0)
            fds[count++] = (struct pollfd){.fd = worker->output.descriptor, .events = POLLIN};
        if (worker->closed && !worker->gone)
            *timeout_ms = REAP_AGAIN_AFTER_MS;
    }
    if (session->leaving && !session->ended && *timeout_ms < 0)
        *timeout_ms = (int)(LEAVING_NS / 1000000);
    if (session->unfinished)
        *timeout_ms = 0;
    return count;
}

enum session_state session_wait(struct session *session)
{
    while (session_pump(session) == SESSION_MOVING) {
        struct pollfd fds[SESSION_MAX_DESCRIPTORS];
        int timeout_ms;
        int count = session_descriptors(session, fds, &timeout_ms);
        poll(fds, (nfds_t)count, timeout_ms);
    }
    return session_state(session);
}

int64_t session_next_due(const struct session *session)
{
    return session->driving->next_due(session->driver);
}
