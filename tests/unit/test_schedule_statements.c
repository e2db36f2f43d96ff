/* Each statement of the language, read and said again. */
#include "schedule_support.h"

/* The second rank's lines that every statement below stands on; one line each. */
#define GROUND                                                                                               \
    "comm other\n"                                                                                           \
    "rank 0\n"                                                                                               \
    "rank 1\n"                                                                                               \
    "buffer x float32[8]\n"                                                                                  \
    "buffer y float32[8]\n"                                                                                  \
    "host h float32[8]\n"                                                                                    \
    "stream s nonblocking\n"
enum { GROUND_CALLS = 4, GROUND_LINES = 7 };

struct form {
    const char *written, *said; /* NULL: said as written */
    enum call_kind kind;
};

static void check_form(const struct form *form)
{
    struct text text = {0};
    text_format(&text, "%s   %s  # comment\n", GROUND, form->written);
    struct reading reading = read_schedule(text_string(&text));
    uint32_t call = call_of(reading.program, 1, GROUND_CALLS);
    const struct statement *statement = call_statement(reading.program, call);
    assert_int_equal(statement->kind, form->kind);
    assert_int_equal(statement->rank, 1);
    assert_int_equal(statement->line, GROUND_LINES + 1);
    assert_int_equal(statement->column, 4);
    struct text said = {0};
    call_describe(reading.program, call, &said);
    assert_string_equal(text_string(&said), form->said ? form->said : form->written);
    text_free(&said);
    text_free(&text);
    reading_free(&reading);
}

static void test_every_statement_is_read(void **state)
{
    (void)state;
    static const struct form forms[] = {
        {"use gpu 3", NULL, CALL_USE_GPU},
        {"comm mine", NULL, CALL_COMM},
        {"buffer b bfloat16[3]", NULL, CALL_BUFFER},
        {"host g int8[7]", NULL, CALL_HOST},
        {"host g uint64[7] pageable", NULL, CALL_HOST},
        {"managed m uint8[1]", NULL, CALL_MANAGED},
        {"stream t", NULL, CALL_STREAM},
        {"stream t nonblocking", NULL, CALL_STREAM},
        {"launch k on s", NULL, CALL_LAUNCH},
        {"launch B x -> y on default", NULL, CALL_LAUNCH},
        {"launch k x y on s", NULL, CALL_LAUNCH},
        {"launch k x -> y h ~> x[1] y[2:4] on s takes 1500us", NULL, CALL_LAUNCH},
        {"launch k ~> x on s takes 2000ms", "launch k ~> x on s takes 2s", CALL_LAUNCH},
        {"launch k->x on s takes 7ns", "launch k -> x on s takes 7ns", CALL_LAUNCH},
        {"send x to 0 on s", NULL, CALL_SEND},
        {"send x to 0 on s via other takes 3ms", NULL, CALL_SEND},
        {"send x[0:8] to 0 on s via world", "send x to 0 on s", CALL_SEND},
        {"recv x[2:5] from 0 on default via other", NULL, CALL_RECV},
        {"allreduce x[7] on s", NULL, CALL_ALLREDUCE},
        {"broadcast x root 0 on s via other", NULL, CALL_BROADCAST},
        {"record E on s", NULL, CALL_RECORD},
        {"wait E on default", NULL, CALL_WAIT},
        {"copy x[0:4] to h[4:8] on s", NULL, CALL_COPY},
        {"copy h to x", NULL, CALL_COPY},
        {"set x[1:3] to 255 on s", NULL, CALL_SET},
        {"set x to 0", NULL, CALL_SET},
        {"sync s", NULL, CALL_SYNC_STREAM},
        {"sync default", NULL, CALL_SYNC_STREAM},
        {"sync event E", NULL, CALL_SYNC_EVENT},
        {"sync device", NULL, CALL_SYNC_DEVICE},
        {"poll s", NULL, CALL_POLL_STREAM},
        {"poll event E", NULL, CALL_POLL_EVENT},
        {"query s", NULL, CALL_QUERY_STREAM},
        {"query event E", NULL, CALL_QUERY_EVENT},
        {"read h[1]", NULL, CALL_READ},
        {"write h", NULL, CALL_WRITE},
        {"barrier", NULL, CALL_BARRIER},
        {"free x", NULL, CALL_FREE},
        {"free h", NULL, CALL_FREE},
        {"destroy world", NULL, CALL_DESTROY},
        {"abort other", NULL, CALL_ABORT},
        {"group\nend", "group", CALL_GROUP},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        check_form(&forms[i]);
}

static void test_launch_binds_its_parts(void **state)
{
    (void)state;
    struct reading reading =
        read_schedule(GROUND "launch k x[3] h -> y[2:5] ~> x on s takes 5ms\nlaunch k2 on s\n");
    const struct program *program = reading.program;
    const struct statement *launch = statement_of(program, 1, GROUND_CALLS);
    assert_int_equal(launch->span_count, 4);
    const struct span *spans = &program->spans[launch->first_span];
    static const struct {
        const char *name;
        uint32_t first, count, access;
    } expected[] = {{"x", 3, 1, ACCESS_READ},
                    {"h", 0, 8, ACCESS_READ},
                    {"y", 2, 3, ACCESS_WRITE},
                    {"x", 0, 8, ACCESS_ACCUMULATE}};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(program->memories[spans[i].memory].name, expected[i].name);
        assert_int_equal(spans[i].first, expected[i].first);
        assert_int_equal(spans[i].count, expected[i].count);
        assert_int_equal(spans[i].access, expected[i].access);
    }
    assert_int_equal(span_bytes(program, &spans[2]), 3 * 4);
    assert_int_equal(launch->takes_ns, 5000000);
    assert_string_equal(program->kernels[launch->kernel], "k");
    assert_string_equal(program->streams[launch->stream].name, "s");
    const struct statement *second = statement_of(program, 1, GROUND_CALLS + 1);
    assert_int_equal(second->span_count, 0);
    assert_int_equal(second->takes_ns, 0);
    assert_int_not_equal(second->kernel, launch->kernel);
    reading_free(&reading);
}

static void test_transfers_bind_peer_communicator_and_access(void **state)
{
    (void)state;
    struct reading reading = read_schedule(GROUND "send x to 0 on s\n"
                                                  "recv x from 0 on s via other\n"
                                                  "allreduce x on s\n"
                                                  "broadcast x root 1 on s\n"
                                                  "broadcast x root 0 on s\n");
    const struct program *program = reading.program;
    static const struct {
        uint32_t peer, communicator, access;
    } expected[] = {{0, 0, ACCESS_READ},
                    {0, 1, ACCESS_WRITE},
                    {0, 0, ACCESS_READ | ACCESS_WRITE},
                    {1, 0, ACCESS_READ},
                    {0, 0, ACCESS_WRITE}};
    for (uint32_t i = 0; i < 5; i++) {
        const struct statement *statement = statement_of(program, 1, GROUND_CALLS + i);
        assert_int_equal(statement->peer, expected[i].peer);
        assert_int_equal(statement->communicator, expected[i].communicator);
        assert_int_equal(program->spans[statement->first_span].access, expected[i].access);
        assert_true(call_is_communication(statement));
        assert_true(call_is_operation(statement));
    }
    assert_string_equal(program->communicators[0].name, "world");
    assert_true(program->communicators[0].from_start);
    assert_true(program->communicators[1].from_start);
    reading_free(&reading);
}

static void test_copy_and_set_without_a_stream_run_on_default(void **state)
{
    (void)state;
    struct reading reading = read_schedule(GROUND "copy x to h\n"
                                                  "set x to 7\n"
                                                  "copy x to h on default\n"
                                                  "use gpu 5\n"
                                                  "set x to 7\n");
    const struct program *program = reading.program;
    const struct statement *copy = statement_of(program, 1, GROUND_CALLS);
    const struct statement *set = statement_of(program, 1, GROUND_CALLS + 1);
    const struct statement *on_default = statement_of(program, 1, GROUND_CALLS + 2);
    const struct statement *elsewhere = statement_of(program, 1, GROUND_CALLS + 4);
    assert_false(copy->has_stream);
    assert_false(set->has_stream);
    assert_true(on_default->has_stream);
    assert_int_equal(copy->stream, on_default->stream);
    assert_int_equal(set->stream, on_default->stream);
    assert_true(program->streams[copy->stream].is_default);
    assert_int_equal(program->streams[copy->stream].gpu, 1);
    assert_int_equal(program->streams[copy->stream].rank, 1);
    assert_int_equal(elsewhere->gpu, 5);
    assert_true(program->streams[elsewhere->stream].is_default);
    assert_int_equal(program->streams[elsewhere->stream].gpu, 5);
    assert_int_equal(set->value, 7);
    reading_free(&reading);
}

static void test_copy_direction_follows_the_kinds_of_memory(void **state)
{
    (void)state;
    struct reading reading = read_schedule("rank 0\n"
                                           "buffer d float32[4]\n"
                                           "managed m float32[4]\n"
                                           "host p float32[4]\n"
                                           "host q float32[4] pageable\n"
                                           "copy d to m\n"
                                           "copy p to d\n"
                                           "copy q to m\n"
                                           "copy d to q\n"
                                           "copy p to q\n");
    static const enum copy_direction expected[] = {COPY_DEVICE_TO_DEVICE, COPY_HOST_TO_DEVICE,
                                                   COPY_HOST_TO_DEVICE, COPY_DEVICE_TO_HOST,
                                                   COPY_HOST_TO_HOST};
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(copy_direction(reading.program, statement_of(reading.program, 0, 4 + i)),
                         expected[i]);
    static const enum memory_kind kinds[] = {MEMORY_DEVICE, MEMORY_MANAGED, MEMORY_PINNED, MEMORY_PAGEABLE};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(reading.program->memories[i].kind, kinds[i]);
    reading_free(&reading);
}

static void test_what_is_made_lives_on_the_current_gpu(void **state)
{
    (void)state;
    struct reading reading = read_schedule("rank 0 on gpu 2\n"
                                           "buffer a int8[1]\n"
                                           "use gpu 4\n"
                                           "buffer b int8[1]\n"
                                           "stream s\n"
                                           "rank 1\n"
                                           "buffer a int8[1]\n"
                                           "rank 0\n"
                                           "buffer c int8[1]\n");
    const struct program *program = reading.program;
    assert_int_equal(program->ranks[0].gpu, 2);
    assert_int_equal(program->ranks[1].gpu, 1);
    assert_int_equal(program->ranks[0].call_count, 5);
    static const uint32_t gpus[] = {2, 4, 4, 1}; /* a, b, c of rank 0 and then a of rank 1 */
    assert_int_equal(program->memory_count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(program->memories[i].gpu, gpus[i]);
    assert_int_equal(program->streams[statement_of(program, 0, 3)->stream].gpu, 4);
    assert_int_equal(statement_of(program, 0, 1)->gpu, 4);
    assert_int_equal(statement_of(program, 0, 4)->line, 9);
    reading_free(&reading);
}

static void test_ranks_are_stated_or_the_highest_named(void **state)
{
    (void)state;
    struct reading reading = read_schedule("ranks 5\nrank 2\nbarrier\n");
    assert_int_equal(reading.program->rank_count, 5);
    assert_int_equal(reading.program->ranks[4].gpu, 4);
    assert_int_equal(reading.program->ranks[2].call_count, 1);
    reading_free(&reading);
    reading = read_schedule("rank 3\nrank 1\n");
    assert_int_equal(reading.program->rank_count, 4);
    assert_int_equal(reading.program->call_count, 0);
    reading_free(&reading);
}

static void test_names_of_ranks_and_of_sorts_stand_apart(void **state)
{
    (void)state;
    struct reading reading =
        read_schedule("rank 0\nbuffer x float32[4]\nstream x\nlaunch x x on x\nrecord x on x\n"
                      "rank 1\nbuffer x int32[9]\nread x\n");
    const struct program *program = reading.program;
    assert_int_equal(program->memories[program->spans[statement_of(program, 0, 2)->first_span].memory].count,
                     4);
    assert_int_equal(program->memories[program->spans[statement_of(program, 1, 1)->first_span].memory].count,
                     9);
    reading_free(&reading);
}

static void test_a_rank_makes_a_communicator_of_its_own_call(void **state)
{
    (void)state;
    struct reading reading =
        read_schedule("rank 0\nbuffer x int8[1]\ncomm c\nallreduce x on default via c\n"
                      "rank 1\ncomm c\nbuffer x int8[1]\nallreduce x on default via c\n");
    const struct program *program = reading.program;
    assert_int_equal(program->communicator_count, 2);
    assert_false(program->communicators[1].from_start);
    assert_int_equal(statement_of(program, 0, 1)->communicator, 1);
    assert_int_equal(statement_of(program, 1, 0)->communicator, 1);
    assert_int_equal(statement_of(program, 1, 2)->communicator, 1);
    reading_free(&reading);
}

static void test_which_calls_are_operations(void **state)
{
    (void)state;
    for (int kind = 0; kind < CALL_KIND_COUNT; kind++) {
        const struct statement statement = {.kind = (uint8_t)kind};
        bool communicates =
            kind == CALL_SEND || kind == CALL_RECV || kind == CALL_ALLREDUCE || kind == CALL_BROADCAST;
        bool operates = communicates || kind == CALL_LAUNCH || kind == CALL_RECORD || kind == CALL_WAIT ||
                        kind == CALL_COPY || kind == CALL_SET;
        assert_int_equal(call_is_communication(&statement), communicates);
        assert_int_equal(call_is_operation(&statement), operates);
        assert_non_null(call_kind_name((enum call_kind)kind));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_statement_is_read),
        cmocka_unit_test(test_launch_binds_its_parts),
        cmocka_unit_test(test_transfers_bind_peer_communicator_and_access),
        cmocka_unit_test(test_copy_and_set_without_a_stream_run_on_default),
        cmocka_unit_test(test_copy_direction_follows_the_kinds_of_memory),
        cmocka_unit_test(test_what_is_made_lives_on_the_current_gpu),
        cmocka_unit_test(test_ranks_are_stated_or_the_highest_named),
        cmocka_unit_test(test_names_of_ranks_and_of_sorts_stand_apart),
        cmocka_unit_test(test_a_rank_makes_a_communicator_of_its_own_call),
        cmocka_unit_test(test_which_calls_are_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
