/* Each rule of docs/schedule-language.md as waits: that the order is there, and that nothing more is. A point
 * is written as RANK:LINE and its phase; its waits as the points that it waits for, each with the number of
 * its rule, "may" and "abortable" where it proves nothing. */
#include "order/machine.h"
#include "ordered.h"

/* The first call of the line, whose number is unique in a program without `repeat`. */
static uint32_t call_at(const struct fixture *fixture, uint32_t line)
{
    for (uint32_t call = 0; call < fixture->program->call_count; call++)
        if (call_statement(fixture->program, call)->line == line)
            return call;
    fail_msg("no call on line %u", line);
    return NONE;
}

static void append_wait(const struct fixture *fixture, const struct wait *wait, struct text *out)
{
    static const char *const phases[] = {"entered", "returned", "started", "done"};
    static const char *const strengths[] = {"", " may", " abortable"};
    if (out->length > 0)
        text_append(out, ", ");
    if (wait->point == NONE) {
        text_format(out, "never (rank %u)", wait->rank);
    } else {
        const struct statement *statement = call_statement(fixture->program, point_call(wait->point));
        text_format(out, "%u %s", statement->line, phases[point_phase(wait->point)]);
    }
    text_format(out, " %u%s", wait->rule, strengths[wait->strength]);
}

static void check_waits(const struct fixture *fixture, uint32_t line, enum phase phase, const char *expected)
{
    struct text found = {0};
    const struct order *order = fixture->order;
    uint32_t point = point_of(call_at(fixture, line), phase);
    for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++)
        append_wait(fixture, &order->waits[w], &found);
    if (strcmp(text_string(&found), expected) != 0)
        fail_msg("line %u: found \"%s\", expected \"%s\"", line, text_string(&found), expected);
    text_free(&found);
}

static void test_1_host_programs_make_calls_in_order(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of("rank 0\n"
                                        "stream s\n"
                                        "launch k on s\n"
                                        "launch k on s\n"
                                        "rank 1\n"
                                        "stream s\n");
    check_waits(&fixture, 2, ENTERED, "");
    check_waits(&fixture, 3, ENTERED, "2 returned 1");
    check_waits(&fixture, 3, RETURNED, "3 entered 1"); /* not until the work is done */
    check_waits(&fixture, 4, ENTERED, "3 returned 1");
    check_waits(&fixture, 6, ENTERED, ""); /* ranks do not wait for one another */
    assert_false(order_has_point(fixture.order, point_of(call_at(&fixture, 2), STARTED)));
    free_fixture(&fixture);
}

static void test_2_streams_run_in_order(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of("rank 0\n"
                                        "stream s nonblocking\n"
                                        "stream t nonblocking\n"
                                        "launch k on s\n"
                                        "launch k on t\n"
                                        "launch k on s\n");
    check_waits(&fixture, 4, STARTED, "4 entered 2");
    check_waits(&fixture, 5, STARTED, "5 entered 2");
    check_waits(&fixture, 6, STARTED, "6 entered 2, 4 done 2");
    check_waits(&fixture, 6, DONE, "6 started 2");
    free_fixture(&fixture);
}

static void test_3_a_wait_takes_the_latest_record(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of("rank 0\n"
                                        "stream s nonblocking\n"
                                        "stream t nonblocking\n"
                                        "wait E on t\n"
                                        "record E on s\n"
                                        "wait E on t\n"
                                        "record E on s\n"
                                        "wait E on t\n"
                                        "sync event E\n"
                                        "poll event E\n"
                                        "query event E\n"
                                        "sync event F\n");
    check_waits(&fixture, 4, DONE, "4 started 2"); /* nothing was recorded yet */
    check_waits(&fixture, 6, DONE, "6 started 2, 5 done 3");
    check_waits(&fixture, 6, STARTED, "6 entered 2, 4 done 2");
    check_waits(&fixture, 8, DONE, "8 started 2, 7 done 3");
    check_waits(&fixture, 9, RETURNED, "9 entered 1, 7 done 3");
    check_waits(&fixture, 10, RETURNED, "10 entered 1, 7 done 3");
    check_waits(&fixture, 11, RETURNED, "11 entered 1");
    check_waits(&fixture, 12, RETURNED, "12 entered 1");
    assert_int_equal(fixture.order->bound[call_at(&fixture, 4)], NONE);
    assert_int_equal(fixture.order->bound[call_at(&fixture, 11)], call_at(&fixture, 7));
    free_fixture(&fixture);
}

static void test_4_default_and_blocking_streams_wait_for_one_another(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of("rank 0\n"
                                        "stream a\n"
                                        "stream n nonblocking\n"
                                        "launch k on a\n"
                                        "launch k on n\n"
                                        "launch k on default\n"
                                        "launch k on a\n"
                                        "launch k on a\n"
                                        "launch k on n\n"
                                        "sync default\n"
                                        "launch k on default\n"
                                        "launch k on default\n"
                                        "record E on default\n"
                                        "use gpu 1\n"
                                        "stream b\n"
                                        "launch k on b\n"
                                        "launch k on default\n");
    check_waits(&fixture, 6, STARTED, "6 entered 2, 4 done 4");
    check_waits(&fixture, 7, STARTED, "7 entered 2, 4 done 2, 6 done 4");
    check_waits(&fixture, 8, STARTED, "8 entered 2, 7 done 2");
    check_waits(&fixture, 9, STARTED, "9 entered 2, 5 done 2"); /* non-blocking streams stand apart */
    check_waits(&fixture, 10, RETURNED, "10 entered 1, 6 done 8, 8 done 4");
    check_waits(&fixture, 11, STARTED, "11 entered 2, 6 done 2, 8 done 4");
    check_waits(&fixture, 12, STARTED, "12 entered 2, 11 done 2"); /* nothing new on stream a */
    check_waits(&fixture, 13, STARTED, "13 entered 2, 12 done 2");
    check_waits(&fixture, 16, STARTED, "16 entered 2"); /* the other GPU's default stream is none of its */
    check_waits(&fixture, 17, STARTED, "17 entered 2, 16 done 4");
    free_fixture(&fixture);
}

static void test_5_transfers_match_first_to_first(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of("rank 0\n"
                                        "buffer x float32[4]\n"
                                        "stream s nonblocking\n"
                                        "send x to 1 on s\n"
                                        "send x to 1 on s\n"
                                        "recv x from 1 on s\n"
                                        "rank 1\n"
                                        "buffer x float32[4]\n"
                                        "stream s nonblocking\n"
                                        "stream t nonblocking\n"
                                        "recv x from 0 on t\n"
                                        "send x to 0 on s\n"
                                        "recv x from 0 on s\n"
                                        "recv x from 0 on s\n");
    check_waits(&fixture, 4, DONE, "4 started 2, 11 started 5 may");
    check_waits(&fixture, 5, DONE, "5 started 2, 13 started 5 may");
    check_waits(&fixture, 6, DONE, "6 started 2, 12 started 5");
    check_waits(&fixture, 11, DONE, "11 started 2, 4 started 5");
    check_waits(&fixture, 13, DONE, "13 started 2, 5 started 5");
    check_waits(&fixture, 14, DONE, "14 started 2, never (rank 0) 5");
    check_waits(&fixture, 11, RETURNED, "11 entered 1");
    free_fixture(&fixture);
}

static void test_5_communicators_match_apart(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of("comm c\n"
                                        "rank 0\n"
                                        "buffer x float32[4]\n"
                                        "stream s nonblocking\n"
                                        "send x to 1 on s via c\n"
                                        "send x to 1 on s\n"
                                        "rank 1\n"
                                        "buffer x float32[4]\n"
                                        "stream s nonblocking\n"
                                        "recv x from 0 on s\n"
                                        "recv x from 0 on s via c\n");
    check_waits(&fixture, 10, DONE, "10 started 2, 6 started 5");
    check_waits(&fixture, 11, DONE, "11 started 2, 5 started 5");
    free_fixture(&fixture);
}

static void test_6_a_group_is_submitted_by_its_end(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of("rank 0\n"
                                        "buffer x float32[4]\n"
                                        "stream s nonblocking\n"
                                        "stream t nonblocking\n"
                                        "launch k on s\n"
                                        "group\n"
                                        "send x to 1 on s\n"
                                        "group\n"
                                        "recv x from 1 on t\n"
                                        "end\n"
                                        "launch k on t\n"
                                        "end\n"
                                        "launch k on s\n"
                                        "launch k on t\n"
                                        "rank 1\n"
                                        "buffer x float32[4]\n"
                                        "stream s nonblocking\n"
                                        "group\n"
                                        "recv x from 0 on s\n"
                                        "send x to 0 on s\n"
                                        "end\n");
    check_waits(&fixture, 7, STARTED, "12 entered 2, 5 done 2, 11 done 6");
    /* The kernel was submitted before the end. Both streams have to come to the group. */
    check_waits(&fixture, 9, STARTED, "12 entered 2, 11 done 2, 5 done 6");
    check_waits(&fixture, 11, STARTED, "11 entered 2");
    check_waits(&fixture, 12, STARTED, "12 entered 6");
    check_waits(&fixture, 12, DONE, "12 started 6, 7 done 6, 9 done 6");
    check_waits(&fixture, 13, STARTED, "13 entered 2, 12 done 2");
    check_waits(&fixture, 14, STARTED, "14 entered 2, 12 done 2");
    check_waits(&fixture, 19, STARTED, "21 entered 2");
    check_waits(&fixture, 20, STARTED, "21 entered 2"); /* members do not wait for one another */
    assert_false(order_has_point(fixture.order, point_of(call_at(&fixture, 10), STARTED)));
    assert_int_equal(fixture.order->bound[call_at(&fixture, 9)], call_at(&fixture, 12));
    free_fixture(&fixture);
}

static void test_7_collectives_match_by_their_order(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of("rank 0\n"
                                        "buffer x float32[4]\n"
                                        "stream s nonblocking\n"
                                        "allreduce x on s\n"
                                        "broadcast x root 1 on s\n"
                                        "allreduce x on s\n"
                                        "rank 1\n"
                                        "buffer x float32[4]\n"
                                        "stream s nonblocking\n"
                                        "allreduce x on s\n"
                                        "broadcast x root 1 on s\n"
                                        "rank 2\n"
                                        "buffer x float32[4]\n"
                                        "stream s nonblocking\n"
                                        "allreduce x on s\n"
                                        "broadcast x root 1 on s\n"
                                        "allreduce x on s\n");
    check_waits(&fixture, 4, DONE, "4 started 2, 10 started 7, 15 started 7");
    check_waits(&fixture, 10, DONE, "10 started 2, 15 started 7, 4 started 7");
    check_waits(&fixture, 5, DONE, "5 started 2, 11 started 7, 16 started 7 may");
    check_waits(&fixture, 11, DONE, "11 started 2, 16 started 7 may, 5 started 7 may");
    check_waits(&fixture, 6, DONE, "6 started 2, never (rank 1) 7, 17 started 7");
    assert_int_equal(fixture.order->match[call_at(&fixture, 4)], call_at(&fixture, 10));
    assert_int_equal(fixture.order->match[call_at(&fixture, 17)], call_at(&fixture, 6));
    free_fixture(&fixture);
}

static void test_7_making_a_communicator_needs_every_rank(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of("rank 0\n"
                                        "comm c\n"
                                        "rank 1\n"
                                        "stream s\n"
                                        "comm c\n"
                                        "comm d\n");
    check_waits(&fixture, 2, RETURNED, "2 entered 1, 5 entered 7");
    check_waits(&fixture, 5, RETURNED, "5 entered 1, 2 entered 7");
    check_waits(&fixture, 6, RETURNED, "6 entered 1, never (rank 0) 7");
    free_fixture(&fixture);
}

static void test_8_sync_poll_and_barrier_hold_the_host(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of("rank 0\n"
                                        "stream s nonblocking\n"
                                        "stream t nonblocking\n"
                                        "launch k on s\n"
                                        "sync t\n"
                                        "sync s\n"
                                        "poll s\n"
                                        "query s\n"
                                        "launch k on t\n"
                                        "sync device\n"
                                        "launch k on t\n"
                                        "sync device\n"
                                        "barrier\n"
                                        "barrier\n"
                                        "rank 1\n"
                                        "barrier\n"
                                        "sync device\n");
    check_waits(&fixture, 5, RETURNED, "5 entered 1");
    check_waits(&fixture, 6, RETURNED, "6 entered 1, 4 done 8");
    check_waits(&fixture, 7, RETURNED, "7 entered 1, 4 done 8");
    check_waits(&fixture, 8, RETURNED, "8 entered 1");
    check_waits(&fixture, 10, RETURNED, "10 entered 1, 9 done 8, 4 done 8");
    check_waits(&fixture, 12, RETURNED, "12 entered 1, 11 done 8"); /* stream s has nothing new */
    check_waits(&fixture, 13, RETURNED, "13 entered 1, 16 entered 8");
    check_waits(&fixture, 14, RETURNED, "14 entered 1, never (rank 1) 8");
    check_waits(&fixture, 17, RETURNED, "17 entered 1");
    free_fixture(&fixture);
}

static void test_9_when_a_copy_returns(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of("rank 0\n"
                                        "buffer d float32[4]\n"
                                        "buffer e float32[4]\n"
                                        "host h float32[4]\n"
                                        "host p float32[4] pageable\n"
                                        "managed m float32[4]\n"
                                        "stream s nonblocking\n"
                                        "copy d to h\n"
                                        "copy d to p\n"
                                        "copy h to d\n"
                                        "copy p to d\n"
                                        "copy d to e\n"
                                        "copy h to p\n"
                                        "copy m to d\n"
                                        "copy d to h on s\n"
                                        "copy h to d on s\n"
                                        "copy p to d on s\n"
                                        "copy p to h on s\n"
                                        "set d to 0\n");
    check_waits(&fixture, 8, RETURNED, "8 entered 1, 8 done 9");
    check_waits(&fixture, 9, RETURNED, "9 entered 1, 9 done 9");
    check_waits(&fixture, 10, RETURNED, "10 entered 1, 10 done 9");
    check_waits(&fixture, 11, RETURNED, "11 entered 1, 11 started 9");
    check_waits(&fixture, 12, RETURNED, "12 entered 1");
    check_waits(&fixture, 13, RETURNED, "13 entered 1, 13 done 9");
    check_waits(&fixture, 14, RETURNED, "14 entered 1");
    check_waits(&fixture, 15, RETURNED, "15 entered 1");
    check_waits(&fixture, 16, RETURNED, "16 entered 1");
    check_waits(&fixture, 17, RETURNED, "17 entered 1");
    check_waits(&fixture, 18, RETURNED, "18 entered 1, 18 done 9");
    check_waits(&fixture, 19, RETURNED, "19 entered 1");
    check_waits(&fixture, 9, STARTED, "9 entered 2, 8 done 2"); /* both on the default stream */
    free_fixture(&fixture);
}

static void test_10_allocating_may_wait_for_the_device(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of("rank 0\n"
                                        "buffer x float32[4]\n"
                                        "stream s nonblocking\n"
                                        "launch k on s\n"
                                        "buffer y float32[4]\n"
                                        "free x\n"
                                        "launch k on s\n"
                                        "free y\n");
    check_waits(&fixture, 2, RETURNED, "2 entered 1");
    check_waits(&fixture, 5, RETURNED, "5 entered 1, 4 done 10 may");
    check_waits(&fixture, 6, RETURNED, "6 entered 1"); /* the allocation before it waited already */
    check_waits(&fixture, 8, RETURNED, "8 entered 1, 7 done 10 may");
    free_fixture(&fixture);
}

static void test_11_communication_of_one_gpu_takes_turns(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of("comm c\n"
                                        "rank 0\n"
                                        "buffer x float32[4]\n"
                                        "stream s nonblocking\n"
                                        "stream t nonblocking\n"
                                        "use gpu 1\n"
                                        "comm d\n"
                                        "stream u nonblocking\n"
                                        "use gpu 0\n"
                                        "send x to 1 on s\n"
                                        "launch k on t\n"
                                        "recv x from 1 on t via c\n"
                                        "group\n"
                                        "send x to 1 on s\n"
                                        "recv x from 1 on u via d\n"
                                        "end\n"
                                        "send x to 1 on s\n"
                                        "rank 1\n"
                                        "comm d\n"
                                        "stream s\n");
    check_waits(&fixture, 10, STARTED, "10 entered 2");
    check_waits(&fixture, 11, STARTED, "11 entered 2"); /* a kernel takes no turn */
    check_waits(&fixture, 12, STARTED, "12 entered 2, 11 done 2, 10 done 11 may");
    check_waits(&fixture, 14, STARTED, "16 entered 2, 10 done 2, 12 done 11 may");
    check_waits(&fixture, 15, STARTED, "16 entered 2"); /* on another GPU: no turn */
    check_waits(&fixture, 17, STARTED, "17 entered 2, 14 done 2, 16 done 11 may");
    free_fixture(&fixture);
}

static void test_12_destroy_waits_and_abort_does_not(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of("comm c\n"
                                        "comm d\n"
                                        "rank 0\n"
                                        "buffer x float32[4]\n"
                                        "stream s nonblocking\n"
                                        "stream t nonblocking\n"
                                        "recv x from 1 on s via c\n"
                                        "recv x from 1 on t via d\n"
                                        "destroy d\n"
                                        "abort c\n"
                                        "destroy world\n"
                                        "rank 1\n"
                                        "buffer x float32[4]\n"
                                        "stream s nonblocking\n"
                                        "send x to 0 on s via d\n"
                                        "destroy d\n"
                                        "destroy c\n");
    check_waits(&fixture, 9, RETURNED, "9 entered 1, 8 done 12, 16 entered 12");
    check_waits(&fixture, 10, RETURNED, "10 entered 1");
    check_waits(&fixture, 11, RETURNED, "11 entered 1, never (rank 1) 12");
    check_waits(&fixture, 17, RETURNED, "17 entered 1, 10 entered 12");
    check_waits(&fixture, 7, DONE, "7 started 2, never (rank 1) 5 abortable");
    check_waits(&fixture, 8, DONE, "8 started 2, 15 started 5");
    assert_int_equal(fixture.order->aborted_by[call_at(&fixture, 7)], call_at(&fixture, 10));
    free_fixture(&fixture);
}

/* Rank 0 has waited for its work when it aborts, by way of what rank 1 answers for the send. */
static void test_12_what_is_done_before_an_abort_holds_as_ever(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of("rank 0\n"
                                        "buffer x float32[4]\n"
                                        "buffer y float32[4]\n"
                                        "stream s nonblocking\n"
                                        "stream t nonblocking\n"
                                        "send x to 1 on s\n"
                                        "recv y from 1 on t\n"
                                        "sync t\n"
                                        "abort world\n"
                                        "rank 1\n"
                                        "buffer x float32[4]\n"
                                        "stream s nonblocking\n"
                                        "recv x from 0 on s\n"
                                        "sync s\n"
                                        "send x to 0 on s\n"
                                        "abort world\n");
    check_waits(&fixture, 6, DONE, "6 started 2, 13 started 5 abortable");
    check_waits(&fixture, 7, DONE, "7 started 2, 15 started 5");
    check_waits(&fixture, 7, STARTED, "7 entered 2, 6 done 11 may");
    check_waits(&fixture, 13, DONE, "13 started 2, 6 started 5");
    check_waits(&fixture, 15, DONE, "15 started 2, 7 started 5 abortable");
    const uint32_t *abort_of = fixture.order->abort_of, *aborted_by = fixture.order->aborted_by;
    const uint32_t aborted[] = {6, 15}, done[] = {7, 13};
    for (unsigned i = 0; i < 2; i++) {
        uint32_t first = call_at(&fixture, aborted[i]), second = call_at(&fixture, done[i]);
        assert_int_equal(aborted_by[first], abort_of[first]);
        assert_int_equal(aborted_by[second], NONE);
    }
    assert_int_equal(abort_of[call_at(&fixture, 7)], call_at(&fixture, 9));
    assert_int_equal(abort_of[call_at(&fixture, 13)], call_at(&fixture, 16));
    free_fixture(&fixture);
}

/* Lets everything happen that may; returns how many points never do. */
static uint32_t run_machine(struct machine *machine)
{
    bool moved = true;
    while (moved) {
        moved = false;
        for (uint32_t point = 0; point < machine->order->point_count; point++)
            if (machine_may_happen(machine, point)) {
                machine_happen(machine, point, NULL, NULL);
                moved = true;
            }
    }
    uint32_t points = 0;
    for (uint32_t point = 0; point < machine->order->point_count; point++)
        points += order_has_point(machine->order, point);
    return points - machine->happened_count;
}

static uint32_t stuck_points(const struct fixture *fixture, enum choice choice)
{
    struct machine *machine = machine_open(fixture->order, choice);
    uint32_t stuck = run_machine(machine);
    machine_close(machine);
    return stuck;
}

static void test_choices(void **state)
{
    (void)state;
    struct fixture small = fixture_of("rank 0\n"
                                      "buffer x float32[4]\n"
                                      "stream s\n"
                                      "send x to 1 on s\n"
                                      "rank 1\n"
                                      "stream s\n");
    assert_int_equal(stuck_points(&small, CHOICE_STRICT), 1); /* the send's end */
    assert_int_equal(stuck_points(&small, CHOICE_EAGER), 0);
    assert_int_equal(stuck_points(&small, CHOICE_GUARANTEED), 0);
    free_fixture(&small);
    struct fixture large = fixture_of("rank 0\n"
                                      "buffer x uint8[4194305]\n"
                                      "stream s\n"
                                      "send x to 1 on s\n"
                                      "rank 1\n"
                                      "stream s\n");
    assert_int_equal(stuck_points(&large, CHOICE_EAGER), 1);
    free_fixture(&large);
}

static void test_abort_releases_and_undo_takes_it_back(void **state)
{
    (void)state;
    struct fixture fixture = fixture_of("rank 0\n"
                                        "buffer x float32[4]\n"
                                        "stream s\n"
                                        "recv x from 1 on s\n"
                                        "abort world\n"
                                        "sync s\n"
                                        "rank 1\n"
                                        "buffer x float32[4]\n"
                                        "stream s\n"
                                        "send x to 0 on s\n");
    struct machine *machine = machine_open(fixture.order, CHOICE_STRICT);
    const uint32_t received = point_of(call_at(&fixture, 4), DONE);
    const uint32_t abort = point_of(call_at(&fixture, 5), ENTERED);
    for (uint32_t line = 2; line <= 4; line++) {
        machine_happen(machine, point_of(call_at(&fixture, line), ENTERED), NULL, NULL);
        machine_happen(machine, point_of(call_at(&fixture, line), RETURNED), NULL, NULL);
    }
    machine_happen(machine, point_of(call_at(&fixture, 4), STARTED), NULL, NULL);
    assert_false(machine_may_happen(machine, received));
    assert_int_equal(machine_held_by(machine, received)->rule, 5);
    machine_happen(machine, abort, NULL, NULL);
    assert_true(machine_may_happen(machine, received));
    assert_null(machine_held_by(machine, received));
    machine_undo(machine, abort);
    assert_false(machine_may_happen(machine, received));
    machine_happen(machine, abort, NULL, NULL);
    assert_int_equal(run_machine(machine), 0);
    machine_close(machine);
    free_fixture(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_1_host_programs_make_calls_in_order),
        cmocka_unit_test(test_2_streams_run_in_order),
        cmocka_unit_test(test_3_a_wait_takes_the_latest_record),
        cmocka_unit_test(test_4_default_and_blocking_streams_wait_for_one_another),
        cmocka_unit_test(test_5_transfers_match_first_to_first),
        cmocka_unit_test(test_5_communicators_match_apart),
        cmocka_unit_test(test_6_a_group_is_submitted_by_its_end),
        cmocka_unit_test(test_7_collectives_match_by_their_order),
        cmocka_unit_test(test_7_making_a_communicator_needs_every_rank),
        cmocka_unit_test(test_8_sync_poll_and_barrier_hold_the_host),
        cmocka_unit_test(test_9_when_a_copy_returns),
        cmocka_unit_test(test_10_allocating_may_wait_for_the_device),
        cmocka_unit_test(test_11_communication_of_one_gpu_takes_turns),
        cmocka_unit_test(test_12_destroy_waits_and_abort_does_not),
        cmocka_unit_test(test_12_what_is_done_before_an_abort_holds_as_ever),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_abort_releases_and_undo_takes_it_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
