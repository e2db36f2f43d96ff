/* Logs written by hand: what happened, when, at which line of a schedule. */
#ifndef HANDOFF_TESTS_UNIT_MOMENTS_H
#define HANDOFF_TESTS_UNIT_MOMENTS_H

#include <string.h>

#include "log/log.h"
#include "log/view.h"

struct moments {
    struct schedule *schedule;
    struct program *program;
    struct order *order;
    struct log log;
};

static inline void moments_open(struct moments *moments, const char *text, const char *variants)
{
    struct diagnostics faults = {0};
    struct error error;
    uint32_t chosen = 0;
    *moments = (struct moments){0};
    moments->schedule = schedule_parse(text, strlen(text), 1, &faults);
    assert_non_null(moments->schedule);
    assert_true(schedule_choose_variants(moments->schedule, variants, &chosen, &error));
    moments->program = program_resolve(moments->schedule, chosen, &faults);
    assert_non_null(moments->program);
    moments->order = order_build(moments->program);
    for (int gpu = 0; gpu < SCHEDULE_MAX_GPUS; gpu++)
        moments->log.header.gpus[gpu] = (uint16_t)gpu;
}

static inline void moments_close(struct moments *moments)
{
    log_free(&moments->log);
    order_free(moments->order);
    program_free(moments->program);
    schedule_free(moments->schedule);
}

/* The first call of the schedule's line. */
static inline uint32_t call_on_line(const struct program *program, uint32_t line)
{
    for (uint32_t call = 0; call < program->call_count; call++)
        if (call_statement(program, call)->line == line)
            return call;
    fail();
    return NONE;
}

static inline struct record *happen(struct moments *moments, int64_t time, enum record_kind kind,
                                    uint32_t line)
{
    uint32_t call = call_on_line(moments->program, line);
    struct record record = {.time = time,
                            .kind = (uint8_t)kind,
                            .rank = call_statement(moments->program, call)->rank,
                            .call = call,
                            .point = NONE,
                            .memory = NONE};
    log_append(&moments->log, &record);
    return &moments->log.records[moments->log.count - 1];
}

/* The call of the line is entered, and returns COST later; an operation is submitted then. */
static inline void make_call(struct moments *moments, int64_t time, int64_t cost, uint32_t line)
{
    happen(moments, time, RECORD_CALLED, line);
    if (call_is_operation(call_statement(moments->program, call_on_line(moments->program, line))))
        happen(moments, time + cost, RECORD_SUBMITTED, line);
    happen(moments, time + cost, RECORD_RETURNED, line);
}

static inline void happen_in_rank(struct moments *moments, int64_t time, enum record_kind kind, uint32_t rank,
                                  int64_t number)
{
    struct record record = {.time = time,
                            .kind = (uint8_t)kind,
                            .rank = rank,
                            .call = NONE,
                            .point = NONE,
                            .memory = NONE,
                            .number = number};
    log_append(&moments->log, &record);
}

#endif
