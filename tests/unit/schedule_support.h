/* What the tests of the schedule language share. */
#ifndef HANDOFF_TESTS_SCHEDULE_SUPPORT_H
#define HANDOFF_TESTS_SCHEDULE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/program.h"

/* A schedule and its program under one choice of variants. */
struct reading {
    struct schedule *schedule;
    struct program *program;
};

static inline void assert_no_faults(const struct diagnostics *diagnostics)
{
    struct text faults = {0};
    diagnostics_print(diagnostics, "f", &faults);
    assert_string_equal(text_string(&faults), "");
    text_free(&faults);
}

static inline struct reading read_under(const char *text, const char *variants)
{
    struct diagnostics diagnostics = {0};
    struct error error = {0};
    struct reading reading = {.schedule = schedule_parse(text, strlen(text), 1, &diagnostics)};
    assert_no_faults(&diagnostics);
    uint32_t set;
    assert_true(schedule_choose_variants(reading.schedule, variants, &set, &error));
    reading.program = program_resolve(reading.schedule, set, &diagnostics);
    assert_no_faults(&diagnostics);
    assert_non_null(reading.program);
    diagnostics_free(&diagnostics);
    return reading;
}

static inline struct reading read_schedule(const char *text)
{
    return read_under(text, "");
}

static inline void reading_free(struct reading *reading)
{
    program_free(reading->program);
    schedule_free(reading->schedule);
}

/* The call with the NUMBER among those of the rank. */
static inline uint32_t call_of(const struct program *program, uint32_t rank, uint32_t number)
{
    assert_true(rank < program->rank_count);
    assert_true(number < program->ranks[rank].call_count);
    return program->ranks[rank].first_call + number;
}

static inline const struct statement *statement_of(const struct program *program, uint32_t rank,
                                                   uint32_t number)
{
    return call_statement(program, call_of(program, rank, number));
}

/* A fault: its place, and what the message has to say. */
struct fault {
    uint32_t line, column;
    const char *found, *expected;
};

/* The text has these faults under the variants, in the order of the file, and no others. */
static inline void check_faults_under(const char *text, size_t length, uint32_t variants,
                                      const struct fault *faults, size_t count)
{
    struct diagnostics diagnostics = {0};
    struct schedule *schedule = schedule_parse(text, length, 1, &diagnostics);
    struct program *program = schedule ? program_resolve(schedule, variants, &diagnostics) : NULL;
    struct text out = {0};
    diagnostics_print(&diagnostics, "f", &out);
    char *rest = out.bytes;
    for (size_t i = 0; i < count; i++) {
        char place[64];
        snprintf(place, sizeof place, "f:%u:%u: error: ", faults[i].line, faults[i].column);
        char *line = rest ? strsep(&rest, "\n") : NULL;
        if (!line || strncmp(line, place, strlen(place)) != 0 || !strstr(line, faults[i].found) ||
            !strstr(line, faults[i].expected))
            fail_msg("expected %s... %s ... %s\ngot %s", place, faults[i].found, faults[i].expected,
                     line ? line : "nothing");
    }
    if (rest && *rest)
        fail_msg("unexpected: %s", rest);
    assert_null(program);
    text_free(&out);
    schedule_free(schedule);
    diagnostics_free(&diagnostics);
}

#define CHECK_FAULTS(text, ...)                                                                              \
    do {                                                                                                     \
        const struct fault faults_[] = {__VA_ARGS__};                                                        \
        check_faults_under((text), strlen(text), 0, faults_, sizeof faults_ / sizeof *faults_);              \
    } while (0)

#endif
