/* The presenter's notes as a picture, and pages with space between their lines. */
#include "fold.h"

#include <locale.h>
#include <stdlib.h>

#include "screen/notes.h"
#include "screen/page.h"

static char text[] = "# Two\n\nWhat it is about.\n\n```schedule\nrank 0\n  buffer x float32[4]\n```\n\n"
                     "## First\n\nProse.\n\nWhich?\n\n- [ ] that one\n- [x] this one\n\nFor a reason.\n\n"
                     "<!-- present: Point at it. -->\n\n"
                     "## Second\n\nMore.\n\n```until\nfinished\n```\n\n<!-- present: Wait for them. -->\n";

static struct {
    struct lesson *lesson;
    struct program *program;
    struct order *order;
    struct log log;
    struct walk walk;
} shown;

/* At STEP; -1 before the first. */
static void open_walk(int step)
{
    struct diagnostics faults = {0};
    shown.lesson = lesson_parse("2-two.md", text, sizeof text - 1, &faults);
    assert_non_null(shown.lesson);
    shown.program = program_resolve(shown.lesson->schedule, 0, &faults);
    shown.order = order_build(shown.program);
    for (int i = 0; i <= step; i++)
        log_append(&shown.log,
                   &(struct record){.time = i, .kind = RECORD_STEP, .rank = NONE, .call = NONE, .number = i});
    walk_open(&shown.walk, "2-two.md", shown.lesson, shown.lesson->schedule);
    walk_begin_run(&shown.walk, shown.order, &shown.log, 0);
    walk_seek(&shown.walk, shown.log.count);
}

static void close_walk(void)
{
    walk_close(&shown.walk);
    log_free(&shown.log);
    order_free(shown.order);
    program_free(shown.program);
    lesson_free(shown.lesson);
}

static void draw(struct text *out, int64_t seconds, const char *end, int rows, int columns)
{
    struct canvas canvas;
    const struct notes notes = {.walk = &shown.walk, .seconds = seconds, .end = end};
    text_clear(out);
    canvas_open(&canvas, rows, columns, true);
    notes_draw(&notes, &canvas);
    canvas_to_text(&canvas, out);
    canvas_free(&canvas);
}

static void assert_shows(const struct text *out, const char *words)
{
    if (!strstr(text_string(out), words))
        fail_msg("no \"%s\" in\n%s", words, text_string(out));
}

static void test_a_step_has_its_notes_answers_and_what_comes_next(void **state)
{
    (void)state;
    struct text out = {0};
    open_walk(0);
    draw(&out, 754, "", 30, 80);
    assert_shows(&out, "2 two");
    assert_shows(&out, "step 1/2");
    assert_shows(&out, "12:34");
    assert_shows(&out, "Point at it.");
    assert_shows(&out, "*2) this one");
    assert_shows(&out, " 1) that one");
    assert_shows(&out, "For a reason.");
    assert_shows(&out, "Second");
    assert_shows(&out, "Wait for them.");
    assert_null(strstr(text_string(&out), "answered"));
    walk_reveal(&shown.walk, 1);
    draw(&out, 754, "", 30, 80);
    assert_shows(&out, "Question, answered");
    close_walk();
    text_free(&out);
}

static void test_before_the_first_step_and_at_the_last(void **state)
{
    (void)state;
    struct text out = {0};
    open_walk(-1);
    draw(&out, 0, "", 30, 80);
    assert_shows(&out, "step 0/2");
    assert_shows(&out, "First");
    close_walk();
    shown.log = (struct log){0};
    open_walk(1);
    draw(&out, 0, "It is over.", 30, 80);
    assert_shows(&out, "This is the last step.");
    assert_shows(&out, "It is over.");
    assert_shows(&out, "q close the notes");
    assert_null(strstr(text_string(&out), "n next"));
    assert_null(strstr(text_string(&out), "r run"));
    close_walk();
    text_free(&out);
}

static void test_any_size_can_be_drawn(void **state)
{
    (void)state;
    struct text out = {0};
    open_walk(0);
    for (int rows = 1; rows <= 40; rows++)
        for (int columns = 1; columns <= 130; columns += 3) {
            draw(&out, 3723, "", rows, columns);
            if (rows > 1 && columns > 20)
                assert_shows(&out, "q close the notes");
        }
    draw(&out, 3723, "", 30, 80);
    assert_shows(&out, "n next  b back  a reveal  r run and pause  PgUp PgDn scroll  q close the notes");
    close_walk();
    text_free(&out);
}

static void test_elapsed_time(void **state)
{
    (void)state;
    static const struct {
        int64_t seconds;
        const char *words;
    } cases[] = {{0, "0:00"},     {7, "0:07"},       {60, "1:00"},
                 {3599, "59:59"}, {3600, "1:00:00"}, {3723, "1:02:03"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = {0};
        format_elapsed(cases[i].seconds, &out);
        assert_string_equal(text_string(&out), cases[i].words);
        text_free(&out);
    }
}

static void test_a_page_is_spread(void **state)
{
    (void)state;
    struct page page = {.width = 10, .ascii = true};
    struct canvas canvas;
    struct text out = {0};
    page_spread(&page); /* nothing to spread */
    page_text(&page, 0, 0, STYLE_PLAIN, "one two three four");
    assert_int_equal(page.line_count, 2);
    page_spread(&page);
    assert_int_equal(page.line_count, 3);
    canvas_open(&canvas, 3, 10, true);
    page_draw(&page, &canvas, (struct rectangle){0, 0, 3, 10}, 0);
    canvas_to_text(&canvas, &out);
    assert_string_equal(text_string(&out), "one two\n\nthree four\n");
    page_text(&page, 0, 0, STYLE_PLAIN, "five"); /* it goes on growing */
    assert_int_equal(page.line_count, 4);
    canvas_free(&canvas);
    page_free(&page);
    text_free(&out);
}

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_step_has_its_notes_answers_and_what_comes_next),
        cmocka_unit_test(test_before_the_first_step_and_at_the_last),
        cmocka_unit_test(test_any_size_can_be_drawn),
        cmocka_unit_test(test_elapsed_time),
        cmocka_unit_test(test_a_page_is_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
