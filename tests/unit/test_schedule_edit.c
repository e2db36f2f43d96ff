/* Changing a schedule's text by lines, and the same as a patch. */
#include "schedule_support.h"

#include "schedule/edit.h"

static void check_edit(const char *before, const struct edit *edits, size_t count, const char *after)
{
    struct diagnostics diagnostics = {0};
    struct schedule *schedule = schedule_parse(before, strlen(before), 1, &diagnostics);
    assert_no_faults(&diagnostics);
    struct text out = {0};
    schedule_edit(schedule, edits, count, &out);
    assert_string_equal(text_string(&out), after);
    text_free(&out);
    schedule_free(schedule);
}

#define CHECK_EDIT(before, after, ...)                                                                       \
    do {                                                                                                     \
        const struct edit edits_[] = {__VA_ARGS__};                                                          \
        check_edit((before), edits_, sizeof edits_ / sizeof *edits_, (after));                               \
    } while (0)

static void test_lines_come_go_and_change(void **state)
{
    (void)state;
    static const char text[] = "# head\nrank 0\n  stream s # mine\n\t sync s\n";
    check_edit(text, NULL, 0, text);
    CHECK_EDIT(text, "# head\nrank 0\n  stream s # mine\n\t record E on s\n\t sync s\n",
               {EDIT_INSERT, 4, "record E on s", 0});
    CHECK_EDIT(text, "# head\nrank 0\n  stream s nonblocking # mine\n\t sync s\n",
               {EDIT_REPLACE, 3, "stream s nonblocking", 0});
    CHECK_EDIT(text, "rank 0\n  stream s # mine\n", {EDIT_REMOVE, 4, NULL, 0}, {EDIT_REMOVE, 1, NULL, 0});
    CHECK_EDIT(text, "# head\nrank 0\n  stream s # mine\n\t sync s\n\t sync device\n",
               {EDIT_INSERT, 5, "sync device", 0});
    CHECK_EDIT(text, "barrier\n# head\nrank 0\n  stream s # mine\n\t sync s\n",
               {EDIT_INSERT, 1, "barrier", 0});
}

static void test_edits_of_one_line_keep_their_order(void **state)
{
    (void)state;
    CHECK_EDIT("rank 0\n  sync device\n", "rank 0\n  group\n  barrier\n  sync default\n  end\n",
               {EDIT_INSERT, 3, "end", 0}, {EDIT_REPLACE, 2, "sync default", 0}, {EDIT_INSERT, 2, "group", 0},
               {EDIT_INSERT, 2, "barrier", 0});
}

static void test_variants_and_comments_stay(void **state)
{
    (void)state;
    static const char head[] = "variant v \"what # it [only v] does\"\nrank 0\nhost x int8[4]\n";
    struct text before = {0}, after = {0};
    text_format(&before, "%sread x[1] [only v]  # why\nread x[2][not v]\n", head);
    text_format(&after, "%swrite x [only v]  # why\nbarrier[not v]\n", head);
    CHECK_EDIT(text_string(&before), text_string(&after), {EDIT_REPLACE, 4, "write x", 0},
               {EDIT_REPLACE, 5, "barrier", 0});
    text_free(&before);
    text_free(&after);
}

static void test_line_ends_stay(void **state)
{
    (void)state;
    CHECK_EDIT("\xEF\xBB\xBFrank 0\r\nbarrier\r\nsync device",
               "\xEF\xBB\xBF# new\r\nrank 0\r\nsync default\r\nsync device\r\nbarrier\r\n",
               {EDIT_INSERT, 1, "# new", 0}, {EDIT_REPLACE, 2, "sync default", 0},
               {EDIT_INSERT, 4, "barrier", 0});
    CHECK_EDIT("rank 0\nbarrier", "rank 0\nsync device", {EDIT_REPLACE, 2, "sync device", 0});
}

static void check_patch_of(const char *text, uint32_t first_line, const struct edit *edits, size_t count,
                           const char *file, bool visible, const char *expected)
{
    struct diagnostics diagnostics = {0};
    struct schedule *schedule = schedule_parse(text, strlen(text), first_line, &diagnostics);
    assert_no_faults(&diagnostics);
    struct text out = {0};
    schedule_patch(schedule, edits, count, file, visible, &out);
    assert_string_equal(text_string(&out), expected);
    text_free(&out);
    schedule_free(schedule);
}

static void check_patch(const char *text, uint32_t first_line, const struct edit *edits, size_t count,
                        const char *expected)
{
    check_patch_of(text, first_line, edits, count, "f\n", true, expected);
}

/* As patch wants them: control characters as they are, and what the last line lacks is said. */
static void test_a_patch_for_patch(void **state)
{
    (void)state;
    static const struct edit insert[] = {{EDIT_INSERT, 2, "barrier", 0}},
                             append[] = {{EDIT_INSERT, 3, "barrier", 0}},
                             replace[] = {{EDIT_REPLACE, 2, "sync default", 0}};
    check_patch_of("rank 0 #\x01\r\n\tsync device\r\n", 1, insert, 1, "a\\b c\t\xC3\xA9\".s", false,
                   "--- \"a\\\\b c\\011\\303\\251\\\".s\"\n+++ \"a\\\\b c\\011\\303\\251\\\".s\"\n"
                   "@@ -1,2 +1,3 @@\n rank 0 #\x01\r\n+\tbarrier\r\n \tsync device\r\n");
    check_patch_of("rank 0\nsync device", 1, append, 1, "f", false,
                   "--- f\n+++ f\n@@ -1,2 +1,3 @@\n rank 0\n-sync device\n\\ No newline at end of file\n"
                   "+sync device\n+barrier\n");
    check_patch_of("rank 0\nsync device", 1, replace, 1, "f", false,
                   "--- f\n+++ f\n@@ -1,2 +1,2 @@\n rank 0\n-sync device\n\\ No newline at end of file\n"
                   "+sync default\n\\ No newline at end of file\n");
    check_patch_of("\xEF\xBB\xBFrank 0\nsync device\n", 1, insert, 1, "f", false,
                   "--- f\n+++ f\n@@ -1,2 +1,3 @@\n \xEF\xBB\xBFrank 0\n+barrier\n sync device\n");
}

static void test_a_patch_shows_what_is_around_a_change(void **state)
{
    (void)state;
    static const struct edit edits[] = {
        {EDIT_INSERT, 6, "barrier", 0}, {EDIT_REPLACE, 15, "sync default", 0}, {EDIT_REMOVE, 16, NULL, 0}};
    static const char text[] =
        "rank 0\n#2\n#3\n#4\n#5\n#6\n#7\n#8\n#9\n#10\n#11\n#12\n#13\n  #14\n  sync device\n"
        "  barrier\n";
    static const char expected[] = "--- \"f\\012\"\n+++ \"f\\012\"\n"
                                   "@@ -3,6 +3,7 @@\n #3\n #4\n #5\n+barrier\n #6\n #7\n #8\n"
                                   "@@ -12,5 +13,4 @@\n #12\n #13\n   #14\n-  sync device\n+  sync default\n"
                                   "-  barrier\n";
    check_patch(text, 1, edits, 3, expected);
    check_patch(text, 1, edits, 0, "");
}

static void test_changes_that_are_near_stand_together(void **state)
{
    (void)state;
    static const struct edit edits[] = {{EDIT_INSERT, 2, "barrier", 0}, {EDIT_INSERT, 9, "barrier", 0}};
    check_patch("rank 0\n#\n#\n#\n#\n#\n#\n#\n", 31, edits, 2,
                "--- \"f\\012\"\n+++ \"f\\012\"\n"
                "@@ -31,4 +31,5 @@\n rank 0\n+barrier\n #\n #\n #\n"
                "@@ -36,3 +37,4 @@\n #\n #\n #\n+barrier\n");
    static const struct edit nearer[] = {{EDIT_INSERT, 2, "barrier", 0}, {EDIT_INSERT, 8, "barrier", 0}};
    check_patch("rank 0\n#\n#\n#\n#\n#\n#\n#\n", 1, nearer, 2,
                "--- \"f\\012\"\n+++ \"f\\012\"\n"
                "@@ -1,8 +1,10 @@\n rank 0\n+barrier\n #\n #\n #\n #\n #\n #\n+barrier\n #\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_come_go_and_change),
        cmocka_unit_test(test_edits_of_one_line_keep_their_order),
        cmocka_unit_test(test_variants_and_comments_stay),
        cmocka_unit_test(test_line_ends_stay),
        cmocka_unit_test(test_a_patch_for_patch),
        cmocka_unit_test(test_a_patch_shows_what_is_around_a_change),
        cmocka_unit_test(test_changes_that_are_near_stand_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
