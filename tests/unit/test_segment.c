/* Segments against a plain array of where one begins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "order/segment.h"

enum { ELEMENTS = 4096, STRIDE = 1663 /* has no divisor in common with ELEMENTS */ };

struct fixture {
    struct segments segments;
    bool begins[ELEMENTS];
};

/* Cuts at COUNT elements that lie all over the memory, in no order. */
static void cut(struct fixture *fixture, uint32_t count)
{
    segments_begin(&fixture->segments, (struct segment){.first = 0});
    fixture->begins[0] = true;
    for (uint32_t i = 1; i <= count; i++) {
        uint32_t element = i * STRIDE % ELEMENTS;
        if (fixture->begins[element])
            continue;
        fixture->begins[element] = true;
        segments_insert_after(&fixture->segments, segments_find(&fixture->segments, element),
                              (struct segment){.first = element});
    }
}

static void check_all(const struct fixture *fixture)
{
    struct segment_place place = {0, 0};
    uint32_t last = 0;
    for (uint32_t element = 0; element < ELEMENTS; element++) {
        if (fixture->begins[element])
            last = element;
        assert_int_equal(segments_at(&fixture->segments, segments_find(&fixture->segments, element))->first,
                         last);
    }
    for (uint32_t element = 0; element < ELEMENTS; element++) {
        if (!fixture->begins[element])
            continue;
        assert_int_equal(segments_at(&fixture->segments, place)->first, element);
        assert_true(segments_next(&fixture->segments, &place) == (element < last));
    }
}

static void test_cuts_are_found_and_gone_through_in_order(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 127, 128, 129, 1000, ELEMENTS - 1};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct fixture fixture = {0};
        cut(&fixture, counts[i]);
        check_all(&fixture);
        segments_free(&fixture.segments);
    }
}

static bool drop_odd(void *context, const struct segment *before, struct segment *segment)
{
    (void)context;
    assert_true(before->first < segment->first);
    return segment->first % 2 == 1;
}

static void check_filter(uint32_t first, uint64_t end)
{
    struct fixture fixture = {0};
    cut(&fixture, ELEMENTS - 1);
    segments_filter(&fixture.segments, segments_find(&fixture.segments, first), end, drop_odd, NULL);
    for (uint32_t element = first + 1; element < ELEMENTS && element < end; element++)
        fixture.begins[element] = element % 2 == 0;
    check_all(&fixture);
    segments_free(&fixture.segments);
}

static void test_what_is_dropped_leaves_the_rest(void **state)
{
    (void)state;
    check_filter(0, ELEMENTS);
    check_filter(0, 2);
    check_filter(1000, 1001);
    check_filter(1000, 3000);
    check_filter(ELEMENTS - 2, ELEMENTS);
}

static bool drop_every(void *context, const struct segment *before, struct segment *segment)
{
    (void)context;
    (void)before;
    (void)segment;
    return true;
}

static void test_whole_blocks_go(void **state)
{
    (void)state;
    struct fixture fixture = {0};
    cut(&fixture, ELEMENTS - 1);
    segments_filter(&fixture.segments, segments_find(&fixture.segments, 10), ELEMENTS - 10, drop_every, NULL);
    for (uint32_t element = 11; element < ELEMENTS - 10; element++)
        fixture.begins[element] = false;
    check_all(&fixture);
    segments_free(&fixture.segments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts_are_found_and_gone_through_in_order),
        cmocka_unit_test(test_what_is_dropped_leaves_the_rest),
        cmocka_unit_test(test_whole_blocks_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
