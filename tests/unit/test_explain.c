#include "fold.h"

static void assert_explained(const struct fold *fold, uint32_t line, const char *expected)
{
    struct text text = {0};
    view_explain_wait(fold->view, call_at(fold, line), &text);
    assert_string_equal(text_string(&text), expected);
    text_free(&text);
}

static void submit(struct fold *fold, uint32_t line)
{
    happen(fold, 1, RECORD_CALLED, line);
    happen(fold, 1, RECORD_SUBMITTED, line);
    happen(fold, 1, RECORD_RETURNED, line);
}

static const char overlap[] = "rank 0\n"                     /* 1 */
                              "buffer x float32[4]\n"        /* 2 */
                              "stream S0 nonblocking\n"      /* 3 */
                              "launch A -> x on S0\n"        /* 4 */
                              "send x to 1 on S0\n"          /* 5 */
                              "rank 1\n"                     /* 6 */
                              "buffer x float32[4]\n"        /* 7 */
                              "stream comm nonblocking\n"    /* 8 */
                              "stream compute nonblocking\n" /* 9 */
                              "recv x from 0 on comm\n"      /* 10 */
                              "record E on comm\n"           /* 11 */
                              "wait E on compute\n"          /* 12 */
                              "launch B x -> x on compute\n" /* 13 */
                              "sync compute\n";              /* 14 */

static void test_a_receive_waits_for_its_send(void **state)
{
    (void)state;
    struct fold fold = fold_open(overlap);
    submit(&fold, 10);
    happen(&fold, 2, RECORD_STARTED, 10);
    wait_for(&fold, 2, 10, 5, STARTED, 5);
    happen(&fold, 2, RECORD_CALLED, 4);
    assert_explained(&fold, 10, "waits for rank 0's send of x: rank 0 is at launch A -> x on S0");
    submit(&fold, 4);
    submit(&fold, 5);
    assert_explained(&fold, 10, "waits for rank 0's send of x: it is behind launch A -> x on S0");
    happen(&fold, 3, RECORD_STARTED, 4);
    happen(&fold, 4, RECORD_DONE, 4);
    happen(&fold, 4, RECORD_HELD, 5);
    assert_explained(&fold, 10, "waits for rank 0's send of x: its gate is closed");
    assert_explained(&fold, 5, "its gate is closed: space releases it");
    happen(&fold, 5, RECORD_STARTED, 5);
    assert_explained(&fold, 10, "");
    fold_close(&fold);
}

static void test_what_stands_behind(void **state)
{
    (void)state;
    struct fold fold = fold_open(overlap);
    assert_explained(&fold, 10, "not submitted yet: rank 1 is not at its first call yet");
    happen(&fold, 1, RECORD_CALLED, 7);
    assert_explained(&fold, 10, "not submitted yet: rank 1 is at buffer x float32[4]");
    submit(&fold, 10);
    submit(&fold, 11);
    submit(&fold, 12);
    submit(&fold, 13);
    happen(&fold, 2, RECORD_STARTED, 10);
    assert_explained(&fold, 11, "behind recv x from 0 on comm");
    assert_explained(&fold, 13, "behind wait E on compute");
    happen(&fold, 2, RECORD_STARTED, 12);
    wait_for(&fold, 2, 12, 11, DONE, 3);
    assert_explained(&fold, 12, "waits for event E (recv x from 0 on comm is not done)");
    happen(&fold, 2, RECORD_CALLED, 14);
    wait_for(&fold, 2, 14, 13, DONE, 8);
    assert_explained(&fold, 14, "waits for launch B x -> x on compute: it is behind wait E on compute");
    fold_close(&fold);
}

static void test_a_process_that_is_gone(void **state)
{
    (void)state;
    struct fold fold = fold_open(overlap);
    submit(&fold, 10);
    happen(&fold, 2, RECORD_STARTED, 10);
    wait_for(&fold, 2, 10, 5, STARTED, 5);
    view_apply(fold.view, &(struct record){.time = 3, .kind = RECORD_EXITED, .rank = 0, .number = -9});
    assert_explained(&fold, 10, "waits for rank 0's send of x: rank 0's process is gone");
    assert_explained(&fold, 5, "rank 0's process is gone");
    fold_close(&fold);
}

static void test_what_never_comes(void **state)
{
    (void)state;
    struct fold fold = fold_open("rank 0\nbuffer x float32[4]\nstream S\nsend x to 1 on S\n"
                                 "rank 1\nbuffer x float32[4]\nstream S\nrecv x from 0 on S\n"
                                 "recv x from 0 on S\n");
    submit(&fold, 9);
    happen(&fold, 2, RECORD_STARTED, 9);
    wait_for(&fold, 2, 9, 0, ENTERED, 5);
    assert_explained(&fold, 9, "waits for rank 0's send, which never comes");
    fold_close(&fold);
}

static void test_what_an_abort_ended(void **state)
{
    (void)state;
    struct fold fold = fold_open("rank 0\nbuffer x float32[4]\nstream S\nsend x to 1 on S\nabort world\n"
                                 "rank 1\nbuffer x float32[4]\nstream S\nrecv x from 0 on S\n");
    submit(&fold, 9);
    happen(&fold, 2, RECORD_STARTED, 4);
    happen(&fold, 2, RECORD_STARTED, 9);
    wait_for(&fold, 2, 9, 0, ENTERED, 5);
    assert_explained(&fold, 9, "waits for rank 0's send, which was aborted");
    fold_close(&fold);
}

/* As GPUs show it: the send was done, and what it sent did not arrive. */
static void test_what_no_rule_holds_and_does_not_end(void **state)
{
    (void)state;
    struct fold fold =
        fold_open("rank 0\nbuffer x float32[4]\nstream S\nsend x to 1 on S\nlaunch k -> x on S\n"
                  "abort world\n"
                  "rank 1\nbuffer x float32[4]\nstream S\nrecv x from 0 on S\n");
    submit(&fold, 4);
    submit(&fold, 5);
    submit(&fold, 10);
    happen(&fold, 2, RECORD_STARTED, 4);
    happen(&fold, 2, RECORD_STARTED, 10);
    happen(&fold, 3, RECORD_DONE, 4);
    happen(&fold, 3, RECORD_STARTED, 5);
    happen(&fold, 4, RECORD_CALLED, 6);
    assert_explained(&fold, 10, "");
    view_apply(fold.view,
               &(struct record){.time = 5, .kind = RECORD_OUTCOME, .call = NONE, .number = OUTCOME_STUCK});
    assert_explained(&fold, 5, "does not end");
    assert_explained(&fold, 6, "does not come back");
    assert_explained(&fold, 10, "waits for rank 0's send, which was aborted");
    fold_close(&fold);
}

static void test_what_is_behind_a_group(void **state)
{
    (void)state;
    struct fold fold =
        fold_open("rank 0\nbuffer x float32[4]\nstream S\ngroup\nsend x to 1 on S\nend\nlaunch k -> x on S\n"
                  "rank 1\nbuffer x float32[4]\nstream S\nrecv x from 0 on S\n");
    submit(&fold, 5);
    submit(&fold, 7);
    happen(&fold, 2, RECORD_STARTED, 5);
    assert_explained(&fold, 7, "behind the group that ends in line 6");
    fold_close(&fold);
}

static void test_a_barrier_that_one_rank_leaves_out(void **state)
{
    (void)state;
    struct fold fold = fold_open("rank 0\nbarrier\nbarrier\nrank 1\nbarrier\n");
    happen(&fold, 1, RECORD_CALLED, 3);
    wait_for(&fold, 1, 3, 0, ENTERED, 8);
    assert_explained(&fold, 3, "waits for rank 1's barrier, which never comes");
    fold_close(&fold);
}

static void test_a_barrier_waits_for_the_other_rank(void **state)
{
    (void)state;
    struct fold fold = fold_open("rank 0\nbarrier\nrank 1\nstream S\nsync S\nbarrier\n");
    happen(&fold, 1, RECORD_CALLED, 5);
    happen(&fold, 1, RECORD_CALLED, 2);
    wait_for(&fold, 1, 2, 6, ENTERED, 8);
    assert_explained(&fold, 2, "waits for rank 1's barrier: rank 1 is at sync S");
    fold_close(&fold);
}

static void test_communication_takes_turns(void **state)
{
    (void)state;
    struct fold fold = fold_open(
        "rank 0\nbuffer x float32[4]\nbuffer y float32[4]\nstream S nonblocking\nstream T nonblocking\n"
        "recv x from 1 on S\nrecv y from 1 on T\n"
        "rank 1\nbuffer x float32[4]\nstream S\nsend x to 0 on S\nsend x to 0 on S\n");
    submit(&fold, 6);
    submit(&fold, 7);
    happen(&fold, 2, RECORD_STARTED, 6);
    assert_explained(&fold, 7, "waits for its turn: recv x from 1 on S comes first");
    fold_close(&fold);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_receive_waits_for_its_send),
        cmocka_unit_test(test_what_stands_behind),
        cmocka_unit_test(test_a_process_that_is_gone),
        cmocka_unit_test(test_what_never_comes),
        cmocka_unit_test(test_what_an_abort_ended),
        cmocka_unit_test(test_what_no_rule_holds_and_does_not_end),
        cmocka_unit_test(test_what_is_behind_a_group),
        cmocka_unit_test(test_a_barrier_that_one_rank_leaves_out),
        cmocka_unit_test(test_a_barrier_waits_for_the_other_rank),
        cmocka_unit_test(test_communication_takes_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
