#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "moments.h"
#include "screen/timeline.h"

static const char schedule[] = "rank 0\n"                        /* 1 */
                               "  buffer x float32[4]\n"         /* 2 */
                               "  stream S0\n"                   /* 3 */
                               "  launch A -> x on S0\n"         /* 4 */
                               "  send x to 1 on S0\n"           /* 5 */
                               "  sync S0\n"                     /* 6 */
                               "rank 1\n"                        /* 7 */
                               "  buffer x float32[4]\n"         /* 8 */
                               "  buffer y float32[4]\n"         /* 9 */
                               "  stream comm\n"                 /* 10 */
                               "  stream compute\n"              /* 11 */
                               "  recv x from 0 on comm\n"       /* 12 */
                               "  record E on comm\n"            /* 13 */
                               "  wait E on compute\n"           /* 14 */
                               "  launch B x -> y on compute\n"; /* 15 */

static void waits_for(struct moments *moments, int64_t time, uint32_t line, uint32_t other, enum phase phase)
{
    struct record *record = happen(moments, time, RECORD_WAITING, line);
    record->point = point_of(call_on_line(moments->program, other), phase);
    record->rule = 5;
}

/* A runs from 0 to 20, the transfer from 20 to 40, B from 40 to 50; the receive waits from 0 on. */
static void play(struct moments *moments)
{
    make_call(moments, 0, 0, 4);
    happen(moments, 0, RECORD_STARTED, 4);
    make_call(moments, 1, 0, 5);
    happen(moments, 2, RECORD_CALLED, 6);
    make_call(moments, 0, 0, 12);
    happen(moments, 0, RECORD_STARTED, 12);
    waits_for(moments, 0, 12, 5, STARTED);
    make_call(moments, 1, 0, 13);
    make_call(moments, 2, 0, 14);
    happen(moments, 2, RECORD_STARTED, 14);
    waits_for(moments, 2, 14, 13, DONE);
    make_call(moments, 3, 0, 15);
    happen(moments, 20, RECORD_DONE, 4);
    happen(moments, 20, RECORD_STARTED, 5);
    happen(moments, 40, RECORD_DONE, 5);
    happen(moments, 40, RECORD_DONE, 12);
    happen(moments, 40, RECORD_STARTED, 13);
    happen(moments, 40, RECORD_DONE, 13);
    happen(moments, 40, RECORD_DONE, 14);
    happen(moments, 40, RECORD_STARTED, 15);
    happen(moments, 45, RECORD_RETURNED, 6);
    happen(moments, 50, RECORD_DONE, 15);
}

/* Draws what happened up to UNTIL in the window from 0 to 50, a column for each nanosecond beside LABELS
 * columns. */
static void check_drawing_beside(int labels, const struct timeline_window *window, int64_t until, int rows,
                                 const char *expected)
{
    struct moments moments;
    struct canvas canvas;
    struct text out = {0};
    moments_open(&moments, schedule, "");
    play(&moments);
    struct view *view = view_open(moments.order);
    for (size_t i = 0; i < moments.log.count && moments.log.records[i].time <= until; i++)
        view_apply(view, &moments.log.records[i]);
    canvas_open(&canvas, rows, labels + 50, true);
    timeline_draw(view, window, &canvas, (struct rectangle){0, 0, rows, labels + 50});
    canvas_to_text(&canvas, &out);
    assert_string_equal(text_string(&out), expected);
    text_free(&out);
    canvas_free(&canvas);
    view_close(view);
    moments_close(&moments);
}

static void check_drawing(const struct timeline_window *window, int64_t until, int rows, const char *expected)
{
    check_drawing_beside(11, window, until, rows, expected);
}

static const struct timeline_window all = {.from = 0, .to = 50, .cursor = TIME_NONE, .rank = NONE};

static void test_calls_stand_above_and_work_below_on_one_scale(void **state)
{
    (void)state;
    check_drawing(&all, 50, 6,
                  "r0 calls   As:::::::::::::::::::sync::::::::::::::::::::\n"
                  "r1 calls   rEwB\n"
                  "           +0 ns---------------+20 ns--------------+40 ns----\n"
                  "r0 S0      #########A##########=======send x=======\n"
                  "r1 comm    ::::::::::::::::::::=======recv x=======E\n"
                  "r1 compute   ::::::::::::::::wait E::::::::::::::::####B#####\n");
}

static void test_what_runs_reaches_up_to_now(void **state)
{
    (void)state;
    const struct timeline_window window = {.from = 0, .to = 50, .cursor = 20, .rank = NONE};
    check_drawing(&window, 20, 6,
                  "r0 calls   As:::::::sync:::::::|\n"
                  "r1 calls   rEwB                |\n"
                  "           +0 ns---------------+20 ns--------------+40 ns----\n"
                  "r0 S0      #########A##########s\n"
                  "r1 comm    :::::::recv x:::::::|\n"
                  "r1 compute   ::::::wait E::::::|\n");
}

static void test_the_ranks_own_tracks_come_first_where_not_all_fit(void **state)
{
    (void)state;
    const struct timeline_window window = {.from = 0, .to = 50, .cursor = TIME_NONE, .rank = 1};
    check_drawing(&window, 50, 4,
                  "r1 calls   rEwB\n"
                  "           +0 ns---------------+20 ns--------------+40 ns----\n"
                  "r1 comm    ::::::::::::::::::::=======recv x=======E\n"
                  "r1 compute   ::::::::::::::::wait E::::::::::::::::####B#####\n");
}

static void test_buffers_show_who_uses_them(void **state)
{
    (void)state;
    check_drawing_beside(12, &all, 50, 8,
                         "r0 calls    As:::::::::::::::::::sync::::::::::::::::::::\n"
                         "r1 calls    rEwB\n"
                         "            +0 ns---------------+20 ns--------------+40 ns----\n"
                         "r0 S0       #########A##########=======send x=======\n"
                         "r1 comm     ::::::::::::::::::::=======recv x=======E\n"
                         "r1 compute    ::::::::::::::::wait E::::::::::::::::####B#####\n"
                         "r0 use of x #########A##########=======send x=======\n"
                         "r1 use of x #################recv x#################====B=====\n");
}

/* A second A writes x while the send from 20 to 40 reads it. */
static void test_uses_that_are_in_each_others_way_are_marked(void **state)
{
    (void)state;
    static const char race[] = "rank 0\n"
                               "  buffer x float32[4]\n"
                               "  stream S0\n"
                               "  stream S2\n"
                               "  send x to 1 on S0\n"
                               "  launch A -> x on S2\n"
                               "rank 1\n"
                               "  buffer x float32[4]\n"
                               "  recv x from 0 on default\n";
    const struct timeline_window window = {.from = 0, .to = 50, .cursor = TIME_NONE, .rank = 0};
    struct moments moments;
    struct canvas canvas;
    struct text out = {0};
    moments_open(&moments, race, "");
    happen(&moments, 20, RECORD_STARTED, 5);
    happen(&moments, 30, RECORD_STARTED, 6);
    happen(&moments, 40, RECORD_DONE, 5);
    happen(&moments, 45, RECORD_DONE, 6);
    struct view *view = view_open(moments.order);
    for (size_t i = 0; i < moments.log.count; i++)
        view_apply(view, &moments.log.records[i]);
    canvas_open(&canvas, 7, 12 + 50, true);
    timeline_draw(view, &window, &canvas, (struct rectangle){0, 0, 7, 12 + 50});
    canvas_to_text(&canvas, &out);
    assert_non_null(strstr(text_string(&out), "r0 use of x                     =======sen!!!!!!!!!!##A##\n"));
    text_free(&out);
    canvas_free(&canvas);
    view_close(view);
    moments_close(&moments);
}

static void check_time(int64_t time, const char *expected)
{
    struct text out = {0};
    format_time(time, &out);
    assert_string_equal(text_string(&out), expected);
    text_free(&out);
}

static void test_times_are_written_with_their_unit(void **state)
{
    (void)state;
    check_time(0, "0 ns");
    check_time(999, "999 ns");
    check_time(12000, "12.00 us");
    check_time(6200000, "6.20 ms");
    check_time(-300000000, "-300.0 ms");
    check_time(2500000000, "2.50 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_stand_above_and_work_below_on_one_scale),
        cmocka_unit_test(test_what_runs_reaches_up_to_now),
        cmocka_unit_test(test_the_ranks_own_tracks_come_first_where_not_all_fit),
        cmocka_unit_test(test_buffers_show_who_uses_them),
        cmocka_unit_test(test_uses_that_are_in_each_others_way_are_marked),
        cmocka_unit_test(test_times_are_written_with_their_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
