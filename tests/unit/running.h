/* Runs of schedules in the simulator, with real worker processes: shared by the tests of sessions. */
#ifndef HANDOFF_TESTS_RUNNING_H
#define HANDOFF_TESTS_RUNNING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "log/log.h"
#include "log/view.h"
#include "process/session.h"
#include "schedule/element.h"

/* Calls of rank 0: 0 buffer, 1 stream, 2 launch, 3 send, 4 sync. Of rank 1: 5 buffer, 6 buffer, 7 stream,
 * 8 recv, 9 launch. */
#define TRANSFER                                                                                             \
    "rank 0\n"                                                                                               \
    "buffer x float32[4]\n"                                                                                  \
    "stream S0\n"                                                                                            \
    "launch A -> x on S0\n"                                                                                  \
    "send x to 1 on S0 takes 4ms\n"                                                                          \
    "sync S0\n"                                                                                              \
    "rank 1\n"                                                                                               \
    "buffer x float32[4]\n"                                                                                  \
    "buffer y float32[4]\n"                                                                                  \
    "stream S1\n"                                                                                            \
    "recv x from 0 on S1\n"                                                                                  \
    "launch B x -> y on S1\n"

struct running {
    struct schedule *schedule;
    struct program *program;
    struct order *order;
    struct view *view;
    struct session *session;
    struct text log; /* all records but their pids, a line each */
    size_t counts[RECORD_KIND_COUNT];
};

static inline void running_take(void *context, const struct record *record)
{
    struct running *running = context;
    struct record shown = *record;
    assert_true(running->view->now == TIME_NONE || record->time >= running->view->now);
    if (shown.kind == RECORD_FORKED)
        shown.number = 0;
    log_record_to_json(&shown, &running->log);
    text_append(&running->log, "\n");
    running->counts[record->kind]++;
    view_apply(running->view, record);
}

/* Variants: as on the command line, or NULL. */
static inline struct running *running_open_with(const char *text, const char *variants,
                                                struct session_options options)
{
    struct running *running = calloc(1, sizeof *running);
    struct diagnostics faults = {0};
    struct error error = {0};
    uint32_t chosen = 0;
    running->schedule = schedule_parse(text, strlen(text), 1, &faults);
    assert_non_null(running->schedule);
    assert_true(!variants || schedule_choose_variants(running->schedule, variants, &chosen, &error));
    running->program = program_resolve(running->schedule, chosen, &faults);
    assert_non_null(running->program);
    running->order = order_build(running->program);
    running->view = view_open(running->order);
    options.sink = running_take;
    options.context = running;
    options.backend = BACKEND_SIM;
    running->session = session_open(running->order, &options, &error);
    if (!running->session)
        fail_msg("%s", error.message);
    return running;
}

static inline struct running *running_open(const char *text)
{
    return running_open_with(text, NULL, (struct session_options){.report_values = true});
}

static inline void running_close(struct running *running)
{
    session_close(running->session);
    view_close(running->view);
    order_free(running->order);
    program_free(running->program);
    schedule_free(running->schedule);
    text_free(&running->log);
    free(running);
}

static inline enum session_state running_go(struct running *running, struct session_goal goal)
{
    session_set_goal(running->session, &goal);
    return session_wait(running->session);
}

static inline enum outcome running_end(struct running *running)
{
    assert_int_equal(running_go(running, (struct session_goal){.kind = GOAL_END}), SESSION_ENDED);
    return running->view->outcome;
}

/* Runs TEXT to its end with all values reported; the caller closes it. */
static inline struct running *running_ended(const char *text, enum outcome expected)
{
    struct running *running = running_open(text);
    assert_int_equal(running_end(running), expected);
    return running;
}

/* The INDEX-th call that stands on the line, from 0. */
static inline uint32_t running_call(const struct running *running, uint32_t line, uint32_t index)
{
    for (uint32_t c = 0; c < running->program->call_count; c++)
        if (call_statement(running->program, c)->line == line && index-- == 0)
            return c;
    fail_msg("no such call on line %u", line);
    return NONE;
}

/* When what happened to the first call on the line. */
static inline const struct view_call *running_at(const struct running *running, uint32_t line)
{
    return &running->view->calls[running_call(running, line, 0)];
}

static inline uint32_t running_memory(const struct running *running, uint32_t rank, const char *name)
{
    for (uint32_t m = 0; m < running->program->memory_count; m++)
        if (running->program->memories[m].rank == rank &&
            strcmp(running->program->memories[m].name, name) == 0)
            return m;
    fail_msg("rank %u has no %s", rank, name);
    return NONE;
}

static inline double running_value(const struct running *running, uint32_t rank, const char *name,
                                   uint32_t element)
{
    uint32_t memory = running_memory(running, rank, name);
    uint8_t type = running->program->memories[memory].type;
    return element_load(type, running->view->memories[memory].bytes + element * element_size(type));
}

static inline bool running_is_written(const struct running *running, uint32_t rank, const char *name,
                                      uint32_t element)
{
    const struct view_memory *memory = &running->view->memories[running_memory(running, rank, name)];
    return memory->cells[element] != CELL_NEVER_WRITTEN;
}

#endif
