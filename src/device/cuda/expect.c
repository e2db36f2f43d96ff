#include "device/cuda/expect.h"

#include <string.h>

enum { LONGEST_CHAIN = 32 };

static bool is_same(const struct span *a, const struct span *b)
{
    return a->memory == b->memory && a->first == b->first && a->count == b->count;
}

/* The call before CALL, of the same rank, that wrote the whole span last; NONE where another wrote a part of
 * it. */
static uint32_t last_writer(const struct program *program, uint32_t call, const struct span *span)
{
    uint32_t first = program->ranks[call_statement(program, call)->rank].first_call;
    while (call-- > first) {
        const struct statement *statement = call_statement(program, call);
        for (uint32_t i = 0; i < statement->span_count; i++) {
            const struct span *other = &program->spans[statement->first_span + i];
            bool touches = other->memory == span->memory && other->first < span->first + span->count &&
                           span->first < other->first + other->count;
            if (touches && (other->access & ACCESS_CHANGE))
                return is_same(other, span) && !(other->access & ACCESS_ACCUMULATE) ? call : NONE;
        }
    }
    return NONE;
}

/* The call and span that the call's values come from, one step back; false where it makes them itself, or
 * where that is not said. */
static bool step_back(const struct order *order, uint32_t *call, const struct span **span)
{
    const struct program *program = order->program;
    const struct statement *statement = call_statement(program, *call);
    uint32_t from = *call;
    const struct span *source = NULL;
    if (statement->kind == CALL_RECV) {
        from = order->match[*call];
        source = from != NONE ? &program->spans[call_statement(program, from)->first_span] : NULL;
    } else if (statement->kind == CALL_COPY || statement->kind == CALL_LAUNCH) {
        source = &program->spans[statement->first_span];
    }
    if (!source || !(source->access & ACCESS_READ) || source->count != (*span)->count)
        return false;
    *call = last_writer(program, from, source);
    *span = source;
    return *call != NONE;
}

static bool is_doubling(const struct program *program, const struct statement *statement)
{
    return statement->kind == CALL_LAUNCH && strcmp(program->kernels[statement->kernel], "B") == 0;
}

/* B of one input, a receive or a copy: its values are another call's. */
static bool passes_on(const struct program *program, const struct statement *statement)
{
    return statement->kind == CALL_RECV || statement->kind == CALL_COPY ||
           (is_doubling(program, statement) && statement->span_count == 2);
}

bool expect_written(const struct order *order, uint32_t call, const struct span *span,
                    struct progression *expected)
{
    const struct program *program = order->program;
    double factor = 1;
    for (int length = 0; length < LONGEST_CHAIN; length++) {
        const struct statement *statement = call_statement(program, call);
        if (!passes_on(program, statement)) {
            bool makes = statement->kind == CALL_WRITE ||
                         (statement->kind == CALL_LAUNCH && !is_doubling(program, statement));
            if (!makes)
                return false;
            *expected = produced_progression(program, call, span->count);
            expected->first *= factor;
            expected->step *= factor;
            return true;
        }
        factor *= is_doubling(program, statement) ? 2 : 1;
        if (!step_back(order, &call, &span))
            return false;
    }
    return false;
}
