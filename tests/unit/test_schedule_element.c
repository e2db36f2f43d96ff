/* Elements as bytes and numbers, and what producers make. */
#include "schedule_support.h"

#include <math.h>

#include "schedule/element.h"

static void check_stored(enum element_type type, double value, const void *expected, size_t size)
{
    unsigned char bytes[8] = {0};
    assert_int_equal(element_size(type), size);
    element_store(type, bytes, value);
    assert_memory_equal(bytes, expected, size);
}

static void check_half(enum element_type type, double value, uint16_t expected)
{
    check_stored(type, value, &expected, sizeof expected);
}

static void test_float16_rounds_to_nearest_even(void **state)
{
    (void)state;
    check_half(TYPE_FLOAT16, 1, 0x3C00);
    check_half(TYPE_FLOAT16, -2, 0xC000);
    check_half(TYPE_FLOAT16, 0.0, 0x0000);
    check_half(TYPE_FLOAT16, -0.0, 0x8000);
    check_half(TYPE_FLOAT16, 2049, 0x6800); /* between 2048 and 2050: even */
    check_half(TYPE_FLOAT16, 2051, 0x6802); /* between 2050 and 2052: even */
    check_half(TYPE_FLOAT16, 2049.0000001, 0x6801);
    check_half(TYPE_FLOAT16, 65504, 0x7BFF);
    check_half(TYPE_FLOAT16, 65519.99, 0x7BFF);
    check_half(TYPE_FLOAT16, 65520, 0x7C00); /* rounds up out of range */
    check_half(TYPE_FLOAT16, 1e300, 0x7C00);
    check_half(TYPE_FLOAT16, -HUGE_VAL, 0xFC00);
    check_half(TYPE_FLOAT16, ldexp(1, -14), 0x0400); /* the smallest normal */
    check_half(TYPE_FLOAT16, ldexp(1, -24), 0x0001); /* the smallest subnormal */
    check_half(TYPE_FLOAT16, ldexp(1, -25), 0x0000); /* half of it: even */
    check_half(TYPE_FLOAT16, ldexp(3, -25), 0x0002);
    check_half(TYPE_FLOAT16, ldexp(2047, -25), 0x0400); /* rounds up to the smallest normal */
    /* One rounding: through a float this would first become 1 + 2^-11 and then fall to 1. */
    check_half(TYPE_FLOAT16, 1 + ldexp(1, -11) + ldexp(1, -40), 0x3C01);
}

static void test_bfloat16_rounds_to_nearest_even(void **state)
{
    (void)state;
    check_half(TYPE_BFLOAT16, 1, 0x3F80);
    check_half(TYPE_BFLOAT16, 257, 0x4380); /* between 256 and 258 */
    check_half(TYPE_BFLOAT16, 259, 0x4382); /* between 258 and 260 */
    check_half(TYPE_BFLOAT16, -1.5, 0xBFC0);
    check_half(TYPE_BFLOAT16, 1e39, 0x7F80);
    check_half(TYPE_BFLOAT16, ldexp(1, -133), 0x0001);
}

static void test_small_floats_load_as_they_were_stored(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
        for (int type = TYPE_FLOAT16; type <= TYPE_BFLOAT16; type++) {
            uint16_t half = (uint16_t)bits, again;
            double value = element_load((enum element_type)type, &half);
            element_store((enum element_type)type, &again, value);
            if (isnan(value))
                assert_true(isnan(element_load((enum element_type)type, &again)));
            else
                assert_int_equal(again, half);
        }
    }
}

static void test_integers_wrap(void **state)
{
    (void)state;
    check_stored(TYPE_INT8, 127, &(int8_t){127}, 1);
    check_stored(TYPE_INT8, 128, &(int8_t){-128}, 1);
    check_stored(TYPE_INT8, -129, &(int8_t){127}, 1);
    check_stored(TYPE_UINT8, 256 + 7, &(uint8_t){7}, 1);
    check_stored(TYPE_UINT8, -1, &(uint8_t){255}, 1);
    check_stored(TYPE_INT32, 2147483648.0, &(int32_t){INT32_MIN}, 4);
    check_stored(TYPE_UINT32, 4294967296.0 + 5, &(uint32_t){5}, 4);
    check_stored(TYPE_INT64, -3, &(int64_t){-3}, 8);
    check_stored(TYPE_UINT64, 9223372036854775808.0, &(uint64_t){UINT64_C(1) << 63}, 8);
    check_stored(TYPE_INT32, 2.9, &(int32_t){2}, 4);
    check_stored(TYPE_INT32, -2.9, &(int32_t){-2}, 4);
    check_stored(TYPE_INT32, (double)NAN, &(int32_t){0}, 4);
    check_stored(TYPE_INT32, HUGE_VAL, &(int32_t){0}, 4);
    check_stored(TYPE_INT32, 1e300, &(int32_t){0}, 4); /* its low bits are zeros */
}

static void test_values_come_back(void **state)
{
    (void)state;
    for (int type = 0; type < TYPE_COUNT; type++) {
        unsigned char bytes[8];
        for (int value = 0; value <= 100; value++) {
            element_store((enum element_type)type, bytes, value);
            assert_true(element_load((enum element_type)type, bytes) == value);
        }
    }
    unsigned char bytes[8];
    element_store(TYPE_INT64, bytes, -4294967297.0);
    assert_true(element_load(TYPE_INT64, bytes) == -4294967297.0);
    element_store(TYPE_FLOAT32, bytes, 0.1);
    assert_true(element_load(TYPE_FLOAT32, bytes) == (double)0.1f);
    element_store(TYPE_FLOAT64, bytes, 0.1);
    assert_true(element_load(TYPE_FLOAT64, bytes) == 0.1);
}

static void test_what_producers_make(void **state)
{
    (void)state;
    struct reading reading = read_schedule("rank 0\n"
                                           "host x float32[4]\n"
                                           "repeat 3\n"
                                           "launch A -> x on default\n"
                                           "launch C -> x on default\n"
                                           "write x\n"
                                           "launch mine -> x on default\n"
                                           "launch yours -> x on default\n"
                                           "end\n");
    const struct program *program = reading.program;
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t call = 1 + 5 * k;
            assert_true(produced_value(program, call, 4, i) == 4.0 * k + i + 1);
            assert_true(produced_value(program, call, 1024, i) == 1024.0 * k + i + 1);
            assert_true(produced_value(program, call + 1, 4, i) == 100.0 * (k + 1) + i);
            assert_true(produced_value(program, call + 2, 4, i) == 4.0 * k + i + 1);
        }
    }
    reading_free(&reading);
}

static void test_opaque_kernels_are_told_apart(void **state)
{
    (void)state;
    struct reading reading = read_schedule("rank 0\n"
                                           "repeat 10\n"
                                           "launch mine on default\n"
                                           "launch yours on default\n"
                                           "end\n");
    enum { CALLS = 20, ELEMENTS = 10 };
    double seen[CALLS * ELEMENTS];
    uint32_t count = 0;
    for (uint32_t call = 0; call < CALLS; call++) {
        for (uint32_t i = 0; i < ELEMENTS; i++) {
            double value = produced_value(reading.program, call, ELEMENTS, i);
            assert_true((double)(float)value == value);
            for (uint32_t other = 0; other < count; other++)
                assert_true(seen[other] != value);
            seen[count++] = value;
        }
    }
    reading_free(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float16_rounds_to_nearest_even),
        cmocka_unit_test(test_bfloat16_rounds_to_nearest_even),
        cmocka_unit_test(test_small_floats_load_as_they_were_stored),
        cmocka_unit_test(test_integers_wrap),
        cmocka_unit_test(test_values_come_back),
        cmocka_unit_test(test_what_producers_make),
        cmocka_unit_test(test_opaque_kernels_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
