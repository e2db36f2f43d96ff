#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"

static void check_visible(const char *bytes, size_t length, const char *expected)
{
    struct text text = {0};
    text_append_visible(&text, bytes, length);
    assert_string_equal(text_string(&text), expected);
    text_free(&text);
}

static void test_control_characters_become_visible(void **state)
{
    (void)state;
    check_visible("a\x1b[31mb", 7, "a\\x1B[31mb");
    check_visible("\0\x7f\t\n", 4, "\\x00\\x7F\\t\\n");
    check_visible("\xc2\x9b"
                  "31m",
                  5, "\\x9B31m"); /* C1's own CSI */
    check_visible("\xe2\x80\xae"
                  "x",
                  4, "\\u{202E}x"); /* right-to-left override */
}

static void test_broken_utf8_becomes_visible(void **state)
{
    (void)state;
    check_visible("\xc3", 1, "\\xC3");                            /* cut short */
    check_visible("\xc0\xaf", 2, "\\xC0\\xAF");                   /* overlong */
    check_visible("\xed\xa0\x80", 3, "\\xED\\xA0\\x80");          /* a surrogate */
    check_visible("\xf4\x90\x80\x80", 4, "\\xF4\\x90\\x80\\x80"); /* past U+10FFFF */
}

static void test_plain_text_stays(void **state)
{
    (void)state;
    check_visible("receive \xe2\x86\x92 record E", 20, "receive \xe2\x86\x92 record E");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_control_characters_become_visible),
        cmocka_unit_test(test_broken_utf8_becomes_visible),
        cmocka_unit_test(test_plain_text_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
