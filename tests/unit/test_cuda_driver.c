/* The launcher's half of the CUDA backend, with workers and GPUs played by the order machine: what it grants
 * and lets go happens, as soon as the rules allow, and is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "device/cuda/run.h"
#include "log/view.h"
#include "order/machine.h"

enum { RANKS = 8, STEP_LIMIT = 1000000 };

struct hardware {
    const struct program *program;
    const struct order *order;
    struct machine *machine;
    struct board *board;
    struct driver *driver;
    struct view *view;
    enum watch watch;
    uint32_t answers[RANKS]; /* to be given */
    uint8_t *granted;        /* calls */
    uint8_t *said;           /* points */
    bool left[RANKS];
    uint32_t stop_at; /* a point after which nothing more is asked of the driver; NONE */
    bool stopped;
};

static void grant(void *context, uint32_t rank, const struct grant *grant)
{
    struct hardware *hardware = context;
    if (grant->kind == GRANT_CALL)
        hardware->granted[grant->index] = 1;
    if (grant->kind == GRANT_LEAVE)
        hardware->left[rank] = true;
    hardware->answers[rank] += grant->answer;
}

static void say(void *context, const struct record *record)
{
    struct hardware *hardware = context;
    view_apply(hardware->view, record);
    if (hardware->stop_at != NONE && view_point_time(hardware->view, hardware->stop_at) != TIME_NONE)
        hardware->stopped = true;
}

static bool is_let_go(const struct hardware *hardware, uint32_t point)
{
    const struct statement *statement = call_statement(hardware->program, point_call(point));
    switch (point_phase(point)) {
    case ENTERED:
        return hardware->granted[point_call(point)];
    case STARTED:
        return hardware->watch != WATCH_GATES || statement->kind == CALL_GROUP_END ||
               hardware->board->calls[point_call(point)].go;
    default:
        return true;
    }
}

static void report(struct hardware *hardware, uint32_t point)
{
    static const enum record_kind kinds[] = {RECORD_CALLED, RECORD_RETURNED, RECORD_STARTED, RECORD_DONE};
    const struct statement *statement = call_statement(hardware->program, point_call(point));
    bool is_silent = statement->kind == CALL_GROUP_END && point_phase(point) >= STARTED;
    const struct record record = {.kind = (uint8_t)kinds[point_phase(point)],
                                  .time = cuda_run_clock(),
                                  .rank = statement->rank,
                                  .call = point_call(point),
                                  .point = NONE,
                                  .memory = NONE};
    if (!is_silent)
        cuda_driver.reported(hardware->driver, statement->rank, &record);
}

/* Everything that can happen does. Returns whether anything did. */
static bool happen(struct hardware *hardware)
{
    bool any = false;
    for (uint32_t rank = 0; rank < hardware->program->rank_count; rank++)
        for (; hardware->answers[rank] > 0; hardware->answers[rank]--, any = true)
            cuda_driver.reported(hardware->driver, rank,
                                 &(struct record){.kind = REPORT_ANSWERED, .rank = rank});
    for (uint32_t point = 0; point < hardware->order->point_count; point++) {
        if (!order_has_point(hardware->order, point) || !machine_may_happen(hardware->machine, point) ||
            !is_let_go(hardware, point))
            continue;
        machine_happen(hardware->machine, point, NULL, NULL);
        report(hardware, point);
        any = true;
    }
    return any;
}

static void play(struct hardware *hardware)
{
    enum advance advance = ADVANCED;
    for (int step = 0; step < STEP_LIMIT && advance != ADVANCE_ENDED && !hardware->stopped; step++) {
        advance = cuda_driver.advance(hardware->driver, INT64_MAX, false);
        bool any = happen(hardware);
        if (advance == ADVANCE_AWAITS && !any)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

struct played {
    struct schedule *schedule;
    struct program *program;
    struct order *order;
    struct hardware hardware;
};

static struct played *begin(const char *text, enum watch watch, enum choice choice)
{
    static const int64_t pids[RANKS] = {100, 101};
    struct diagnostics faults = {0};
    struct played *played = calloc(1, sizeof *played);
    played->schedule = schedule_parse(text, strlen(text), 1, &faults);
    assert_non_null(played->schedule);
    played->program = program_resolve(played->schedule, 0, &faults);
    assert_non_null(played->program);
    played->order = order_build(played->program);
    struct hardware *hardware = &played->hardware;
    *hardware = (struct hardware){.program = played->program,
                                  .order = played->order,
                                  .machine = machine_open(played->order, choice),
                                  .view = view_open(played->order),
                                  .watch = watch,
                                  .granted = calloc(played->program->call_count, 1),
                                  .stop_at = NONE};
    struct error error;
    hardware->board = board_open(played->program->call_count, &error);
    assert_non_null(hardware->board);
    for (uint32_t call = 0; call < played->program->call_count; call++)
        hardware->board->calls[call].gate = hardware->board->calls[call].host_gate = GATE_OPEN;
    const struct driver_setup setup = {.order = played->order,
                                       .board = hardware->board,
                                       .watch = watch,
                                       .pids = pids,
                                       .grant = grant,
                                       .say = say,
                                       .context = hardware};
    hardware->driver = cuda_driver.open(&setup);
    return played;
}

static void end(struct played *played)
{
    cuda_driver.close(played->hardware.driver);
    machine_close(played->hardware.machine);
    view_close(played->hardware.view);
    board_close(played->hardware.board);
    free(played->hardware.granted);
    order_free(played->order);
    program_free(played->program);
    schedule_free(played->schedule);
    free(played);
}

static const char overlap[] = "rank 0\n"
                              "buffer x float32[4]\n"
                              "stream S0\n"
                              "launch A -> x on S0 takes 30ms\n"
                              "send x to 1 on S0\n"
                              "sync S0\n"
                              "rank 1\n"
                              "buffer x float32[4]\n"
                              "buffer y float32[4]\n"
                              "stream comm nonblocking\n"
                              "stream compute nonblocking\n"
                              "recv x from 0 on comm\n"
                              "record E on comm\n"
                              "launch C on compute takes 50ms\n"
                              "wait E on compute\n"
                              "launch B x -> y on compute\n"
                              "sync compute\n";

static const char grouped[] = "rank 0\n"
                              "buffer a float32[4]\n"
                              "buffer b float32[4]\n"
                              "stream s\n"
                              "launch A -> a on s\n"
                              "group\n"
                              "send a to 1 on s\n"
                              "recv b from 1 on s\n"
                              "end\n"
                              "barrier\n"
                              "sync s\n"
                              "rank 1\n"
                              "buffer a float32[4]\n"
                              "buffer b float32[4]\n"
                              "stream s\n"
                              "launch A -> a on s\n"
                              "group\n"
                              "send a to 0 on s\n"
                              "recv b from 0 on s\n"
                              "end\n"
                              "sync s\n"
                              "barrier\n";

static void assert_all_happened(const struct played *played)
{
    for (uint32_t call = 0; call < played->program->call_count; call++) {
        const struct view_call *state = &played->hardware.view->calls[call];
        assert_true(state->returned != TIME_NONE);
        if (call_is_operation(call_statement(played->program, call)))
            assert_true(state->done != TIME_NONE);
    }
}

static void run_to_the_end(const char *text, enum watch watch)
{
    struct played *played = begin(text, watch, CHOICE_EAGER);
    play(&played->hardware);
    assert_int_equal(cuda_driver.outcome(played->hardware.driver), OUTCOME_FINISHED);
    assert_all_happened(played);
    assert_true(played->hardware.left[0] && played->hardware.left[1]);
    end(played);
}

static void a_free_run_finishes(void **state)
{
    (void)state;
    run_to_the_end(overlap, WATCH_MARKS);
    run_to_the_end(grouped, WATCH_MARKS);
}

static void a_stepped_run_finishes(void **state)
{
    (void)state;
    run_to_the_end(overlap, WATCH_GATES);
    run_to_the_end(grouped, WATCH_GATES);
}

static uint32_t find_call(const struct program *program, const char *text)
{
    for (uint32_t call = 0; call < program->call_count; call++) {
        struct text words = {0};
        call_describe(program, call, &words);
        bool is_it = strcmp(text_string(&words), text) == 0;
        text_free(&words);
        if (is_it)
            return call;
    }
    return NONE;
}

/* The plan has A last 30 ms: until that is over, it lets nothing start that waits for A. */
static void a_stepped_run_stops_where_it_is_told_to(void **state)
{
    (void)state;
    struct played *played = begin(overlap, WATCH_GATES, CHOICE_EAGER);
    uint32_t receive = find_call(played->program, "recv x from 0 on comm");
    uint32_t send = find_call(played->program, "send x to 1 on S0");
    uint32_t b = find_call(played->program, "launch B x -> y on compute");
    assert_true(receive != NONE && send != NONE && b != NONE);
    played->hardware.stop_at = point_of(receive, STARTED);
    play(&played->hardware);
    assert_true(played->hardware.stopped);
    assert_int_equal(played->hardware.board->calls[receive].go, GATE_OPEN);
    assert_int_equal(played->hardware.board->calls[send].go, GATE_CLOSED);
    assert_int_equal(played->hardware.board->calls[b].go, GATE_CLOSED);
    end(played);
}

/* The time in which nobody asks for anything is no time of the run. */
static void a_stepped_runs_time_stands_still_while_it_rests(void **state)
{
    (void)state;
    struct played *played = begin(overlap, WATCH_GATES, CHOICE_EAGER);
    uint32_t receive = find_call(played->program, "recv x from 0 on comm");
    uint32_t record = find_call(played->program, "record E on comm");
    played->hardware.stop_at = point_of(receive, STARTED);
    play(&played->hardware);
    assert_true(played->hardware.stopped);
    nanosleep(&(struct timespec){.tv_nsec = 900000000}, NULL);
    played->hardware.stopped = false;
    played->hardware.stop_at = point_of(record, STARTED);
    play(&played->hardware);
    assert_true(played->hardware.stopped);
    int64_t apart = view_point_time(played->hardware.view, point_of(record, STARTED)) -
                    view_point_time(played->hardware.view, point_of(receive, STARTED));
    assert_in_range(apart, 0, 800000000);
    end(played);
}

/* The plan sets up at once when the hardware has: its next moment is a call. */
static void a_stepped_runs_first_moment_is_a_call(void **state)
{
    (void)state;
    struct played *played = begin(overlap, WATCH_GATES, CHOICE_EAGER);
    struct hardware *hardware = &played->hardware;
    while (cuda_driver.next_due(hardware->driver) == TIME_NONE) {
        cuda_driver.advance(hardware->driver, 0, false);
        happen(hardware);
    }
    int64_t due = cuda_driver.next_due(hardware->driver);
    for (int step = 0; step < STEP_LIMIT && hardware->view->calls[0].called == TIME_NONE; step++) {
        if (cuda_driver.advance(hardware->driver, due, false) == ADVANCE_AWAITS)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        happen(hardware);
    }
    assert_true(hardware->view->calls[0].called != TIME_NONE);
    assert_true(due >= 0);
    end(played);
}

static void without_its_send_a_receive_is_stuck_and_said_to_wait(void **state)
{
    (void)state;
    struct played *played = begin("rank 0\nbuffer x float32[4]\n"
                                  "rank 1\nbuffer x float32[4]\nstream s\nrecv x from 0 on s\nsync s\n",
                                  WATCH_MARKS, CHOICE_EAGER);
    play(&played->hardware);
    assert_int_equal(cuda_driver.outcome(played->hardware.driver), OUTCOME_STUCK);
    uint32_t receive = find_call(played->program, "recv x from 0 on s");
    assert_true(played->hardware.view->calls[receive].waiting);
    assert_int_equal(played->hardware.view->calls[receive].waiting_for, NONE);
    assert_int_equal(played->hardware.board->interrupted, 1);
    end(played);
}

/* The plan has `free` wait for nothing, as it may; this hardware has it wait for the receive, as it may too.
 * Then rank 0 never comes to the barrier, whatever the plan says, and rank 1 not beyond it. */
static void a_barrier_holds_although_the_plan_has_passed_it(void **state)
{
    (void)state;
    struct played *played = begin("rank 0\n"
                                  "buffer x float32[4]\n"
                                  "buffer y float32[4]\n"
                                  "stream s\n"
                                  "recv x from 1 on s\n"
                                  "free y\n"
                                  "barrier\n"
                                  "sync s\n"
                                  "rank 1\n"
                                  "buffer x float32[4]\n"
                                  "stream s\n"
                                  "set x to 0 on s\n"
                                  "barrier\n"
                                  "send x to 0 on s\n"
                                  "sync s\n",
                                  WATCH_GATES, CHOICE_STRICT);
    play(&played->hardware);
    uint32_t send = find_call(played->program, "send x to 0 on s");
    assert_true(send != NONE);
    assert_int_equal(cuda_driver.outcome(played->hardware.driver), OUTCOME_STUCK);
    assert_int_equal(played->hardware.granted[send], 0);
    end(played);
}

static const char exchange[] = "rank 0\n"
                               "buffer x float32[4]\n"
                               "stream s\n"
                               "launch A -> x on s\n"
                               "send x to 1 on s\n"
                               "sync s\n"
                               "rank 1\n"
                               "buffer x float32[4]\n"
                               "stream s\n"
                               "recv x from 0 on s\n"
                               "sync s\n";

/* From what moment on rank 0's worker gets no processor: what happens goes on, but is not reported. */
struct silence {
    struct record kept[32];
    uint32_t count;
};

static void report_or_keep(struct hardware *hardware, struct silence *silence, uint32_t call,
                           enum record_kind kind)
{
    uint32_t rank = call_statement(hardware->program, call)->rank;
    const struct record record = {.kind = (uint8_t)kind,
                                  .time = cuda_run_clock(),
                                  .rank = rank,
                                  .call = call,
                                  .point = NONE,
                                  .memory = NONE};
    if (rank == 0)
        silence->kept[silence->count++] = record;
    else
        cuda_driver.reported(hardware->driver, rank, &record);
}

static void advance_for(struct hardware *hardware, int64_t duration)
{
    for (int64_t end = cuda_run_clock() + duration; cuda_run_clock() < end;)
        if (cuda_driver.advance(hardware->driver, INT64_MAX, false) == ADVANCE_AWAITS)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Everything happens, rank 0's in order before rank 1's; rank 0 is silent. */
static struct played *begin_with_a_silent_rank(const char *text, struct silence *silence)
{
    struct played *played = begin(text, WATCH_MARKS, CHOICE_EAGER);
    struct hardware *hardware = &played->hardware;
    while (cuda_driver.now(hardware->driver) < 0 || !hardware->granted[played->program->call_count - 1]) {
        cuda_driver.advance(hardware->driver, INT64_MAX, false);
        for (uint32_t rank = 0; rank < played->program->rank_count; rank++)
            for (; hardware->answers[rank] > 0; hardware->answers[rank]--)
                cuda_driver.reported(hardware->driver, rank,
                                     &(struct record){.kind = REPORT_ANSWERED, .rank = rank});
    }
    for (uint32_t call = 0; call < played->program->call_count; call++) {
        report_or_keep(hardware, silence, call, RECORD_CALLED);
        if (call_is_operation(call_statement(played->program, call))) {
            report_or_keep(hardware, silence, call, RECORD_STARTED);
            report_or_keep(hardware, silence, call, RECORD_DONE);
        }
        report_or_keep(hardware, silence, call, RECORD_RETURNED);
    }
    return played;
}

static void break_silence(struct hardware *hardware, const struct silence *silence)
{
    for (uint32_t i = 0; i < silence->count; i++)
        cuda_driver.reported(hardware->driver, 0, &silence->kept[i]);
}

/* The receive is not said to be done before its send is said to have started, however late that is reported.
 */
static void a_late_worker_changes_no_order(void **state)
{
    (void)state;
    struct silence silence = {0};
    struct played *played = begin_with_a_silent_rank(exchange, &silence);
    struct hardware *hardware = &played->hardware;
    uint32_t send = find_call(played->program, "send x to 1 on s");
    uint32_t receive = find_call(played->program, "recv x from 0 on s");
    advance_for(hardware, 20000000);
    assert_int_equal(view_point_time(hardware->view, point_of(receive, DONE)), TIME_NONE);
    break_silence(hardware, &silence);
    play(hardware);
    assert_int_equal(cuda_driver.outcome(hardware->driver), OUTCOME_FINISHED);
    assert_all_happened(played);
    int64_t started = view_point_time(hardware->view, point_of(send, STARTED));
    int64_t done = view_point_time(hardware->view, point_of(receive, DONE));
    assert_true(started < done);
    end(played);
}

/* Nothing is reported of rank 0: what rank 1 did is said before the run is called stuck. */
static void a_silent_worker_holds_nothing_back_for_ever(void **state)
{
    (void)state;
    struct silence silence = {0};
    struct played *played = begin_with_a_silent_rank(exchange, &silence);
    uint32_t receive = find_call(played->program, "recv x from 0 on s");
    advance_for(&played->hardware, 1000000000);
    assert_true(view_point_time(played->hardware.view, point_of(receive, DONE)) != TIME_NONE);
    end(played);
}

/* What happened before the run was broken off is in its log, however late it is reported; what comes of that
 * is not. */
static void a_run_that_fails_keeps_what_was_before(void **state)
{
    (void)state;
    struct silence silence = {0};
    struct played *played = begin_with_a_silent_rank(exchange, &silence);
    struct hardware *hardware = &played->hardware;
    uint32_t send = find_call(played->program, "send x to 1 on s");
    advance_for(hardware, 20000000);
    cuda_driver.lost(hardware->driver, 1);
    silence.kept[silence.count - 1].time = cuda_run_clock() + 1;
    break_silence(hardware, &silence);
    advance_for(hardware, 20000000);
    assert_true(view_point_time(hardware->view, point_of(send, STARTED)) != TIME_NONE);
    const struct rank *rank = &played->program->ranks[0];
    uint32_t last = rank->first_call + rank->call_count - 1;
    assert_true(view_point_time(hardware->view, point_of(last, ENTERED)) != TIME_NONE);
    assert_int_equal(view_point_time(hardware->view, point_of(last, RETURNED)), TIME_NONE);
    end(played);
}

/* NCCL comes back from ncclCommDestroy without the other rank, and nothing is held back for that. */
static void a_destroy_is_said_without_the_other_ranks(void **state)
{
    (void)state;
    struct silence silence = {0};
    struct played *played =
        begin_with_a_silent_rank("rank 0\ndestroy world\nrank 1\ndestroy world\n", &silence);
    advance_for(&played->hardware, 50000000);
    assert_true(view_point_time(played->hardware.view, point_of(1, RETURNED)) != TIME_NONE);
    assert_int_equal(view_point_time(played->hardware.view, point_of(0, RETURNED)), TIME_NONE);
    end(played);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_run_finishes),
        cmocka_unit_test(a_stepped_run_finishes),
        cmocka_unit_test(a_stepped_run_stops_where_it_is_told_to),
        cmocka_unit_test(a_stepped_runs_time_stands_still_while_it_rests),
        cmocka_unit_test(a_stepped_runs_first_moment_is_a_call),
        cmocka_unit_test(a_barrier_holds_although_the_plan_has_passed_it),
        cmocka_unit_test(a_late_worker_changes_no_order),
        cmocka_unit_test(a_silent_worker_holds_nothing_back_for_ever),
        cmocka_unit_test(a_run_that_fails_keeps_what_was_before),
        cmocka_unit_test(a_destroy_is_said_without_the_other_ranks),
        cmocka_unit_test(without_its_send_a_receive_is_stuck_and_said_to_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
