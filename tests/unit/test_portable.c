/* What an ok verdict rests on: warnings where the rules find nothing wrong. */
#include "order/check.h"
#include "order/portable.h"
#include "ordered.h"

/* BEGINNINGS: of each finding "LINE: text", in the order of the lines; NULL ends them. */
static void check_warnings(const char *text, const char *const *beginnings)
{
    struct fixture fixture = fixture_of(text);
    struct findings findings = order_check(fixture.order);
    assert_int_equal(findings.count, 0);
    find_unportable(fixture.order, &findings);
    uint32_t count = 0;
    for (; beginnings[count]; count++) {
        struct text found = {0};
        assert_true(count < findings.count);
        assert_int_equal(findings.items[count].kind, FINDING_UNPORTABLE);
        text_format(&found, "%u: %s", call_statement(fixture.program, findings.items[count].call)->line,
                    findings.items[count].text);
        if (strncmp(text_string(&found), beginnings[count], strlen(beginnings[count])) != 0)
            assert_string_equal(text_string(&found), beginnings[count]);
        text_free(&found);
    }
    assert_int_equal(findings.count, count);
    findings_free(&findings);
    free_fixture(&fixture);
}

#define WARNS(text, ...) check_warnings(text, (const char *const[]){__VA_ARGS__, NULL})
#define SAYS_NOTHING(text) check_warnings(text, (const char *const[]){NULL})

#define TWO_BUFFERS                                                                                          \
    "buffer a float32[4]\nbuffer b float32[4]\nstream s nonblocking\nstream t nonblocking\n"                 \
    "set a to 0 on s\nset b to 0 on t\n"

static void test_collectives_of_a_group_in_another_order(void **state)
{
    (void)state;
    WARNS(
        "comm c\n"
        "rank 0\n" TWO_BUFFERS "group\nallreduce a on s\nallreduce b on t via c\nend\nsync device\n"
        "rank 1\n" TWO_BUFFERS "group\nallreduce b on t via c\nallreduce a on s\nend\nsync device\n",
        "11: `allreduce a on s` (rank 0, line 10) stands before `allreduce b on t via c` (rank 0, line 11), "
        "and "
        "`allreduce a on s` (rank 1, line 23) behind `allreduce b on t via c` (rank 1, line 22): NCCL wants");
    SAYS_NOTHING("comm c\n"
                 "rank 0\n" TWO_BUFFERS "group\nallreduce a on s\nallreduce b on t via c\nend\nsync device\n"
                 "rank 1\n" TWO_BUFFERS
                 "group\nallreduce a on s\nallreduce b on t via c\nend\nsync device\n");
}

/* Of three ranks the first and the last agree. Each line is told of once, whatever the rounds; from one round
 * to the next the other communicator takes its turn. */
static void test_groups_are_told_of_once(void **state)
{
    (void)state;
    WARNS("comm c\n"
          "rank 0\n" TWO_BUFFERS
          "repeat 3\ngroup\nallreduce a on s\nallreduce b on t via c\nend\nend\nsync device\n"
          "rank 1\n" TWO_BUFFERS
          "repeat 3\ngroup\nallreduce b on t via c\nallreduce a on s\nend\nend\nsync device\n"
          "rank 2\n" TWO_BUFFERS
          "repeat 3\ngroup\nallreduce a on s\nallreduce b on t via c\nend\nend\nsync device\n",
          "11: `allreduce a on s` (rank 0, line 11) and `allreduce b on t via c` (line 12) are of two",
          "12: `allreduce a on s` (rank 0, line 11) stands before",
          "25: `allreduce b on t via c` (rank 1, line 25) and `allreduce a on s` (line 26) are of two",
          "26: `allreduce b on t via c` (rank 1, line 25) stands before",
          "39: `allreduce a on s` (rank 2, line 39) and `allreduce b on t via c` (line 40) are of two");
}

/* The other rank has no group: it finds nothing from its side, whatever its number. */
static void test_a_group_that_only_one_rank_has(void **state)
{
    (void)state;
    const char *grouped = "group\nallreduce a on s\nallreduce b on s via c\nend\nsync device\n";
    const char *single = "allreduce b on s via c\nallreduce a on s\nsync device\n";
    for (int turned = 0; turned < 2; turned++) {
        struct text text = {0};
        text_format(&text, "comm c\nrank 0\n%s%srank 1\n%s%s", TWO_BUFFERS "sync t\n",
                    turned ? single : grouped, TWO_BUFFERS "sync t\n", turned ? grouped : single);
        WARNS(text_string(&text), turned ? "23: `allreduce a on s` (rank 1, line 22) stands before"
                                         : "12: `allreduce a on s` (rank 0, line 11) stands before");
        text_free(&text);
    }
}

static void test_turns_of_two_communicators(void **state)
{
    (void)state;
    const char *unordered = "comm c\n"
                            "rank 0\n" TWO_BUFFERS "allreduce a on s\nallreduce b on t via c\nsync device\n"
                            "rank 1\n" TWO_BUFFERS "allreduce a on s\nallreduce b on t via c\nsync device\n";
    WARNS(unordered,
          "10: `allreduce b on t via c` (rank 0, line 10) and `allreduce a on s` (line 9) are of two "
          "communicators, "
          "and only the order of the calls puts one behind the other: NCCL may hang, unless it is 2.26 or "
          "later "
          "with NCCL_LAUNCH_ORDER_IMPLICIT=1",
          "20: `allreduce b on t via c` (rank 1, line 20)");
    SAYS_NOTHING("comm c\n"
                 "rank 0\n" TWO_BUFFERS
                 "allreduce a on s\nrecord E on s\nwait E on t\nallreduce b on t via c\n"
                 "sync device\n"
                 "rank 1\n" TWO_BUFFERS "allreduce a on s\nsync s\nallreduce b on t via c\nsync device\n");
}

static void test_turns_around_a_group(void **state)
{
    (void)state;
    /* Nothing puts the second member behind what comes before the group. */
    WARNS("comm c\n"
          "rank 0\n" TWO_BUFFERS
          "allreduce a on s\ngroup\nallreduce a on s\nallreduce b on t via c\nend\nsync device\n"
          "rank 1\n" TWO_BUFFERS
          "sync t\nallreduce a on s\ngroup\nallreduce a on s\nallreduce b on s via c\nend\n"
          "sync device\n",
          "12: `allreduce b on t via c` (rank 0, line 12) and `allreduce a on s` (line 9) are of two");
    SAYS_NOTHING("comm c\nrank 0\n" TWO_BUFFERS "allreduce a on s\nallreduce b on t via c\nsync device\n");
}

/* The first has not even started where the second may. */
static void test_a_turn_that_has_not_begun(void **state)
{
    (void)state;
    WARNS("comm c\n"
          "rank 0\n" TWO_BUFFERS "recv a from 1 on s\nsend a to 1 on s\nsend b to 1 on t via c\nsync device\n"
          "rank 1\n" TWO_BUFFERS
          "sync s\nsync s\nsync s\nsync s\nsend a to 0 on s\nrecv a from 0 on s\nsync t\n"
          "recv b from 0 on s via c\nsync device\n",
          "11: `send b to 1 on t via c` (rank 0, line 11) and `send a to 1 on s` (line 10) are of two");
}

static void test_a_first_transfer_behind_a_barrier(void **state)
{
    (void)state;
    WARNS("rank 0\nbuffer x float32[4]\nstream s\nrecv x from 1 on s\nbarrier\nsync s\n"
          "rank 1\nbuffer x float32[4]\nstream s\nset x to 0 on s\nbarrier\nsend x to 0 on s\nsync s\n",
          "4: by the rules this ends, but it may not where NCCL connects ranks at their first transfer "
          "(NCCL_RUNTIME_CONNECT, on by default): a circle of waits: `recv x from 1 on s` (rank 0, line 4) "
          "may hold "
          "its host program, to connect, until the other rank calls `send x to 0 on s` (rank 1, line 12); "
          "which is "
          "not called before the return of `barrier`");
    /* They are connected by then. */
    SAYS_NOTHING(
        "rank 0\nbuffer x float32[4]\nstream s\nrecv x from 1 on s\nrecv x from 1 on s\nbarrier\nsync s\n"
        "rank 1\nbuffer x float32[4]\nstream s\nset x to 0 on s\nsend x to 0 on s\nbarrier\n"
        "send x to 0 on s\nsync s\n");
    WARNS("rank 0\nbuffer x float32[4]\nstream s\nset x to 0 on s\nallreduce x on s\nbarrier\nsync s\n"
          "rank 1\nbuffer x float32[4]\nstream s\nset x to 0 on s\nbarrier\nallreduce x on s\nsync s\n",
          "5: by the rules this ends, but it may not where NCCL connects");
}

/* In a group, what may block is its end. */
static void test_a_first_transfer_in_a_group(void **state)
{
    (void)state;
    SAYS_NOTHING("rank 0\nbuffer x float32[4]\nbuffer y float32[4]\nstream s\nset x to 0 on s\n"
                 "group\nsend x to 1 on s\nrecv y from 1 on s\nend\nsync s\n"
                 "rank 1\nbuffer x float32[4]\nbuffer y float32[4]\nstream s\nset x to 0 on s\n"
                 "group\nsend x to 0 on s\nrecv y from 0 on s\nend\nsync s\n");
    WARNS("rank 0\nbuffer x float32[4]\nstream s\ngroup\nrecv x from 1 on s\nend\nbarrier\nsync s\n"
          "rank 1\nbuffer x float32[4]\nstream s\nset x to 0 on s\nbarrier\ngroup\nsend x to 0 on "
          "s\nend\nsync s\n",
          "6: by the rules this ends");
}

static void test_host_memory_that_holds_the_host(void **state)
{
    (void)state;
    const char *peer = "rank 1\nbuffer x float32[4]\nstream s\nset x to 0 on s\nsend x to 0 on s\nbarrier\n"
                       "send x to 0 on s\nsync s\n";
    struct text text = {0};
    text_format(&text, "%s%s",
                "rank 0\nbuffer x float32[4]\nhost h float32[4] pageable\nstream s\nrecv x from 1 on s\n"
                "recv x from 1 on s\ncopy x to h on s\nbarrier\nsync s\n",
                peer);
    WARNS(text_string(&text),
          "7: by the rules this ends, but it may not where CUDA waits when host memory is "
          "allocated, or copied and pageable: a circle of waits: `copy x to h on s` (rank 0, line 7) stands "
          "on stream "
          "s behind `recv x from 1 on s` (rank 0, line 6); which waits for the start of its send, ");
    text_clear(&text);
    text_format(&text, "%s%s",
                "rank 0\nbuffer x float32[4]\nhost p float32[4]\nstream s\nrecv x from 1 on s\n"
                "recv x from 1 on s\nmanaged h float32[4]\nbarrier\nsync s\n",
                peer);
    WARNS(text_string(&text), "7: by the rules this ends, but it may not where CUDA waits");
    text_clear(&text);
    text_format(&text, "%s%s",
                "rank 0\nbuffer x float32[4]\nhost p float32[4]\nstream s\nrecv x from 1 on s\n"
                "recv x from 1 on s\ncopy x to p on s\nhost h float32[4] pageable\nbarrier\nsync s\n",
                peer);
    SAYS_NOTHING(text_string(&text));
    text_free(&text);
}

static void test_an_order_that_only_destroy_makes(void **state)
{
    (void)state;
    WARNS("comm c\n"
          "rank 0\nbuffer x float32[4]\nstream s\nrecv x from 1 on s\nsync s\ndestroy c\n"
          "rank 1\nbuffer x float32[4]\nhost h float32[4]\nstream s\nset x to 0 on s\ncopy x to h on s\n"
          "send x to 0 on s\ndestroy c\nread h\nsync s\n",
          "16: `read h` (rank 1, line 16) comes behind `copy x to h on s` (rank 1, line 13) only where "
          "`destroy` waits "
          "for the other ranks, and NCCL 2.28 was seen to come back without them");
    /* Of the communicator's own work there is no doubt. */
    SAYS_NOTHING(
        "rank 0\nbuffer x float32[4]\nstream s\nrecv x from 1 on s\ndestroy world\n"
        "rank 1\nbuffer x float32[4]\nhost h float32[4]\nstream s\nset x to 0 on s\ncopy x to h on s\n"
        "send x to 0 on s\ndestroy world\nread h\nsync s\n");
}

/* The rules' own findings come first. */
static void test_nothing_where_there_is_an_error(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of(
        "rank 0\nbuffer x float32[4]\nstream s\nrecv x from 1 on s\nrecv x from 1 on s\nbarrier\nsync s\n"
        "rank 1\nbuffer x float32[4]\nstream s\nset x to 0 on s\nbarrier\nsend x to 0 on s\nsync s\n");
    struct findings findings = order_check(fixture.order);
    uint32_t count = findings.count;
    assert_int_equal(findings_error_count(&findings), count);
    assert_true(count > 0);
    find_unportable(fixture.order, &findings);
    assert_int_equal(findings.count, count);
    findings_free(&findings);
    free_fixture(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collectives_of_a_group_in_another_order),
        cmocka_unit_test(test_groups_are_told_of_once),
        cmocka_unit_test(test_a_group_that_only_one_rank_has),
        cmocka_unit_test(test_turns_of_two_communicators),
        cmocka_unit_test(test_turns_around_a_group),
        cmocka_unit_test(test_a_turn_that_has_not_begun),
        cmocka_unit_test(test_a_first_transfer_behind_a_barrier),
        cmocka_unit_test(test_a_first_transfer_in_a_group),
        cmocka_unit_test(test_host_memory_that_holds_the_host),
        cmocka_unit_test(test_an_order_that_only_destroy_makes),
        cmocka_unit_test(test_nothing_where_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
