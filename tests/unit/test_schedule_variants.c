/* Variants: which lines are there, and what is said about them. */
#include "schedule_support.h"

static const char two_variants[] = "variant early-a \"the next A \xE2\x86\x92 sooner\"\n"
                                   "variant event   \"behind an event\"\n"
                                   "rank 0\n"
                                   "buffer x int8[4]\n"
                                   "launch a -> x on default [only early-a]\n"
                                   "launch b -> x on default [only early-a event]\n"
                                   "launch c -> x on default [not early-a]\n"
                                   "launch d -> x on default [not early-a event]\n"
                                   "launch e -> x on default [only event] [not early-a] # both\n"
                                   "launch f -> x on default\n";

static void check_kernels(const char *text, const char *variants, const char *expected)
{
    struct reading reading = read_under(text, variants);
    const struct program *program = reading.program;
    struct text kernels = {0};
    for (uint32_t call = 0; call < program->call_count; call++) {
        if (call_statement(program, call)->kind == CALL_LAUNCH)
            text_append(&kernels, program->kernels[call_statement(program, call)->kernel]);
    }
    assert_string_equal(text_string(&kernels), expected);
    text_free(&kernels);
    reading_free(&reading);
}

static void test_lines_are_there_under_their_variants(void **state)
{
    (void)state;
    check_kernels(two_variants, "", "cdf");
    check_kernels(two_variants, "early-a", "abf");
    check_kernels(two_variants, "event", "bcef");
    check_kernels(two_variants, "early-a,event", "abf");
    check_kernels(two_variants, "event,early-a,event", "abf");
}

static void test_a_variant_s_name_may_hold_hyphens(void **state)
{
    (void)state;
    static const char text[] = "variant a--b- \"w\"\nrank 0\nlaunch k on default [only a--b-]\n";
    check_kernels(text, "", "");
    check_kernels(text, "a--b-", "k");
    CHECK_FAULTS("variant -a \"w\"\nrank 0\n", {1, 9, "`-a`", "a name for the variant"});
    CHECK_FAULTS("rank 0\nlaunch k- on default\n", {2, 8, "`k-`", "the name of a kernel"});
}

static void test_a_line_knows_whether_it_is_on(void **state)
{
    (void)state;
    struct reading reading = read_schedule(two_variants);
    for (uint32_t line = 1; line <= 4; line++)
        assert_true(schedule_line_is_on(reading.schedule, line, 0));
    assert_false(schedule_line_is_on(reading.schedule, 5, 0));
    assert_true(schedule_line_is_on(reading.schedule, 5, 1));
    assert_false(schedule_line_is_on(reading.schedule, 5, 2));
    assert_true(schedule_line_is_on(reading.schedule, 6, 2));
    assert_false(schedule_line_is_on(reading.schedule, 9, 3));
    reading_free(&reading);
}

static void test_variants_are_listed_as_written(void **state)
{
    (void)state;
    struct reading reading = read_schedule(two_variants);
    assert_int_equal(schedule_variant_count(reading.schedule), 2);
    const struct variant *first = schedule_variant(reading.schedule, 0);
    assert_string_equal(first->name, "early-a");
    assert_string_equal(first->description, "the next A \xE2\x86\x92 sooner");
    assert_int_equal(schedule_variant(reading.schedule, 1)->place.line, 2);
    assert_int_equal(schedule_variant(reading.schedule, 1)->place.column, 9);
    reading_free(&reading);
}

static void check_choice_fails(const struct schedule *schedule, const char *names, const char *message)
{
    uint32_t set;
    struct error error = {0};
    assert_false(schedule_choose_variants(schedule, names, &set, &error));
    assert_non_null(strstr(error.message, message));
}

static void test_choosing_names_the_nearest(void **state)
{
    (void)state;
    struct reading reading = read_schedule(two_variants);
    check_choice_fails(reading.schedule, "evnet", "`evnet`; the nearest is `event`");
    check_choice_fails(reading.schedule, "event,early", "`early`");
    check_choice_fails(reading.schedule, "event,", "after the last `,`");
    check_choice_fails(reading.schedule, ",event", "no variant ``");
    reading_free(&reading);
    reading = read_schedule("rank 0\n");
    check_choice_fails(reading.schedule, "any", "declares none");
    reading_free(&reading);
}

static void test_faults_of_variants(void **state)
{
    (void)state;
    CHECK_FAULTS("variant\nrank 0\n", {1, 8, "the end of the line", "a name for the variant"});
    CHECK_FAULTS("variant v\nrank 0\n", {1, 10, "the end of the line", "what the variant changes"});
    CHECK_FAULTS("variant v \"open\nrank 0\n", {1, 11, "no closing `\"`", "on this line"});
    CHECK_FAULTS("variant v \"w\"\nvariant v \"w\"\nrank 0\n", {2, 9, "second variant `v`", "line 1"});
    CHECK_FAULTS("variant v \"w\" [only v]\nrank 0\n", {1, 15, "`[`", "a variant is always there"});
    CHECK_FAULTS("variant slow \"w\"\nrank 0\nbarrier [only slwo]\n", {3, 15, "`slwo`", "`slow`"});
    CHECK_FAULTS("rank 0\nbarrier [not slow]\n", {2, 14, "`slow`", "declares none"});
    CHECK_FAULTS("variant v \"w\"\nrank 0\nbarrier [only]\n", {3, 14, "`]`", "the name of a variant"});
    CHECK_FAULTS("variant v \"w\"\nrank 0\nbarrier [only v\n", {3, 16, "the end of the line", "`]`"});
    CHECK_FAULTS("variant v \"w\"\nrank 0\nbarrier [only v] [only v]\n", {3, 18, "second `[only", ""});
    CHECK_FAULTS("variant v \"w\"\nrank 0\nbarrier [only v] x\n", {3, 18, "`x`", "the end of the line"});
    CHECK_FAULTS("variant v \"w\"\nrank 0\nbarrier [when v]\n", {3, 9, "`[`", "the end of the line"});
}

static void test_more_variants_than_may_be(void **state)
{
    (void)state;
    struct text text = {0};
    for (int i = 0; i < SCHEDULE_MAX_VARIANTS; i++)
        text_format(&text, "variant v%d \"\"\n", i);
    text_append(&text, "rank 0\nbarrier [only v31]\n");
    struct reading reading = read_under(text_string(&text), "v31");
    assert_int_equal(reading.program->call_count, 1);
    reading_free(&reading);
    text_clear(&text);
    for (int i = 0; i < SCHEDULE_MAX_VARIANTS + 2; i++)
        text_format(&text, "variant v%d \"\"\n", i);
    text_append(&text, "rank 0\nbarrier [only v33]\n");
    CHECK_FAULTS(text_string(&text), {33, 9, "one variant more", "32"});
    text_free(&text);
}

static void test_a_long_name(void **state)
{
    (void)state;
    struct text text = {0};
    text_append(&text, "variant ");
    for (int i = 0; i <= SCHEDULE_MAX_NAME; i++)
        text_append(&text, "v");
    text_append(&text, " \"w\"\nrank 0\n");
    CHECK_FAULTS(text_string(&text), {1, 9, "a name of 256 bytes", "at most 255"});
    text_free(&text);
}

static void test_misspelt_names_of_lines_that_are_off(void **state)
{
    (void)state;
    CHECK_FAULTS("variant v \"w\"\nrank 0\nbuffer x int8[1]\nstream s\nsend y to 1 on s [only v]\n"
                 "free xx [only v]\nsync t [only v]\ndestroy wrld [only v]\nrank 1\n",
                 {5, 6, "`y`", "a buffer"}, {6, 6, "`xx`", "`x`"}, {7, 6, "`t`", "a stream"},
                 {8, 9, "`wrld`", "a communicator"});
    /* Declared somewhere in the rank, if only on a line that is off as well: nothing is wrong. */
    check_kernels("variant v \"w\"\ncomm c [only v]\nrank 0\nlaunch k x -> y on s [only v]\n"
                  "destroy c [only v]\nbuffer x int8[1] [only v]\nbuffer y int8[1]\nstream s [only v]\n",
                  "", "");
    check_kernels("variant v \"w\"\nrank 0\ncomm c [only v]\nabort c [only v]\n", "", "");
    /* Another rank's name does not count. */
    CHECK_FAULTS("variant v \"w\"\nrank 0\nbuffer x int8[1]\nrank 1\nset x to 1 [only v]\n",
                 {5, 5, "`x`", "rank 1"});
}

static void test_a_name_that_only_other_variants_declare(void **state)
{
    (void)state;
    static const char text[] = "variant v \"w\"\nrank 0\nbuffer x int8[1] [only v]\nset x to 1\n";
    CHECK_FAULTS(text, {4, 5, "`x`", "line 3 declares it under other variants only"});
    struct reading reading = {.schedule = NULL};
    struct diagnostics diagnostics = {0};
    reading.schedule = schedule_parse(text, strlen(text), 1, &diagnostics);
    assert_non_null(reading.schedule);
    reading.program = program_resolve(reading.schedule, 1, &diagnostics);
    assert_no_faults(&diagnostics);
    reading_free(&reading);
    CHECK_FAULTS("variant v \"w\"\ncomm c [only v]\nrank 0\nabort c\n",
                 {4, 7, "`c`", "line 2 declares it under other variants only"});
}

static void test_one_name_may_be_declared_under_each_variant(void **state)
{
    (void)state;
    static const char text[] = "variant v \"w\"\nrank 0\nstream s [not v]\nstream s nonblocking [only v]\n"
                               "launch k on s\n";
    for (int on = 0; on <= 1; on++) {
        struct reading reading = read_under(text, on ? "v" : "");
        const struct statement *launch = statement_of(reading.program, 0, 1);
        assert_int_equal(reading.program->streams[launch->stream].nonblocking, on);
        reading_free(&reading);
    }
}

static void test_ranks_and_blocks_may_differ(void **state)
{
    (void)state;
    static const char text[] = "variant swap \"w\"\nvariant more \"w\"\nranks 3 [only more]\n"
                               "rank 0 [not swap]\nrank 0 on gpu 1 [only swap]\nbarrier\n"
                               "rank 1 on gpu 0 [only swap]\nrank 1 [not swap]\n"
                               "group [only more]\nrepeat 2 [only swap]\nbarrier\nend [only swap]\n"
                               "end [only more]\n";
    static const struct {
        const char *variants;
        uint32_t ranks, first_gpu, second_gpu, calls;
    } expected[] = {{"", 2, 0, 1, 1}, {"swap", 2, 1, 0, 2}, {"more", 3, 0, 1, 3}, {"swap,more", 3, 1, 0, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct reading reading = read_under(text, expected[i].variants);
        assert_int_equal(reading.program->rank_count, expected[i].ranks);
        assert_int_equal(reading.program->ranks[0].gpu, expected[i].first_gpu);
        assert_int_equal(reading.program->ranks[1].gpu, expected[i].second_gpu);
        assert_int_equal(reading.program->ranks[1].call_count, expected[i].calls);
        reading_free(&reading);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_are_there_under_their_variants),
        cmocka_unit_test(test_a_variant_s_name_may_hold_hyphens),
        cmocka_unit_test(test_a_line_knows_whether_it_is_on),
        cmocka_unit_test(test_variants_are_listed_as_written),
        cmocka_unit_test(test_choosing_names_the_nearest),
        cmocka_unit_test(test_faults_of_variants),
        cmocka_unit_test(test_more_variants_than_may_be),
        cmocka_unit_test(test_a_long_name),
        cmocka_unit_test(test_misspelt_names_of_lines_that_are_off),
        cmocka_unit_test(test_a_name_that_only_other_variants_declare),
        cmocka_unit_test(test_one_name_may_be_declared_under_each_variant),
        cmocka_unit_test(test_ranks_and_blocks_may_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
