#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lesson/library.h"

static char folder[64];

static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char lesson_text[] =
    "<!-- first -->\n# One\x1b[m step\n\n```schedule\nrank 0\n  stream S\n```\n## S\nText.\n";

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/handoff-library-XXXXXX");
    assert_non_null(mkdtemp(folder));
    write_file("10-tenth.md", lesson_text);
    write_file("2-second.md", lesson_text);
    write_file("unnumbered.md", "no title\n");
    write_file("3-faulty.md", "# Faulty\n");
    write_file("own.schedule", "rank 0\n  stream S\n");
    write_file("wrong.schedule", "rank 0\n  strem S\n");
    write_file("notes.txt", "");
    write_file(".hidden.md", lesson_text);
    setenv("HANDOFF_LESSONS", folder, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const names[] = {"10-tenth.md",  "2-second.md",    "unnumbered.md", "3-faulty.md",
                                        "own.schedule", "wrong.schedule", "notes.txt",     ".hidden.md"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

static void test_lessons_stand_in_teaching_order(void **state)
{
    (void)state;
    struct lesson_library library;
    struct error error;
    assert_true(library_open(&library, &error));
    assert_int_equal(library.count, 4);
    assert_string_equal(library.entries[0].name, "second");
    assert_string_equal(library.entries[0].title, "One\\x1B[m step");
    assert_int_equal(library.entries[0].number, 2);
    assert_string_equal(library.entries[1].name, "faulty");
    assert_string_equal(library.entries[2].name, "tenth");
    assert_string_equal(library.entries[3].name, "unnumbered");
    assert_string_equal(library.entries[3].title, "unnumbered");
    library_free(&library);
}

static void test_a_missing_folder_is_named(void **state)
{
    (void)state;
    struct lesson_library library;
    struct error error;
    setenv("HANDOFF_LESSONS", "/nowhere/lessons", 1);
    assert_false(library_open(&library, &error));
    assert_string_equal(error.message,
                        "cannot open the folder of lessons /nowhere/lessons: No such file or directory");
    library_free(&library);
    setenv("HANDOFF_LESSONS", folder, 1);
}

static void check_opens(const char *argument, bool lesson)
{
    struct source source;
    struct diagnostics diagnostics = {0};
    struct error error = {0};
    assert_true(source_open(&source, argument, &diagnostics, &error));
    assert_int_equal(source.lesson != NULL, lesson);
    assert_non_null(source.schedule);
    source_free(&source);
    diagnostics_free(&diagnostics);
}

static void test_sources_by_name_number_and_path(void **state)
{
    (void)state;
    char path[256];
    check_opens("tenth", true);
    check_opens("10", true);
    snprintf(path, sizeof path, "%s/2-second.md", folder);
    check_opens(path, true);
    snprintf(path, sizeof path, "%s/own.schedule", folder);
    check_opens(path, false);
}

static void check_fails(const char *argument, size_t faults, const char *message)
{
    struct source source;
    struct diagnostics diagnostics = {0};
    struct error error = {0};
    assert_false(source_open(&source, argument, &diagnostics, &error));
    assert_int_equal(diagnostics.count, faults);
    assert_string_equal(error.message, message);
    assert_true(faults == 0 || source.file);
    source_free(&source);
    diagnostics_free(&diagnostics);
}

static void test_faults_and_errors_stand_apart(void **state)
{
    (void)state;
    char path[256], message[400];
    check_fails("tent", 0, "no lesson and no file `tent`; did you mean `tenth`?");
    check_fails("11", 0, "no lesson and no file `11`; `handoff list` shows the lessons");
    check_fails("3", 2, "");
    snprintf(path, sizeof path, "%s/wrong.schedule", folder);
    check_fails(path, 1, "");
    snprintf(path, sizeof path, "%s/none.schedule", folder);
    snprintf(message, sizeof message, "%s: cannot be opened: No such file or directory", path);
    check_fails(path, 0, message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lessons_stand_in_teaching_order),
        cmocka_unit_test(test_a_missing_folder_is_named),
        cmocka_unit_test(test_sources_by_name_number_and_path),
        cmocka_unit_test(test_faults_and_errors_stand_apart),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
