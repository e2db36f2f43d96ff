/* Every schedule of tests/cases, under every single variant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "schedule/program.h"

static void check_file(const char *path)
{
    struct text text = {0};
    struct error error;
    struct diagnostics diagnostics = {0};
    assert_true(text_read_file(&text, path, SCHEDULE_MAX_BYTES, &error));
    struct schedule *schedule = schedule_parse(text_string(&text), text.length, 1, &diagnostics);
    struct text faults = {0};
    diagnostics_print(&diagnostics, path, &faults);
    assert_string_equal(text_string(&faults), "");
    for (size_t variant = 0; variant <= schedule_variant_count(schedule); variant++) {
        struct program *program =
            program_resolve(schedule, variant ? UINT32_C(1) << (variant - 1) : 0, &diagnostics);
        diagnostics_print(&diagnostics, path, &faults);
        assert_string_equal(text_string(&faults), "");
        assert_true(program->call_count > 0);
        program_free(program);
    }
    schedule_free(schedule);
    text_free(&faults);
    text_free(&text);
    diagnostics_free(&diagnostics);
}

static void test_every_case_can_be_read(void **state)
{
    (void)state;
    DIR *directory = opendir(CASES);
    assert_non_null(directory);
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (!strstr(entry->d_name, ".schedule"))
            continue;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", CASES, entry->d_name);
        check_file(path);
        count++;
    }
    closedir(directory);
    assert_true(count >= 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_case_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
