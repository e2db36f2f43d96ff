/* Goals, gates and the log of a session. */
#include <signal.h>
#include <time.h>

#include "running.h"

static uint32_t stream_of(const struct running *running, uint32_t line)
{
    return call_statement(running->program, running_call(running, line, 0))->stream;
}

static const struct session_goal END = {.kind = GOAL_END}, SETTLE = {.kind = GOAL_SETTLE};

static void test_nothing_moves_without_a_goal(void **state)
{
    (void)state;
    struct running *running = running_open(TRANSFER);
    assert_int_equal(session_pump(running->session), SESSION_IDLE);
    assert_int_equal(running->log.length, 0);
    running_close(running);
}

static void test_setting_up_comes_in_order_and_ends_at_0(void **state)
{
    (void)state;
    struct running *running = running_open(TRANSFER);
    assert_int_equal(running_go(running, (struct session_goal){.kind = GOAL_TIME, .time = 0}), SESSION_IDLE);
    static const char *const kinds[] = {"forked",       "forked",       "id-made", "id-passed",
                                        "initialising", "initialising", "ready",   "ready"};
    const char *at = text_string(&running->log);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct text expected = {0};
        text_format(&expected, "\"kind\":\"%s\"", kinds[i]);
        const char *end = strchr(at, '\n');
        const char *found = strstr(at, text_string(&expected));
        assert_true(end && found && found < end);
        at = end + 1;
        text_free(&expected);
    }
    assert_string_equal(at, "");
    assert_int_equal(running->view->now, 0);
    running_close(running);
}

static bool recv_has_started(void *context)
{
    const struct running *running = context;
    return running_at(running, 11)->started != TIME_NONE;
}

static void test_a_goal_stops_the_run_where_it_is_reached(void **state)
{
    (void)state;
    struct running *running = running_open(TRANSFER);
    const struct session_goal goal = {.kind = GOAL_UNTIL, .holds = recv_has_started, .context = running};
    assert_int_equal(running_go(running, goal), SESSION_IDLE);
    assert_true(recv_has_started(running));
    assert_int_equal(running_at(running, 11)->started, running->view->now);
    assert_int_equal(running_at(running, 4)->done, TIME_NONE);
    /* It holds already: nothing moves. */
    size_t length = running->log.length;
    assert_int_equal(running_go(running, goal), SESSION_IDLE);
    assert_int_equal(running->log.length, length);
    running_close(running);
}

static void test_time_is_a_goal(void **state)
{
    (void)state;
    struct running *running = running_open(TRANSFER);
    while (session_next_due(running->session) != TIME_NONE && running->view->outcome == OUTCOME_NONE) {
        int64_t due = session_next_due(running->session);
        assert_true(running->view->now <= due);
        running_go(running, (struct session_goal){.kind = GOAL_TIME, .time = due - 1});
        assert_true(running->view->now < due);
        running_go(running, (struct session_goal){.kind = GOAL_TIME, .time = due});
        assert_int_equal(running->view->now, due);
    }
    assert_int_equal(running_end(running), OUTCOME_FINISHED);
    running_close(running);
}

static void release(struct running *running, uint32_t rank, uint32_t stream)
{
    struct error error = {0};
    if (!session_release(running->session, rank, stream, &error))
        fail_msg("%s", error.message);
    assert_int_not_equal(running_go(running, SETTLE), SESSION_MOVING);
}

static void check_refused(struct running *running, uint32_t rank, uint32_t stream)
{
    struct error error = {0};
    assert_false(session_release(running->session, rank, stream, &error));
    assert_true(strlen(error.message) > 0);
}

static struct running *open_held(void)
{
    struct running *running = running_open(TRANSFER);
    session_hold_all(running->session, true);
    assert_int_equal(running_go(running, SETTLE), SESSION_IDLE);
    return running;
}

static void test_held_host_programs_make_one_call_each_release(void **state)
{
    (void)state;
    struct running *running = open_held();
    assert_true(running->view->calls[0].held && running->view->calls[5].held);
    assert_int_equal(running->view->calls[0].called, TIME_NONE);
    for (uint32_t call = 0; call < 5; call++) {
        release(running, 0, NONE);
        assert_true(running->view->calls[call].called != TIME_NONE);
        assert_int_equal(running->view->calls[call + 1].called, TIME_NONE);
    }
    assert_true(running->view->calls[3].returned != TIME_NONE);
    assert_int_equal(running->view->calls[4].returned, TIME_NONE); /* it waits for the stream */
    check_refused(running, 0, NONE);
    assert_int_equal(running->counts[RECORD_RELEASED], 5);
    running_close(running);
}

static void test_a_held_operation_starts_and_ends_by_release(void **state)
{
    (void)state;
    struct running *running = open_held();
    uint32_t s0 = stream_of(running, 4), s1 = stream_of(running, 11);
    check_refused(running, 0, s0); /* not submitted */
    for (int call = 0; call < 5; call++)
        release(running, 0, NONE);
    for (int call = 0; call < 5; call++)
        release(running, 1, NONE);
    assert_true(running_at(running, 4)->held);
    assert_int_equal(running_at(running, 4)->started, TIME_NONE);

    release(running, 1, s1); /* the receive starts, and waits for its send */
    assert_true(running_at(running, 11)->waiting);
    check_refused(running, 1, s1);

    release(running, 0, s0); /* A starts, */
    assert_true(running_at(running, 4)->started != TIME_NONE);
    assert_int_equal(running_at(running, 4)->done, TIME_NONE);
    assert_false(running_is_written(running, 0, "x", 0));
    release(running, 0, s0); /* and is done */
    assert_true(running_at(running, 4)->done != TIME_NONE);
    assert_float_equal(running_value(running, 0, "x", 0), 1, 0);
    assert_int_equal(running_at(running, 5)->started, TIME_NONE);

    release(running, 0, s0); /* the send starts: nothing has arrived */
    assert_false(running_at(running, 11)->waiting);
    assert_false(running_is_written(running, 1, "x", 0));
    release(running, 1, s1); /* the receive is done */
    assert_float_equal(running_value(running, 1, "x", 3), 4, 0);
    assert_true(running_at(running, 11)->done != TIME_NONE);
    assert_int_equal(running_at(running, 5)->done, TIME_NONE);
    release(running, 0, s0);
    assert_true(running_at(running, 5)->done != TIME_NONE);
    assert_true(running->view->calls[4].returned != TIME_NONE); /* and so the sync has come back */
    release(running, 1, s1);
    release(running, 1, s1);
    assert_int_equal(running->view->outcome, OUTCOME_FINISHED);
    assert_float_equal(running_value(running, 1, "y", 3), 8, 0);
    running_close(running);
}

static void test_an_operation_that_runs_when_the_gates_close(void **state)
{
    (void)state;
    struct running *running = running_open(TRANSFER);
    running_go(running, (struct session_goal){.kind = GOAL_TIME, .time = 1500000});
    assert_true(running_at(running, 4)->started != TIME_NONE);
    session_hold_all(running->session, true);
    release(running, 0, stream_of(running, 4));
    assert_int_equal(running_at(running, 4)->done, running_at(running, 4)->started + 2000000);
    assert_int_equal(running_at(running, 5)->started, TIME_NONE);
    assert_true(running_at(running, 5)->held);
    running_close(running);
}

static void test_opening_all_gates_lets_the_run_go_on(void **state)
{
    (void)state;
    struct running *running = open_held();
    release(running, 0, NONE);
    assert_int_equal(running_go(running, END), SESSION_IDLE);
    session_hold_all(running->session, false);
    assert_int_equal(running_end(running), OUTCOME_FINISHED);
    assert_float_equal(running_value(running, 1, "y", 0), 2, 0);
    running_close(running);
}

static void test_one_operation_is_released_by_its_number(void **state)
{
    (void)state;
    struct running *running = open_held();
    struct error error = {0};
    for (uint32_t call = 0; call < 5; call++) {
        assert_true(session_release_call(running->session, call, &error));
        running_go(running, SETTLE);
    }
    assert_true(session_release_call(running->session, 2, &error));
    running_go(running, SETTLE);
    assert_true(running->view->calls[2].started != TIME_NONE);
    assert_true(session_release_call(running->session, 2, &error));
    running_go(running, SETTLE);
    assert_true(running->view->calls[2].done != TIME_NONE);
    assert_false(session_release_call(running->session, 2, &error));
    running_close(running);
}

static void test_members_of_a_group_are_released_together(void **state)
{
    (void)state;
    struct running *running = running_open("rank 0\n"
                                           "buffer a float32[4]\n"
                                           "buffer b float32[4]\n"
                                           "stream s\n"
                                           "group\n"
                                           "send a to 1 on s\n"
                                           "recv b from 1 on s\n"
                                           "end\n"
                                           "rank 1\n"
                                           "buffer a float32[4]\n"
                                           "buffer b float32[4]\n"
                                           "stream s\n"
                                           "group\n"
                                           "send a to 0 on s\n"
                                           "recv b from 0 on s\n"
                                           "end\n");
    session_hold_all(running->session, true);
    running_go(running, SETTLE);
    for (uint32_t rank = 0; rank < 2; rank++)
        for (int call = 0; call < 7; call++)
            release(running, rank, NONE);
    uint32_t s = stream_of(running, 6), t = stream_of(running, 14);
    release(running, 0, s);
    assert_true(running_at(running, 6)->started != TIME_NONE && running_at(running, 7)->started != TIME_NONE);
    release(running, 1, t);
    release(running, 1, t);
    assert_true(running_at(running, 14)->done != TIME_NONE && running_at(running, 15)->done != TIME_NONE);
    release(running, 0, s);
    assert_int_equal(running->view->outcome, OUTCOME_FINISHED);
    running_close(running);
}

static void test_a_run_that_cannot_go_on_names_who_waits(void **state)
{
    (void)state;
    struct running *running = running_ended("rank 0\n"
                                            "buffer a float32[4]\n"
                                            "stream s\n"
                                            "stream t\n"
                                            "send a to 1 on s\n"
                                            "recv a from 1 on s\n"
                                            "launch k on s\n"
                                            "sync s\n"
                                            "rank 1\n"
                                            "buffer a float32[4]\n"
                                            "stream s\n"
                                            "send a to 0 on s\n"
                                            "recv a from 0 on s\n",
                                            OUTCOME_STUCK);
    assert_int_equal(running_at(running, 5)->waiting_for, point_of(running_call(running, 13, 0), STARTED));
    assert_int_equal(running_at(running, 5)->waiting_rule, 5);
    assert_int_equal(running_at(running, 12)->waiting_for, point_of(running_call(running, 6, 0), STARTED));
    static const uint32_t waiting[] = {5, 6, 7, 8, 12, 13};
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
        assert_true(running_at(running, waiting[i])->waiting);
    assert_int_equal(running->counts[RECORD_WAITING], 6);
    running_close(running);
}

static void test_what_nothing_can_satisfy_is_waited_for_too(void **state)
{
    (void)state;
    struct running *running = running_ended("rank 0\n"
                                            "buffer a float32[4]\n"
                                            "stream s\n"
                                            "recv a from 1 on s\n"
                                            "rank 1\n"
                                            "barrier\n",
                                            OUTCOME_STUCK);
    assert_true(running_at(running, 4)->waiting && running_at(running, 6)->waiting);
    assert_int_equal(running_at(running, 4)->waiting_for, NONE);
    assert_int_equal(running_at(running, 6)->waiting_rule, 8);
    running_close(running);
}

/* Stops and continues the workers in turn while the run goes on, each for some milliseconds. */
static void end_disturbed(struct running *running)
{
    session_set_goal(running->session, &END);
    for (unsigned turn = 0; session_pump(running->session) != SESSION_ENDED; turn++) {
        const struct view_rank *rank = &running->view->ranks[turn % running->program->rank_count];
        if (rank->forked && !rank->exited)
            kill((pid_t)rank->pid, SIGSTOP);
        struct pollfd fds[SESSION_MAX_DESCRIPTORS];
        int timeout_ms;
        int count = session_descriptors(running->session, fds, &timeout_ms);
        poll(fds, (nfds_t)count, 3);
        if (rank->forked && !rank->exited)
            kill((pid_t)rank->pid, SIGCONT);
    }
}

static void test_the_log_does_not_depend_on_the_workers_speed(void **state)
{
    (void)state;
    struct text text = {0};
    struct error error = {0};
    assert_true(text_read_file(&text, CASES "/article-reuse.schedule", 1 << 20, &error));
    struct session_options options = {.report_values = true};
    struct running *calm = running_open_with(text_string(&text), "early-a", options);
    running_end(calm);
    struct running *disturbed = running_open_with(text_string(&text), "early-a", options);
    end_disturbed(disturbed);
    assert_string_equal(text_string(&disturbed->log), text_string(&calm->log));
    running_close(calm);
    running_close(disturbed);
    text_free(&text);
}

static void test_without_reports_the_last_values_come_at_the_end(void **state)
{
    (void)state;
    struct running *running = running_open_with(TRANSFER, NULL, (struct session_options){0});
    assert_int_equal(running_end(running), OUTCOME_FINISHED);
    assert_int_equal(running->counts[RECORD_WRITTEN], 3);
    assert_float_equal(running_value(running, 1, "y", 3), 8, 0);
    running_close(running);
}

static void test_too_many_ranks_are_an_error(void **state)
{
    (void)state;
    static const char text[] = "rank 8\nstream s\n";
    struct diagnostics faults = {0};
    struct schedule *schedule = schedule_parse(text, sizeof text - 1, 1, &faults);
    struct program *program = program_resolve(schedule, 0, &faults);
    struct order *order = order_build(program);
    struct error error = {0};
    const struct session_options options = {.sink = running_take};
    assert_null(session_open(order, &options, &error));
    assert_non_null(strstr(error.message, "9 ranks"));
    order_free(order);
    program_free(program);
    schedule_free(schedule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_moves_without_a_goal),
        cmocka_unit_test(test_setting_up_comes_in_order_and_ends_at_0),
        cmocka_unit_test(test_a_goal_stops_the_run_where_it_is_reached),
        cmocka_unit_test(test_time_is_a_goal),
        cmocka_unit_test(test_held_host_programs_make_one_call_each_release),
        cmocka_unit_test(test_a_held_operation_starts_and_ends_by_release),
        cmocka_unit_test(test_an_operation_that_runs_when_the_gates_close),
        cmocka_unit_test(test_opening_all_gates_lets_the_run_go_on),
        cmocka_unit_test(test_one_operation_is_released_by_its_number),
        cmocka_unit_test(test_members_of_a_group_are_released_together),
        cmocka_unit_test(test_a_run_that_cannot_go_on_names_who_waits),
        cmocka_unit_test(test_what_nothing_can_satisfy_is_waited_for_too),
        cmocka_unit_test(test_the_log_does_not_depend_on_the_workers_speed),
        cmocka_unit_test(test_without_reports_the_last_values_come_at_the_end),
        cmocka_unit_test(test_too_many_ranks_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
