/* A program from a text, and its order: shared by the tests of rules and findings. */
#ifndef HANDOFF_TESTS_ORDERED_H
#define HANDOFF_TESTS_ORDERED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "order/order.h"

struct fixture {
    struct schedule *schedule;
    struct program *program;
    struct order *order;
};

static inline struct fixture fixture_of(const char *text)
{
    struct fixture fixture;
    struct diagnostics diagnostics = {0};
    fixture.schedule = schedule_parse(text, strlen(text), 1, &diagnostics);
    assert_non_null(fixture.schedule);
    fixture.program = program_resolve(fixture.schedule, 0, &diagnostics);
    assert_non_null(fixture.program);
    fixture.order = order_build(fixture.program);
    diagnostics_free(&diagnostics);
    return fixture;
}

static inline void free_fixture(struct fixture *fixture)
{
    order_free(fixture->order);
    program_free(fixture->program);
    schedule_free(fixture->schedule);
}

#endif
