/* A program from a text, and a view over it to which a test gives its records: shared by the tests of the
 * log. */
#ifndef HANDOFF_TESTS_FOLD_H
#define HANDOFF_TESTS_FOLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "log/view.h"
#include "ordered.h"

struct fold {
    struct schedule *schedule;
    struct program *program;
    struct order *order;
    struct view *view;
};

static inline struct fold fold_open(const char *text)
{
    struct fixture fixture = fixture_of(text);
    return (struct fold){.schedule = fixture.schedule,
                         .program = fixture.program,
                         .order = fixture.order,
                         .view = view_open(fixture.order)};
}

static inline void fold_close(struct fold *fold)
{
    view_close(fold->view);
    free_fixture(&(struct fixture){fold->schedule, fold->program, fold->order});
}

/* The call of the rank that is on the line of the text. */
static inline uint32_t call_at(const struct fold *fold, uint32_t line)
{
    for (uint32_t c = 0; c < fold->program->call_count; c++)
        if (call_statement(fold->program, c)->line == line)
            return c;
    fail_msg("no call on line %u", line);
    return NONE;
}

/* KIND happens to the call on LINE at TIME. */
static inline void happen(struct fold *fold, int64_t time, enum record_kind kind, uint32_t line)
{
    uint32_t call = call_at(fold, line);
    const struct record record = {.time = time,
                                  .kind = (uint8_t)kind,
                                  .rank = call_statement(fold->program, call)->rank,
                                  .call = call,
                                  .point = NONE};
    view_apply(fold->view, &record);
}

/* The call on LINE waits until PHASE of the call on the line OTHER; 0: for what nothing can satisfy. */
static inline void wait_for(struct fold *fold, int64_t time, uint32_t line, uint32_t other, enum phase phase,
                            uint8_t rule)
{
    uint32_t call = call_at(fold, line);
    const struct record record = {.time = time,
                                  .kind = RECORD_WAITING,
                                  .rule = rule,
                                  .rank = call_statement(fold->program, call)->rank,
                                  .call = call,
                                  .point = other ? point_of(call_at(fold, other), phase) : NONE};
    view_apply(fold->view, &record);
}

/* The call on LINE writes COUNT float32 elements from FIRST on into the memory of its last span. */
static inline void write_floats(struct fold *fold, int64_t time, uint32_t line, uint32_t first,
                                const float *values, uint32_t count)
{
    uint32_t call = call_at(fold, line);
    const struct statement *statement = call_statement(fold->program, call);
    const struct span *span = &fold->program->spans[statement->first_span + statement->span_count - 1];
    const struct record record = {.time = time,
                                  .kind = RECORD_WRITTEN,
                                  .rank = statement->rank,
                                  .call = call,
                                  .memory = span->memory,
                                  .first = first,
                                  .count = count,
                                  .length = count * sizeof *values,
                                  .bytes = (const char *)values};
    view_apply(fold->view, &record);
}

/* The memory of the name in the rank. */
static inline uint32_t memory_named(const struct fold *fold, uint32_t rank, const char *name)
{
    for (uint32_t m = 0; m < fold->program->memory_count; m++)
        if (fold->program->memories[m].rank == rank && strcmp(fold->program->memories[m].name, name) == 0)
            return m;
    fail_msg("rank %u has no %s", rank, name);
    return NONE;
}

#endif
