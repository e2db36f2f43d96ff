/* Each rule of order as the simulator executes it: the lines of a schedule are counted from 1. */
#include "running.h"

static void test_rule_1_calls_return_before_the_work_is_done(void **state)
{
    (void)state;
    struct running *running = running_ended("rank 0\n"
                                            "buffer x float32[4]\n"
                                            "stream s\n"
                                            "launch A -> x on s\n"
                                            "launch A -> x on s\n",
                                            OUTCOME_FINISHED);
    assert_true(running_at(running, 4)->returned < running_at(running, 4)->started);
    assert_true(running_at(running, 5)->called > running_at(running, 4)->returned);
    assert_true(running_at(running, 5)->called < running_at(running, 4)->done);
    running_close(running);
}

static void test_rule_2_a_stream_runs_in_order(void **state)
{
    (void)state;
    struct running *running = running_ended("rank 0\n"
                                            "buffer x float32[4]\n"
                                            "stream s\n"
                                            "stream t\n"
                                            "launch A -> x on s takes 7ms\n"
                                            "launch k on s\n"
                                            "launch k on t\n",
                                            OUTCOME_FINISHED);
    assert_int_equal(running_at(running, 5)->done - running_at(running, 5)->started, 7000000);
    assert_true(running_at(running, 6)->started >= running_at(running, 5)->done);
    assert_true(running_at(running, 7)->started < running_at(running, 5)->done);
    running_close(running);
}

static void test_rule_3_a_wait_is_for_the_latest_record(void **state)
{
    (void)state;
    struct running *running = running_ended("rank 0\n"
                                            "stream s nonblocking\n"
                                            "stream t nonblocking\n"
                                            "stream u nonblocking\n"
                                            "wait E on u\n"
                                            "launch k on s takes 9ms\n"
                                            "record E on s\n"
                                            "launch k on t takes 3ms\n"
                                            "record E on t\n"
                                            "wait E on u\n"
                                            "launch k on u\n"
                                            "sync event E\n",
                                            OUTCOME_FINISHED);
    assert_true(running_at(running, 5)->done < running_at(running, 6)->started);
    assert_true(running_at(running, 7)->done >= running_at(running, 6)->done);
    assert_true(running_at(running, 10)->done >= running_at(running, 9)->done);
    assert_true(running_at(running, 11)->started < running_at(running, 6)->done);
    assert_true(running_at(running, 12)->returned >= running_at(running, 9)->done);
    assert_true(running_at(running, 12)->returned < running_at(running, 6)->done);
    running_close(running);
}

static void test_rule_4_default_and_blocking_streams_wait_for_one_another(void **state)
{
    (void)state;
    struct running *running = running_ended("rank 0\n"
                                            "stream s\n"
                                            "stream n nonblocking\n"
                                            "launch k on s takes 4ms\n"
                                            "launch k on n takes 20ms\n"
                                            "launch k on default\n"
                                            "launch k on s\n"
                                            "sync default\n",
                                            OUTCOME_FINISHED);
    assert_true(running_at(running, 6)->started >= running_at(running, 4)->done);
    assert_true(running_at(running, 6)->started < running_at(running, 5)->done);
    assert_true(running_at(running, 7)->started >= running_at(running, 6)->done);
    assert_true(running_at(running, 8)->returned >= running_at(running, 7)->done);
    assert_true(running_at(running, 8)->returned < running_at(running, 5)->done);
    running_close(running);
}

#define SEND_LONG_BEFORE_RECEIVE(type)                                                                       \
    "rank 0\n"                                                                                               \
    "buffer x " type "\n"                                                                                    \
    "stream s\n"                                                                                             \
    "send x to 1 on s\n"                                                                                     \
    "rank 1\n"                                                                                               \
    "buffer x " type "\n"                                                                                    \
    "stream s\n"                                                                                             \
    "launch k on s takes 50ms\n"                                                                             \
    "recv x from 0 on s\n"

static struct running *run_eagerly(const char *text)
{
    struct running *running =
        running_open_with(text, NULL, (struct session_options){.eager = true, .report_values = true});
    assert_int_equal(running_end(running), OUTCOME_FINISHED);
    return running;
}

static void test_rule_5_a_receive_waits_for_its_send(void **state)
{
    (void)state;
    struct running *running = running_ended("rank 0\n"
                                            "buffer x float32[4]\n"
                                            "stream s\n"
                                            "launch A -> x on s takes 10ms\n"
                                            "send x to 1 on s takes 4ms\n"
                                            "rank 1\n"
                                            "buffer x float32[4]\n"
                                            "stream s\n"
                                            "recv x from 0 on s\n",
                                            OUTCOME_FINISHED);
    assert_true(running_at(running, 9)->started < running_at(running, 4)->done);
    assert_int_equal(running_at(running, 9)->waited_until, running_at(running, 5)->started);
    assert_int_equal(running_at(running, 9)->done, running_at(running, 5)->started + 4000000);
    assert_int_equal(running_at(running, 5)->done, running_at(running, 9)->done);
    running_close(running);
}

static void test_rule_5_strict_a_send_waits_for_its_receive(void **state)
{
    (void)state;
    struct running *running = running_ended(SEND_LONG_BEFORE_RECEIVE("float32[4]"), OUTCOME_FINISHED);
    assert_true(running_at(running, 4)->started < running_at(running, 8)->done);
    assert_true(running_at(running, 4)->done > running_at(running, 9)->started);
    running_close(running);
}

static void test_rule_5_eager_a_small_send_finishes_early(void **state)
{
    (void)state;
    struct running *running = run_eagerly(SEND_LONG_BEFORE_RECEIVE("int8[4194304]"));
    assert_true(running_at(running, 4)->done < running_at(running, 9)->started);
    running_close(running);
    running = run_eagerly(SEND_LONG_BEFORE_RECEIVE("int8[4194305]"));
    assert_true(running_at(running, 4)->done > running_at(running, 9)->started);
    running_close(running);
}

static void test_rule_6_a_group_is_done_when_its_members_are(void **state)
{
    (void)state;
    struct running *running = running_ended("rank 0\n"
                                            "buffer a float32[4]\n"
                                            "buffer b float32[4]\n"
                                            "stream s nonblocking\n"
                                            "stream t nonblocking\n"
                                            "group\n"
                                            "send a to 1 on s\n"
                                            "recv b from 1 on t\n"
                                            "end\n"
                                            "launch k on s\n"
                                            "rank 1\n"
                                            "buffer a float32[4]\n"
                                            "buffer b float32[4]\n"
                                            "stream s nonblocking\n"
                                            "group\n"
                                            "recv b from 0 on s\n"
                                            "launch k on s takes 30ms\n"
                                            "send a to 0 on s\n"
                                            "end\n",
                                            OUTCOME_FINISHED);
    /* What is launched within a group stands before its communication. */
    assert_true(running_at(running, 16)->started >= running_at(running, 17)->done);
    assert_true(running_at(running, 7)->submitted > running_at(running, 8)->returned);
    assert_true(running_at(running, 10)->started >= running_at(running, 7)->done);
    assert_true(running_at(running, 10)->started >= running_at(running, 8)->done);
    running_close(running);
}

static void test_rule_7_a_collective_needs_every_rank(void **state)
{
    (void)state;
    struct running *running = running_ended("rank 0\n"
                                            "buffer x float32[4]\n"
                                            "stream s\n"
                                            "allreduce x on s\n"
                                            "rank 1\n"
                                            "buffer x float32[4]\n"
                                            "stream s\n"
                                            "launch k on s takes 20ms\n"
                                            "allreduce x on s\n",
                                            OUTCOME_FINISHED);
    assert_true(running_at(running, 4)->started < running_at(running, 8)->done);
    assert_true(running_at(running, 4)->done >= running_at(running, 9)->started);
    running_close(running);
}

static void test_rule_8_sync_poll_and_barrier_hold_the_host_back(void **state)
{
    (void)state;
    struct running *running = running_ended("rank 0\n"
                                            "stream s nonblocking\n"
                                            "launch k on s takes 5ms\n"
                                            "query s\n"
                                            "poll s\n"
                                            "launch k on s takes 5ms\n"
                                            "sync s\n"
                                            "launch k on s takes 5ms\n"
                                            "sync device\n"
                                            "barrier\n"
                                            "rank 1\n"
                                            "barrier\n"
                                            "stream s\n",
                                            OUTCOME_FINISHED);
    assert_true(running_at(running, 4)->returned < running_at(running, 3)->done);
    assert_true(running_at(running, 5)->returned >= running_at(running, 3)->done);
    assert_true(running_at(running, 7)->returned >= running_at(running, 6)->done);
    assert_true(running_at(running, 9)->returned >= running_at(running, 8)->done);
    assert_true(running_at(running, 12)->returned >= running_at(running, 10)->called);
    running_close(running);
}

static void test_rule_9_what_has_happened_when_a_copy_returns(void **state)
{
    (void)state;
    struct running *running = running_ended("rank 0\n"
                                            "buffer a float32[65536]\n"
                                            "buffer b float32[65536]\n"
                                            "host p float32[65536]\n"
                                            "host q float32[65536] pageable\n"
                                            "stream s nonblocking\n"
                                            "copy p to a\n"
                                            "sync device\n"
                                            "copy q to a\n"
                                            "sync device\n"
                                            "copy a to b\n"
                                            "sync device\n"
                                            "copy b to p\n"
                                            "copy p to q\n"
                                            "copy p to a on s\n",
                                            OUTCOME_FINISHED);
    assert_true(running_at(running, 7)->returned >= running_at(running, 7)->done);
    assert_true(running_at(running, 9)->returned >= running_at(running, 9)->started);
    assert_true(running_at(running, 9)->returned < running_at(running, 9)->done);
    assert_true(running_at(running, 11)->returned < running_at(running, 11)->done);
    assert_true(running_at(running, 13)->returned >= running_at(running, 13)->done);
    assert_true(running_at(running, 14)->returned >= running_at(running, 14)->done);
    assert_true(running_at(running, 15)->returned < running_at(running, 15)->done);
    running_close(running);
}

#define FREE_BEHIND_A_KERNEL                                                                                 \
    "rank 0\n"                                                                                               \
    "buffer a float32[4]\n"                                                                                  \
    "stream s nonblocking\n"                                                                                 \
    "launch k on s takes 5ms\n"                                                                              \
    "free a\n"

static void test_rule_10_free_may_wait_for_the_device(void **state)
{
    (void)state;
    struct running *running = running_ended(FREE_BEHIND_A_KERNEL, OUTCOME_FINISHED);
    assert_true(running_at(running, 5)->returned >= running_at(running, 4)->done);
    assert_int_equal(running->counts[RECORD_FREED], 1);
    running_close(running);
    running = run_eagerly(FREE_BEHIND_A_KERNEL);
    assert_true(running_at(running, 5)->returned < running_at(running, 4)->done);
    running_close(running);
}

#define TWO_SENDS                                                                                            \
    "rank 0\n"                                                                                               \
    "buffer a float32[4]\n"                                                                                  \
    "stream s nonblocking\n"                                                                                 \
    "stream t nonblocking\n"                                                                                 \
    "send a to 1 on s takes 9ms\n"                                                                           \
    "send a to 2 on t takes 9ms\n"                                                                           \
    "rank 1\n"                                                                                               \
    "buffer a float32[4]\n"                                                                                  \
    "stream s\n"                                                                                             \
    "recv a from 0 on s\n"                                                                                   \
    "rank 2\n"                                                                                               \
    "buffer a float32[4]\n"                                                                                  \
    "stream s\n"                                                                                             \
    "recv a from 0 on s\n"

static void test_rule_11_communication_takes_turns(void **state)
{
    (void)state;
    struct running *running = running_ended(TWO_SENDS, OUTCOME_FINISHED);
    assert_true(running_at(running, 6)->started >= running_at(running, 5)->done);
    running_close(running);
    running = run_eagerly(TWO_SENDS);
    assert_true(running_at(running, 6)->started < running_at(running, 5)->done);
    running_close(running);
}

static void test_rule_12_destroy_waits(void **state)
{
    (void)state;
    struct running *running = running_ended("comm c\n"
                                            "rank 0\n"
                                            "buffer a float32[4]\n"
                                            "stream s nonblocking\n"
                                            "send a to 1 on s via c\n"
                                            "destroy c\n"
                                            "rank 1\n"
                                            "buffer a float32[4]\n"
                                            "stream s nonblocking\n"
                                            "launch k on s takes 9ms\n"
                                            "recv a from 0 on s via c\n"
                                            "destroy c\n",
                                            OUTCOME_FINISHED);
    assert_true(running_at(running, 6)->returned >= running_at(running, 5)->done);
    assert_true(running_at(running, 6)->returned >= running_at(running, 12)->called);
    assert_true(running_at(running, 12)->returned >= running_at(running, 11)->done);
    running_close(running);
}

static void test_rule_12_an_abort_ends_what_waits(void **state)
{
    (void)state;
    struct running *running = running_ended("comm c\n"
                                            "rank 0\n"
                                            "stream s nonblocking\n"
                                            "rank 1\n"
                                            "buffer a float32[4]\n"
                                            "stream s nonblocking\n"
                                            "recv a from 0 on s via c\n"
                                            "abort c\n"
                                            "sync s\n",
                                            OUTCOME_FINISHED);
    assert_true(running_at(running, 7)->done >= running_at(running, 8)->called);
    assert_false(running_is_written(running, 1, "a", 0));
    running_close(running);
}

static void test_a_communicator_of_its_own_needs_every_rank(void **state)
{
    (void)state;
    struct running *running = running_ended("rank 0\n"
                                            "comm c\n"
                                            "rank 1\n"
                                            "buffer a float32[4]\n"
                                            "buffer b float32[4]\n"
                                            "comm c\n",
                                            OUTCOME_FINISHED);
    assert_true(running_at(running, 2)->returned >= running_at(running, 6)->called);
    assert_int_equal(running->counts[RECORD_INITIALISING], 4);
    assert_int_equal(running->counts[RECORD_READY], 4);
    running_close(running);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rule_1_calls_return_before_the_work_is_done),
        cmocka_unit_test(test_rule_2_a_stream_runs_in_order),
        cmocka_unit_test(test_rule_3_a_wait_is_for_the_latest_record),
        cmocka_unit_test(test_rule_4_default_and_blocking_streams_wait_for_one_another),
        cmocka_unit_test(test_rule_5_a_receive_waits_for_its_send),
        cmocka_unit_test(test_rule_5_strict_a_send_waits_for_its_receive),
        cmocka_unit_test(test_rule_5_eager_a_small_send_finishes_early),
        cmocka_unit_test(test_rule_6_a_group_is_done_when_its_members_are),
        cmocka_unit_test(test_rule_7_a_collective_needs_every_rank),
        cmocka_unit_test(test_rule_8_sync_poll_and_barrier_hold_the_host_back),
        cmocka_unit_test(test_rule_9_what_has_happened_when_a_copy_returns),
        cmocka_unit_test(test_rule_10_free_may_wait_for_the_device),
        cmocka_unit_test(test_rule_11_communication_takes_turns),
        cmocka_unit_test(test_rule_12_destroy_waits),
        cmocka_unit_test(test_rule_12_an_abort_ends_what_waits),
        cmocka_unit_test(test_a_communicator_of_its_own_needs_every_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
