#include "fold.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "log/format.h"
#include "log/log.h"
#include "log/print.h"
#include "log/result.h"
#include "order/machine.h"

static char schedule[] =
    "rank 0\nbuffer x float32[4]\nstream S\nlaunch A -> x on S\nsend x to 1 on S\nsync S\n"
    "rank 1\nbuffer x float32[4]\nhost h float32[4]\nstream T\nrecv x from 0 on T\n"
    "copy x to h\nread h\nfree x\n";

static struct log_header header_of_schedule(void)
{
    return (struct log_header){.file = "some \"file\"\n",
                               .schedule = schedule,
                               .schedule_length = sizeof schedule - 1,
                               .schedule_first_line = 12,
                               .variants = "",
                               .backend = "simulated",
                               .gpus = {1, 0},
                               .gpu_count = 2};
}

static void test_a_header_comes_back(void **state)
{
    (void)state;
    struct log_header header = header_of_schedule(), again;
    header.lesson = "# L\n\0\xff and what is no UTF-8"; /* any bytes */
    header.lesson_length = 27;
    header.variants = "a,b";
    header.eager = true;
    struct text line = {0};
    struct error error;
    log_header_to_json(&header, &line);
    assert_null(strchr(text_string(&line), '\n'));
    assert_true(log_header_from_json(&again, text_string(&line), line.length, &error));
    assert_string_equal(again.file, header.file);
    assert_int_equal(again.lesson_length, header.lesson_length);
    assert_memory_equal(again.lesson, header.lesson, header.lesson_length);
    assert_int_equal(again.schedule_length, header.schedule_length);
    assert_memory_equal(again.schedule, header.schedule, header.schedule_length);
    assert_int_equal(again.schedule_first_line, 12);
    assert_string_equal(again.variants, "a,b");
    assert_string_equal(again.backend, "simulated");
    assert_true(again.eager);
    assert_int_equal(again.gpu_count, 2);
    assert_int_equal(again.gpus[0], 1);
    log_header_free(&again);
    text_free(&line);
}

/* A record of the kind with every field that the kind has. */
static struct record sample(const struct fold *fold, enum record_kind kind)
{
    static const float values[] = {1.5f, -2};
    const struct record_format *format = &record_formats[kind];
    unsigned fields = format->required | format->optional;
    struct record record = {
        .time = -12345678901, .kind = (uint8_t)kind, .rank = NONE, .call = NONE, .point = NONE};
    if (fields & FIELD_RANK)
        record.rank = 1;
    if (fields & FIELD_CALL)
        record.call = call_at(fold, 11);
    if (fields & FIELD_WAIT) {
        record.point = point_of(call_at(fold, 5), STARTED);
        record.rule = 5;
    }
    if (fields & FIELD_MEMORY)
        record.memory = memory_named(fold, 1, "x");
    if (fields & FIELD_VALUES) {
        record.first = 1;
        record.count = 2;
        record.bytes = (const char *)values;
        record.length = sizeof values;
    }
    if (fields & FIELD_TEXT) {
        record.bytes = "a\0\xfe\"\n";
        record.length = 5;
    }
    if (fields & FIELD_NUMBER)
        record.number = format->largest;
    return record;
}

static void assert_comes_back(const struct fold *fold, const struct record *record)
{
    struct text line = {0}, storage = {0};
    struct record again;
    struct error error = {0};
    log_record_to_json(record, &line);
    assert_null(strchr(text_string(&line), '\n'));
    if (!log_record_from_json(fold->program, &again, &storage, text_string(&line), line.length, &error))
        fail_msg("%s: %s", text_string(&line), error.message);
    assert_int_equal(again.time, record->time);
    assert_int_equal(again.kind, record->kind);
    assert_int_equal(again.rule, record->rule);
    assert_int_equal(again.rank, record->rank);
    assert_int_equal(again.call, record->call);
    assert_int_equal(again.point, record->point);
    assert_int_equal(again.communicator, record->communicator);
    assert_int_equal(again.memory, record->memory);
    assert_int_equal(again.first, record->first);
    assert_int_equal(again.count, record->count);
    assert_int_equal(again.number, record->number);
    assert_int_equal(again.length, record->length);
    if (record->length)
        assert_memory_equal(again.bytes, record->bytes, record->length);
    text_free(&line);
    text_free(&storage);
}

static void test_every_kind_of_record_comes_back(void **state)
{
    (void)state;
    struct fold fold = fold_open(schedule);
    for (unsigned kind = 0; kind < RECORD_KIND_COUNT; kind++) {
        struct record record = sample(&fold, (enum record_kind)kind);
        assert_comes_back(&fold, &record);
        if (record_formats[kind].optional & FIELD_CALL) {
            record.call = NONE;
            assert_comes_back(&fold, &record);
        }
        if (kind == RECORD_WAITING) {
            record.point = NONE;
            assert_comes_back(&fold, &record);
        }
    }
    fold_close(&fold);
}

/* The log of a strict run in which everything happens as soon as it may, one thing a nanosecond. */
static void play(const struct fold *fold, struct log *log)
{
    static const uint8_t kinds[PHASE_COUNT] = {RECORD_CALLED, RECORD_RETURNED, RECORD_STARTED, RECORD_DONE};
    struct machine *machine = machine_open(fold->order, CHOICE_STRICT);
    int64_t now = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t point = 0; point < fold->order->point_count; point++) {
            if (!machine_may_happen(machine, point))
                continue;
            machine_happen(machine, point, NULL, NULL);
            moved = true;
            struct record record = {
                .time = now++, .kind = kinds[point_phase(point)], .call = point_call(point)};
            record.rank = call_statement(fold->program, record.call)->rank;
            log_append(log, &record);
        }
    }
    machine_close(machine);
    log_append(log, &(struct record){.time = now, .kind = RECORD_OUTCOME, .number = OUTCOME_FINISHED});
}

static void append_log(const struct log_header *header, const struct log *log, struct text *file)
{
    log_header_to_json(header, file);
    text_append(file, "\n");
    for (size_t i = 0; i < log->count; i++) {
        log_record_to_json(&log->records[i], file);
        text_append(file, "\n");
    }
}

/* All that a view shows, as text. */
static void append_state(const struct view *view, struct text *out)
{
    const struct print print = print_open(view, true);
    const struct log_header header = {.backend = "simulated"};
    print_waiting(&print, out);
    print_buffers(&print, NULL, 0, out);
    result_to_json(view, &header, out);
    text_format(out, "%lld %zu", (long long)view->now, view->active_count);
    for (uint32_t c = 0; c < view->program->call_count; c++)
        view_explain_wait(view, c, out);
}

/* Forward, record by record, is the same as from the start to each record. */
static void test_every_prefix_is_a_state(void **state)
{
    (void)state;
    struct fold fold = fold_open(schedule);
    struct log log = {0};
    play(&fold, &log);
    assert_true(log.count > 20);
    struct text forward = {0}, again = {0};
    for (size_t length = 0; length < log.count; length++) {
        view_apply(fold.view, &log.records[length]);
        struct view *view = view_open(fold.order);
        for (size_t i = 0; i <= length; i++)
            view_apply(view, &log.records[i]);
        text_clear(&forward);
        text_clear(&again);
        append_state(fold.view, &forward);
        append_state(view, &again);
        assert_string_equal(text_string(&again), text_string(&forward));
        view_close(view);
    }
    text_free(&forward);
    text_free(&again);
    log_free(&log);
    fold_close(&fold);
}

static void sample_file(struct text *file)
{
    struct fold fold = fold_open(schedule);
    const struct log_header header = header_of_schedule();
    struct log log = {0};
    for (unsigned kind = 0; kind < RECORD_OUTCOME; kind++) {
        const struct record record = sample(&fold, (enum record_kind)kind);
        log_append(&log, &record);
    }
    play(&fold, &log);
    append_log(&header, &log, file);
    log_free(&log);
    fold_close(&fold);
}

static void test_a_whole_log_is_read(void **state)
{
    (void)state;
    struct text file = {0};
    struct log_input input;
    struct error error;
    sample_file(&file);
    assert_true(log_read_bytes(&input, "log", text_string(&file), file.length, &error));
    assert_string_equal(input.warning.message, "");
    assert_int_equal(input.log.records[0].kind, RECORD_FORKED);
    assert_int_equal(input.log.records[input.log.count - 1].kind, RECORD_OUTCOME);
    struct text again = {0};
    append_log(&input.log.header, &input.log, &again);
    assert_string_equal(text_string(&again), text_string(&file));
    log_input_free(&input);
    text_free(&again);
    text_free(&file);
}

/* Reads bytes that may be no log, and shows what is accepted. */
static bool read_and_show(const char *bytes, size_t length, struct error *error, struct error *warning)
{
    struct log_input input;
    *warning = (struct error){0};
    if (!log_read_bytes(&input, "log", bytes, length, error))
        return false;
    struct view *view = view_open(input.order);
    struct text out = {0};
    for (size_t i = 0; i < input.log.count; i++)
        view_apply(view, &input.log.records[i]);
    append_state(view, &out);
    text_free(&out);
    view_close(view);
    *warning = input.warning;
    log_input_free(&input);
    return true;
}

static void test_a_log_cut_anywhere_is_said(void **state)
{
    (void)state;
    struct text file = {0};
    struct error error, warning;
    sample_file(&file);
    size_t header_length = strcspn(text_string(&file), "\n") + 1;
    for (size_t length = 0; length < file.length - 1; length++) {
        error = (struct error){0};
        bool fine = read_and_show(text_string(&file), length, &error, &warning);
        if (length + 1 < header_length)
            assert_false(fine);
        else
            assert_true(fine && warning.message[0] != '\0');
    }
    assert_true(read_and_show(text_string(&file), file.length - 5, &error, &warning));
    assert_non_null(strstr(warning.message, "the last line is cut short"));
    text_free(&file);
}

static void test_no_changed_byte_does_harm(void **state)
{
    (void)state;
    static const char others[] = {'\0', '"', '9', '-', '{', '\n', '\xff'};
    struct text file = {0};
    struct error error, warning;
    sample_file(&file);
    for (size_t at = 0; at < file.length; at++) {
        char before = file.bytes[at];
        file.bytes[at] = others[at % sizeof others];
        read_and_show(text_string(&file), file.length, &error, &warning);
        file.bytes[at] = before;
    }
    text_free(&file);
}

static void test_records_that_do_not_fit(void **state)
{
    (void)state;
    static const struct {
        const char *line, *complaint;
    } cases[] = {
        {"", "not JSON"},
        {"[]", "not a JSON object"},
        {"{\"t\":0}", "\"kind\" is missing"},
        {"{\"t\":0,\"kind\":\"exploded\"}", "no kind of record"},
        {"{\"kind\":\"note\",\"text\":\"\"}", "\"t\" is missing"},
        {"{\"t\":-9223372036854775808,\"kind\":\"note\",\"text\":\"\"}", "\"t\" is -9223372036854775808"},
        {"{\"t\":9223372036854775808,\"kind\":\"note\",\"text\":\"\"}", "not JSON"},
        {"{\"t\":0.5,\"kind\":\"note\",\"text\":\"\"}", "\"t\" is not an integer"},
        {"{\"t\":0,\"t\":1,\"kind\":\"note\",\"text\":\"\"}", "not JSON"},
        {"{\"t\":0,\"kind\":\"called\",\"rank\":2,\"call\":0}", "\"rank\" is 2"},
        {"{\"t\":0,\"kind\":\"called\",\"rank\":-1,\"call\":0}", "\"rank\" is -1"},
        {"{\"t\":0,\"kind\":\"called\",\"rank\":0,\"call\":99}", "\"call\" is 99"},
        {"{\"t\":0,\"kind\":\"called\",\"rank\":1,\"call\":0}", "\"call\" is rank 0's"},
        {"{\"t\":0,\"kind\":\"called\",\"rank\":0}", "\"call\" is missing"},
        {"{\"t\":0,\"kind\":\"waiting\",\"rank\":0,\"call\":0,\"rule\":13,\"for\":null}", "\"rule\" is 13"},
        {"{\"t\":0,\"kind\":\"waiting\",\"rank\":0,\"call\":0,\"rule\":5}", "\"for\" is missing"},
        {"{\"t\":0,\"kind\":\"waiting\",\"rank\":0,\"call\":0,\"rule\":5,\"for\":{\"call\":99,\"phase\":"
         "\"done\"}}",
         "\"call\" is 99"},
        {"{\"t\":0,\"kind\":\"waiting\",\"rank\":0,\"call\":0,\"rule\":5,\"for\":{\"call\":0,\"phase\":"
         "\"gone\"}}",
         "\"phase\""},
        {"{\"t\":0,\"kind\":\"written\",\"rank\":0,\"memory\":9,\"first\":0,\"count\":1,\"bytes\":\"\"}",
         "\"memory\" is 9"},
        {"{\"t\":0,\"kind\":\"written\",\"rank\":1,\"memory\":0,\"first\":0,\"count\":1,\"bytes\":\"\"}",
         "\"memory\" is rank 0's"},
        {"{\"t\":0,\"kind\":\"written\",\"rank\":0,\"memory\":0,\"first\":4,\"count\":1,\"bytes\":\"\"}",
         "\"first\" is 4"},
        {"{\"t\":0,\"kind\":\"written\",\"rank\":0,\"memory\":0,\"first\":3,\"count\":2,\"bytes\":\"\"}",
         "\"count\" is 2"},
        {"{\"t\":0,\"kind\":\"written\",\"rank\":0,\"memory\":0,\"first\":3,\"count\":1,\"bytes\":\"00\"}",
         "\"bytes\" has 1 bytes where the elements take 4"},
        {"{\"t\":0,\"kind\":\"written\",\"rank\":0,\"memory\":0,\"first\":3,\"count\":1,\"bytes\":"
         "\"0000000\"}",
         "half a byte"},
        {"{\"t\":0,\"kind\":\"written\",\"rank\":0,\"memory\":0,\"first\":3,\"count\":1,\"bytes\":"
         "\"0000000g\"}",
         "not hexadecimal"},
        {"{\"t\":0,\"kind\":\"note\",\"text\":{\"hex\":\"0\"}}", "half a byte"},
        {"{\"t\":0,\"kind\":\"outcome\",\"outcome\":\"none\"}", "\"outcome\" is none of"},
        {"{\"t\":0,\"kind\":\"step\",\"step\":-1}", "\"step\" is -1"},
        {"{\"t\":0,\"kind\":\"ready\",\"rank\":0,\"comm\":1}", "\"comm\" is 1"},
    };
    struct fold fold = fold_open(schedule);
    struct text storage = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record record;
        struct error error = {0};
        if (log_record_from_json(fold.program, &record, &storage, cases[i].line, strlen(cases[i].line),
                                 &error))
            fail_msg("accepted: %s", cases[i].line);
        if (!strstr(error.message, cases[i].complaint))
            fail_msg("%s: \"%s\" does not say %s", cases[i].line, error.message, cases[i].complaint);
    }
    text_free(&storage);
    fold_close(&fold);
}

static void test_files_that_are_no_log(void **state)
{
    (void)state;
    static const struct {
        const char *file, *complaint;
    } cases[] = {
        {"", "log: the file is empty"},
        {"hello\n", "log: line 1: not a handoff log"},
        {"{\"a\":1}\n", "not a handoff log"},
        {"{\"handoff-log\":\"1\"}\n", "not a version number"},
        {"{\"handoff-log\":2}\n", "the log has format 2, and this program reads format 1"},
        {"{\"handoff-log\":1,\"file\":\"f\",\"schedule\":\"rank 0\\nsned "
         "x\\n\",\"first-line\":1,\"variants\":\"\","
         "\"backend\":\"b\",\"eager\":false,\"gpus\":[]}\n",
         "the log's schedule has an error: line 2"},
        {"{\"handoff-log\":1,\"file\":\"f\",\"schedule\":\"rank 0\\nbarrier\\n\",\"first-line\":1,"
         "\"variants\":\"odd\",\"backend\":\"b\",\"eager\":false,\"gpus\":[]}\n",
         "the log's variants do not fit"},
        {"{\"handoff-log\":1,\"file\":\"f\",\"schedule\":\"rank 0\\nbarrier\\n\",\"first-line\":1,"
         "\"variants\":\"\",\"backend\":\"b\",\"eager\":false,\"gpus\":[70000]}\n",
         "no GPU number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct log_input input;
        struct error error = {0};
        assert_false(log_read_bytes(&input, "log", cases[i].file, strlen(cases[i].file), &error));
        if (!strstr(error.message, cases[i].complaint))
            fail_msg("\"%s\" does not say %s", error.message, cases[i].complaint);
    }
}

static void test_a_full_disk_is_an_error(void **state)
{
    (void)state;
    struct log_header header = header_of_schedule();
    struct error error = {0};
    struct log_writer *writer = log_writer_open("/dev/full", &error);
    assert_non_null(writer);
    assert_false(log_writer_begin(writer, &header, &error));
    assert_non_null(strstr(error.message, "/dev/full: cannot be written: No space left"));
    assert_false(log_writer_close(writer, &error));
}

/* The disk is full in the middle of it: one of the calls says so, and closing does. */
static void test_a_disk_that_fills_is_an_error(void **state)
{
    (void)state;
    char path[] = "/tmp/handoff-test-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    struct log_header header = header_of_schedule();
    struct error error = {0};
    struct rlimit before, small = {1 << 17, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    struct log_writer *writer = log_writer_open(path, &error);
    assert_non_null(writer);
    assert_true(log_writer_begin(writer, &header, &error));
    const struct record record = {.kind = RECORD_NOTE, .bytes = "some words", .length = 10};
    bool fine = true;
    for (int i = 0; i < 10000; i++)
        fine = log_writer_write(writer, &record, &error) && fine;
    assert_false(fine);
    assert_false(log_writer_close(writer, &error));
    assert_non_null(strstr(error.message, "cannot be written"));
    setrlimit(RLIMIT_FSIZE, &before);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_header_comes_back),
        cmocka_unit_test(test_every_kind_of_record_comes_back),
        cmocka_unit_test(test_every_prefix_is_a_state),
        cmocka_unit_test(test_a_whole_log_is_read),
        cmocka_unit_test(test_a_log_cut_anywhere_is_said),
        cmocka_unit_test(test_no_changed_byte_does_harm),
        cmocka_unit_test(test_records_that_do_not_fit),
        cmocka_unit_test(test_files_that_are_no_log),
        cmocka_unit_test(test_a_full_disk_is_an_error),
        cmocka_unit_test(test_a_disk_that_fills_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
