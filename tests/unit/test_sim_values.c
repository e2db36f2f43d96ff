/* What the simulated memories hold: values come from the kernels' meaning, times from the durations that the
 * schedules give. */
#include "running.h"

static struct running *run_case(const char *path, const char *variants)
{
    struct text text = {0};
    struct error error = {0};
    if (!text_read_file(&text, path, 1 << 20, &error))
        fail_msg("%s", error.message);
    struct running *running =
        running_open_with(text_string(&text), variants, (struct session_options){.report_values = true});
    assert_int_equal(running_end(running), OUTCOME_FINISHED);
    text_free(&text);
    return running;
}

static void check_values(const struct running *running, uint32_t rank, const char *name,
                         const double *expected, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (running_value(running, rank, name, i) != expected[i])
            fail_msg("rank %u: %s[%u] is %g, not %g", rank, name, i, running_value(running, rank, name, i),
                     expected[i]);
}

static void test_the_article_s_schedules(void **state)
{
    (void)state;
    struct running *running = run_case(CASES "/article-overlap.schedule", NULL);
    check_values(running, 1, "x", (double[]){1, 2, 3, 4}, 4);
    check_values(running, 1, "h", (double[]){2, 4, 6, 8}, 4);
    check_values(running, 1, "c", (double[]){100, 101, 102, 103}, 4);
    running_close(running);
    running = run_case(CASES "/article-reuse.schedule", "event");
    check_values(running, 1, "x", (double[]){5, 6, 7, 8}, 4);
    check_values(running, 1, "y", (double[]){10, 12, 14, 16}, 4);
    running_close(running);
}

static void test_without_the_wait_b_reads_an_empty_x(void **state)
{
    (void)state;
    struct running *running = running_ended("rank 0\n"
                                            "buffer x float32[4]\n"
                                            "stream s\n"
                                            "launch A -> x on s takes 40ms\n"
                                            "send x to 1 on s\n"
                                            "rank 1\n"
                                            "buffer x float32[4]\n"
                                            "buffer y float32[4]\n"
                                            "buffer z float32[4]\n"
                                            "stream s nonblocking\n"
                                            "stream t nonblocking\n"
                                            "recv x from 0 on s\n"
                                            "launch B x -> y on t\n",
                                            OUTCOME_FINISHED);
    check_values(running, 1, "y", (double[]){0, 0, 0, 0}, 4);
    assert_true(running_is_written(running, 1, "y", 0));
    assert_false(running_is_written(running, 1, "z", 0));
    running_close(running);
}

/* The send takes 8 ms from the moment both have started, an element each 2 ms; the next A comes to its end on
 * another stream within that time. */
static const char TORN_SEND[] = "rank 0\n"
                                "buffer x float32[4]\n"
                                "stream s nonblocking\n"
                                "stream t nonblocking\n"
                                "launch A -> x on s takes 1ms\n"
                                "send x to 1 on s takes 8ms\n"
                                "launch A -> x on t takes 6ms\n"
                                "rank 1\n"
                                "buffer x float32[4]\n"
                                "stream s\n"
                                "recv x from 0 on s\n";

static void check_torn(const struct running *running)
{
    int64_t begin = running_at(running, 6)->started, overwritten = running_at(running, 7)->done;
    if (running_at(running, 11)->started > begin)
        begin = running_at(running, 11)->started;
    uint32_t old = 0;
    for (uint32_t i = 0; i < 4; i++) {
        bool was_old = begin + 2000000 * (int64_t)(i + 1) < overwritten;
        assert_float_equal(running_value(running, 1, "x", i), was_old ? i + 1 : i + 5, 0);
        old += was_old;
    }
    assert_in_range(old, 1, 3);
}

static void test_a_buffer_overwritten_while_it_is_sent_arrives_torn(void **state)
{
    (void)state;
    struct running *running = running_ended(TORN_SEND, OUTCOME_FINISHED);
    check_torn(running);
    running_close(running);
}

static void test_looking_at_values_changes_none(void **state)
{
    (void)state;
    struct running *running = running_open_with(TORN_SEND, NULL, (struct session_options){0});
    assert_int_equal(running_end(running), OUTCOME_FINISHED);
    check_torn(running);
    running_close(running);
}

/* Two receives into one buffer, 8 ms each and half a millisecond apart or so, on one communicator each. */
static void check_crossing_receives(bool report_values)
{
    const char *text = "comm c\n"
                       "rank 0\n"
                       "buffer x float32[4]\n"
                       "buffer z float32[4]\n"
                       "stream s nonblocking\n"
                       "stream t nonblocking\n"
                       "launch A -> x on s\n"
                       "launch A -> z on t\n"
                       "send x to 1 on s takes 8ms\n"
                       "send z to 1 on t via c takes 2ms\n"
                       "rank 1\n"
                       "buffer x float32[4]\n"
                       "stream s nonblocking\n"
                       "stream t nonblocking\n"
                       "recv x from 0 on s\n"
                       "recv x from 0 on t via c\n";
    struct running *running = running_open_with(
        text, NULL, (struct session_options){.eager = true, .report_values = report_values});
    assert_int_equal(running_end(running), OUTCOME_FINISHED);
    int64_t slow = running_at(running, 15)->started, fast = running_at(running, 16)->started;
    slow = slow > running_at(running, 9)->started ? slow : running_at(running, 9)->started;
    fast = fast > running_at(running, 10)->started ? fast : running_at(running, 10)->started;
    for (int64_t i = 0; i < 4; i++) {
        bool slow_is_last = slow + 2000000 * (i + 1) > fast + 500000 * (i + 1);
        assert_float_equal(running_value(running, 1, "x", (uint32_t)i), slow_is_last ? i + 1 : i + 5, 0);
    }
    running_close(running);
}

static void test_two_receives_into_one_buffer(void **state)
{
    (void)state;
    check_crossing_receives(true);
    check_crossing_receives(false);
}

static void test_all_element_types(void **state)
{
    (void)state;
    for (int type = 0; type < TYPE_COUNT; type++) {
        struct text text = {0};
        const char *name = element_type_name((enum element_type)type);
        text_format(
            &text,
            "rank 0\nbuffer x %s[5]\nstream s\nlaunch A -> x on s\nsend x to 1 on s\nallreduce x on s\n"
            "rank 1\nbuffer x %s[5]\nbuffer y %s[5]\nstream s\nrecv x from 0 on s\nlaunch B x -> y on s\n"
            "allreduce x on s\n",
            name, name, name);
        struct running *running = running_ended(text_string(&text), OUTCOME_FINISHED);
        check_values(running, 1, "y", (double[]){2, 4, 6, 8, 10}, 5);
        check_values(running, 0, "x", (double[]){2, 4, 6, 8, 10}, 5);
        check_values(running, 1, "x", (double[]){2, 4, 6, 8, 10}, 5);
        running_close(running);
        text_free(&text);
    }
}

static void test_sets_copies_and_accumulation(void **state)
{
    (void)state;
    struct running *running = running_ended("rank 0\n"
                                            "buffer a int32[6]\n"
                                            "buffer b int32[4]\n"
                                            "buffer n int32[4]\n"
                                            "host h int32[4]\n"
                                            "managed m int32[4]\n"
                                            "stream s\n"
                                            "set a to 1 on s\n"
                                            "launch A -> a[0:2] on s\n"
                                            "launch A ~> a[1:3] on s\n"
                                            "copy a[1:5] to b on s\n"
                                            "copy b to h on s\n"
                                            "sync s\n"
                                            "write m\n"
                                            "write m\n"
                                            "copy n to m[3] on s\n",
                                            OUTCOME_FINISHED);
    const double set = 0x01010101;
    /* The second A of the rank makes 3 and 4, and adds them. */
    check_values(running, 0, "a", (double[]){1, 2 + 3, set + 4, set, set, set}, 6);
    check_values(running, 0, "b", (double[]){5, set + 4, set, set}, 4);
    check_values(running, 0, "h", (double[]){5, set + 4, set, set}, 4);
    check_values(running, 0, "m", (double[]){5, 6, 7, 0}, 4);
    running_close(running);
}

static void test_mismatched_transfers_move_what_both_have(void **state)
{
    (void)state;
    struct running *running = run_case(CASES "/count-mismatch.schedule", NULL);
    check_values(running, 1, "x", (double[]){1, 2, 3, 4}, 4);
    assert_false(running_is_written(running, 1, "x", 4));
    running_close(running);
    running = run_case(CASES "/type-mismatch.schedule", NULL);
    check_values(running, 1, "x", (double[]){0x3F800000}, 1); /* the bits of 1.0f */
    running_close(running);
}

static void test_eight_ranks_and_collectives(void **state)
{
    (void)state;
    struct text text = {0};
    for (int rank = 0; rank < 8; rank++)
        text_format(&text,
                    "rank %d\nbuffer x int32[9]\nbuffer y int32[9]\nbuffer z int32[9]\nstream s nonblocking\n"
                    "launch A -> x on s\ngroup\nsend x to %d on s\nrecv y from %d on s\nend\n"
                    "allreduce x on s\n%sbroadcast z root 3 on s\nsync s\n",
                    rank, (rank + 1) % 8, (rank + 7) % 8, rank == 3 ? "launch C -> z on s\n" : "");
    struct running *running = running_ended(text_string(&text), OUTCOME_FINISHED);
    for (uint32_t rank = 0; rank < 8; rank++)
        for (uint32_t i = 0; i < 9; i++) {
            assert_float_equal(running_value(running, rank, "x", i), 8 * (i + 1), 0);
            assert_float_equal(running_value(running, rank, "y", i), i + 1, 0);
            assert_float_equal(running_value(running, rank, "z", i), 100 + i, 0);
        }
    running_close(running);
    text_free(&text);
}

/* Many sends whose receives come much later, in another order, and far more bytes than a socket takes. */
static void test_eager_sends_are_kept_until_they_are_received(void **state)
{
    (void)state;
    struct running *running = running_open_with("comm c\n"
                                                "rank 0\n"
                                                "buffer x int32[1048576]\n"
                                                "buffer z int32[4]\n"
                                                "stream s nonblocking\n"
                                                "repeat 5\n"
                                                "launch A -> x on s\n"
                                                "send x to 1 on s\n"
                                                "end\n"
                                                "launch C -> z on s\n"
                                                "send z to 1 on s via c\n"
                                                "rank 1\n"
                                                "buffer x int32[1048576]\n"
                                                "buffer z int32[4]\n"
                                                "stream s nonblocking\n"
                                                "launch k on s takes 100ms\n"
                                                "recv z from 0 on s via c\n"
                                                "repeat 5\n"
                                                "recv x from 0 on s\n"
                                                "end\n",
                                                NULL, (struct session_options){.eager = true});
    assert_int_equal(running_end(running), OUTCOME_FINISHED);
    check_values(running, 1, "z", (double[]){100, 101, 102, 103}, 4);
    check_values(running, 1, "x", (double[]){4 * 1048576 + 1, 4 * 1048576 + 2}, 2);
    running_close(running);
}

/* Both ranks send more than the sockets hold at the same time. */
static void test_full_sockets_do_not_block_one_another(void **state)
{
    (void)state;
    const char *text = "rank 0\n"
                       "buffer x int32[4194304]\n"
                       "buffer y int32[4194304]\n"
                       "stream s\n"
                       "launch A -> x on s\n"
                       "group\n"
                       "send x to 1 on s\n"
                       "recv y from 1 on s\n"
                       "end\n"
                       "rank 1\n"
                       "buffer x int32[4194304]\n"
                       "buffer y int32[4194304]\n"
                       "stream s\n"
                       "launch A -> x on s\n"
                       "group\n"
                       "send x to 0 on s\n"
                       "recv y from 0 on s\n"
                       "end\n";
    struct running *running = running_open_with(text, NULL, (struct session_options){0});
    assert_int_equal(running_end(running), OUTCOME_FINISHED);
    check_values(running, 0, "y", (double[]){1, 2, 3}, 3);
    check_values(running, 1, "y", (double[]){1, 2, 3}, 3);
    running_close(running);
}

static void test_freed_memory_is_gone(void **state)
{
    (void)state;
    struct running *running =
        running_open_with("rank 0\n"
                          "buffer x int8[4]\n"
                          "buffer y uint8[4]\n"
                          "stream s nonblocking\n"
                          "launch A -> x on s takes 1ms\n"
                          "launch k on s takes 5ms\n"
                          "copy x to y on s\n"
                          "free x\n"
                          "sync s\n",
                          NULL, (struct session_options){.eager = true, .report_values = true});
    assert_int_equal(running_end(running), OUTCOME_FINISHED);
    check_values(running, 0, "y", (double[]){0xDB, 0xDB, 0xDB, 0xDB}, 4);
    running_close(running);
}

static void check_misuse(const char *text)
{
    struct running *running = running_ended(text, OUTCOME_FAILED);
    assert_int_equal(running->counts[RECORD_ERROR], 1);
    assert_int_equal(running->view->ranks[0].exit_status, 0);
    running_close(running);
}

static void test_misuse_by_the_host_is_an_error_and_no_crash(void **state)
{
    (void)state;
    check_misuse("rank 0\nbuffer x float32[4]\nread x\nstream s\n");
    check_misuse("rank 0\nbuffer x float32[4]\nwrite x\n");
    check_misuse("rank 0\nhost h float32[4]\nfree h\nread h\n");
    check_misuse("rank 0\nhost h float32[4]\nfree h\nfree h\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_article_s_schedules),
        cmocka_unit_test(test_without_the_wait_b_reads_an_empty_x),
        cmocka_unit_test(test_a_buffer_overwritten_while_it_is_sent_arrives_torn),
        cmocka_unit_test(test_looking_at_values_changes_none),
        cmocka_unit_test(test_two_receives_into_one_buffer),
        cmocka_unit_test(test_all_element_types),
        cmocka_unit_test(test_sets_copies_and_accumulation),
        cmocka_unit_test(test_mismatched_transfers_move_what_both_have),
        cmocka_unit_test(test_eight_ranks_and_collectives),
        cmocka_unit_test(test_eager_sends_are_kept_until_they_are_received),
        cmocka_unit_test(test_full_sockets_do_not_block_one_another),
        cmocka_unit_test(test_freed_memory_is_gone),
        cmocka_unit_test(test_misuse_by_the_host_is_an_error_and_no_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
