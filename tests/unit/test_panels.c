#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>

#include "moments.h"
#include "screen/frame.h"
#include "screen/program_panel.h"
#include "screen/ranks.h"

static const char schedule[] = "variant late \"B without its event\"\n" /* 1 */
                               "rank 0\n"                               /* 2 */
                               "  buffer x float32[4]\n"                /* 3 */
                               "  stream S0\n"                          /* 4 */
                               "  launch A -> x on S0\n"                /* 5 */
                               "  send x to 1 on S0\n"                  /* 6 */
                               "  sync S0\n"                            /* 7 */
                               "rank 1\n"                               /* 8 */
                               "  buffer x float32[4]\n"                /* 9 */
                               "  buffer y float32[4]\n"                /* 10 */
                               "  stream comm\n"                        /* 11 */
                               "  stream compute\n"                     /* 12 */
                               "  recv x from 0 on comm\n"              /* 13 */
                               "  record E on comm\n"                   /* 14 */
                               "  wait E on compute [not late]\n"       /* 15 */
                               "  launch B x -> y on compute\n";        /* 16 */

static struct moments moments;
static struct walk walk;

static void open_walk(const char *variants)
{
    moments_open(&moments, schedule, variants);
    walk_open(&walk, "lessons/5-overlap.md", NULL, moments.schedule);
    walk_begin_run(&walk, moments.order, &moments.log, moments.program->variants);
}

static void close_walk(void)
{
    walk_close(&walk);
    moments_close(&moments);
}

static void write_values(int64_t time, uint32_t line, uint32_t memory, uint32_t first, uint32_t count,
                         float *values)
{
    struct record record = {.time = time,
                            .kind = RECORD_WRITTEN,
                            .call = call_on_line(moments.program, line),
                            .point = NONE,
                            .memory = memory,
                            .first = first,
                            .count = count,
                            .length = count * sizeof *values,
                            .bytes = (const char *)values};
    log_append(&moments.log, &record);
}

/* Everything was asked for; A is done, and half of x has crossed. */
static void play(void)
{
    static float values[] = {1, 2, 3, 4};
    for (uint32_t rank = 0; rank < 2; rank++) {
        happen_in_rank(&moments, -9, RECORD_FORKED, rank, 100 + rank);
        happen_in_rank(&moments, 0, RECORD_READY, rank, 0);
    }
    for (uint32_t line = 3; line <= 16; line++)
        if (line != 7 && line != 8)
            make_call(&moments, line, 0, line);
    happen(&moments, 17, RECORD_CALLED, 7);
    struct record *record = happen(&moments, 17, RECORD_WAITING, 7);
    record->point = point_of(call_on_line(moments.program, 6), DONE);
    record->rule = 8;
    happen(&moments, 17, RECORD_STARTED, 5);
    happen(&moments, 17, RECORD_STARTED, 13);
    happen(&moments, 17, RECORD_STARTED, 15);
    record = happen(&moments, 17, RECORD_WAITING, 15);
    record->point = point_of(call_on_line(moments.program, 14), DONE);
    record->rule = 3;
    write_values(20, 5, 0, 0, 4, values);
    happen(&moments, 20, RECORD_DONE, 5);
    happen(&moments, 20, RECORD_STARTED, 6);
    write_values(25, 13, 1, 0, 2, values);
}

static void check_rank(uint32_t rank, enum detail detail, int rows, int columns, const char *expected)
{
    struct canvas canvas;
    struct text out = {0};
    canvas_open(&canvas, rows, columns, true);
    rank_panel_draw(&walk, rank, detail, &canvas, (struct rectangle){0, 0, rows, columns});
    canvas_to_text(&canvas, &out);
    assert_string_equal(text_string(&out), expected);
    text_free(&out);
    canvas_free(&canvas);
}

static void test_nothing_is_claimed_before_it_happened(void **state)
{
    (void)state;
    open_walk("");
    check_rank(0, DETAIL_LINES, 4, 60,
               "rank 0 - no process yet - GPU 0 - no id yet\n"
               "> host    before its first call\n"
               "  S0      nothing submitted\n"
               "  x       not allocated yet\n");
    close_walk();
}

static void test_a_rank_shows_calls_apart_from_work(void **state)
{
    (void)state;
    open_walk("");
    play();
    walk_seek(&walk, moments.log.count);
    check_rank(0, DETAIL_LINES, 4, 60,
               "rank 0 - pid 100 - GPU 0 - comm ready\n"
               "> host    ~ in sync S0 waits for send x to 1 on S0\n"
               "  S0      A *  send >\n"
               "  x       | 1>| 2>| 3>| 4>| read by send\n");
    check_rank(1, DETAIL_LINES, 7, 60,
               "rank 1 - pid 101 - GPU 1 - comm ready\n"
               "  host    * at its end\n"
               "  comm    recv >  record E .\n"
               "  compute wait E ~ waits for event E (recv x from 0 on comm~\n"
               "  events  E ~ recorded, not complete\n"
               "  x       | 1<| 2<| :<| :<| written by recv\n"
               "  y       | . | . | . | . |\n");
    close_walk();
}

static void test_more_room_gives_every_wait_a_row(void **state)
{
    (void)state;
    open_walk("");
    play();
    walk_seek(&walk, moments.log.count);
    assert_int_equal(rank_panel_rows(&walk, 0, DETAIL_LINES, 60), 4);
    assert_int_equal(rank_panel_rows(&walk, 0, DETAIL_WAITS, 60), 6);
    check_rank(0, DETAIL_WAITS, 6, 60,
               "rank 0 - pid 100 - GPU 0 - comm ready\n"
               "> host    ~ in sync S0\n"
               "    waits for send x to 1 on S0\n"
               "  S0      A *  send >\n"
               "\n"
               "  x       | 1>| 2>| 3>| 4>| read by send\n");
    close_walk();
}

static void test_a_folded_rank_says_what_it_is_at(void **state)
{
    (void)state;
    open_walk("");
    play();
    walk_seek(&walk, moments.log.count);
    check_rank(1, DETAIL_FLOWING, 1, 80, "rank 1 - pid 101  host launch *  comm recv >  compute wait E ~\n");
    close_walk();
}

static void test_a_dead_process_is_named(void **state)
{
    (void)state;
    open_walk("");
    play();
    happen_in_rank(&moments, 30, RECORD_EXITED, 0, -9);
    walk_seek(&walk, moments.log.count);
    check_rank(0, DETAIL_LINES, 4, 70,
               "rank 0 - pid 100 - ended by signal 9 - GPU 0\n"
               "> host    ~ in sync S0 rank 0's process is gone\n"
               "  S0      A *  send > rank 0's process is gone\n"
               "  x       | 1>| 2>| 3>| 4>| read by send\n");
    close_walk();
}

static void check_program(int rows, const char *expected)
{
    struct canvas canvas;
    struct text out = {0};
    canvas_open(&canvas, rows, 40, true);
    program_panel_draw(&walk, &canvas, (struct rectangle){0, 0, rows, 40});
    canvas_to_text(&canvas, &out);
    assert_string_equal(text_string(&out), expected);
    text_free(&out);
    canvas_free(&canvas);
}

static void test_the_program_shows_where_each_rank_is(void **state)
{
    (void)state;
    open_walk("");
    play();
    walk_seek(&walk, moments.log.count);
    check_program(15, "  2 rank 0\n"
                      "  3   buffer x float32[4]\n"
                      "  4   stream S0\n"
                      "  5   launch A -> x on S0\n"
                      "  6   send x to 1 on S0\n"
                      "  7>  sync S0\n"
                      "  8 rank 1\n"
                      "  9   buffer x float32[4]\n"
                      " 10   buffer y float32[4]\n"
                      " 11   stream comm\n"
                      " 12   stream compute\n"
                      " 13   recv x from 0 on comm\n"
                      " 14   record E on comm\n"
                      " 15   wait E on compute\n"
                      " 16*  launch B x -> y on compute\n");
    /* In few rows: what each is at, and what is nearest in its own program. */
    check_program(4, "~ 6   send x to 1 on S0\n"
                     "  7>  sync S0\n"
                     "~15   wait E on compute\n"
                     " 16*  launch B x -> y on compute\n");
    close_walk();
}

static void test_the_program_shows_what_a_variant_changes(void **state)
{
    (void)state;
    open_walk("late");
    walk.focus = PANEL_PROGRAM;
    walk.scroll[PANEL_PROGRAM] = 12;
    check_program(3, " 14   record E on comm\n"
                     " 15-  wait E on compute\n"
                     " 16   launch B x -> y on compute\n");
    close_walk();
}

/* Every size is drawn without a fault, and nothing but a hint below 80x24. */
static void test_every_size_is_drawn(void **state)
{
    (void)state;
    open_walk("");
    play();
    walk_seek(&walk, moments.log.count);
    for (int rows = 1; rows <= 60; rows += 3)
        for (int columns = 1; columns <= 200; columns += 7) {
            struct canvas canvas;
            struct text out = {0};
            canvas_open(&canvas, rows, columns, false);
            frame_draw(&walk, &canvas);
            canvas_to_text(&canvas, &out);
            bool is_small = rows < 24 || columns < 80;
            assert_int_equal(strstr(text_string(&out), "rank 0") == NULL, is_small);
            text_free(&out);
            canvas_free(&canvas);
        }
    close_walk();
}

static void test_steps_back_end_at_the_beginning(void **state)
{
    (void)state;
    open_walk("");
    play();
    walk_seek(&walk, moments.log.count);
    int moments_back = 0;
    for (; walk.position > 0; moments_back++)
        walk_key(&walk, 'b');
    /* Times -9 and 0 of both ranks in turn, 3 to 6, 9 to 16, 17, 20 and 25. */
    assert_int_equal(moments_back, 4 + 4 + 8 + 3);
    assert_int_equal(walk.view->ranks[0].forked, false);
    walk_key(&walk, KEYS_END);
    assert_true(walk_is_live(&walk));
    close_walk();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_claimed_before_it_happened),
        cmocka_unit_test(test_a_rank_shows_calls_apart_from_work),
        cmocka_unit_test(test_more_room_gives_every_wait_a_row),
        cmocka_unit_test(test_a_folded_rank_says_what_it_is_at),
        cmocka_unit_test(test_a_dead_process_is_named),
        cmocka_unit_test(test_the_program_shows_where_each_rank_is),
        cmocka_unit_test(test_the_program_shows_what_a_variant_changes),
        cmocka_unit_test(test_every_size_is_drawn),
        cmocka_unit_test(test_steps_back_end_at_the_beginning),
    };
    if (!setlocale(LC_ALL, "C.UTF-8"))
        return 77; /* meson: skipped */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
