/* What happens at a point, and when the points that it lets happen are due. */
#include "base/memory.h"
#include "device/sim/cost.h"
#include "device/sim/run.h"
#include "schedule/kernel.h"

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool is_group_member(const struct statement *statement)
{
    return statement->in_group && call_is_communication(statement);
}

/* Operations that take their time. With the gates held they stop before their end as well. */
static bool stops_before_end(const struct statement *statement)
{
    return call_is_communication(statement) || statement->kind == CALL_LAUNCH ||
           statement->kind == CALL_COPY || statement->kind == CALL_SET;
}

static void schedule_end(struct driver *driver, uint32_t call)
{
    const struct statement *statement = statement_in(driver, call);
    int64_t duration = 0;
    if (call_is_communication(statement) || statement->kind == CALL_COPY) {
        if (!flow_begin(driver, call, &duration)) {
            run_orphan(driver, call);
            return;
        }
    } else if (statement->kind != CALL_GROUP_END) {
        uint64_t bytes = 0;
        if (statement->kind == CALL_SET)
            bytes = span_bytes(driver->program, &driver->program->spans[statement->first_span]);
        duration = cost_of_operation(driver->program, statement, bytes);
    }
    heap_put(&driver->heap, driver->now + duration, DUE_POINT, point_of(call, DONE));
}

static void schedule(struct driver *driver, uint32_t point)
{
    uint32_t call = point_call(point);
    if (driver->lost[statement_in(driver, call)->rank])
        return;
    int64_t due = driver->now;
    switch (point_phase(point)) {
    case ENTERED:
        due += cost_between_calls();
        break;
    case RETURNED:
        due = later(due, driver->calls[call].ready);
        break;
    case STARTED:
        due = later(due, driver->calls[submitter_of(driver->order, call)].ready);
        due += statement_in(driver, call)->kind == CALL_GROUP_END ? 0 : cost_of_start();
        break;
    default:
        schedule_end(driver, call);
        return;
    }
    heap_put(&driver->heap, due, DUE_POINT, point);
}

void run_schedule(void *driver, uint32_t point)
{
    schedule(driver, point);
}

static void mark(_Atomic uint32_t *word)
{
    atomic_store_explicit(word, 1, memory_order_release);
}

static struct board_call *board_of(const struct driver *driver, uint32_t call)
{
    return &driver->setup.board->calls[call];
}

static void let_happen(struct driver *driver, uint32_t point)
{
    machine_happen(driver->machine, point, run_schedule, driver);
}

/* Host programs. */

/* What a host program does to memory is done when the call returns. */
static bool acts_on_return(uint8_t kind)
{
    return kind == CALL_READ || kind == CALL_WRITE || kind == CALL_FREE;
}

static bool may_fail(uint8_t kind)
{
    return acts_on_return(kind) || kind == CALL_BUFFER || kind == CALL_HOST || kind == CALL_MANAGED;
}

static void enter(struct driver *driver, uint32_t call)
{
    const struct statement *statement = statement_in(driver, call);
    uint8_t kind = statement->kind;
    mark(&board_of(driver, call)->entered);
    driver->calls[call].ready = driver->now + cost_of_call(statement);
    run_say(driver, RECORD_CALLED, call);
    if (!acts_on_return(kind))
        run_grant(driver, statement->rank, GRANT_CALL, call, 0, 0, may_fail(kind));
    if (kind == CALL_COMM)
        run_say(driver, RECORD_INITIALISING, call);
    if ((call_is_operation(statement) && !is_group_member(statement)) || kind == CALL_GROUP_END)
        heap_put(&driver->heap, driver->calls[call].ready, DUE_SUBMIT, call);
    let_happen(driver, point_of(call, ENTERED));
    if (kind == CALL_ABORT)
        run_abort(driver, call);
    run_watch(driver, point_of(call, RETURNED));
}

static void touch_memory(struct driver *driver, const struct statement *statement)
{
    for (uint32_t s = 0; s < statement->span_count; s++)
        flow_touch(driver, &driver->program->spans[statement->first_span + s]);
    if (statement->kind == CALL_FREE)
        flow_touch(driver, &(struct span){.memory = statement->memory});
}

static void come_back(struct driver *driver, uint32_t call)
{
    const struct statement *statement = statement_in(driver, call);
    if (acts_on_return(statement->kind)) {
        touch_memory(driver, statement);
        run_grant(driver, statement->rank, GRANT_CALL, call, 0, 0, true);
    }
    if (statement->kind == CALL_FREE)
        run_say(driver, RECORD_FREED, call);
    if (statement->kind == CALL_COMM)
        run_say(driver, RECORD_READY, call);
    mark(&board_of(driver, call)->returned);
    driver->returned++;
    run_say(driver, RECORD_RETURNED, call);
    let_happen(driver, point_of(call, RETURNED));
}

/* Operations. */

static void submit_one(struct driver *driver, uint32_t call)
{
    driver->submitted++;
    run_say(driver, RECORD_SUBMITTED, call);
}

static void submit(struct driver *driver, uint32_t call)
{
    if (statement_in(driver, call)->kind != CALL_GROUP_END) {
        submit_one(driver, call);
        return;
    }
    for (uint32_t member = group_start(driver->program, call); member < call; member++)
        if (is_group_member(statement_in(driver, member)) && driver->order->bound[member] == call)
            submit_one(driver, member);
}

static void start(struct driver *driver, uint32_t call)
{
    const struct statement *statement = statement_in(driver, call);
    mark(&board_of(driver, call)->started);
    if (call_is_operation(statement))
        run_say(driver, RECORD_STARTED, call);
    bool reads_now =
        kernel_reads_inputs(driver->program, statement) || copy_is_staged(driver->program, statement);
    if (reads_now) {
        touch_memory(driver, statement);
        run_grant(driver, statement->rank, GRANT_START, call, 0, 0, false);
    }
    let_happen(driver, point_of(call, STARTED));
    run_watch(driver, point_of(call, DONE));
}

static void finish(struct driver *driver, uint32_t call)
{
    const struct statement *statement = statement_in(driver, call);
    if ((statement->kind == CALL_LAUNCH || statement->kind == CALL_SET) && statement->span_count > 0) {
        touch_memory(driver, statement);
        run_grant(driver, statement->rank, GRANT_DONE, call, 0, 0, driver->setup.report_values);
    }
    flow_end(driver, call);
    mark(&board_of(driver, call)->done);
    if (call_is_operation(statement)) {
        driver->done++;
        run_say(driver, RECORD_DONE, call);
    }
    let_happen(driver, point_of(call, DONE));
}

/* Gates. */

static bool is_open(const _Atomic uint32_t *gate)
{
    return atomic_load_explicit(gate, memory_order_acquire) != GATE_CLOSED;
}

static bool passes_gate(const struct driver *driver, uint32_t point)
{
    uint32_t call = point_call(point);
    switch (point_phase(point)) {
    case ENTERED:
        return is_open(&board_of(driver, call)->host_gate);
    case STARTED:
        return statement_in(driver, call)->kind == CALL_GROUP_END || is_open(&board_of(driver, call)->gate);
    case DONE:
        return !driver->holding || driver->calls[call].orphaned || driver->calls[call].end_released ||
               !stops_before_end(statement_in(driver, call));
    default:
        return true;
    }
}

void run_release_held(struct driver *driver)
{
    size_t kept = 0;
    for (size_t i = 0; i < driver->held_count; i++) {
        const struct held_point held = driver->held[i];
        if (!passes_gate(driver, held.point)) {
            driver->held[kept++] = held;
            continue;
        }
        heap_put(&driver->heap, later(held.due, driver->now), DUE_POINT, held.point);
        if (point_phase(held.point) == DONE)
            flow_go_on(driver, point_call(held.point));
    }
    driver->held_count = kept;
}

/* An operation that is held before its end stands still: for it, no time goes by. */
static void stop_at_gate(struct driver *driver, uint32_t point, int64_t due)
{
    ARRAY_RESERVE(driver->held, driver->held_count, driver->held_capacity);
    driver->held[driver->held_count++] = (struct held_point){.point = point, .due = due};
    if (point_phase(point) == DONE)
        return;
    driver->now = due;
    run_say(driver, RECORD_HELD, point_call(point));
}

static void happen_at(struct driver *driver, uint32_t point, int64_t due)
{
    uint32_t call = point_call(point);
    if (driver->lost[statement_in(driver, call)->rank])
        return;
    if (!passes_gate(driver, point)) {
        stop_at_gate(driver, point, due);
        return;
    }
    driver->now = due;
    switch (point_phase(point)) {
    case ENTERED:
        enter(driver, call);
        break;
    case RETURNED:
        come_back(driver, call);
        break;
    case STARTED:
        start(driver, call);
        break;
    default:
        if (run_is_alone(driver, call))
            run_orphan(driver, call);
        else if (!has_happened(driver, point))
            finish(driver, call);
        break;
    }
}

void run_happen(struct driver *driver, const struct due *due)
{
    switch ((enum due_kind)due->kind) {
    case DUE_SETUP:
        driver->now = due->time;
        setup_step(driver, due->what);
        break;
    case DUE_POINT:
        happen_at(driver, due->what, due->time);
        break;
    case DUE_SUBMIT:
        if (driver->lost[statement_in(driver, due->what)->rank])
            break;
        driver->now = due->time;
        submit(driver, due->what);
        break;
    case DUE_PIECE:
        if (flow_is_moving(driver, due->what)) {
            driver->now = due->time;
            flow_step(driver, due->what);
        }
        break;
    }
}
