/* Each fault that a schedule can have: its exact place, what was found, what was expected, the nearest name.
 */
#include "schedule_support.h"

/* Rank 1's lines up to line 6; what a test adds stands on line 7. */
#define GROUND                                                                                               \
    "rank 0\n"                                                                                               \
    "rank 1\n"                                                                                               \
    "  buffer gradients float32[8]\n"                                                                        \
    "  host result float32[8]\n"                                                                             \
    "  stream compute nonblocking\n"                                                                         \
    "\n"

/* The line, as line 7, has one fault: in this column. */
static void check_line(const char *line, uint32_t column, const char *found, const char *expected)
{
    struct text text = {0};
    text_format(&text, "%s%s\n", GROUND, line);
    CHECK_FAULTS(text_string(&text), {7, column, found, expected});
    text_free(&text);
}

static void test_misspelt_keywords(void **state)
{
    (void)state;
    check_line("sned gradients to 0 on compute", 1, "`sned`", "the nearest is `send`");
    check_line("  Launch k on compute", 3, "`Launch`", "the nearest is `launch`");
    check_line("  brodcast gradients root 0 on compute", 3, "`brodcast`", "`broadcast`");
    check_line("frobnicate gradients", 1, "`frobnicate`", "expected a statement");
    check_line("-> x", 1, "`->`", "expected a statement");
    check_line("send gradients too 0 on compute", 16, "`too`", "`to`");
    check_line("launch k gradients -> result on compute taks 5ms", 41, "`taks`", "`takes`");
    check_line("host h float32[4] pagable", 19, "`pagable`", "`pageable`");
}

static void test_misspelt_names(void **state)
{
    (void)state;
    check_line("send gradient to 0 on compute", 6, "`gradient`", "the nearest is `gradients`");
    check_line("send gradients to 0 on compte", 24, "`compte`", "the nearest is `compute`");
    check_line("allreduce gradients on compute via wolrd", 36, "`wolrd`", "the nearest is `world`");
    check_line("copy gradients to reslut", 19, "`reslut`", "the nearest is `result`");
    check_line("free Result", 6, "`Result`", "the nearest is `result`");
    check_line("sync gradients", 6, "`gradients`", "it names a buffer");
    check_line("read compute", 6, "`compute`", "it names a stream");
    check_line("read q", 6, "`q`", "expected the name of a buffer, host or managed memory of rank 1");
    check_line("buffer x flaot32[4]", 10, "`flaot32`", "the nearest is `float32`");
    check_line("buffer x double[4]", 10, "`double`", "expected a type (int8");
}

static void test_a_name_of_another_sort_is_said_to_be_one(void **state)
{
    (void)state;
    CHECK_FAULTS(GROUND "record E on compute\nread E\n", {8, 6, "`E`", "it names an event"});
    CHECK_FAULTS(GROUND "comm c\nsync c\n", {8, 6, "`c`", "it names a communicator"});
    check_line("send result to 0 on result", 21, "`result`", "it names a buffer, host or managed memory");
}

static void test_both_names_of_a_line_are_told(void **state)
{
    (void)state;
    CHECK_FAULTS(GROUND "launch k gradient -> reslt on compte\n", {7, 10, "`gradient`", "`gradients`"},
                 {7, 22, "`reslt`", "`result`"}, {7, 31, "`compte`", "`compute`"});
}

static void test_missing_and_spare_words(void **state)
{
    (void)state;
    check_line("send gradients to 0", 20, "the end of the line", "expected `on`");
    check_line("send gradients to 0 on", 23, "the end of the line", "the name of a stream");
    check_line("send gradients 0 on compute", 16, "`0`", "expected `to`");
    check_line("recv gradients from 0 on compute  extra", 35, "`extra`", "the end of the line");
    check_line("barrier now", 9, "`now`", "the end of the line");
    check_line("launch", 7, "the end of the line", "the name of a kernel");
    check_line("launch k -> on compute", 13, "`on`", "the name of a buffer");
    check_line("launch k gradients", 19, "the end of the line", "`->`, `~>` or `on`");
    check_line("barrier \"now\"", 10, "a string", "the end of the line");
    check_line("copy gradients[ to result", 17, "`to`", "an index");
    check_line("launch k gradients[ on compute", 21, "`on`", "an index");
    check_line("launch k -> result[ on compute", 21, "`on`", "an index");
    check_line("launch k ~> result[ on compute", 21, "`on`", "an index");
    check_line("free gradients[2]", 15, "`[`", "the end of the line");
    check_line("sync", 5, "the end of the line", "a stream, `event` or `device`");
    check_line("poll device", 6, "`device`", "a stream");
    check_line("use 1", 5, "`1`", "expected `gpu`");
    check_line("record E", 9, "the end of the line", "expected `on`");
    check_line("comm", 5, "the end of the line", "the name of a communicator");
    check_line("copy gradients result", 16, "`result`", "expected `to`");
    check_line("buffer x float32", 17, "the end of the line", "`[`");
    check_line("buffer x float32[4", 19, "the end of the line", "`]`");
    check_line("buffer 4x float32[4]", 8, "`4x`", "a name for the memory");
    check_line("buffer my-x float32[4]", 8, "`my-x`", "letters, digits and `_`");
    check_line("stream caf\xC3\xA9", 8, "`caf\xC3\xA9`", "letters, digits and `_`");
}

static void test_numbers_out_of_range(void **state)
{
    (void)state;
    check_line("buffer x float32[0]", 18, "`0`", "from 1 to 268435456");
    check_line("buffer x float32[268435457]", 18, "`268435457`", "from 1 to 268435456");
    check_line("buffer x int8[1073741825]", 15, "`1073741825`", "from 1 to 1073741824");
    check_line("buffer x int8[99999999999999999999999]", 15, "`99999999999999999999999`", "1073741824");
    check_line("buffer x int8[-1]", 15, "`-1`", "a number of elements");
    check_line("buffer x int8[1.5]", 15, "`1.5`", "a number of elements");
    check_line("set gradients to 256", 18, "`256`", "a byte from 0 to 255");
    check_line("use gpu 64", 9, "`64`", "a device number from 0 to 63");
    check_line("send gradients to 64 on compute", 19, "`64`", "a rank from 0 to 63");
    check_line("repeat 0\nend", 8, "`0`", "a number of times from 1");
    check_line("launch k on compute takes 5", 27, "`5`", "a time such as");
    check_line("launch k on compute takes 5min", 27, "`5min`", "a time such as");
    check_line("launch k on compute takes 0ms", 27, "`0ms`", "from 1ns to 3600s");
    check_line("launch k on compute takes 3601s", 27, "`3601s`", "from 1ns to 3600s");
    check_line("launch k on compute takes 99999999999999999999999s", 27, "`99999999999999999999999s`",
               "3600s");
}

static void test_parts_out_of_range(void **state)
{
    (void)state;
    check_line("read result[8]", 6, "element 8 of `result`", "expected 0 to 7");
    check_line("read result[7:9]", 6, "element 8 of `result`", "expected 0 to 7");
    check_line("read result[4294967294]", 6, "element 4294967294", "expected 0 to 7");
    check_line("read result[3:3]", 13, "3:3", "at least one element");
    check_line("read result[5:3]", 13, "5:3", "at least one element");
    check_line("read result[]", 13, "`]`", "an index");
    check_line("read result[1:]", 15, "`]`", "an index");
    check_line("read result[1 2]", 15, "`2`", "`:` or `]`");
    check_line("read result[1:2", 16, "the end of the line", "`]`");
}

static void test_peers(void **state)
{
    (void)state;
    check_line("send gradients to 2 on compute", 19, "rank 2", "expected 0 to 1");
    check_line("broadcast gradients root 2 on compute", 26, "rank 2", "expected 0 to 1");
}

static void test_declarations(void **state)
{
    (void)state;
    check_line("buffer result int8[1]", 8, "second declaration of `result` (the first is on line 4)",
               "`free`");
    check_line("stream compute", 8, "second declaration of `compute` (the first is on line 5)",
               "another name");
    check_line("stream default", 8, "`default`", "there from the start");
    check_line("stream event", 8, "`event`", "another name");
    check_line("stream device", 8, "`device`", "another name");
    check_line("buffer on int8[1]", 8, "`on`", "another name");
    check_line("comm world", 6, "`world`, which is there from the start", "another name");
    CHECK_FAULTS("comm a\ncomm a\nrank 0\n", {2, 6, "`a`, which is there from the start", "another name"});
    /* What names something whose declaration has a fault is not told, and not bound either. */
    CHECK_FAULTS("rank 0\nstream s nonblockin\nrecord E on s\nsync event E\nlaunch k on s\n",
                 {2, 10, "`nonblockin`", "`nonblocking`"});
    CHECK_FAULTS("comm a\nrank 0\ncomm a\n", {3, 6, "`a`, which is there from the start", "another name"});
    CHECK_FAULTS("rank 0\ncomm a\ncomm a\n", {3, 6, "second declaration of `a`", "another name"});
    CHECK_FAULTS(GROUND "read late\nhost late int8[1]\n", {7, 6, "`late`", "declared only on line 8"});
    CHECK_FAULTS("rank 0\ncomm a\nrank 1\nbuffer x int8[1]\nallreduce x on default via a\n",
                 {5, 28, "`a`", "each rank makes it with a `comm` of its own"});
}

static void test_ranks(void **state)
{
    (void)state;
    CHECK_FAULTS("rank 64\nbuffer x int8[1]\nsend x to 5 on default\n",
                 {1, 6, "`64`", "a rank from 0 to 63"});
    CHECK_FAULTS("ranks 65\nrank 0\n", {1, 7, "`65`", "from 1 to 64"});
    CHECK_FAULTS("ranks 0\nrank 0\n", {1, 7, "`0`", "from 1 to 64"});
    CHECK_FAULTS("ranks 2\nrank 0\nrank 2\n", {3, 6, "rank 2", "expected 0 to 1"});
    CHECK_FAULTS("ranks 2\nranks 3\nrank 0\n", {2, 1, "second `ranks`", "expected one"});
    CHECK_FAULTS("rank 0\nranks 2\n", {2, 1, "`ranks` after a `rank`", "before the first"});
    CHECK_FAULTS("rank 0\nvariant v \"w\"\n", {2, 1, "`variant` after a `rank`", "before the first"});
    CHECK_FAULTS("rank 0 on gpu 1\nrank 1\nrank 0 on gpu 2\n", {3, 1, "rank 0 on GPU 2", "expected GPU 1"});
    CHECK_FAULTS("rank 1\nrank 1 on gpu 0\n", {2, 1, "rank 1 on GPU 0", "expected GPU 1"});
    CHECK_FAULTS("rank 0 on gpu 64\n", {1, 15, "`64`", "from 0 to 63"});
    CHECK_FAULTS("buffer x int8[1]\nstream s\nrank 0\n", {1, 1, "`buffer` outside a rank", "`rank R`"});
    CHECK_FAULTS("repeat 2\nrank 0\n", {1, 1, "`repeat` outside a rank", "`rank R`"});
    CHECK_FAULTS("", {1, 1, "no `rank`", "`rank 0`"});
    CHECK_FAULTS("# nothing here\n", {1, 1, "no `rank`", "`rank 0`"});
}

static void test_blocks_are_opened_and_ended(void **state)
{
    (void)state;
    check_line("end", 1, "`end`", "a `group` or `repeat` before it");
    check_line(" group", 2, "no `end` for this `group`", "before the next `rank`");
    check_line("  repeat 3\n  barrier", 3, "no `end` for this `repeat`", "before the next `rank`");
    CHECK_FAULTS("rank 0\nrepeat 2\ngroup\nend\nrank 1\nend\n", {2, 1, "no `end` for this `repeat`", ""},
                 {6, 1, "`end`", "a `group` or `repeat` before it"});
}

static void test_one_fault_does_not_bring_others(void **state)
{
    (void)state;
    CHECK_FAULTS("rank 0\nbuffer x flot32[4]\nset x to 0\n", {2, 10, "`flot32`", "`float32`"});
    CHECK_FAULTS("rank 0\nbufer x float32[4]\nset x to 0\n", {2, 1, "`bufer`", "`buffer`"});
    CHECK_FAULTS("rank 0\nmalloc x float32[4]\nset x to 0\n", {2, 1, "`malloc`", "a statement"});
    CHECK_FAULTS("rank 0\ngruop\nend\n", {2, 1, "`gruop`", "`group`"});
    CHECK_FAULTS("rank 0\nrepeat x\nbarrier\nend\n", {2, 8, "`x`", "a number of times"});
    CHECK_FAULTS("rank 0\ngroup\nedn\n", {3, 1, "`edn`", "`end`"});
    CHECK_FAULTS("rank 0\nrnak 1\nbuffer x int8[1]\nrank 0\nbuffer x int8[1]\n", {2, 1, "`rnak`", "`rank`"});
    CHECK_FAULTS("rank x\nbuffer x int8[1]\nrank 0\nbuffer y int8[1]\nsend y to 1 on default\n",
                 {1, 6, "`x`", "a rank from 0 to 63"});
    CHECK_FAULTS("varient v \"w\"\nrank 0\nbarrier [only v]\n", {1, 1, "`varient`", "`variant`"});
}

static void test_every_fault_is_told_in_the_order_of_the_file(void **state)
{
    (void)state;
    CHECK_FAULTS("rank 1\nread a\nrank 0\nbarier\nread b\nsend x\n", {2, 6, "`a`", "rank 1"},
                 {4, 1, "`barier`", "`barrier`"}, {5, 6, "`b`", "rank 0"}, {6, 6, "`x`", "rank 0"},
                 {6, 7, "the end of the line", "expected `to`"});
}

static void test_places_are_those_of_the_file(void **state)
{
    (void)state;
    static const char text[] = "rank 0\n\xEF\xBF\xBD\xC3\xA9 x\n";
    struct diagnostics diagnostics = {0};
    assert_null(schedule_parse(text, strlen(text), 40, &diagnostics));
    assert_int_equal(diagnostics.count, 1);
    assert_int_equal(diagnostics.items[0].place.line, 41);
    assert_int_equal(diagnostics.items[0].place.column, 1);
    diagnostics_free(&diagnostics);
    /* Columns count code points, not bytes. */
    CHECK_FAULTS("rank 0\nread \xC3\xA9\xC3\xA9 x\n", {2, 6, "`\xC3\xA9\xC3\xA9`", "host or managed memory"});
    CHECK_FAULTS("variant v \"\xC3\xA9\xE2\x86\x92\" x\nrank 0\n", {1, 16, "`x`", "the end of the line"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_misspelt_keywords),
        cmocka_unit_test(test_misspelt_names),
        cmocka_unit_test(test_a_name_of_another_sort_is_said_to_be_one),
        cmocka_unit_test(test_both_names_of_a_line_are_told),
        cmocka_unit_test(test_missing_and_spare_words),
        cmocka_unit_test(test_numbers_out_of_range),
        cmocka_unit_test(test_parts_out_of_range),
        cmocka_unit_test(test_peers),
        cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_blocks_are_opened_and_ended),
        cmocka_unit_test(test_one_fault_does_not_bring_others),
        cmocka_unit_test(test_every_fault_is_told_in_the_order_of_the_file),
        cmocka_unit_test(test_places_are_those_of_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
