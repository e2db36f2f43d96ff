/* What a program could do without. Each schedule, and the notes that it gets as "LINE kind". */
#include "order/notes.h"
#include "ordered.h"

static void check_notes(const char *text, const char *expected)
{
    struct fixture fixture = fixture_of(text);
    struct findings findings = {0};
    struct text found = {0};
    assert_true(find_notes(fixture.order, &findings));
    findings_sort(&findings, fixture.program);
    for (uint32_t i = 0; i < findings.count; i++)
        text_format(&found, "%s%u %s", i > 0 ? ", " : "",
                    call_statement(fixture.program, findings.items[i].call)->line,
                    finding_kind_name(findings.items[i].kind));
    assert_string_equal(text_string(&found), expected);
    text_free(&found);
    findings_free(&findings);
    free_fixture(&fixture);
}

#define TWO_STREAMS                                                                                          \
    "rank 0\n"                                                                                               \
    "buffer a float32[4]\n"                                                                                  \
    "buffer b float32[4]\n"                                                                                  \
    "stream s nonblocking\n"                                                                                 \
    "stream t nonblocking\n"

static void test_needed_waits_are_not_noted(void **state)
{
    (void)state;
    check_notes(TWO_STREAMS "launch k -> a on s\n"
                            "record E on s\n"
                            "wait E on t\n"
                            "launch r a -> b on t\n"
                            "sync device\n",
                "");
}

static void test_of_two_ways_the_one_that_holds_the_host(void **state)
{
    (void)state;
    check_notes(TWO_STREAMS "launch k -> a on s\n"
                            "record E on s\n"
                            "sync s\n"
                            "wait E on t\n"
                            "launch r a -> b on t\n"
                            "sync device\n",
                "8 redundant");
}

static void test_a_wait_that_the_stream_has_already(void **state)
{
    (void)state;
    check_notes(TWO_STREAMS "launch k -> a on s\n"
                            "record E on s\n"
                            "wait E on s\n"
                            "launch r a -> b on s\n"
                            "sync s\n",
                "7 redundant, 8 redundant"); /* without the wait nothing takes the record */
}

static void test_the_earlier_of_two_waits(void **state)
{
    (void)state;
    check_notes(TWO_STREAMS "launch k -> a on s\n"
                            "record E on s\n"
                            "launch k a -> b on s\n"
                            "record F on s\n"
                            "wait E on t\n"
                            "wait F on t\n"
                            "launch r a -> b on t\n"
                            "sync device\n",
                "7 redundant, 10 redundant");
}

static void test_a_sync_that_another_covers(void **state)
{
    (void)state;
    check_notes(TWO_STREAMS "launch k -> a on s\n"
                            "sync s\n"
                            "sync device\n",
                "7 redundant"); /* the last one alone says as much */
    check_notes(TWO_STREAMS "launch k -> a on s\n"
                            "sync t\n"
                            "sync s\n",
                "7 redundant");
}

static void test_a_sync_within_one_stream(void **state)
{
    (void)state;
    check_notes(TWO_STREAMS "launch k -> a on s\n"
                            "sync s\n"
                            "launch r a -> b on s\n"
                            "sync s\n",
                "7 redundant"); /* the stream has that order */
}

static void test_a_sync_before_the_host_reads(void **state)
{
    (void)state;
    check_notes("rank 0\n"
                "managed m float32[4]\n"
                "stream s nonblocking\n"
                "launch k -> m on s\n"
                "sync s\n"
                "read m\n",
                "");
}

static void test_independent_work_on_one_stream(void **state)
{
    (void)state;
    check_notes(TWO_STREAMS "launch k -> a on s\n"
                            "launch k -> b on s\n"
                            "launch r a -> b on s\n"
                            "sync s\n",
                "7 serial");
    check_notes(TWO_STREAMS "launch k -> a[0:2] on s\n"
                            "launch k -> a[2:4] on s\n"
                            "sync s\n",
                "7 serial");
    check_notes(TWO_STREAMS "launch k -> a on s\n"
                            "launch k -> b on t\n"
                            "sync device\n",
                "");
}

static void test_a_record_that_the_first_round_waits_for(void **state)
{
    (void)state;
    check_notes(TWO_STREAMS "record F on t\n"
                            "repeat 2\n"
                            "wait F on s\n"
                            "launch k -> a on s\n"
                            "record E on s\n"
                            "wait E on t\n"
                            "launch r a -> b on t\n"
                            "record F on t\n"
                            "end\n"
                            "sync device\n",
                "");
}

static void test_what_a_deadlock_keeps_from_happening(void **state)
{
    (void)state;
    check_notes("rank 0\n"
                "buffer x float32[4]\n"
                "stream s\n"
                "recv x from 1 on s\n"
                "sync s\n"
                "barrier\n"
                "rank 1\n"
                "buffer x float32[4]\n"
                "stream s\n"
                "barrier\n"
                "send x to 0 on s\n"
                "sync s\n",
                "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_needed_waits_are_not_noted),
        cmocka_unit_test(test_of_two_ways_the_one_that_holds_the_host),
        cmocka_unit_test(test_a_wait_that_the_stream_has_already),
        cmocka_unit_test(test_the_earlier_of_two_waits),
        cmocka_unit_test(test_a_sync_that_another_covers),
        cmocka_unit_test(test_a_sync_within_one_stream),
        cmocka_unit_test(test_a_sync_before_the_host_reads),
        cmocka_unit_test(test_independent_work_on_one_stream),
        cmocka_unit_test(test_a_record_that_the_first_round_waits_for),
        cmocka_unit_test(test_what_a_deadlock_keeps_from_happening),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
