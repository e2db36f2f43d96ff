#include "fold.h"

#include "lesson/until.h"

static const char tiny[] = "variant alone \"nobody sends\"\n"
                           "rank 0\n"
                           "  buffer x float32[4]\n"
                           "  stream S0\n"
                           "  launch A -> x on S0\n"
                           "  launch A -> x on S0\n"
                           "  send x to 1 on S0\n"
                           "rank 1\n"
                           "  buffer x float32[4]\n"
                           "  stream S1\n"
                           "  recv x from 0 on S1\n"
                           "  record E on S1\n"
                           "  sync S1\n"
                           "  sync device\n";
enum { FIRST_A = 5, SECOND_A = 6, SEND = 7, RECV = 11, RECORD = 12, SYNC_S1 = 13, SYNC_DEVICE = 14 };

static struct until *parse(const struct fold *fold, const char *text)
{
    struct diagnostics diagnostics = {0};
    struct until *until = until_parse(text, strlen(text), 1, fold->schedule, &diagnostics);
    assert_non_null(until);
    until_check(until, fold->program, &diagnostics);
    assert_int_equal(diagnostics.count, 0);
    diagnostics_free(&diagnostics);
    return until;
}

static bool holds(const struct fold *fold, const char *text)
{
    struct until *until = parse(fold, text);
    bool result = until_holds(until, fold->view);
    until_free(until);
    return result;
}

/* A run that ended before a place is reached has stopped there all the same, but did not come to it. */
static void test_what_never_came_is_not_met(void **state)
{
    (void)state;
    struct fold fold = fold_open(tiny);
    struct until *place = parse(&fold, "rank 1 sync device returned"), *end = parse(&fold, "finished");
    assert_false(until_is_met(place, fold.view));
    assert_false(until_is_met(end, fold.view));
    view_apply(fold.view,
               &(struct record){
                   .time = 1, .kind = RECORD_OUTCOME, .rank = NONE, .call = NONE, .number = OUTCOME_STUCK});
    assert_true(until_holds(place, fold.view));
    assert_false(until_is_met(place, fold.view));
    assert_true(until_is_met(end, fold.view));
    until_free(place);
    until_free(end);
    fold_close(&fold);
}

static void test_each_state_holds_from_its_record_on(void **state)
{
    (void)state;
    static const struct {
        enum record_kind record;
        const char *condition;
    } states[] = {{RECORD_CALLED, "rank 0 launch called"},
                  {RECORD_SUBMITTED, "rank 0 launch submitted"},
                  {RECORD_RETURNED, "rank 0 launch returned"},
                  {RECORD_STARTED, "rank 0 launch started"},
                  {RECORD_DONE, "rank 0 launch done"}};
    enum { COUNT = sizeof states / sizeof *states };
    struct fold fold = fold_open(tiny);
    for (int happened = 0; happened <= COUNT; happened++) {
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(holds(&fold, states[i].condition), i < happened);
        if (happened < COUNT)
            happen(&fold, happened, states[happened].record, FIRST_A);
    }
    fold_close(&fold);
}

static void test_waiting_holds_while_held_and_once_done(void **state)
{
    (void)state;
    struct fold fold = fold_open(tiny);
    happen(&fold, 1, RECORD_CALLED, RECV);
    happen(&fold, 2, RECORD_SUBMITTED, RECV);
    happen(&fold, 3, RECORD_STARTED, RECV);
    assert_false(holds(&fold, "rank 1 recv x waiting"));
    wait_for(&fold, 3, RECV, SEND, STARTED, 5);
    assert_true(holds(&fold, "rank 1 recv x waiting"));
    happen(&fold, 9, RECORD_DONE, RECV);
    assert_true(holds(&fold, "rank 1 recv x waiting"));

    happen(&fold, 10, RECORD_CALLED, SYNC_S1);
    assert_false(holds(&fold, "rank 1 sync waiting"));
    happen(&fold, 11, RECORD_RETURNED, SYNC_S1);
    assert_true(holds(&fold, "rank 1 sync waiting"));
    fold_close(&fold);
}

static void test_a_call_is_found_by_name_turn_and_line(void **state)
{
    (void)state;
    struct fold fold = fold_open(tiny);
    happen(&fold, 1, RECORD_CALLED, SECOND_A);
    assert_false(holds(&fold, "rank 0 launch called"));
    assert_true(holds(&fold, "rank 0 launch #2 called"));
    assert_true(holds(&fold, "rank 0 launch A #2 called"));
    assert_true(holds(&fold, "rank 0 launch x #2 called"));
    assert_true(holds(&fold, "rank 0 line 6 called"));
    assert_false(holds(&fold, "rank 0 line 5 called"));

    happen(&fold, 2, RECORD_CALLED, SYNC_DEVICE);
    assert_true(holds(&fold, "rank 1 sync device called"));
    assert_false(holds(&fold, "rank 1 sync S1 called"));
    happen(&fold, 2, RECORD_CALLED, RECORD);
    assert_true(holds(&fold, "rank 1 record E called"));
    fold_close(&fold);
}

static void test_all_conditions_have_to_hold(void **state)
{
    (void)state;
    struct fold fold = fold_open(tiny);
    happen(&fold, 1, RECORD_CALLED, FIRST_A);
    assert_false(holds(&fold, "rank 0 launch called\nrank 1 recv called\n"));
    happen(&fold, 2, RECORD_CALLED, RECV);
    assert_true(holds(&fold, "rank 0 launch called\r\n\n  rank 1 recv called"));
    assert_true(holds(&fold, "rank 0 launch called\nrank 0 send done [only alone]\n"));
    fold_close(&fold);
}

static void rank_record(struct fold *fold, enum record_kind kind, uint32_t rank)
{
    const struct record record = {
        .time = -1, .kind = (uint8_t)kind, .rank = rank, .call = NONE, .point = NONE};
    view_apply(fold->view, &record);
}

static void test_setting_up(void **state)
{
    (void)state;
    struct fold fold = fold_open(tiny);
    assert_false(holds(&fold, "rank 0 forked"));
    rank_record(&fold, RECORD_FORKED, 0);
    assert_true(holds(&fold, "rank 0 forked"));
    assert_false(holds(&fold, "rank 0 id"));
    rank_record(&fold, RECORD_ID_MADE, 0);
    assert_true(holds(&fold, "rank 0 id"));
    assert_false(holds(&fold, "rank 1 id"));
    rank_record(&fold, RECORD_ID_PASSED, 1);
    assert_true(holds(&fold, "rank 1 id"));
    assert_false(holds(&fold, "rank 1 initialising"));
    rank_record(&fold, RECORD_INITIALISING, 1);
    assert_true(holds(&fold, "rank 1 initialising"));
    assert_false(holds(&fold, "rank 1 ready"));
    rank_record(&fold, RECORD_READY, 1);
    assert_true(holds(&fold, "rank 1 ready"));
    assert_true(holds(&fold, "rank 1 initialising"));
    assert_false(holds(&fold, "rank 1 exited"));
    rank_record(&fold, RECORD_EXITED, 1);
    assert_true(holds(&fold, "rank 1 exited"));
    fold_close(&fold);
}

static void test_the_end_lets_everything_hold(void **state)
{
    (void)state;
    struct fold fold = fold_open(tiny);
    assert_false(holds(&fold, "finished"));
    assert_false(holds(&fold, "stuck"));
    const struct record record = {
        .kind = RECORD_OUTCOME, .number = OUTCOME_STUCK, .rank = NONE, .call = NONE, .point = NONE};
    view_apply(fold.view, &record);
    assert_true(holds(&fold, "finished"));
    assert_true(holds(&fold, "rank 1 recv done"));
    fold_close(&fold);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_never_came_is_not_met),
        cmocka_unit_test(test_each_state_holds_from_its_record_on),
        cmocka_unit_test(test_waiting_holds_while_held_and_once_done),
        cmocka_unit_test(test_a_call_is_found_by_name_turn_and_line),
        cmocka_unit_test(test_all_conditions_have_to_hold),
        cmocka_unit_test(test_setting_up),
        cmocka_unit_test(test_the_end_lets_everything_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
