#include "process/gates.h"

static const struct statement *statement_of(const struct gates *gates, uint32_t call)
{
    return call_statement(gates->order->program, call);
}

static bool is_set(const _Atomic uint32_t *word)
{
    return atomic_load_explicit(word, memory_order_acquire) != 0;
}

static void set(_Atomic uint32_t *word, uint32_t value)
{
    atomic_store_explicit(word, value, memory_order_release);
}

void gates_set_all(const struct gates *gates, bool closed)
{
    uint32_t gate = closed ? GATE_CLOSED : GATE_OPEN;
    for (uint32_t c = 0; c < gates->board->call_count; c++) {
        struct board_call *call = &gates->board->calls[c];
        if (!is_set(&call->entered))
            set(&call->host_gate, gate);
        if (!is_set(&call->started))
            set(&call->gate, gate);
    }
}

uint32_t gates_next_call(const struct gates *gates, uint32_t rank)
{
    const struct rank *described = &gates->order->program->ranks[rank];
    for (uint32_t c = described->first_call; c < described->first_call + described->call_count; c++)
        if (!is_set(&gates->board->calls[c].entered))
            return c;
    return NONE;
}

bool gates_is_submitted(const struct gates *gates, uint32_t call)
{
    uint32_t submitter = submitter_of(gates->order, call);
    return submitter != NONE && is_set(&gates->board->calls[submitter].entered);
}

/* Of the stream's operations that have not come so far, the one that was submitted first. */
static uint32_t first_of_stream(const struct gates *gates, uint32_t stream, bool running)
{
    const struct program *program = gates->order->program;
    const struct rank *rank = &program->ranks[program->streams[stream].rank];
    uint32_t first = NONE, first_submitted = NONE;
    for (uint32_t c = rank->first_call; c < rank->first_call + rank->call_count; c++) {
        const struct statement *statement = statement_of(gates, c);
        const struct board_call *call = &gates->board->calls[c];
        if (statement->stream != stream || !call_is_operation(statement) || is_set(&call->done) ||
            is_set(&call->started) != running)
            continue;
        if (submitter_of(gates->order, c) < first_submitted) {
            first = c;
            first_submitted = submitter_of(gates->order, c);
        }
    }
    return first;
}

uint32_t gates_running(const struct gates *gates, uint32_t stream)
{
    return first_of_stream(gates, stream, true);
}

uint32_t gates_next_operation(const struct gates *gates, uint32_t stream)
{
    return first_of_stream(gates, stream, false);
}

void gates_for_unit(const struct gates *gates, uint32_t call, void (*visit)(void *context, uint32_t call),
                    void *context)
{
    uint32_t submitter = submitter_of(gates->order, call);
    if (submitter == call || submitter == NONE) {
        visit(context, call);
        return;
    }
    for (uint32_t c = call; c < submitter; c++)
        if (submitter_of(gates->order, c) == submitter &&
            statement_of(gates, c)->stream == statement_of(gates, call)->stream)
            visit(context, c);
}
