/* Texts that nobody would write by hand. */
#include "schedule_support.h"

static void check_fault(const char *text, size_t length, struct fault fault)
{
    check_faults_under(text, length, 0, &fault, 1);
}

static void test_bytes_that_are_no_text(void **state)
{
    (void)state;
    check_fault("rank 0\nbar\0rier\n", 16, (struct fault){1, 1, "binary file", "text"});
    check_fault("\x7F"
                "ELF\x02\x01\x01\0\0\0\0",
                11, (struct fault){1, 1, "binary file", "text"});
    check_fault("rank 0 # caf\xE9\n", 14, (struct fault){1, 13, "\\xE9", "UTF-8"});
    check_fault("rank 0\nread \xC0\xAF\n", 15, (struct fault){2, 6, "\\xC0", "UTF-8"});
    check_fault("rank 0\n\xF0\x9F\x98", 10, (struct fault){2, 1, "\\xF0", "UTF-8"});
}

static void test_what_a_terminal_obeys_is_made_visible(void **state)
{
    (void)state;
    CHECK_FAULTS("rank 0\nread \x1B[31mred\n", {2, 6, "`\\x1B`", "memory"});
    CHECK_FAULTS("rank 0\nbarrier \x1B]0;title\x07\n", {2, 9, "`\\x1B`", "the end of the line"});
    CHECK_FAULTS("rank 0\n\xE2\x80\xAE\n", {2, 1, "`\\u{202E}`", "a statement"});
    CHECK_FAULTS("rank 0\nbarrier\rbarrier\n", {2, 1, "`barrier\\x0Dbarrier`", "a statement"});
}

static void test_a_long_word_is_cut_between_code_points(void **state)
{
    (void)state;
    struct text text = {0};
    text_append(&text, "rank 0\nread x");
    for (int i = 0; i < 100; i++)
        text_append(&text, "\xE2\x86\x92");
    text_append(&text, "\n");
    /* 48 bytes at most: x and 15 arrows of three bytes. */
    struct text shown = {0};
    text_append(&shown, "found `x");
    for (int i = 0; i < 15; i++)
        text_append(&shown, "\xE2\x86\x92");
    text_append(&shown, "...`,");
    CHECK_FAULTS(text_string(&text), {2, 6, text_string(&shown), "memory"});
    text_free(&shown);
    text_free(&text);
}

static void test_long_lines_and_names(void **state)
{
    (void)state;
    struct text text = {0};
    text_append(&text, "rank 0 #");
    while (text.length < SCHEDULE_MAX_LINE)
        text_append(&text, "x");
    struct reading reading = read_schedule(text_string(&text));
    reading_free(&reading);
    text_append(&text, "x");
    CHECK_FAULTS(text_string(&text), {1, 1, "a line of 65537 bytes", "at most 65536"});

    text_clear(&text);
    text_append(&text, "rank 0\nread h");
    while (text.length < 1000000)
        text_append(&text, "hhhhhhhhhh");
    text_append(&text, "\nbarrier x\n");
    CHECK_FAULTS(text_string(&text), {2, 1, "a line of", "at most 65536"},
                 {3, 9, "`x`", "the end of the line"});

    text_clear(&text);
    text_append(&text, "rank 0\nhost ");
    for (int i = 0; i < SCHEDULE_MAX_NAME; i++)
        text_append(&text, "n");
    size_t longest = text.length;
    text_append(&text, " int8[1]\n");
    reading = read_schedule(text_string(&text));
    assert_int_equal(strlen(reading.program->memories[0].name), SCHEDULE_MAX_NAME);
    reading_free(&reading);
    text.length = longest;
    text_append(&text, "n int8[1]\n");
    CHECK_FAULTS(text_string(&text), {2, 6, "a name of 256 bytes", "at most 255"});
    text_free(&text);
}

static void test_a_text_beyond_the_limit_is_not_looked_at(void **state)
{
    (void)state;
    /* Only the length is longer than the text: reading on would end badly. */
    check_fault("rank 0\n", (size_t)SCHEDULE_MAX_BYTES + 1,
                (struct fault){1, 1, "268435457 bytes", "at most 268435456"});
}

static void test_line_ends_and_byte_order_mark(void **state)
{
    (void)state;
    struct reading reading =
        read_schedule("\xEF\xBB\xBFrank 0\r\n\thost h int8[2]\r\n\r\nwrite h # done\r\nread h[1]");
    assert_int_equal(reading.program->call_count, 3);
    assert_int_equal(schedule_line_count(reading.schedule), 5);
    size_t length;
    const char *line = schedule_line(reading.schedule, 1, &length);
    assert_int_equal(length, 6);
    assert_memory_equal(line, "rank 0", 6);
    schedule_line(reading.schedule, 3, &length);
    assert_int_equal(length, 0);
    line = schedule_line(reading.schedule, 5, &length);
    assert_int_equal(length, 9);
    assert_memory_equal(line, "read h[1]", 9);
    assert_int_equal(statement_of(reading.program, 0, 0)->column, 2);
    reading_free(&reading);
    CHECK_FAULTS("\xEF\xBB\xBFrnak 0\n", {1, 1, "`rnak`", "`rank`"});
    CHECK_FAULTS("\xEF\xBB\xBF", {1, 1, "no `rank`", ""});
}

static void test_only_so_many_faults_are_kept(void **state)
{
    (void)state;
    struct text text = {0}, out = {0};
    text_append(&text, "rank 0\n");
    for (int i = 0; i < 300; i++)
        text_format(&text, "read q%d\n", i);
    struct diagnostics diagnostics = {0};
    struct schedule *schedule = schedule_parse(text_string(&text), text.length, 1, &diagnostics);
    assert_null(program_resolve(schedule, 0, &diagnostics));
    assert_int_equal(diagnostics.count, DIAGNOSTIC_LIMIT);
    assert_int_equal(diagnostics.left_out, 300 - DIAGNOSTIC_LIMIT);
    diagnostics_print(&diagnostics, "a\nb", &out);
    assert_non_null(strstr(text_string(&out), "a\\nb:2:6: error: "));
    assert_non_null(strstr(text_string(&out), "a\\nb: 200 more errors are not shown\n"));
    schedule_free(schedule);
    diagnostics_free(&diagnostics);
    text_free(&text);
    text_free(&out);
}

static void test_a_file_that_is_all_faults(void **state)
{
    (void)state;
    struct text text = {0}, out = {0};
    for (int i = 0; i < 1000; i++)
        text_append(&text, "sned x to 1 on s\n");
    struct diagnostics diagnostics = {0};
    assert_null(schedule_parse(text_string(&text), text.length, 1, &diagnostics));
    assert_int_equal(diagnostics.count, DIAGNOSTIC_LIMIT);
    assert_int_equal(diagnostics.left_out, 1000 - DIAGNOSTIC_LIMIT);
    diagnostics_print(&diagnostics, "f", &out);
    assert_non_null(strstr(text_string(&out), "f:100:1: error: found `sned`"));
    text_free(&out);
    diagnostics_free(&diagnostics);
    text_free(&text);
}

static void test_ten_thousand_buffers(void **state)
{
    (void)state;
    struct text text = {0};
    text_append(&text, "rank 0\n");
    for (int i = 0; i < 10000; i++)
        text_format(&text, "host b%d int8[%d]\n", i, i + 1);
    for (int i = 0; i < 10000; i++)
        text_format(&text, "read b%d[%d]\n", i, i);
    struct reading reading = read_schedule(text_string(&text));
    const struct program *program = reading.program;
    assert_int_equal(program->memory_count, 10000);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(program->spans[statement_of(program, 0, 10000 + i)->first_span].memory, i);
    reading_free(&reading);
    text_free(&text);
}

static void test_many_ranks_in_many_blocks(void **state)
{
    (void)state;
    struct text text = {0};
    for (int block = 0; block < 100; block++) {
        for (int rank = SCHEDULE_MAX_RANKS - 1; rank >= 0; rank--)
            text_format(&text, "rank %d\nlaunch A on default\n", rank);
    }
    struct reading reading = read_schedule(text_string(&text));
    const struct program *program = reading.program;
    assert_int_equal(program->rank_count, SCHEDULE_MAX_RANKS);
    for (uint32_t rank = 0; rank < SCHEDULE_MAX_RANKS; rank++) {
        assert_int_equal(program->ranks[rank].call_count, 100);
        for (uint32_t number = 0; number < 100; number++) {
            uint32_t call = call_of(program, rank, number);
            assert_int_equal(program->calls[call].turn, number);
            assert_int_equal(call_statement(program, call)->rank, rank);
        }
    }
    reading_free(&reading);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_what_a_terminal_obeys_is_made_visible),
        cmocka_unit_test(test_a_long_word_is_cut_between_code_points),
        cmocka_unit_test(test_long_lines_and_names),
        cmocka_unit_test(test_a_text_beyond_the_limit_is_not_looked_at),
        cmocka_unit_test(test_line_ends_and_byte_order_mark),
        cmocka_unit_test(test_only_so_many_faults_are_kept),
        cmocka_unit_test(test_a_file_that_is_all_faults),
        cmocka_unit_test(test_ten_thousand_buffers),
        cmocka_unit_test(test_many_ranks_in_many_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
