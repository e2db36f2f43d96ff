#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "progress/study.h"

static char home[64], path[128];

static int set_up(void **state)
{
    (void)state;
    strcpy(home, "/tmp/handoff-study-XXXXXX");
    assert_non_null(mkdtemp(home));
    snprintf(path, sizeof path, "%s/handoff/progress.json", home);
    setenv("XDG_STATE_HOME", home, 1);
    return 0;
}

static int tear_down(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", home);
    assert_int_equal(system(command), 0);
    return 0;
}

static void write_file(const char *text)
{
    study_close(study_open()); /* makes the folder */
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void what_is_done_is_there_the_next_time(void **state)
{
    (void)state;
    struct study *study = study_open();
    assert_null(study_last_lesson(study));
    study_reach(study, "order", "Three links", "");
    study_reach(study, "order", "B, at last", "apart");
    study_finish(study, "order");
    study_solve(study, "order", "Break it");
    study_answer(study, "order", "Three links", 0, false);
    study_answer(study, "order", "B, at last", 1, false);
    study_answer(study, "order", "B, at last", 1, true);
    study_reach(study, "reuse", "Two buffers", "");
    study_close(study);
    study = study_open();
    assert_string_equal(study_last_lesson(study), "reuse");
    assert_string_equal(study_place(study, "order"), "B, at last");
    assert_string_equal(study_variants(study, "order"), "apart");
    assert_true(study_is_finished(study, "order"));
    assert_false(study_is_finished(study, "reuse"));
    assert_true(study_has_step(study, "order", "Three links"));
    assert_false(study_has_step(study, "order", "Two buffers"));
    assert_true(study_has_challenge(study, "order", "Break it"));
    assert_true(study_is_wrong(study, "order", "Three links", 0));
    assert_false(study_is_wrong(study, "order", "B, at last", 1));
    study_close(study);
}

static void a_lesson_is_forgotten_alone(void **state)
{
    (void)state;
    struct error error;
    struct study *study = study_open();
    study_reach(study, "reuse", "Two buffers", "");
    study_reach(study, "order", "Three links", "");
    assert_true(study_reset(study, "order", &error));
    assert_null(study_place(study, "order"));
    assert_null(study_last_lesson(study));
    assert_string_equal(study_place(study, "reuse"), "Two buffers");
    study_close(study);
}

/* Each of many processes reaches steps of its own; none is lost. */
static void sessions_at_once_lose_nothing(void **state)
{
    (void)state;
    enum { SESSIONS = 8, STEPS = 20 };
    char step[32];
    for (int session = 0; session < SESSIONS; session++) {
        if (fork() != 0)
            continue;
        struct study *study = study_open();
        for (int i = 0; i < STEPS; i++) {
            snprintf(step, sizeof step, "%d.%d", session, i);
            study_reach(study, "order", step, "");
        }
        study_close(study);
        _exit(0);
    }
    for (int session = 0; session < SESSIONS; session++)
        wait(NULL);
    struct study *study = study_open();
    for (int session = 0; session < SESSIONS; session++)
        for (int i = 0; i < STEPS; i++) {
            snprintf(step, sizeof step, "%d.%d", session, i);
            assert_true(study_has_step(study, "order", step));
        }
    study_close(study);
}

static void expect_put_aside(const char *text, const char *aside)
{
    char name[160];
    struct stat status;
    struct text notice = {0};
    write_file(text);
    struct study *study = study_open();
    study_take_notice(study, &notice);
    snprintf(name, sizeof name, "%s.%s", path, aside);
    assert_non_null(strstr(text_string(&notice), name));
    assert_int_equal(stat(name, &status), 0);
    assert_int_equal(status.st_size, (off_t)strlen(text));
    text_clear(&notice);
    study_reach(study, "order", "Three links", "");
    study_take_notice(study, &notice);
    assert_int_equal(notice.length, 0); /* said once */
    study_close(study);
    study = study_open();
    assert_true(study_has_step(study, "order", "Three links"));
    study_take_notice(study, &notice);
    assert_int_equal(notice.length, 0);
    study_close(study);
    text_free(&notice);
}

static void a_damaged_file_is_kept_aside(void **state)
{
    (void)state;
    expect_put_aside("{\"version\": 1, \"lessons\": {", "damaged-1");
    expect_put_aside("[]", "damaged-2");
    expect_put_aside("{\"version\": \"1\"}", "damaged-3");
    expect_put_aside("\x1b[31m", "damaged-4");
}

static void what_has_the_wrong_shape_within_is_passed_over(void **state)
{
    (void)state;
    write_file(
        "{\"version\": 1, \"last\": 3, \"lessons\": {\"order\": [1], \"reuse\": {\"at\": {}, \"steps\": 7, "
        "\"wrong\": {\"S\": true}, \"finished\": \"yes\"}}}");
    struct study *study = study_open();
    assert_null(study_last_lesson(study));
    assert_null(study_place(study, "order"));
    assert_null(study_place(study, "reuse"));
    assert_false(study_has_step(study, "reuse", "S"));
    assert_false(study_is_wrong(study, "reuse", "S", 0));
    assert_false(study_is_finished(study, "reuse"));
    study_reach(study, "reuse", "S", "");
    assert_true(study_has_step(study, "reuse", "S"));
    study_close(study);
}

static void a_later_version_is_left_alone(void **state)
{
    (void)state;
    static const char later[] = "{\"version\": 2, \"what\": 1}";
    struct text content = {0};
    struct error error;
    write_file(later);
    struct study *study = study_open();
    study_reach(study, "order", "Three links", "");
    assert_true(study_has_step(study, "order", "Three links"));
    study_close(study);
    assert_true(text_read_file(&content, path, 1000, &error));
    assert_string_equal(text_string(&content), later);
    text_free(&content);
}

static void without_a_home_a_session_works_alone(void **state)
{
    (void)state;
    struct error error;
    static const char *const places[] = {"/proc/nowhere", "/dev/null"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        setenv("XDG_STATE_HOME", places[i], 1);
        struct study *study = study_open();
        struct text notice = {0};
        study_reach(study, "order", "Three links", "");
        assert_true(study_has_step(study, "order", "Three links"));
        assert_false(study_reset(study, "order", &error));
        study_take_notice(study, &notice);
        assert_int_equal(notice.length, 0);
        text_free(&notice);
        study_close(study);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_done_is_there_the_next_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_lesson_is_forgotten_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sessions_at_once_lose_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_file_is_kept_aside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_has_the_wrong_shape_within_is_passed_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_later_version_is_left_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_home_a_session_works_alone, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
