#include "fold.h"

/* Lines 3, 5, 6, 7 are rank 0's; 9 to 12 are rank 1's. */
static const char transfer[] = "rank 0\n"                  /* 1 */
                               "buffer x float32[4]\n"     /* 2 */
                               "stream S0 nonblocking\n"   /* 3 */
                               "stream S1 nonblocking\n"   /* 4 */
                               "launch A -> x on S0\n"     /* 5 */
                               "send x to 1 on S0\n"       /* 6 */
                               "launch A -> x on S1\n"     /* 7 */
                               "rank 1\n"                  /* 8 */
                               "buffer x float32[4]\n"     /* 9 */
                               "buffer y float32[4]\n"     /* 10 */
                               "stream comm nonblocking\n" /* 11 */
                               "recv x from 0 on comm\n"   /* 12 */
                               "launch B x -> y on comm\n" /* 13 */
                               "free y\n";                 /* 14 */
enum { LINE_A = 5, LINE_SEND = 6, LINE_NEXT_A = 7, LINE_RECV = 12, LINE_B = 13, LINE_FREE = 14 };

static void assert_cells(const struct fold *fold, uint32_t memory, const enum cell_state expected[4])
{
    for (uint32_t e = 0; e < 4; e++)
        assert_int_equal(view_cell(fold->view, memory, e), expected[e]);
}

static void test_times_of_a_call_and_its_operation(void **state)
{
    (void)state;
    struct fold fold = fold_open(transfer);
    uint32_t call = call_at(&fold, LINE_A);
    assert_int_equal(view_operation(fold.view, call), OPERATION_NOT_SUBMITTED);
    happen(&fold, 10, RECORD_CALLED, LINE_A);
    happen(&fold, 20, RECORD_SUBMITTED, LINE_A);
    assert_int_equal(view_operation(fold.view, call), OPERATION_SUBMITTED);
    happen(&fold, 30, RECORD_RETURNED, LINE_A);
    happen(&fold, 40, RECORD_STARTED, LINE_A);
    assert_int_equal(view_operation(fold.view, call), OPERATION_RUNNING);
    happen(&fold, 50, RECORD_DONE, LINE_A);
    assert_int_equal(view_operation(fold.view, call), OPERATION_DONE);
    assert_int_equal(view_point_time(fold.view, point_of(call, ENTERED)), 10);
    assert_int_equal(fold.view->calls[call].submitted, 20);
    assert_int_equal(view_point_time(fold.view, point_of(call, RETURNED)), 30);
    assert_int_equal(view_point_time(fold.view, point_of(call, STARTED)), 40);
    assert_int_equal(view_point_time(fold.view, point_of(call, DONE)), 50);
    assert_int_equal(fold.view->ranks[0].current_call, call);
    assert_int_equal(fold.view->now, 50);
    fold_close(&fold);
}

static void test_a_receive_that_waits_writes_nothing_yet(void **state)
{
    (void)state;
    struct fold fold = fold_open(transfer);
    uint32_t x = memory_named(&fold, 1, "x"), recv = call_at(&fold, LINE_RECV);
    const float values[] = {1, 2, 3, 4};
    happen(&fold, 1, RECORD_STARTED, LINE_RECV);
    wait_for(&fold, 1, LINE_RECV, LINE_SEND, STARTED, 5);
    assert_int_equal(view_operation(fold.view, recv), OPERATION_WAITING);
    assert_cells(&fold, x, (enum cell_state[]){0, 0, 0, 0});
    assert_int_equal(view_writer(fold.view, x, 0), recv);

    happen(&fold, 7, RECORD_STARTED, LINE_SEND);
    assert_int_equal(view_operation(fold.view, recv), OPERATION_RUNNING);
    assert_int_equal(fold.view->calls[recv].waited_until, 7);
    assert_false(fold.view->calls[recv].waiting);
    write_floats(&fold, 8, LINE_RECV, 0, values, 2);
    assert_cells(&fold, x,
                 (enum cell_state[]){CELL_VALUE, CELL_VALUE, CELL_BEING_WRITTEN, CELL_BEING_WRITTEN});
    assert_int_equal(view_reader(fold.view, memory_named(&fold, 0, "x"), 3), call_at(&fold, LINE_SEND));
    write_floats(&fold, 9, LINE_RECV, 2, values + 2, 2);
    happen(&fold, 9, RECORD_DONE, LINE_SEND);
    happen(&fold, 9, RECORD_DONE, LINE_RECV);
    assert_cells(&fold, x, (enum cell_state[]){CELL_VALUE, CELL_VALUE, CELL_VALUE, CELL_VALUE});
    assert_int_equal(view_writer(fold.view, x, 0), NONE);
    fold_close(&fold);
}

/* Several wait for one point, one of them for another one first. */
static void test_a_point_ends_the_waits_for_it_alone(void **state)
{
    (void)state;
    struct fold fold = fold_open(transfer);
    const struct view_call *recv = &fold.view->calls[call_at(&fold, LINE_RECV)],
                           *b = &fold.view->calls[call_at(&fold, LINE_B)],
                           *release = &fold.view->calls[call_at(&fold, LINE_FREE)];
    wait_for(&fold, 1, LINE_RECV, LINE_SEND, STARTED, 5);
    wait_for(&fold, 2, LINE_B, LINE_A, DONE, 2);
    wait_for(&fold, 3, LINE_FREE, LINE_SEND, STARTED, 10);
    wait_for(&fold, 4, LINE_B, LINE_SEND, STARTED, 2);
    wait_for(&fold, 5, LINE_RECV, LINE_SEND, DONE, 5);
    happen(&fold, 6, RECORD_DONE, LINE_A);
    assert_true(recv->waiting && b->waiting && release->waiting);
    happen(&fold, 7, RECORD_STARTED, LINE_SEND);
    assert_true(recv->waiting && !b->waiting && !release->waiting);
    assert_int_equal(b->waited_until, 7);
    assert_int_equal(release->waited_until, 7);
    happen(&fold, 8, RECORD_DONE, LINE_SEND);
    assert_false(recv->waiting);
    assert_int_equal(recv->waited_until, 8);
    fold_close(&fold);
}

static void test_freed_memory(void **state)
{
    (void)state;
    struct fold fold = fold_open(transfer);
    uint32_t y = memory_named(&fold, 1, "y"), call = call_at(&fold, LINE_FREE);
    view_apply(fold.view,
               &(struct record){.time = 1, .kind = RECORD_FREED, .rank = 1, .call = call, .memory = y});
    assert_cells(&fold, y, (enum cell_state[]){CELL_FREED, CELL_FREED, CELL_FREED, CELL_FREED});
    /* Made again: empty. */
    happen(&fold, 2, RECORD_RETURNED, 10);
    assert_cells(&fold, y, (enum cell_state[]){0, 0, 0, 0});
    fold_close(&fold);
}

/* The second A changes x while the first x is being sent: what arrives may be torn. */
static void test_a_source_written_during_its_send_tears_the_receive(void **state)
{
    (void)state;
    struct fold fold = fold_open(transfer);
    const float values[] = {1, 2, 3, 4};
    happen(&fold, 1, RECORD_STARTED, LINE_SEND);
    happen(&fold, 1, RECORD_STARTED, LINE_RECV);
    write_floats(&fold, 2, LINE_RECV, 0, values, 2);
    assert_int_equal(view_cell(fold.view, memory_named(&fold, 1, "x"), 0), CELL_VALUE);
    happen(&fold, 3, RECORD_STARTED, LINE_NEXT_A);
    write_floats(&fold, 4, LINE_RECV, 2, values + 2, 2);
    happen(&fold, 5, RECORD_DONE, LINE_SEND);
    happen(&fold, 5, RECORD_DONE, LINE_RECV);
    assert_cells(&fold, memory_named(&fold, 1, "x"),
                 (enum cell_state[]){CELL_TORN, CELL_TORN, CELL_TORN, CELL_TORN});
    assert_false(fold.view->calls[call_at(&fold, LINE_B)].overlapped);
    fold_close(&fold);
}

static void test_a_source_written_after_its_send_tears_nothing(void **state)
{
    (void)state;
    struct fold fold = fold_open(transfer);
    const float values[] = {1, 2, 3, 4};
    happen(&fold, 1, RECORD_STARTED, LINE_SEND);
    happen(&fold, 1, RECORD_STARTED, LINE_RECV);
    happen(&fold, 2, RECORD_DONE, LINE_SEND);
    happen(&fold, 3, RECORD_STARTED, LINE_NEXT_A);
    write_floats(&fold, 4, LINE_RECV, 0, values, 4);
    happen(&fold, 4, RECORD_DONE, LINE_RECV);
    assert_cells(&fold, memory_named(&fold, 1, "x"),
                 (enum cell_state[]){CELL_VALUE, CELL_VALUE, CELL_VALUE, CELL_VALUE});
    fold_close(&fold);
}

/* Starts the operations on two lines at once; whether the second's output is torn. */
static bool overlap_tears(const char *text, uint32_t first_line, uint32_t second_line)
{
    struct fold fold = fold_open(text);
    const float value = 1;
    uint32_t call = call_at(&fold, second_line);
    const struct statement *statement = call_statement(fold.program, call);
    const struct span *output = &fold.program->spans[statement->first_span + statement->span_count - 1];
    happen(&fold, 1, RECORD_STARTED, first_line);
    happen(&fold, 2, RECORD_STARTED, second_line);
    write_floats(&fold, 3, second_line, output->first, &value, 1);
    happen(&fold, 3, RECORD_DONE, second_line);
    happen(&fold, 3, RECORD_DONE, first_line);
    bool torn = view_cell(fold.view, output->memory, output->first) == CELL_TORN;
    assert_int_equal(torn, fold.view->calls[call].overlapped);
    assert_int_equal(torn, fold.view->calls[call_at(&fold, first_line)].overlapped);
    fold_close(&fold);
    return torn;
}

#define TWO_STREAMS                                                                                          \
    "rank 0\nbuffer a float32[4]\nbuffer b float32[4]\nbuffer c float32[4]\n"                                \
    "stream S nonblocking\nstream T nonblocking\n"

static void test_which_accesses_conflict(void **state)
{
    (void)state;
    /* both read a */
    assert_false(overlap_tears(TWO_STREAMS "launch k a -> b on S\nlaunch l a -> c on T\n", 7, 8));
    /* a is read and written */
    assert_true(overlap_tears(TWO_STREAMS "launch k -> a on S\nlaunch l a -> c on T\n", 7, 8));
    /* a is written twice */
    assert_true(overlap_tears(TWO_STREAMS "launch k -> a on S\nlaunch l -> a on T\n", 7, 8));
    /* different bytes of a */
    assert_false(overlap_tears(TWO_STREAMS "launch k -> a[0:2] on S\nlaunch l -> a[2:4] on T\n", 7, 8));
    /* one element of a in common */
    assert_true(overlap_tears(TWO_STREAMS "launch k -> a[0:3] on S\nlaunch l -> a[2:4] on T\n", 7, 8));
    /* two accumulations do not race (schedule-language.md), an accumulation and a write do */
    assert_false(overlap_tears(TWO_STREAMS "launch k ~> a on S\nlaunch l ~> a on T\n", 7, 8));
    assert_true(overlap_tears(TWO_STREAMS "launch k ~> a on S\nlaunch l -> a on T\n", 7, 8));
}

static void test_a_reader_tears_nothing(void **state)
{
    (void)state;
    struct fold fold = fold_open(TWO_STREAMS "launch k a -> b on S\nlaunch l -> a on T\n");
    const float values[] = {1, 2, 3, 4};
    happen(&fold, 1, RECORD_STARTED, 7);
    happen(&fold, 2, RECORD_STARTED, 8);
    write_floats(&fold, 3, 8, 0, values, 4);
    write_floats(&fold, 3, 7, 0, values, 4);
    assert_int_equal(view_cell(fold.view, memory_named(&fold, 0, "a"), 0), CELL_VALUE);
    assert_int_equal(view_cell(fold.view, memory_named(&fold, 0, "b"), 0), CELL_TORN);
    assert_true(fold.view->calls[call_at(&fold, 8)].overlapped);
    fold_close(&fold);
}

static void test_an_event_is_its_latest_record(void **state)
{
    (void)state;
    struct fold fold = fold_open("rank 0\nstream S\nrecord E on S\nrecord E on S\n");
    assert_int_equal(view_event_record(fold.view, 0), NONE);
    happen(&fold, 1, RECORD_SUBMITTED, 3);
    assert_int_equal(view_event_record(fold.view, 0), call_at(&fold, 3));
    happen(&fold, 2, RECORD_SUBMITTED, 4);
    assert_int_equal(view_event_record(fold.view, 0), call_at(&fold, 4));
    fold_close(&fold);
}

static void assert_value(const struct fold *fold, uint32_t rank, const char *name, uint32_t element,
                         const char *expected)
{
    struct text text = {0};
    view_format_value(fold->view, memory_named(fold, rank, name), element, &text);
    assert_string_equal(text_string(&text), expected);
    text_free(&text);
}

static void test_values_in_figures(void **state)
{
    (void)state;
    struct fold fold = fold_open(transfer);
    const float values[] = {16, 0.1f, 1e30f, -1.0f / 0.0f};
    write_floats(&fold, 1, LINE_A, 0, values, 4);
    assert_value(&fold, 0, "x", 0, "16");
    assert_value(&fold, 0, "x", 1, "0.1");
    assert_value(&fold, 0, "x", 2, "1e+30");
    assert_value(&fold, 0, "x", 3, "-inf");
    fold_close(&fold);
}

/* What an opaque kernel made keeps its name through the transfer, until another value takes its place. */
static void test_an_opaque_value_is_its_kernel_and_turn(void **state)
{
    (void)state;
    struct fold fold = fold_open("rank 0\nbuffer x float32[2]\nstream S\n"
                                 "launch k -> x on S\nlaunch k -> x on S\nsend x to 1 on S\n"
                                 "rank 1\nbuffer x float32[2]\nstream S\nrecv x from 0 on S\n");
    const float first[] = {7, 8}, second[] = {17, 18}, other[] = {5, 18};
    write_floats(&fold, 1, 4, 0, first, 2);
    assert_value(&fold, 0, "x", 0, "k#1");
    write_floats(&fold, 2, 5, 0, second, 2);
    assert_value(&fold, 0, "x", 1, "k#2");
    write_floats(&fold, 3, 10, 0, second, 2);
    assert_value(&fold, 1, "x", 0, "k#2");
    write_floats(&fold, 4, 10, 0, other, 2);
    assert_value(&fold, 1, "x", 0, "5");
    fold_close(&fold);
}

static void test_only_the_first_elements_are_kept(void **state)
{
    (void)state;
    struct fold fold = fold_open("rank 0\nbuffer x float32[2000]\nstream S\nlaunch A -> x on S\n");
    static float values[VIEW_ELEMENTS];
    values[VIEW_ELEMENTS - 1] = 1024;
    struct record record = {.kind = RECORD_WRITTEN, .count = 2000, .call = call_at(&fold, 4)};
    record.bytes = (const char *)values;
    record.length = sizeof values;
    view_apply(fold.view, &record);
    assert_int_equal(fold.view->memories[0].kept, VIEW_ELEMENTS);
    assert_value(&fold, 0, "x", VIEW_ELEMENTS - 1, "1024");
    assert_int_equal(view_cell(fold.view, 0, 1999), CELL_NEVER_WRITTEN);
    fold_close(&fold);
}

static void test_messages_are_visible(void **state)
{
    (void)state;
    struct fold fold = fold_open(transfer);
    view_apply(
        fold.view,
        &(struct record){.kind = RECORD_OUTPUT, .rank = 1, .call = NONE, .bytes = "\x1b[2J", .length = 4});
    assert_int_equal(fold.view->message_count, 1);
    assert_string_equal(fold.view->messages[0].text, "\\x1B[2J");
    for (int i = 0; i < 10000; i++)
        view_apply(fold.view, &(struct record){.kind = RECORD_NOTE, .bytes = "n", .length = 1});
    assert_true(fold.view->message_count <= 4096);
    fold_close(&fold);
}

static void test_processes(void **state)
{
    (void)state;
    struct fold fold = fold_open(transfer);
    view_apply(fold.view, &(struct record){.time = -9, .kind = RECORD_FORKED, .rank = 1, .number = 4101});
    view_apply(fold.view, &(struct record){.time = -8, .kind = RECORD_ID_PASSED, .rank = 1});
    view_apply(fold.view, &(struct record){.time = -7, .kind = RECORD_INITIALISING, .rank = 1});
    assert_true(fold.view->ranks[1].initialising);
    view_apply(fold.view, &(struct record){.time = 0, .kind = RECORD_READY, .rank = 1});
    view_apply(fold.view, &(struct record){.time = 5, .kind = RECORD_EXITED, .rank = 1, .number = -9});
    const struct view_rank *rank = &fold.view->ranks[1];
    assert_true(rank->forked && rank->has_id && rank->ready && !rank->initialising && rank->exited);
    assert_int_equal(rank->pid, 4101);
    assert_int_equal(rank->exit_status, -9);
    assert_int_equal(rank->exit_time, 5);
    fold_close(&fold);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times_of_a_call_and_its_operation),
        cmocka_unit_test(test_a_receive_that_waits_writes_nothing_yet),
        cmocka_unit_test(test_a_point_ends_the_waits_for_it_alone),
        cmocka_unit_test(test_freed_memory),
        cmocka_unit_test(test_a_source_written_during_its_send_tears_the_receive),
        cmocka_unit_test(test_a_source_written_after_its_send_tears_nothing),
        cmocka_unit_test(test_which_accesses_conflict),
        cmocka_unit_test(test_a_reader_tears_nothing),
        cmocka_unit_test(test_an_event_is_its_latest_record),
        cmocka_unit_test(test_values_in_figures),
        cmocka_unit_test(test_an_opaque_value_is_its_kernel_and_turn),
        cmocka_unit_test(test_only_the_first_elements_are_kept),
        cmocka_unit_test(test_messages_are_visible),
        cmocka_unit_test(test_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
