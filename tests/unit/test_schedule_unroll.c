/* What `repeat` and `group` make of the lines between, turns, names that are declared again, and limits. */
#include "schedule_support.h"

static void check_turns(const struct program *program, const uint32_t *expected, uint32_t count)
{
    assert_int_equal(program->call_count, count);
    for (uint32_t call = 0; call < count; call++)
        assert_int_equal(program->calls[call].turn, expected[call]);
}

static void test_turns_count_each_kernel_and_the_host_writes(void **state)
{
    (void)state;
    struct reading reading = read_schedule("rank 0\n"
                                           "launch A on default\n"
                                           "launch B on default\n"
                                           "repeat 2\n"
                                           "launch A on default\n"
                                           "end\n"
                                           "host h int8[1]\n"
                                           "host g int8[1]\n"
                                           "write h\n"
                                           "write g\n"
                                           "launch B on default\n"
                                           "rank 1\n"
                                           "host h int8[1]\n"
                                           "launch A on default\n"
                                           "write h\n"
                                           "rank 0\n"
                                           "launch A on default\n");
    static const uint32_t expected[] = {0, 0, 1, 2, 0, 0, 0, 1, 1, 3, 0, 0, 0};
    check_turns(reading.program, expected, 13);
    reading_free(&reading);
}

static void test_repeats_in_one_another_multiply(void **state)
{
    (void)state;
    struct reading reading = read_schedule("rank 0\n"
                                           "repeat 3\n"
                                           "  barrier\n"
                                           "  repeat 4\n"
                                           "    launch A on default\n"
                                           "  end\n"
                                           "  repeat 1\n"
                                           "    launch C on default\n"
                                           "  end\n"
                                           "end\n"
                                           "barrier\n");
    const struct program *program = reading.program;
    assert_int_equal(program->call_count, 3 * (1 + 4 + 1) + 1);
    uint32_t call = 0;
    for (uint32_t outer = 0; outer < 3; outer++) {
        assert_int_equal(call_statement(program, call++)->kind, CALL_BARRIER);
        for (uint32_t inner = 0; inner < 4; inner++, call++) {
            assert_string_equal(program->kernels[call_statement(program, call)->kernel], "A");
            assert_int_equal(program->calls[call].turn, 4 * outer + inner);
        }
        assert_string_equal(program->kernels[call_statement(program, call)->kernel], "C");
        assert_int_equal(program->calls[call++].turn, outer);
    }
    assert_int_equal(program->statement_count, 4); /* one a line */
    reading_free(&reading);
}

static void test_groups_hold_their_members(void **state)
{
    (void)state;
    struct reading reading = read_schedule("rank 0\n"
                                           "buffer x int8[1]\n"
                                           "group\n"
                                           "launch k on default\n"
                                           "group\n"
                                           "send x to 1 on default\n"
                                           "end\n"
                                           "repeat 2\n"
                                           "recv x from 1 on default\n"
                                           "end\n"
                                           "end\n"
                                           "barrier\n"
                                           "rank 1\n");
    static const struct {
        enum call_kind kind;
        bool in_group;
    } expected[] = {{CALL_BUFFER, false},    {CALL_GROUP, false},    {CALL_LAUNCH, true}, {CALL_GROUP, true},
                    {CALL_SEND, true},       {CALL_GROUP_END, true}, {CALL_RECV, true},   {CALL_RECV, true},
                    {CALL_GROUP_END, false}, {CALL_BARRIER, false}};
    assert_int_equal(reading.program->call_count, 10);
    for (uint32_t call = 0; call < 10; call++) {
        assert_int_equal(call_statement(reading.program, call)->kind, expected[call].kind);
        assert_int_equal(call_statement(reading.program, call)->in_group, expected[call].in_group);
    }
    reading_free(&reading);
}

static uint32_t read_memory(const struct program *program, uint32_t call)
{
    return program->spans[call_statement(program, call)->first_span].memory;
}

static void test_a_name_may_be_declared_again_after_free(void **state)
{
    (void)state;
    struct reading reading = read_schedule("rank 0\n"
                                           "host x int8[1]\n"
                                           "read x\n"
                                           "free x\n"
                                           "read x\n"
                                           "host x int32[5]\n"
                                           "read x\n");
    const struct program *program = reading.program;
    assert_int_equal(program->memory_count, 2);
    assert_int_equal(read_memory(program, 1), 0);
    assert_int_equal(read_memory(program, 3), 0); /* used after it was freed: the checker's business */
    assert_int_equal(read_memory(program, 5), 1);
    assert_int_equal(program->memories[1].count, 5);
    assert_int_equal(call_statement(program, 4)->memory, 1);
    assert_int_equal(program->memories[1].declared, program->calls[4].statement);
    assert_int_equal(call_statement(program, 2)->memory, 0);
    reading_free(&reading);
}

static void test_repeat_may_declare_again_what_it_frees(void **state)
{
    (void)state;
    struct reading reading = read_schedule("rank 0\n"
                                           "repeat 1000\n"
                                           "host x int8[1]\n"
                                           "read x\n"
                                           "free x\n"
                                           "end\n");
    assert_int_equal(reading.program->memory_count, 1);
    assert_int_equal(reading.program->statement_count, 3);
    assert_int_equal(reading.program->call_count, 3000);
    reading_free(&reading);
}

static void test_a_line_may_mean_another_thing_the_second_time(void **state)
{
    (void)state;
    struct reading reading = read_schedule("rank 0\n"
                                           "host x int8[1]\n"
                                           "repeat 4\n"
                                           "read x\n"
                                           "free x\n"
                                           "host x int8[2]\n"
                                           "end\n"
                                           "use gpu 0\n"
                                           "repeat 3\n"
                                           "launch k on default\n"
                                           "use gpu 1\n"
                                           "end\n");
    const struct program *program = reading.program;
    assert_int_equal(program->memory_count, 2);
    static const uint32_t expected[] = {0, 1, 1, 1};
    for (uint32_t time = 0; time < 4; time++)
        assert_int_equal(read_memory(program, 1 + 3 * time), expected[time]);
    const uint32_t first_launch = 1 + 3 * 4 + 1;
    static const uint32_t gpus[] = {0, 1, 1};
    for (uint32_t time = 0; time < 3; time++) {
        const struct statement *launch = call_statement(program, first_launch + 2 * time);
        assert_int_equal(launch->gpu, gpus[time]);
        assert_int_equal(program->streams[launch->stream].gpu, gpus[time]);
        assert_int_equal(program->calls[first_launch + 2 * time].turn, time);
    }
    reading_free(&reading);
}

static void test_repeat_may_not_declare_what_stays(void **state)
{
    (void)state;
    CHECK_FAULTS("rank 0\nrepeat 3\nbuffer x int8[1]\nend\n",
                 {3, 8, "`x` declared again by `repeat`", "`free`"});
    CHECK_FAULTS("rank 0\nrepeat 2\nstream s\nend\n",
                 {3, 8, "`s` declared again by `repeat`", "another name"});
    CHECK_FAULTS("rank 0\nrepeat 2\ncomm c\nend\n", {3, 6, "`c` declared again by `repeat`", "another name"});
    struct reading reading = read_schedule("rank 0\nrepeat 1\nbuffer x int8[1]\nend\n");
    assert_int_equal(reading.program->memory_count, 1);
    reading_free(&reading);
}

static void test_a_fault_inside_repeat_is_told_once(void **state)
{
    (void)state;
    CHECK_FAULTS("rank 0\nhost h int8[2]\nrepeat 5\nread h[2]\nread g\nend\n",
                 {4, 6, "element 2 of `h`", "0 to 1"}, {5, 6, "`g`", "memory of rank 0"});
}

static void test_more_calls_than_may_be(void **state)
{
    (void)state;
    _Static_assert(SCHEDULE_MAX_CALLS == 16777216, "the numbers below");
    CHECK_FAULTS("rank 0\nrepeat 8388609\nbarrier\nbarrier\nend\n",
                 {2, 8, "16777218 calls", "at most 16777216"});
    CHECK_FAULTS("rank 0\nrepeat 16777217\nbarrier\nend\n", {2, 8, "`16777217`", "from 1 to 16777216"});
    CHECK_FAULTS("rank 0\nrepeat 16777216\nbarrier\nend\n  barrier\n",
                 {5, 3, "16777217 calls", "at most 16777216"});
    struct text text = {0};
    text_append(&text, "rank 0\n");
    for (int i = 0; i < 10; i++)
        text_append(&text, "repeat 1000\n");
    text_append(&text, "barrier\n");
    for (int i = 0; i < 10; i++)
        text_append(&text, "end\n");
    /* Told at the `repeat` that goes too far: 1000 * 1000 calls are few enough, 1000 times that are not. */
    CHECK_FAULTS(text_string(&text), {9, 8, "1000000000 calls", "at most 16777216"});
    text_free(&text);
}

static void test_the_limit_is_of_all_ranks(void **state)
{
    (void)state;
    CHECK_FAULTS("rank 0\nrepeat 9000000\nbarrier\nend\nrank 1\nrepeat 9000000\nbarrier\nend\n",
                 {6, 8, "18000000 calls", "at most 16777216"});
}

static void test_nesting_has_a_limit(void **state)
{
    (void)state;
    struct text text = {0};
    text_append(&text, "rank 0\n");
    for (int i = 0; i < SCHEDULE_MAX_NESTING; i++)
        text_append(&text, i % 2 ? "group\n" : "repeat 2\n");
    text_append(&text, "barrier\n");
    for (int i = 0; i < SCHEDULE_MAX_NESTING; i++)
        text_append(&text, "end\n");
    struct reading reading = read_schedule(text_string(&text));
    /* Eight repeats double what is inside: one barrier, and the calls of the eight groups. */
    uint32_t expected = 1;
    for (int i = 0; i < SCHEDULE_MAX_NESTING / 2; i++)
        expected = 2 * (expected + 2);
    assert_int_equal(reading.program->call_count, expected);
    reading_free(&reading);
    text_clear(&text);
    text_append(&text, "rank 0\n");
    for (int i = 0; i < 100000; i++)
        text_append(&text, "group\n");
    CHECK_FAULTS(text_string(&text), {18, 1, "`group` in 16 others", "at most 16"});
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns_count_each_kernel_and_the_host_writes),
        cmocka_unit_test(test_repeats_in_one_another_multiply),
        cmocka_unit_test(test_groups_hold_their_members),
        cmocka_unit_test(test_a_name_may_be_declared_again_after_free),
        cmocka_unit_test(test_repeat_may_declare_again_what_it_frees),
        cmocka_unit_test(test_a_line_may_mean_another_thing_the_second_time),
        cmocka_unit_test(test_repeat_may_not_declare_what_stays),
        cmocka_unit_test(test_a_fault_inside_repeat_is_told_once),
        cmocka_unit_test(test_more_calls_than_may_be),
        cmocka_unit_test(test_the_limit_is_of_all_ranks),
        cmocka_unit_test(test_nesting_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
