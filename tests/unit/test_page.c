#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>

#include "screen/page.h"

/* Draws the page from line START on and checks what stands there, and how many lines are left below. */
static void check_page(struct page *page, int rows, int start, int below, const char *expected)
{
    struct canvas canvas;
    struct text out = {0};
    canvas_open(&canvas, rows, page->width, page->ascii);
    assert_int_equal(page_draw(page, &canvas, (struct rectangle){0, 0, rows, page->width}, start), below);
    canvas_to_text(&canvas, &out);
    assert_string_equal(text_string(&out), expected);
    text_free(&out);
    canvas_free(&canvas);
}

static void test_words_are_wrapped_between_blanks(void **state)
{
    (void)state;
    struct page page = {.width = 10};
    page_text(&page, 0, 0, STYLE_PLAIN, "one two three  four");
    check_page(&page, 3, 0, 0, "one two\nthree\nfour\n");
    page_free(&page);
}

static void test_a_word_longer_than_a_line_is_broken(void **state)
{
    (void)state;
    struct page page = {.width = 5};
    page_text(&page, 0, 0, STYLE_PLAIN, "ab abcdefghijkl m");
    check_page(&page, 4, 0, 0, "ab\nabcde\nfghij\nkl m\n");
    page_free(&page);
}

static void test_wide_characters_count_twice(void **state)
{
    (void)state;
    struct page page = {.width = 5};
    page_text(&page, 0, 0, STYLE_PLAIN, "漢字 漢字漢");
    check_page(&page, 3, 0, 0, "漢字\n漢字\n漢\n");
    page_free(&page);
}

static void test_ascii_is_measured_as_it_is_drawn(void **state)
{
    (void)state;
    struct page page = {.width = 6, .ascii = true};
    page_text(&page, 0, 0, STYLE_PLAIN, "a → b…");
    check_page(&page, 2, 0, 0, "a ->\nb...\n");
    page_free(&page);
}

static void test_markers_stand_out_and_blocks_keep_their_styles(void **state)
{
    (void)state;
    struct prose_run runs[] = {{PROSE_PLAIN, "see "}, {PROSE_CODE, "wait E"}, {PROSE_PLAIN, ", then go on"}};
    const struct prose_block block = {.kind = BLOCK_LIST_ITEM, .runs = runs, .run_count = 3};
    struct page page = {.width = 12};
    page_block(&page, 0, "1) ", &block);
    check_page(&page, 4, 0, 0, "1) see wait\n   E, then\n   go on\n\n");

    struct canvas canvas;
    canvas_open(&canvas, 1, 12, false);
    page_draw(&page, &canvas, (struct rectangle){0, 0, 1, 12}, 0);
    assert_int_equal(canvas.cells[3].style, STYLE_PLAIN); /* see */
    assert_int_equal(canvas.cells[7].style, STYLE_CODE);  /* wait */
    canvas_free(&canvas);
    page_free(&page);
}

static void test_code_keeps_its_lines(void **state)
{
    (void)state;
    struct prose_run runs[] = {{PROSE_CODE, "recv x\nrecord E\n"}};
    const struct prose_block block = {.kind = BLOCK_CODE, .runs = runs, .run_count = 1};
    struct page page = {.width = 12};
    page_block(&page, 0, "", &block);
    check_page(&page, 3, 0, 0, "  recv x\n  record E\n\n");
    page_free(&page);
}

static void test_a_page_says_how_much_is_left_and_scrolls_no_further(void **state)
{
    (void)state;
    struct page page = {.width = 3};
    page_text(&page, 0, 0, STYLE_PLAIN, "one two six ten");
    check_page(&page, 2, 0, 2, "one\ntwo\n");
    check_page(&page, 2, 1, 1, "two\nsix\n");
    check_page(&page, 2, 9, 0, "six\nten\n");
    check_page(&page, 2, -9, 2, "one\ntwo\n");
    page_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_are_wrapped_between_blanks),
        cmocka_unit_test(test_a_word_longer_than_a_line_is_broken),
        cmocka_unit_test(test_wide_characters_count_twice),
        cmocka_unit_test(test_ascii_is_measured_as_it_is_drawn),
        cmocka_unit_test(test_markers_stand_out_and_blocks_keep_their_styles),
        cmocka_unit_test(test_code_keeps_its_lines),
        cmocka_unit_test(test_a_page_says_how_much_is_left_and_scrolls_no_further),
    };
    if (!setlocale(LC_ALL, "C.UTF-8"))
        return 77; /* meson: skipped */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
