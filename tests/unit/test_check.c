/* What a finding says: the bytes, the two operations, and where the orders end that come near. */
#include "order/check.h"
#include "ordered.h"

/* EXPECTED: one line a finding, "LINE kind: text". */
static void check_findings(const char *text, const char *expected)
{
    struct fixture fixture = fixture_of(text);
    struct findings findings = order_check(fixture.order);
    struct text found = {0};
    for (uint32_t i = 0; i < findings.count; i++)
        text_format(&found, "%u %s: %s\n", call_statement(fixture.program, findings.items[i].call)->line,
                    finding_kind_name(findings.items[i].kind), findings.items[i].text);
    assert_string_equal(text_string(&found), expected);
    text_free(&found);
    findings_free(&findings);
    free_fixture(&fixture);
}

static void test_bytes_and_a_host_that_waits_too_late(void **state)
{
    (void)state;
    check_findings(
        "rank 0\n"
        "buffer x float32[8]\n"
        "buffer o float32[8]\n"
        "stream s nonblocking\n"
        "stream t nonblocking\n"
        "launch k -> x[0:3] on s\n"
        "launch w -> x[3:8] on t\n"
        "launch r x[2:6] -> o on t\n"
        "sync s\n",
        "8 race: read-after-write on x[2] (4 bytes): `launch r x[2:6] -> o on t` (rank 0, line 8) reads "
        "what `launch k -> x[0:3] on s` (line 6) writes, and nothing makes it wait for the end of that. "
        "The order that comes near is too late: `launch k -> x[0:3] on s` (line 6) -> `sync s` (line 9), "
        "where the host waits only after it submitted the second\n");
}

static void test_a_wait_that_takes_another_record(void **state)
{
    (void)state;
    check_findings(
        "rank 0\n"
        "buffer a int8[4]\n"
        "buffer o int8[4]\n"
        "stream s nonblocking\n"
        "stream u nonblocking\n"
        "stream t nonblocking\n"
        "launch p -> a on s\n"
        "record E on s\n"
        "record E on u\n"
        "wait E on t\n"
        "launch r a -> o on t\n",
        "11 race: read-after-write on a (4 bytes): `launch r a -> o on t` (rank 0, line 11) reads what "
        "`launch p -> a on s` (line 7) writes, and nothing makes it wait for the end of that. "
        "`wait E on t` (line 10) takes `record E on u` (line 9), not `record E on s` (line 8)\n");
}

static void test_an_answer_that_shows_the_start_alone(void **state)
{
    (void)state;
    check_findings(
        "rank 0\n"
        "buffer x float32[1]\n"
        "buffer a float32[1]\n"
        "stream s nonblocking\n"
        "stream t nonblocking\n"
        "launch A -> x on s\n"
        "send x to 1 on s\n"
        "recv a from 1 on t\n"
        "launch A -> x on t\n"
        "rank 1\n"
        "buffer x float32[1]\n"
        "stream s nonblocking\n"
        "recv x from 0 on s\n"
        "send x to 0 on s\n",
        "9 race: write-after-read on x (4 bytes): `launch A -> x on t` (rank 0, line 9) writes over what "
        "`send x to 1 on s` (line 7) reads, and nothing makes it wait for the end of that. The second "
        "comes after the start of the first, but not after its end: `send x to 1 on s` (line 7) -> "
        "`recv x from 0 on s` (rank 1, line 13) -> `send x to 0 on s` (rank 1, line 14) -> "
        "`recv a from 1 on t` (line 8) -> `launch A -> x on t` (line 9)\n");
}

static void test_a_copy_that_returned_before_it_was_done(void **state)
{
    (void)state;
    check_findings(
        "rank 0\n"
        "host p float32[4] pageable\n"
        "buffer d float32[4]\n"
        "buffer o float32[4]\n"
        "stream s nonblocking\n"
        "write p\n"
        "copy p to d\n"
        "launch r d -> o on s\n",
        "8 race: read-after-write on d (16 bytes): `launch r d -> o on s` (rank 0, line 8) reads what "
        "`copy p to d` (line 7) writes, and nothing makes it wait for the end of that. The copy returned "
        "when its pageable source was staged; its last part may still be on its way. The second comes after "
        "the start of the first, but not after its end: "
        "`copy p to d` (line 7) -> `launch r d -> o on s` (line 8)\n");
}

static void test_only_the_last_of_a_stream_is_named(void **state)
{
    (void)state;
    check_findings(
        "rank 0\n"
        "buffer x float32[4]\n"
        "stream s nonblocking\n"
        "stream t nonblocking\n"
        "launch a -> x on s\n"
        "launch b -> x on s\n"
        "launch c -> x on t\n"
        "launch d -> x on t\n",
        "7 race: write-after-write on x (16 bytes): `launch c -> x on t` (rank 0, line 7) writes over "
        "what `launch b -> x on s` (line 6) writes, and nothing makes it wait for the end of that\n");
}

static void test_every_link_of_a_deadlock(void **state)
{
    (void)state;
    check_findings(
        "rank 0\n"
        "buffer x float32[4]\n"
        "stream s\n"
        "recv x from 1 on s\n"
        "sync s\n"
        "barrier\n"
        "rank 1\n"
        "buffer x float32[4]\n"
        "stream s\n"
        "set x to 0 on s\n"
        "barrier\n"
        "send x to 0 on s\n",
        "4 deadlock: a circle of waits: `recv x from 1 on s` (rank 0, line 4) waits for the start of its "
        "send, `send x to 0 on s` (rank 1, line 12); which is not called before the return of `barrier` "
        "(rank 1, line 11); which holds its host program until the others reach `barrier` (rank 0, "
        "line 6); which is not called before the return of `sync s` (rank 0, line 5); which holds its "
        "host program until the end of `recv x from 1 on s` (rank 0, line 4)\n");
}

static void test_what_is_freed_too_early(void **state)
{
    (void)state;
    check_findings(
        "rank 0\n"
        "buffer x float32[4]\n"
        "stream s nonblocking\n"
        "launch k -> x on s\n"
        "free x\n"
        "launch k -> x on s\n",
        "5 use-after-free: `free x` (rank 0, line 5) may free x while `launch k -> x on s` (line 4) uses "
        "it: free may wait for the GPU and may not, so it proves no order, and nothing else makes it "
        "wait\n"
        "6 use-after-free: `launch k -> x on s` (rank 0, line 6) uses x after `free x` (line 5)\n");
}

static void test_an_access_of_an_earlier_round(void **state)
{
    (void)state;
    check_findings(
        "rank 0\n"
        "buffer x float32[4]\n"
        "buffer o float32[4]\n"
        "stream s nonblocking\n"
        "stream t nonblocking\n"
        "repeat 2\n"
        "launch w -> x on s\n"
        "record E on s\n"
        "wait E on t\n"
        "launch r x -> o on t\n"
        "end\n",
        "7 race: write-after-read on x (16 bytes): `launch w -> x on s` (rank 0, line 7) writes over what "
        "`launch r x -> o on t` (line 10) of an earlier round reads, and nothing makes it wait for the end "
        "of that\n");
}

static void test_a_way_through_groups(void **state)
{
    (void)state;
    check_findings(
        "rank 0\n"
        "buffer x float32[4]\n"
        "buffer y float32[4]\n"
        "stream s nonblocking\n"
        "stream t nonblocking\n"
        "launch w -> x on s\n"
        "launch r x -> y on t\n"
        "group\n"
        "send x to 1 on s\n"
        "end\n"
        "group\n"
        "send x to 1 on s\n"
        "end\n"
        "record E on s\n"
        "wait E on t\n"
        "launch q -> y on t\n"
        "rank 1\n"
        "buffer x float32[4]\n"
        "stream s\n"
        "recv x from 0 on s\n"
        "recv x from 0 on s\n",
        "7 race: read-after-write on x (16 bytes): `launch r x -> y on t` (rank 0, line 7) reads what "
        "`launch w -> x on s` (line 6) writes, and nothing makes it wait for the end of that. The order that "
        "comes near is too late: `launch w -> x on s` (line 6) -> `record E on s` (line 14) -> "
        "`wait E on t` (line 15) -> `launch q -> y on t` (line 16), which stands behind the second in its "
        "stream\n");
}

static void test_what_an_abort_takes_away(void **state)
{
    (void)state;
    check_findings(
        "rank 0\n"
        "buffer x float32[4]\n"
        "stream s\n"
        "launch A -> x on s\n"
        "send x to 1 on s\n"
        "abort world\n"
        "rank 1\n"
        "buffer x float32[4]\n"
        "stream s\n"
        "recv x from 0 on s\n"
        "sync s\n",
        "10 unmatched: `recv x from 0 on s` (rank 1, line 10) may wait for ever: `abort world` (rank 0, line "
        "6) waits for nothing, so it may end `send x to 1 on s` (line 5) before that took part\n");
}

/* The abort comes after the send, but may come before the other rank has what was sent. */
static void test_what_an_abort_takes_away_after_a_send(void **state)
{
    (void)state;
    check_findings(
        "rank 0\n"
        "buffer x float32[4]\n"
        "stream s\n"
        "launch A -> x on s\n"
        "send x to 1 on s\n"
        "sync s\n"
        "abort world\n"
        "rank 1\n"
        "buffer x float32[4]\n"
        "stream s\n"
        "recv x from 0 on s\n"
        "sync s\n",
        "11 unmatched: `recv x from 0 on s` (rank 1, line 11) may wait for ever: nothing makes `abort "
        "world` (rank 0, line 7) wait until that is done, and what `send x to 1 on s` (line 5) has "
        "given may still be on its way\n");
}

static void test_a_sync_of_another_gpu(void **state)
{
    (void)state;
    check_findings(
        "rank 0\n"
        "buffer x float32[4]\n"
        "host h float32[4]\n"
        "stream s nonblocking\n"
        "use gpu 1\n"
        "buffer y float32[4]\n"
        "sync device\n"
        "copy x to h on s\n"
        "use gpu 1\n"
        "sync device\n"
        "read h\n"
        "use gpu 0\n"
        "sync device\n"
        "copy y to h\n",
        "8 uninitialized: `copy x to h on s` (rank 0, line 8) reads x (16 bytes), and nothing has written "
        "all of "
        "it before\n"
        "11 race: read-after-write on h (16 bytes): `read h` (rank 0, line 11) reads what `copy x to h on s` "
        "(line 8) writes, and nothing makes it wait for the end of that. `sync device` (line 10) waits only "
        "for "
        "GPU 1, which was current there, and the first is on GPU 0. The order that comes near is too late: "
        "`copy x to h on s` (line 8) -> `sync device` (line 13), where the host waits only after the second\n"
        "14 uninitialized: `copy y to h` (rank 0, line 14) reads y (16 bytes), and nothing has written all "
        "of it "
        "before\n");
}

static void test_a_query_of_the_stream(void **state)
{
    (void)state;
    check_findings("rank 0\n"
                   "managed x float32[4]\n"
                   "stream s nonblocking\n"
                   "stream t nonblocking\n"
                   "query s\n"
                   "launch k -> x on s\n"
                   "query t\n"
                   "query s\n"
                   "read x\n"
                   "query s\n",
                   "9 race: read-after-write on x (16 bytes): `read x` (rank 0, line 9) reads what `launch k "
                   "-> x on s` (line "
                   "6) writes, and nothing makes it wait for the end of that. `query s` (line 8) proves "
                   "nothing, as nobody "
                   "waits for its answer\n");
}

/* Neither an event that was recorded before the group was closed nor one of another stream says anything. */
static void test_a_query_of_an_event_behind_a_group(void **state)
{
    (void)state;
    check_findings("rank 0\n"
                   "buffer x float32[4]\n"
                   "stream s nonblocking\n"
                   "stream t nonblocking\n"
                   "group\n"
                   "send x to 1 on s\n"
                   "record E on s\n"
                   "query event E\n"
                   "end\n"
                   "query event E\n"
                   "record F on t\n"
                   "query event F\n"
                   "record E on s\n"
                   "query event E\n"
                   "free x\n"
                   "rank 1\n"
                   "buffer x float32[4]\n"
                   "stream s\n"
                   "recv x from 0 on s\n",
                   "15 use-after-free: `free x` (rank 0, line 15) may free x while `send x to 1 on s` (line "
                   "6) uses it: free "
                   "may wait for the GPU and may not, so it proves no order, and nothing else makes it wait. "
                   "`query event E` "
                   "(line 14) proves nothing, as nobody waits for its answer\n");
}

/* `second` is on GPU 3 in rank 0, and on GPU 1 in rank 1: so the receive is fine, and the send is not. */
static void test_a_communicator_belongs_to_one_gpu_of_each_rank(void **state)
{
    (void)state;
    check_findings(
        "rank 0\n"
        "buffer x float32[8]\n"
        "stream s\n"
        "set x to 0 on s\n"
        "sync s\n"
        "use gpu 3\n"
        "comm second\n"
        "stream t\n"
        "group\n"
        "send x[0:4] to 1 on s via second\n"
        "broadcast x[4:8] root 0 on default\n"
        "end\n"
        "sync s\n"
        "allreduce x on t via second\n"
        "rank 1\n"
        "comm second\n"
        "buffer x float32[8]\n"
        "stream s\n"
        "group\n"
        "recv x[0:4] from 0 on s via second\n"
        "broadcast x[4:8] root 0 on s\n"
        "end\n"
        "allreduce x on s via second\n",
        "10 misuse: `send x[0:4] to 1 on s via second` (rank 0, line 10) is on stream s of GPU 0, which "
        "communicator second cannot use: it belongs to GPU 3. Let every rank make another with "
        "`comm`, this rank behind `use gpu 0`, or take a stream of GPU 3\n"
        "11 misuse: `broadcast x[4:8] root 0 on default` (rank 0, line 11) is on the default stream of GPU "
        "3, which communicator world cannot use: it belongs to GPU 0. Let every rank make another "
        "with `comm`, this rank behind `use gpu 3`, or take a stream of GPU 0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_and_a_host_that_waits_too_late),
        cmocka_unit_test(test_a_wait_that_takes_another_record),
        cmocka_unit_test(test_an_answer_that_shows_the_start_alone),
        cmocka_unit_test(test_a_copy_that_returned_before_it_was_done),
        cmocka_unit_test(test_only_the_last_of_a_stream_is_named),
        cmocka_unit_test(test_every_link_of_a_deadlock),
        cmocka_unit_test(test_what_is_freed_too_early),
        cmocka_unit_test(test_an_access_of_an_earlier_round),
        cmocka_unit_test(test_a_way_through_groups),
        cmocka_unit_test(test_what_an_abort_takes_away),
        cmocka_unit_test(test_what_an_abort_takes_away_after_a_send),
        cmocka_unit_test(test_a_sync_of_another_gpu),
        cmocka_unit_test(test_a_query_of_the_stream),
        cmocka_unit_test(test_a_query_of_an_event_behind_a_group),
        cmocka_unit_test(test_a_communicator_belongs_to_one_gpu_of_each_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
