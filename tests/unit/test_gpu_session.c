/* Sessions on a backend where time is real, with real workers: fake_gpu.c stands for the GPUs. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "command/bench.h"
#include "log/view.h"
#include "process/session.h"

struct played {
    struct schedule *schedule;
    struct program *program;
    struct order *order;
    struct view *view;
    struct session *session;
    struct text notes, errors;
    int64_t last;
    bool went_back; /* the log's time */
    uint32_t stop_at;
};

static void take(void *context, const struct record *record)
{
    struct played *played = context;
    struct text *text = record->kind == RECORD_NOTE ? &played->notes : &played->errors;
    if (record->kind == RECORD_NOTE || record->kind == RECORD_ERROR)
        text_append_bytes(text, record->bytes, record->length);
    played->went_back |= record->time < played->last;
    played->last = record->time;
    view_apply(played->view, record);
}

static struct played *begin(const char *text, enum backend backend, bool stepped)
{
    struct diagnostics faults = {0};
    struct error error = {0};
    struct played *played = calloc(1, sizeof *played);
    played->schedule = schedule_parse(text, strlen(text), 1, &faults);
    assert_non_null(played->schedule);
    played->program = program_resolve(played->schedule, 0, &faults);
    assert_non_null(played->program);
    played->order = order_build(played->program);
    played->view = view_open(played->order);
    played->last = INT64_MIN;
    const struct session_options options = {
        .backend = backend, .stepped = stepped, .report_values = true, .sink = take, .context = played};
    played->session = session_open(played->order, &options, &error);
    assert_non_null(played->session);
    return played;
}

static void end(struct played *played)
{
    session_close(played->session);
    view_close(played->view);
    order_free(played->order);
    program_free(played->program);
    schedule_free(played->schedule);
    text_free(&played->notes);
    text_free(&played->errors);
    free(played);
}

static void go_to_the_end(struct played *played)
{
    const struct session_goal goal = {.kind = GOAL_END};
    session_set_goal(played->session, &goal);
    assert_int_equal(session_wait(played->session), SESSION_ENDED);
}

static const char transfer[] = "rank 0\n"
                               "buffer x float32[4]\n"
                               "stream s nonblocking\n"
                               "barrier\n"
                               "launch A -> x on s takes 20ms\n"
                               "group\n"
                               "send x to 1 on s\n"
                               "end\n"
                               "sync s\n"
                               "rank 1\n"
                               "buffer x float32[4]\n"
                               "buffer y float32[4]\n"
                               "stream comm nonblocking\n"
                               "stream compute nonblocking\n"
                               "recv x from 0 on comm\n"
                               "launch C on compute takes 5ms\n"
                               "barrier\n"
                               "launch B x -> y on comm\n"
                               "sync device\n";

static void finishes(bool stepped)
{
    struct played *played = begin(transfer, BACKEND_CUDA, stepped);
    go_to_the_end(played);
    assert_int_equal(played->view->outcome, OUTCOME_FINISHED);
    assert_string_equal(text_string(&played->errors), "");
    assert_string_equal(session_backend(played->session), "threads");
    assert_non_null(strstr(text_string(&played->notes), "by the way"));
    assert_false(played->went_back);
    for (uint32_t call = 0; call < played->program->call_count; call++) {
        const struct view_call *state = &played->view->calls[call];
        assert_true(state->called != TIME_NONE && state->returned >= state->called);
        if (call_is_operation(call_statement(played->program, call)))
            assert_true(state->done >= state->started && state->started != TIME_NONE);
    }
    end(played);
}

static void a_free_run_reports_every_moment(void **state)
{
    (void)state;
    finishes(false);
}

static void a_stepped_run_reports_every_moment(void **state)
{
    (void)state;
    finishes(true);
}

/* The worker keeps reports of calls that only submit for a moment; none may get lost. */
static void many_operations_are_all_reported(void **state)
{
    (void)state;
    struct played *played =
        begin("rank 0\nstream s\nrepeat 3000\nlaunch k on s\nend\nsync s\n", BACKEND_CUDA, false);
    go_to_the_end(played);
    assert_int_equal(played->view->outcome, OUTCOME_FINISHED);
    for (uint32_t call = 0; call < played->program->call_count; call++)
        assert_true(played->view->calls[call].returned != TIME_NONE);
    end(played);
}

static bool has_started(void *context)
{
    const struct played *played = context;
    return view_point_time(played->view, played->stop_at) != TIME_NONE;
}

static uint32_t find_call(const struct program *program, uint16_t rank, enum call_kind kind)
{
    for (uint32_t call = 0; call < program->call_count; call++)
        if (call_statement(program, call)->kind == kind && call_statement(program, call)->rank == rank)
            return call;
    return NONE;
}

/* The plan has A take 20 ms, so the send is not let go before that is over, and B not before the receive. */
static void a_stepped_run_stops_at_its_goal(void **state)
{
    (void)state;
    struct played *played = begin(transfer, BACKEND_CUDA, true);
    uint32_t a = find_call(played->program, 0, CALL_LAUNCH);
    played->stop_at = point_of(a, STARTED);
    const struct session_goal goal = {.kind = GOAL_UNTIL, .holds = has_started, .context = played};
    session_set_goal(played->session, &goal);
    assert_int_equal(session_wait(played->session), SESSION_IDLE);
    assert_true(played->view->calls[a].started != TIME_NONE);
    uint32_t send = find_call(played->program, 0, CALL_SEND);
    assert_true(played->view->calls[send].started == TIME_NONE);
    go_to_the_end(played);
    assert_int_equal(played->view->outcome, OUTCOME_FINISHED);
    end(played);
}

static void a_receive_without_its_send_is_stuck(void **state)
{
    (void)state;
    struct played *played = begin("rank 0\nbuffer x float32[4]\nrank 1\nbuffer x float32[4]\nstream s\n"
                                  "recv x from 0 on s\nsync s\n",
                                  BACKEND_CUDA, false);
    go_to_the_end(played);
    assert_int_equal(played->view->outcome, OUTCOME_STUCK);
    assert_true(played->view->calls[find_call(played->program, 1, CALL_RECV)].waiting);
    end(played);
}

static void an_abort_may_take_longer_than_what_is_stuck(void **state)
{
    (void)state;
    struct played *played = begin("rank 0\nbuffer x float32[4]\nstream s\nlaunch A -> x on s\nsync s\n"
                                  "abort world\nlaunch B x -> x on s\nsync s\n",
                                  BACKEND_CUDA, false);
    go_to_the_end(played);
    assert_int_equal(played->view->outcome, OUTCOME_FINISHED);
    end(played);
}

static void a_killed_worker_ends_the_run(void **state)
{
    (void)state;
    struct played *played =
        begin("rank 0\nbuffer x float32[4]\nstream s\nlaunch A -> x on s takes 900ms\nsync s\n"
              "send x to 1 on s\nsync s\n"
              "rank 1\nbuffer x float32[4]\nstream s\nrecv x from 0 on s\nsync s\n",
              BACKEND_CUDA, true);
    played->stop_at = point_of(find_call(played->program, 1, CALL_RECV), STARTED);
    const struct session_goal goal = {.kind = GOAL_UNTIL, .holds = has_started, .context = played};
    session_set_goal(played->session, &goal);
    assert_int_equal(session_wait(played->session), SESSION_IDLE);
    kill((pid_t)played->view->ranks[0].pid, SIGKILL);
    go_to_the_end(played);
    assert_int_equal(played->view->outcome, OUTCOME_FAILED);
    assert_non_null(strstr(text_string(&played->errors), "signal 9"));
    end(played);
}

static void a_busy_gpu_is_a_reason_to_simulate(void **state)
{
    (void)state;
    setenv("FAKE_GPU_IS_BUSY", "1", 1);
    struct played *played = begin(transfer, BACKEND_AUTO, false);
    go_to_the_end(played);
    assert_int_equal(played->view->outcome, OUTCOME_FINISHED);
    assert_non_null(strstr(text_string(&played->notes), "simulated: the GPU is busy"));
    assert_string_equal(text_string(&played->errors), "");
    assert_string_equal(session_backend(played->session), "simulated");
    assert_false(session_is_unavailable(played->session));
    end(played);
    unsetenv("FAKE_GPU_IS_BUSY");
}

static void a_busy_gpu_that_was_asked_for_is_an_error(void **state)
{
    (void)state;
    setenv("FAKE_GPU_IS_BUSY", "1", 1);
    struct played *played = begin(transfer, BACKEND_CUDA, false);
    go_to_the_end(played);
    assert_int_equal(played->view->outcome, OUTCOME_FAILED);
    assert_non_null(strstr(text_string(&played->errors), "the GPU is busy"));
    assert_true(session_is_unavailable(played->session));
    end(played);
    unsetenv("FAKE_GPU_IS_BUSY");
}

static void gates_are_measured_on_the_first_gpu_named(void **state)
{
    (void)state;
    struct gate_figures figures = {0};
    struct error error = {0};
    assert_true(bench_gates("1,0", &figures, &error));
    assert_true(figures.count > 0 && figures.least > 0 && figures.least <= figures.most);
    assert_true(figures.median >= figures.least && figures.median <= figures.most);
}

static void why_gates_are_not_held_is_said(void **state)
{
    (void)state;
    struct gate_figures figures = {0};
    struct error error = {0};
    assert_false(bench_gates("0,1", &figures, &error));
    assert_string_equal(error.message, "GPU 0 holds no gates");
    assert_false(bench_gates("2", &figures, &error));
    assert_string_equal(error.message, "GPU 2 holds no gates");
    assert_false(bench_gates(NULL, &figures, &error));
    assert_string_equal(error.message, "GPU 0 holds no gates");
}

/* A host program ends at the call that fails: those behind it, which were granted with it, are not made. */
static void no_call_is_made_behind_one_that_failed(void **state)
{
    (void)state;
    struct played *played = begin("rank 0\nstream s\nuse gpu 63\nsync s\n", BACKEND_CUDA, false);
    go_to_the_end(played);
    assert_int_equal(played->view->outcome, OUTCOME_FAILED);
    assert_string_equal(text_string(&played->errors), "no such GPU");
    assert_true(played->view->calls[1].called != TIME_NONE);
    assert_int_equal(played->view->calls[1].returned, TIME_NONE);
    assert_int_equal(played->view->calls[2].called, TIME_NONE);
    end(played);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_run_reports_every_moment),
        cmocka_unit_test(a_stepped_run_reports_every_moment),
        cmocka_unit_test(many_operations_are_all_reported),
        cmocka_unit_test(a_stepped_run_stops_at_its_goal),
        cmocka_unit_test(a_receive_without_its_send_is_stuck),
        cmocka_unit_test(an_abort_may_take_longer_than_what_is_stuck),
        cmocka_unit_test(a_killed_worker_ends_the_run),
        cmocka_unit_test(a_busy_gpu_is_a_reason_to_simulate),
        cmocka_unit_test(a_busy_gpu_that_was_asked_for_is_an_error),
        cmocka_unit_test(gates_are_measured_on_the_first_gpu_named),
        cmocka_unit_test(why_gates_are_not_held_is_said),
        cmocka_unit_test(no_call_is_made_behind_one_that_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
