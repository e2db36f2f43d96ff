#include <stdio.h>

#include "running.h"

static void test_the_smallest_transfer(void **state)
{
    (void)state;
    struct text text = {0};
    struct error error = {0};
    assert_true(text_read_file(&text, CASES "/article-submit.schedule", 1 << 20, &error));
    struct running *running = running_open(text_string(&text));
    enum outcome outcome = running_end(running);
    if (getenv("ECHO"))
        fputs(text_string(&running->log), stderr);
    assert_int_equal(outcome, OUTCOME_FINISHED);
    for (uint32_t i = 0; i < 4; i++) {
        assert_float_equal(running_value(running, 0, "x", i), i + 1, 0);
        assert_float_equal(running_value(running, 1, "x", i), i + 1, 0);
        assert_float_equal(running_value(running, 1, "h", i), 2 * (i + 1), 0);
    }
    running_close(running);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_smallest_transfer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
