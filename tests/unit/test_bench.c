/* What figures that scatter say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command/bench.h"

enum { MOST = 20 };

/* The ranks that a table for the sign test gives for 95 %, counted from 1. */
static const struct {
    size_t count;
    int64_t low, high;
} table[] = {{6, 1, 6}, {7, 1, 7}, {8, 1, 8}, {9, 2, 8}, {10, 2, 9}, {12, 3, 10}, {15, 4, 12}, {20, 6, 15}};

static void a_median_lies_between_the_ranks_of_the_sign_test(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int64_t values[MOST];
        for (size_t v = 0; v < table[i].count; v++)
            values[v] = (int64_t)(table[i].count - v);
        struct estimate estimate = bench_estimate(values, table[i].count);
        assert_int_equal(estimate.low, table[i].low);
        assert_int_equal(estimate.high, table[i].high);
        assert_int_equal(estimate.median, table[i].count / 2 + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_median_lies_between_the_ranks_of_the_sign_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
