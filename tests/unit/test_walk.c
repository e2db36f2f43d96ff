#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "moments.h"
#include "screen/frame.h"

static const char text[] = "# Two steps\n"
                           "\n"
                           "```schedule\n"
                           "variant other \"something else\"\n"
                           "rank 0\n"
                           "  stream S0\n"
                           "  launch A on S0\n"
                           "```\n"
                           "\n"
                           "## First\n"
                           "\n"
                           "A is asked for.\n"
                           "\n"
                           "Is it done?\n"
                           "\n"
                           "- [ ] yes\n"
                           "- [x] no\n"
                           "\n"
                           "It was only asked for.\n"
                           "\n"
                           "## Left out [only other]\n"
                           "\n"
                           "Not in this walk.\n"
                           "\n"
                           "## Second\n"
                           "\n"
                           "It is done.\n";

static struct lesson *lesson;
static struct moments moments;
static struct walk walk;

static void append_step(int64_t step)
{
    const struct record record = {
        .kind = RECORD_STEP, .rank = NONE, .call = NONE, .point = NONE, .memory = NONE, .number = step};
    log_append(&moments.log, &record);
}

/* The log of both steps: the launch in the first, its end in the second. */
static void open_walk(void)
{
    struct diagnostics faults = {0};
    lesson = lesson_parse("2-two.md", text, strlen(text), &faults);
    assert_non_null(lesson);
    size_t length;
    const char *schedule = schedule_text(lesson->schedule, &length);
    char *copy = strndup(schedule, length);
    moments_open(&moments, copy, "");
    free(copy);
    append_step(0);
    make_call(&moments, 1, 0, 4);
    append_step(2);
    happen(&moments, 2, RECORD_STARTED, 4);
    happen(&moments, 3, RECORD_DONE, 4);
    walk_open(&walk, "lessons/2-two.md", lesson, moments.schedule);
    walk_begin_run(&walk, moments.order, &moments.log, 0);
}

static void close_walk(void)
{
    walk_close(&walk);
    moments_close(&moments);
    lesson_free(lesson);
}

static void test_the_title_comes_from_the_files_name(void **state)
{
    (void)state;
    open_walk();
    assert_string_equal(text_string(&walk.title), "2 two");
    close_walk();
}

static void test_steps_go_forward_and_back(void **state)
{
    (void)state;
    open_walk();
    assert_int_equal(walk.step_count, 2);
    assert_null(walk_step(&walk));
    walk_seek(&walk, walk_step_after(&walk));
    assert_string_equal(walk_step(&walk)->title, "First");
    assert_int_equal(walk_step_number(&walk, walk.view->step), 1);
    assert_false(walk_is_live(&walk));
    walk_seek(&walk, walk_step_after(&walk));
    assert_string_equal(walk_step(&walk)->title, "Second");
    assert_int_equal(walk_step_number(&walk, walk.view->step), 2);
    assert_true(walk_is_live(&walk));
    walk_key(&walk, 'b');
    assert_string_equal(walk_step(&walk)->title, "First");
    assert_int_equal(walk.view->calls[call_on_line(moments.program, 4)].started, TIME_NONE);
    walk_key(&walk, 'b');
    assert_null(walk_step(&walk));
    assert_int_equal(walk.position, 0);
    walk_key(&walk, 'b');
    assert_int_equal(walk.position, 0);
    close_walk();
}

static void test_a_question_is_answered_once_where_the_run_is(void **state)
{
    (void)state;
    size_t index;
    open_walk();
    moments.log.count = 4; /* the second step has not come yet */
    walk_seek(&walk, 4);
    assert_non_null(walk_open_question(&walk, &index));
    walk_key(&walk, '7');
    assert_non_null(walk_open_question(&walk, &index));
    walk_key(&walk, '1');
    assert_null(walk_open_question(&walk, &index));
    assert_int_equal(walk.answers[0][0], 0);
    walk_key(&walk, '2');
    assert_int_equal(walk.answers[0][0], 0);
    close_walk();
}

static void test_a_question_waits_until_the_run_is_there(void **state)
{
    (void)state;
    size_t index;
    open_walk();
    moments.log.count = 4;
    walk_seek(&walk, 4);
    walk.is_under_way = true;
    assert_true(walk_is_live(&walk));
    assert_false(walk_has_arrived(&walk));
    assert_null(walk_open_question(&walk, &index));
    walk_key(&walk, '1');
    assert_int_equal(walk.answers[0][0], -1);
    walk.is_under_way = false;
    assert_true(walk_has_arrived(&walk));
    assert_non_null(walk_open_question(&walk, &index));
    close_walk();
}

static void test_keys_choose_tracks_and_variants(void **state)
{
    (void)state;
    open_walk();
    assert_int_equal(walk_chosen_track(&walk)->stream, NONE);
    walk_key(&walk, KEYS_DOWN);
    assert_int_equal(walk_chosen_track(&walk)->stream,
                     call_statement(moments.program, call_on_line(moments.program, 4))->stream);
    assert_int_equal(walk_key(&walk, ' '), ACTION_RELEASE);
    assert_int_equal(walk_key(&walk, 'v'), ACTION_NONE);
    assert_int_equal(walk.overlay, OVERLAY_VARIANTS);
    assert_int_equal(walk_key(&walk, ' '), ACTION_NONE);
    assert_int_equal(walk_key(&walk, KEYS_ENTER), ACTION_TAKE_VARIANTS);
    assert_int_equal(walk.overlay_variants, 1);
    /* The same choice again changes nothing. */
    walk_key(&walk, 'v');
    assert_int_equal(walk_key(&walk, KEYS_ENTER), ACTION_NONE);
    assert_int_equal(walk.overlay, OVERLAY_NONE);
    assert_non_null(strstr(text_string(&walk.notice), "Nothing was changed"));
    close_walk();
}

static void test_no_key_does_two_things(void **state)
{
    (void)state;
    for (int i = 0; i < key_binding_count; i++)
        for (int k = 0; k < 2; k++)
            if (key_bindings[i].keys[k] != 0)
                assert_int_equal(key_action(key_bindings[i].keys[k]), key_bindings[i].action);
}

/* Whether the key bar of a screen that is so wide has the key. */
static bool bar_has(int columns, const char *key)
{
    struct canvas canvas;
    struct text out = {0};
    canvas_open(&canvas, 24, columns, false);
    frame_draw(&walk, &canvas);
    canvas_to_text(&canvas, &out);
    const char *bar = text_string(&out);
    for (int row = 0; row < 23; row++)
        bar = strchr(bar, '\n') + 1;
    bool found = strstr(bar, key) != NULL;
    text_free(&out);
    canvas_free(&canvas);
    return found;
}

/* Whatever is asked, and also for who presents. */
static void test_reset_back_help_and_a_way_out_are_always_in_sight(void **state)
{
    (void)state;
    open_walk();
    moments.log.count = 4;
    for (size_t position = 0; position <= 4; position++)
        for (int columns = 80; columns < 160; columns++) {
            walk_seek(&walk, position);
            walk.is_presented = columns % 2;
            assert_true(bar_has(columns, "n next"));
            assert_true(bar_has(columns, "b back"));
            assert_true(bar_has(columns, "R reset"));
            assert_true(bar_has(columns, "? help"));
            assert_true(bar_has(columns, "q quit"));
            assert_int_equal(bar_has(columns, "1-2 answer"),
                             position == 4 || (walk.is_presented && position > 0));
        }
    close_walk();
}

static void test_the_key_bar_says_where_a_way_out_leads(void **state)
{
    (void)state;
    open_walk();
    walk.is_from_menu = true;
    assert_true(bar_has(80, "q menu"));
    walk_key(&walk, '?');
    assert_true(bar_has(80, "Esc close"));
    assert_false(bar_has(80, "q menu"));
    walk_key(&walk, KEYS_ESCAPE);
    walk.is_excursion = true;
    assert_true(bar_has(80, "Esc leave"));
    assert_false(bar_has(80, "q "));
    close_walk();
}

static void test_a_wide_key_bar_has_every_key(void **state)
{
    (void)state;
    open_walk();
    for (int i = 0; i < key_binding_count; i++)
        if (key_bindings[i].brief && walk_offers(&walk, &key_bindings[i]))
            assert_true(bar_has(160, key_bindings[i].brief));
    close_walk();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_title_comes_from_the_files_name),
        cmocka_unit_test(test_steps_go_forward_and_back),
        cmocka_unit_test(test_a_question_is_answered_once_where_the_run_is),
        cmocka_unit_test(test_a_question_waits_until_the_run_is_there),
        cmocka_unit_test(test_keys_choose_tracks_and_variants),
        cmocka_unit_test(test_no_key_does_two_things),
        cmocka_unit_test(test_reset_back_help_and_a_way_out_are_always_in_sight),
        cmocka_unit_test(test_the_key_bar_says_where_a_way_out_leads),
        cmocka_unit_test(test_a_wide_key_bar_has_every_key),
    };
    if (!setlocale(LC_ALL, "C.UTF-8"))
        return 77; /* meson: skipped */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
