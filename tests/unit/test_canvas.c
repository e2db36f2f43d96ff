#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>

#include "screen/canvas.h"

/* Draws TEXT at COLUMN of a canvas of one row and checks what stands in it. */
static void check_row(int columns, bool ascii, int column, const char *text, const char *expected)
{
    struct canvas canvas;
    struct text out = {0};
    canvas_open(&canvas, 1, columns, ascii);
    canvas_text(&canvas, (struct rectangle){0, 0, 1, columns}, 0, column, STYLE_PLAIN, text);
    canvas_to_text(&canvas, &out);
    assert_string_equal(text_string(&out), expected);
    text_free(&out);
    canvas_free(&canvas);
}

static void test_text_is_cut_with_a_mark(void **state)
{
    (void)state;
    check_row(5, false, 0, "abcde", "abcde\n");
    check_row(5, false, 0, "abcdef", "abcd…\n");
    check_row(5, true, 0, "abcdef", "abcd~\n");
    check_row(5, false, 4, "ab", "    …\n");
    check_row(5, false, 5, "ab", "\n");
}

static void test_wide_characters_take_two_cells(void **state)
{
    (void)state;
    check_row(4, false, 0, "漢字", "漢字\n");
    check_row(3, false, 0, "漢字", "漢…\n");
    check_row(2, false, 1, "漢", " …\n");

    /* Half of a wide character never stays behind. */
    struct canvas canvas;
    struct text out = {0};
    struct rectangle area = {0, 0, 1, 4};
    canvas_open(&canvas, 1, 4, false);
    canvas_text(&canvas, area, 0, 0, STYLE_PLAIN, "漢字");
    canvas_text(&canvas, area, 0, 1, STYLE_PLAIN, "x");
    canvas_text(&canvas, area, 0, 2, STYLE_PLAIN, "y");
    canvas_to_text(&canvas, &out);
    assert_string_equal(text_string(&out), " xy\n");
    text_free(&out);
    canvas_free(&canvas);
}

static void test_combining_marks_stay_on_their_letter(void **state)
{
    (void)state;
    check_row(3, false, 0, "e\u0301xy", "e\u0301xy\n");
    check_row(3, false, 0, "\u0301xy", "xy\n");
}

static void test_ascii_has_a_form_for_everything(void **state)
{
    (void)state;
    check_row(20, true, 0, "receive → E … 漢", "receive -> E ... ?\n");
    for (int glyph = 0; glyph < GLYPH_COUNT; glyph++) {
        struct canvas canvas;
        canvas_open(&canvas, 1, 1, true);
        canvas_glyph(&canvas, (struct rectangle){0, 0, 1, 1}, 0, 0, STYLE_PLAIN, (enum glyph)glyph);
        assert_in_range(canvas.cells[0].code_point, '!', '~');
        canvas_free(&canvas);
    }
}

static void test_control_characters_do_not_get_through(void **state)
{
    (void)state;
    check_row(20, false, 0, "a\x1b[2Jb", "a\\x1B[2Jb\n");
}

static void test_drawing_stays_within_its_area(void **state)
{
    (void)state;
    struct canvas canvas;
    struct text out = {0};
    struct rectangle area = {1, 1, 1, 3};
    canvas_open(&canvas, 3, 5, true);
    canvas_text(&canvas, area, 0, 0, STYLE_PLAIN, "abcdef");
    canvas_text(&canvas, area, 1, 0, STYLE_PLAIN, "below");
    canvas_text(&canvas, area, -1, 0, STYLE_PLAIN, "above");
    canvas_glyph(&canvas, area, 0, 3, STYLE_PLAIN, GLYPH_DONE);
    canvas_glyph(&canvas, area, 0, -1, STYLE_PLAIN, GLYPH_DONE);
    canvas_to_text(&canvas, &out);
    assert_string_equal(text_string(&out), "\n ab~\n\n");
    text_free(&out);
    canvas_free(&canvas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_cut_with_a_mark),
        cmocka_unit_test(test_wide_characters_take_two_cells),
        cmocka_unit_test(test_combining_marks_stay_on_their_letter),
        cmocka_unit_test(test_ascii_has_a_form_for_everything),
        cmocka_unit_test(test_control_characters_do_not_get_through),
        cmocka_unit_test(test_drawing_stays_within_its_area),
    };
    if (!setlocale(LC_ALL, "C.UTF-8"))
        return 77; /* meson: skipped */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
