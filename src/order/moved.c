#include "order/moved.h"

static const struct span *spans_of(const struct order *order, uint32_t call)
{
    return &order->program->spans[call_statement(order->program, call)->first_span];
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* SCHEDULE_MAX_BUFFER_BYTES at most. */
static uint32_t bytes_of(const struct order *order, const struct span *span)
{
    return (uint32_t)span_bytes(order->program, span);
}

static bool agrees(const struct order *order, uint32_t call, uint32_t other)
{
    const struct statement *a = call_statement(order->program, call),
                           *b = call_statement(order->program, other);
    const struct memory *memories = order->program->memories;
    return a->kind == b->kind && a->peer == b->peer &&
           memories[spans_of(order, call)->memory].type == memories[spans_of(order, other)->memory].type;
}

uint32_t moved_bytes(const struct order *order, uint32_t call)
{
    const struct statement *statement = call_statement(order->program, call);
    const struct span *spans = spans_of(order, call);
    uint32_t bytes = bytes_of(order, &spans[0]), match = order->match[call];
    if (statement->kind == CALL_COPY)
        return smaller(bytes, bytes_of(order, &spans[1]));
    if (call_is_transfer(statement))
        return match == NONE ? bytes : smaller(bytes, bytes_of(order, spans_of(order, match)));
    for (uint32_t next = match; next != call && next != NONE; next = order->match[next])
        bytes = agrees(order, call, next) ? smaller(bytes, bytes_of(order, spans_of(order, next))) : 0;
    return bytes;
}

uint32_t moved_sender(const struct order *order, uint32_t call)
{
    uint32_t match = order->match[call];
    return call_statement(order->program, call)->kind == CALL_RECV && match != NONE ? match : call;
}

uint32_t moved_unit(const struct order *order, uint32_t call)
{
    return element_size(order->program->memories[spans_of(order, moved_sender(order, call))->memory].type);
}
