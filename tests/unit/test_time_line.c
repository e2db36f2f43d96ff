/* A GPU's clock read as the host's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/cuda/time_line.h"

static const int64_t SECOND = 1000000000;

/* The GPU's clock began a thousand seconds before the host's. */
static const struct reading first = {.gpu = UINT64_C(1005000000000), .host = 5000000000, .error = 300};

static void one_reading_says_how_far_the_clocks_are_apart(void **state)
{
    (void)state;
    struct time_line line = {0};
    time_line_adopt(&line, &first);
    assert_int_equal(time_line_on_host(&line, first.gpu), first.host);
    assert_int_equal(time_line_on_host(&line, first.gpu + 777), first.host + 777);
}

/* The host's clock is 50 us ahead after a second: after ten more, 550 us. */
static void two_readings_say_how_they_drift(void **state)
{
    (void)state;
    struct time_line line = {0};
    const struct reading second = {.gpu = first.gpu + SECOND, .host = first.host + SECOND + 50000};
    time_line_adopt(&line, &first);
    time_line_adopt(&line, &second);
    assert_int_equal(time_line_on_host(&line, second.gpu), second.host);
    assert_in_range(time_line_on_host(&line, second.gpu + 10 * SECOND) - (first.host + 11 * SECOND), 549999,
                    550001);
    assert_in_range(time_line_on_host(&line, second.gpu - SECOND / 2) - (first.host + SECOND / 2), 24999,
                    25001);
}

/* The second reading puts the host 2 us back: what came 1 us later on the GPU is not earlier here for that.
 */
static void a_later_stamp_is_never_the_earlier_time(void **state)
{
    (void)state;
    struct time_line line = {0};
    time_line_adopt(&line, &first);
    uint64_t stamp = first.gpu + SECOND;
    int64_t before = time_line_on_host(&line, stamp);
    const struct reading second = {.gpu = stamp, .host = first.host + SECOND - 2000};
    time_line_adopt(&line, &second);
    assert_true(time_line_on_host(&line, stamp + 1000) >= before);
    assert_int_equal(time_line_on_host(&line, stamp + 5000), before + 3000);
}

/* It puts the host 2 us ahead: what came before on the GPU, and is asked for only now, is not later here. */
static void an_earlier_stamp_is_never_the_later_time(void **state)
{
    (void)state;
    struct time_line line = {0};
    time_line_adopt(&line, &first);
    uint64_t stamp = first.gpu + SECOND;
    int64_t before = time_line_on_host(&line, stamp);
    const struct reading second = {.gpu = stamp, .host = first.host + SECOND + 2000};
    time_line_adopt(&line, &second);
    assert_true(time_line_on_host(&line, stamp - 1000) <= before);
}

/* Off by up to 100 us, taken on a busy machine. */
static void a_bad_reading_says_nothing_of_the_drift(void **state)
{
    (void)state;
    const struct reading bad = {
        .gpu = first.gpu + SECOND, .host = first.host + SECOND + 100000, .error = 100000};
    struct time_line line = {0};
    time_line_adopt(&line, &first);
    time_line_adopt(&line, &bad);
    assert_int_equal(time_line_on_host(&line, first.gpu + 2 * SECOND), first.host + 2 * SECOND);

    struct time_line other = {0};
    const struct reading good = {
        .gpu = first.gpu + 2 * SECOND, .host = first.host + 2 * SECOND, .error = 300};
    time_line_adopt(&other, &bad);
    time_line_adopt(&other, &good);
    assert_int_equal(time_line_on_host(&other, good.gpu + 9 * SECOND), good.host + 9 * SECOND);
}

/* Both readings are good, and yet 8 us apart: that may be their errors alone, so after a minute it is no
 * more. */
static void what_errors_explain_is_no_drift(void **state)
{
    (void)state;
    const struct reading one = {.gpu = first.gpu, .host = first.host, .error = 4500};
    const struct reading other = {
        .gpu = first.gpu + SECOND / 5, .host = first.host + SECOND / 5 + 8000, .error = 4500};
    struct time_line line = {0};
    time_line_adopt(&line, &one);
    time_line_adopt(&line, &other);
    assert_int_equal(time_line_on_host(&line, other.gpu + 60 * SECOND), other.host + 60 * SECOND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_reading_says_how_far_the_clocks_are_apart),
        cmocka_unit_test(two_readings_say_how_they_drift),
        cmocka_unit_test(a_later_stamp_is_never_the_earlier_time),
        cmocka_unit_test(a_bad_reading_says_nothing_of_the_drift),
        cmocka_unit_test(an_earlier_stamp_is_never_the_later_time),
        cmocka_unit_test(what_errors_explain_is_no_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
