/* Holding and releasing by hand. */
#include "base/memory.h"
#include "process/gates.h"
#include "process/inside.h"

static struct gates gates_of(const struct session *session)
{
    return (struct gates){.order = session->order, .board = session->board};
}

void session_hold_all(struct session *session, bool held)
{
    const struct gates gates = gates_of(session);
    session->held = held;
    gates_set_all(&gates, held);
    session->driving->held(session->driver, held);
}

/* The log hears of it when the session is pumped next. */
static void note_released(struct session *session, uint32_t call)
{
    ARRAY_RESERVE(session->released, session->released_count, session->released_capacity);
    session->released[session->released_count++] = call;
}

/* Says who it is about, in the words of the language. */
static bool refuse(const struct session *session, uint32_t call, const char *why, struct error *error)
{
    struct text text = {0};
    call_describe(session->order->program, call, &text);
    error_set(error, "rank %u: %s %s", call_statement(session->order->program, call)->rank,
              text_string(&text), why);
    text_free(&text);
    return false;
}

static void open_gate(struct session *session, uint32_t call, enum phase phase)
{
    struct board_call *words = &session->board->calls[call];
    atomic_store_explicit(phase == ENTERED ? &words->host_gate : &words->gate, GATE_OPEN,
                          memory_order_release);
    note_released(session, call);
    session->driving->released(session->driver, call, phase);
}

static bool release_host(struct session *session, uint32_t call, struct error *error)
{
    const struct program *program = session->order->program;
    const struct board_call *words = session->board->calls;
    if (words[call].host_gate == GATE_OPEN)
        return refuse(session, call, "is not held", error);
    if (call > program->ranks[call_statement(program, call)->rank].first_call && !words[call - 1].returned)
        return refuse(session, call - 1, "has not returned yet", error);
    open_gate(session, call, ENTERED);
    return true;
}

/* The members of a group that are on one stream go together: none may come to its end alone. */
struct unit {
    struct session *session;
    bool any;
};

static void let_end(void *context, uint32_t call)
{
    struct unit *unit = context;
    if (!unit->session->driving->released(unit->session->driver, call, DONE))
        return;
    note_released(unit->session, call);
    unit->any = true;
}

static void let_start(void *context, uint32_t call)
{
    struct unit *unit = context;
    if (unit->session->board->calls[call].gate == GATE_OPEN)
        return;
    open_gate(unit->session, call, STARTED);
    unit->any = true;
}

static bool release_end(struct session *session, uint32_t call, struct error *error)
{
    const struct gates gates = gates_of(session);
    struct unit unit = {.session = session};
    gates_for_unit(&gates, call, let_end, &unit);
    return unit.any || refuse(session, call, "has started and cannot go on yet", error);
}

static bool release_start(struct session *session, uint32_t call, struct error *error)
{
    const struct gates gates = gates_of(session);
    if (!gates_is_submitted(&gates, call))
        return refuse(session, call, "was not submitted yet: release the host program first", error);
    struct unit unit = {.session = session};
    gates_for_unit(&gates, call, let_start, &unit);
    return unit.any || refuse(session, call, "is not held", error);
}

bool session_release(struct session *session, uint32_t rank, uint32_t stream, struct error *error)
{
    const struct gates gates = gates_of(session);
    if (stream == NONE) {
        uint32_t next_call = gates_next_call(&gates, rank);
        return next_call != NONE ? release_host(session, next_call, error)
                                 : error_set(error, "rank %u has made all its calls", rank);
    }
    uint32_t running = gates_running(&gates, stream);
    if (running != NONE)
        return release_end(session, running, error);
    uint32_t next = gates_next_operation(&gates, stream);
    return next != NONE
               ? release_start(session, next, error)
               : error_set(error, "%s has no more operations", session->order->program->streams[stream].name);
}

bool session_release_call(struct session *session, uint32_t call, struct error *error)
{
    const struct statement *statement = call_statement(session->order->program, call);
    const struct board_call *words = &session->board->calls[call];
    if (!words->entered)
        return release_host(session, call, error);
    if (!call_is_operation(statement))
        return refuse(session, call, "was made already", error);
    if (words->done)
        return refuse(session, call, "is done already", error);
    return words->started ? release_end(session, call, error) : release_start(session, call, error);
}
