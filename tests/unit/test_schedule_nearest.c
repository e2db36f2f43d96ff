/* How far apart names are, and which one a misspelt name most likely means. */
#include "schedule_support.h"

static unsigned distance(const char *name, const char *known)
{
    return name_distance(name, strlen(name), known, strlen(known));
}

static void test_distance_counts_letters(void **state)
{
    (void)state;
    assert_int_equal(distance("send", "send"), 0);
    assert_int_equal(distance("sned", "send"), 1);
    assert_int_equal(distance("snd", "send"), 1);
    assert_int_equal(distance("sendd", "send"), 1);
    assert_int_equal(distance("sand", "send"), 1);
    assert_int_equal(distance("SEND", "send"), 1);
    assert_int_equal(distance("compuet", "compute"), 1);
    assert_int_equal(distance("komputte", "compute"), 2);
    assert_int_equal(distance("S1", "S0"), 1);
}

static void test_short_names_are_soon_apart(void **state)
{
    (void)state;
    assert_int_equal(distance("x", "y"), NAMES_APART);
    assert_int_equal(distance("ab", "cd"), NAMES_APART);
    assert_int_equal(distance("send", "sync"), NAMES_APART);
    assert_int_equal(distance("", "x"), NAMES_APART);
    assert_int_equal(distance("record", "barrier"), NAMES_APART);
}

static void test_the_nearest_is_the_first_of_the_least_apart(void **state)
{
    (void)state;
    static const char *const known[] = {"stream", "record", "recv", "read"};
    assert_string_equal(nearest_name("recrod", known, 4), "record");
    assert_string_equal(nearest_name("red", known, 4), "read");
    assert_string_equal(nearest_name("stram", known, 4), "stream");
    assert_null(nearest_name("barrier", known, 4));
    assert_null(nearest_name("recv", known, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance_counts_letters),
        cmocka_unit_test(test_short_names_are_soon_apart),
        cmocka_unit_test(test_the_nearest_is_the_first_of_the_least_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
