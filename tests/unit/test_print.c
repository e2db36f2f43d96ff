#include "fold.h"

#include <jansson.h>

#include "log/print.h"
#include "log/result.h"

static const char schedule[] = "rank 0\n"                  /* 1 */
                               "buffer x float32[4]\n"     /* 2 */
                               "stream s nonblocking\n"    /* 3 */
                               "launch A -> x on s\n"      /* 4 */
                               "send x to 1 on s\n"        /* 5 */
                               "rank 1\n"                  /* 6 */
                               "buffer x float32[4]\n"     /* 7 */
                               "stream t nonblocking\n"    /* 8 */
                               "recv x from 0 on t\n"      /* 9 */
                               "launch B x -> x on t\n"    /* 10 */
                               "buffer big uint64[2000]\n" /* 11 */
                               "set big to 255 on t\n";    /* 12 */

static struct record record_of(const struct fold *fold, int64_t time, enum record_kind kind, uint32_t line)
{
    uint32_t call = call_at(fold, line);
    return (struct record){.time = time,
                           .kind = (uint8_t)kind,
                           .rank = call_statement(fold->program, call)->rank,
                           .call = call,
                           .point = NONE};
}

static void assert_line(const struct fold *fold, const struct record *record, bool ascii,
                        const char *expected)
{
    const struct print print = print_open(fold->view, ascii);
    struct text out = {0};
    view_apply(fold->view, record);
    print_record(&print, record, &out);
    assert_string_equal(text_string(&out), expected);
    text_free(&out);
}

static void test_lines_of_events(void **state)
{
    (void)state;
    struct fold fold = fold_open(schedule);
    struct record record = {.time = -2500000, .kind = RECORD_FORKED, .rank = 1, .call = NONE, .number = 4101};
    assert_line(&fold, &record, false, "    -2.500 ms  rank 1   process 4101 forked\n");
    record = record_of(&fold, 1234567, RECORD_STARTED, 9);
    assert_line(&fold, &record, false, "     1.235 ms  rank 1   recv x from 0 on t       started\n");
    record = record_of(&fold, 1234567, RECORD_WAITING, 9);
    record.point = point_of(call_at(&fold, 5), STARTED);
    record.rule = 5;
    assert_line(
        &fold, &record, false,
        "     1.235 ms  rank 1   recv x from 0 on t       waits for rank 0's send of x: rank 0 is not at "
        "its first call yet\n");
    const float values[] = {1, 2};
    record = record_of(&fold, 2000000, RECORD_WRITTEN, 9);
    record.memory = memory_named(&fold, 1, "x");
    record.first = 1;
    record.count = 2;
    record.bytes = (const char *)values;
    record.length = sizeof values;
    assert_line(&fold, &record, false, "     2.000 ms  rank 1   recv x from 0 on t       x[1:3] = 1 2\n");
    record = (struct record){
        .time = 0, .kind = RECORD_OUTPUT, .rank = 0, .call = NONE, .bytes = "\x1b[m", .length = 3};
    assert_line(&fold, &record, false, "     0.000 ms  rank 0   \\x1B[m\n");
    record = (struct record){.time = 3000000, .kind = RECORD_EXITED, .rank = 0, .number = -9};
    assert_line(&fold, &record, false, "     3.000 ms  rank 0   process was ended by signal 9\n");
    fold_close(&fold);
}

static void test_what_a_stuck_run_waits_for(void **state)
{
    (void)state;
    struct fold fold = fold_open(schedule);
    happen(&fold, 1, RECORD_CALLED, 9);
    happen(&fold, 1, RECORD_SUBMITTED, 9);
    happen(&fold, 1, RECORD_CALLED, 10);
    happen(&fold, 1, RECORD_SUBMITTED, 10);
    happen(&fold, 1, RECORD_CALLED, 4);
    happen(&fold, 1, RECORD_SUBMITTED, 4);
    happen(&fold, 2, RECORD_STARTED, 4);
    happen(&fold, 3, RECORD_DONE, 4);
    happen(&fold, 3, RECORD_STARTED, 9);
    wait_for(&fold, 3, 9, 0, ENTERED, 5);
    const struct print print = print_open(fold.view, false);
    struct text out = {0};
    print_waiting(&print, &out);
    assert_string_equal(
        text_string(&out),
        "               rank 1   recv x from 0 on t       waits for rank 0's send, which never comes\n"
        "               rank 1   launch B x -> x on t     behind recv x from 0 on t\n");
    text_free(&out);
    fold_close(&fold);
}

/* Two launches at once on x; the first two elements of it written, and the buffer big for a part. */
static void write_buffers(struct fold *fold)
{
    static uint64_t ones[VIEW_ELEMENTS];
    const float values[] = {0.0f / 0.0f, 1e10f};
    happen(fold, 1, RECORD_RETURNED, 2);
    happen(fold, 1, RECORD_RETURNED, 7);
    happen(fold, 1, RECORD_RETURNED, 11);
    happen(fold, 1, RECORD_STARTED, 9);
    happen(fold, 1, RECORD_STARTED, 10);
    write_floats(fold, 2, 10, 0, values, 2);
    happen(fold, 2, RECORD_DONE, 9);
    happen(fold, 2, RECORD_DONE, 10);
    memset(ones, 0xFF, sizeof ones);
    struct record record = record_of(fold, 3, RECORD_WRITTEN, 12);
    record.memory = memory_named(fold, 1, "big");
    record.count = 2000;
    record.bytes = (const char *)ones;
    record.length = sizeof ones;
    view_apply(fold->view, &record);
    view_apply(fold->view, &(struct record){.time = 4, .kind = RECORD_FORKED, .rank = 1, .number = 77});
}

static void test_buffers(void **state)
{
    (void)state;
    struct fold fold = fold_open(schedule);
    write_buffers(&fold);
    const struct print print = print_open(fold.view, true);
    const uint16_t gpus[] = {3, 2};
    struct text out = {0};
    print_buffers(&print, gpus, 2, &out);
    const char *expected[] = {
        "rank 0, process 0, GPU 3\n  x    float32[4]    . . . .\n",
        "rank 1, process 77, GPU 2\n  x    float32[4]    nan? 1e+10? . .\n",
        "  big  uint64[2000]  18446744073709551615 18446744073709551615 ",
        " ... 1996 more\n?  may be torn",
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (!strstr(text_string(&out), expected[i]))
            fail_msg("%s\nis not in\n%s", expected[i], text_string(&out));
    text_free(&out);
    fold_close(&fold);
}

static void test_the_result_as_json(void **state)
{
    (void)state;
    struct fold fold = fold_open(schedule);
    write_buffers(&fold);
    happen(&fold, 5000000000, RECORD_SUBMITTED, 12);
    view_apply(fold.view, &(struct record){.time = 9, .kind = RECORD_OUTCOME, .number = OUTCOME_STUCK});
    const struct log_header header = {.backend = "simulated", .gpus = {3, 2}, .gpu_count = 2};
    struct text out = {0};
    result_to_json(fold.view, &header, &out);
    json_error_t error;
    json_t *result = json_loads(text_string(&out), JSON_REJECT_DUPLICATES, &error);
    if (!result)
        fail_msg("%s in %s", error.text, text_string(&out));
    assert_string_equal(json_string_value(json_object_get(result, "outcome")), "stuck");
    const json_t *ranks = json_object_get(result, "ranks"),
                 *operations = json_object_get(result, "operations");
    assert_int_equal(json_array_size(ranks), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(ranks, 1), "gpu")), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(ranks, 1), "pid")), 77);
    const json_t *buffers = json_object_get(json_array_get(ranks, 1), "buffers");
    const json_t *x = json_object_get(json_object_get(buffers, "x"), "values");
    assert_int_equal(json_array_size(x), 4);
    assert_string_equal(json_string_value(json_array_get(x, 0)), "NaN");
    assert_true(json_real_value(json_array_get(x, 1)) == 1e10);
    assert_true(json_is_null(json_array_get(x, 2)));
    const json_t *big = json_object_get(buffers, "big");
    assert_int_equal(json_integer_value(json_object_get(big, "count")), 2000);
    assert_string_equal(json_string_value(json_object_get(big, "type")), "uint64");
    assert_int_equal(json_array_size(json_object_get(big, "values")), 1024);
    /* launch, send; recv, launch, set */
    assert_int_equal(json_array_size(operations), 5);
    const json_t *set = json_array_get(operations, 4);
    assert_int_equal(json_integer_value(json_object_get(set, "line")), 12);
    assert_string_equal(json_string_value(json_object_get(set, "kind")), "set");
    assert_string_equal(json_string_value(json_object_get(set, "stream")), "t");
    assert_int_equal(json_integer_value(json_object_get(set, "submitted")), 5000000000);
    assert_true(json_is_null(json_object_get(set, "done")));
    json_decref(result);
    text_free(&out);
    fold_close(&fold);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_of_events),
        cmocka_unit_test(test_what_a_stuck_run_waits_for),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_the_result_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
