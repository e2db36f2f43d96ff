#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "screen/layout.h"

enum { MOST_ROWS = 100, MOST_COLUMNS = 300 };

/* How often each cell of the screen is covered. */
static uint8_t covered[MOST_ROWS][MOST_COLUMNS];

static void cover(struct rectangle area, int rows, int columns)
{
    assert_true(area.rows >= 0 && area.columns >= 0);
    if (area.rows == 0 || area.columns == 0)
        return;
    assert_true(area.row >= 0 && area.column >= 0);
    assert_true(area.row + area.rows <= rows && area.column + area.columns <= columns);
    bool alone = true;
    for (int row = area.row; row < area.row + area.rows; row++)
        for (int column = area.column; column < area.column + area.columns; column++)
            alone &= covered[row][column]++ == 0;
    assert_true(alone);
}

static void check_layout(int rows, int columns, const struct layout_content *content)
{
    struct layout layout;
    layout_make(&layout, rows, columns, content);
    assert_int_equal(layout.too_small, rows < 24 || columns < 80);
    if (layout.too_small)
        return;
    memset(covered, 0, sizeof covered);
    cover(layout.title, rows, columns);
    cover(layout.status, rows, columns);
    cover(layout.keys, rows, columns);
    cover(layout.prose, rows, columns);
    cover(layout.program, rows, columns);
    cover(layout.ranks, rows, columns);
    cover(layout.timeline, rows, columns);
    cover(layout.divider, rows, columns);
    cover(layout.left_rule, rows, columns);
    cover(layout.right_rule, rows, columns);
    /* Together they are the whole screen. */
    bool whole = true;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            whole &= covered[row][column] == 1;
    assert_true(whole);

    memset(covered, 0, sizeof covered);
    for (int rank = 0; rank < content->rank_count; rank++) {
        struct rectangle area = layout.rank[rank], ranks = layout.ranks;
        cover(area, rows, columns);
        if (area.rows > 0) {
            assert_true(area.row >= ranks.row && area.row + area.rows <= ranks.row + ranks.rows);
            assert_true(area.column >= ranks.column &&
                        area.column + area.columns <= ranks.column + ranks.columns);
        }
    }
    assert_true(layout.rank[content->chosen_rank].rows > 0);
    assert_true(layout.timeline.rows >= 4);
    assert_true(layout.program.rows >= (content->prose_rows > 0 ? 3 : 6));
    if (content->has_prose)
        assert_true(layout.prose.rows >= 12 && layout.prose.columns >= 32);
}

static void sweep(const struct layout_content *content)
{
    for (int rows = 1; rows <= 60; rows++)
        for (int columns = 1; columns <= 200; columns++)
            check_layout(rows, columns, content);
    check_layout(100, 300, content);
}

static struct layout_content make_content(int rank_count, int rank_rows)
{
    struct layout_content content = {
        .has_prose = true, .program_lines = 25, .timeline_rows = rank_count * 3, .rank_count = rank_count};
    for (int rank = 0; rank < rank_count; rank++) {
        content.rank_rows[DETAIL_WAITS][rank] = rank_rows + rank % 3 + 3;
        content.rank_rows[DETAIL_LINES][rank] = rank_rows + rank % 3;
        content.rank_rows[DETAIL_FLOWING][rank] = rank_rows / 2 + 2;
    }
    return content;
}

static void test_every_size_holds_everything(void **state)
{
    (void)state;
    static const int rank_counts[] = {1, 2, 8, 64};
    static const int rank_rows[] = {4, 9, 40, 20000};
    for (size_t i = 0; i < sizeof rank_counts / sizeof *rank_counts; i++)
        for (size_t j = 0; j < sizeof rank_rows / sizeof *rank_rows; j++) {
            struct layout_content content = make_content(rank_counts[i], rank_rows[j]);
            content.chosen_rank = rank_counts[i] / 2;
            sweep(&content);
        }
}

static void test_the_program_makes_room_for_a_long_text(void **state)
{
    (void)state;
    static const struct {
        int text, prose, program;
    } cases[] = {{0, 13, 7}, {5, 13, 7}, {13, 13, 7}, {14, 14, 6}, {17, 17, 3}, {40, 17, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct layout_content content = make_content(2, 6);
        struct layout layout;
        content.prose_rows = cases[i].text;
        sweep(&content);
        layout_make(&layout, 24, 80, &content);
        assert_int_equal(layout.prose.rows, cases[i].prose);
        assert_int_equal(layout.program.rows, cases[i].program);
    }
}

static void test_a_schedule_without_prose_gives_the_program_the_room(void **state)
{
    (void)state;
    struct layout_content content = make_content(2, 6);
    content.has_prose = false;
    sweep(&content);
    struct layout layout;
    layout_make(&layout, 24, 80, &content);
    assert_int_equal(layout.program.rows, 21);
    assert_int_equal(layout.prose.rows, 0);
}

static void test_eight_ranks_are_all_there_at_the_smallest_size(void **state)
{
    (void)state;
    struct layout_content content = make_content(8, 9);
    struct layout layout;
    content.chosen_rank = 5;
    layout_make(&layout, 24, 80, &content);
    for (int rank = 0; rank < 8; rank++)
        assert_int_equal(layout.rank[rank].rows > 1, rank == 5);
    for (int rank = 0; rank < 8; rank++)
        assert_true(layout.rank[rank].rows >= 1);
}

static void test_two_small_ranks_stand_open(void **state)
{
    (void)state;
    struct layout_content content = make_content(2, 6);
    struct layout layout;
    content.timeline_rows = 6;
    layout_make(&layout, 24, 80, &content);
    assert_int_equal(layout.detail, DETAIL_LINES);
    assert_int_equal(layout.rank[0].rows, 6);
    assert_int_equal(layout.rank[1].rows, 7);
    assert_int_equal(layout.timeline.rows, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_size_holds_everything),
        cmocka_unit_test(test_the_program_makes_room_for_a_long_text),
        cmocka_unit_test(test_a_schedule_without_prose_gives_the_program_the_room),
        cmocka_unit_test(test_eight_ranks_are_all_there_at_the_smallest_size),
        cmocka_unit_test(test_two_small_ranks_stand_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
