/* The driver's table: setting up, going on, ending. */
#include <stdlib.h>

#include "base/memory.h"
#include "device/cuda/run.h"

static const int64_t HOLD_BACK_NS = 4000000;     /* a worker's report is in by then, mostly */
static const int64_t PATIENCE_NS = 2000000000;   /* no progress for so long: stuck */
static const int64_t ABORT_NS = 10000000000;     /* likewise, while a rank is in ncclCommAbort, which ends */
static const int64_t LEAVING_NS = 5000000000;    /* workers that have not left by then are ended */
static const int64_t SILENT_NS = 3000000000;     /* for a machine that sets up as usual */
static const int64_t REST_NS = 20000000;         /* so long nothing was asked of the run */
static const int64_t ASKED_AGAIN_NS = 150000000; /* one that awaits something is asked again sooner */
enum { POLL_MS = 2, LEISURE_MS = 100 };

static uint32_t count_operations(const struct driver *run)
{
    uint32_t count = 0;
    for (uint32_t call = 0; call < run->program->call_count; call++)
        count += call_is_operation(statement_in(run, call));
    return count;
}

static void say_now(struct driver *run, enum record_kind kind, uint32_t rank, uint32_t communicator,
                    int64_t number)
{
    const struct record record = {.kind = (uint8_t)kind,
                                  .time = cuda_run_clock(),
                                  .rank = rank,
                                  .call = NONE,
                                  .point = NONE,
                                  .communicator = communicator,
                                  .memory = NONE,
                                  .number = number};
    cuda_run_arrive(run, &record);
}

static struct driver *open_run(const struct driver_setup *setup)
{
    struct driver *run = memory_zeroed(1, sizeof *run);
    run->setup = *setup;
    run->order = setup->order;
    run->program = setup->order->program;
    run->reached = memory_zeroed(run->order->point_count + 1, 1);
    run->said = memory_zeroed(run->order->point_count + 1, 1);
    run->wait_said = memory_zeroed(run->order->point_count + 1, sizeof *run->wait_said);
    run->operations = setup->watch == WATCH_NOTHING ? 0 : count_operations(run);
    run->opened = run->progressed = cuda_run_clock();
    run->last_said = INT64_MIN;
    if (setup->watch == WATCH_GATES)
        cuda_plan_open(run);
    for (uint32_t rank = 0; rank < run->program->rank_count; rank++) {
        run->ranks[rank].next = run->program->ranks[rank].first_call;
        run->ranks[rank].current = NONE;
        say_now(run, RECORD_FORKED, rank, NONE, setup->pids[rank]);
    }
    run->setup.pids = NULL;
    for (uint32_t rank = 0; rank < run->program->rank_count; rank++) {
        for (uint32_t i = 0; i < run->program->communicator_count; i++)
            cuda_run_grant(run, rank, GRANT_ID, i);
        for (uint32_t i = 0; i < run->program->communicator_count; i++)
            if (run->program->communicators[i].from_start)
                cuda_run_grant(run, rank, GRANT_CONNECT, i);
    }
    return run;
}

static void close_run(struct driver *run)
{
    cuda_plan_close(&run->plan);
    arrivals_free(&run->arrivals);
    free(run->reached);
    free(run->said);
    free(run->wait_said);
    free(run);
}

/* The communicator of the rank's setting-up grant number INDEX, counted among the connections; NONE. */
static uint32_t connection(const struct driver *run, uint32_t index)
{
    for (uint32_t i = 0; i < run->program->communicator_count; i++)
        if (run->program->communicators[i].from_start && index-- == 0)
            return i;
    return NONE;
}

static void begin(struct driver *run)
{
    run->stage = RUN_GOING;
    run->zero = run->progressed = run->advanced = cuda_run_clock();
    if (run->plan.simulated)
        cuda_plan_begin(run);
    for (uint32_t rank = 0; rank < run->program->rank_count; rank++)
        cuda_run_grant_calls(run, rank);
}

static bool all_are_connected(const struct driver *run)
{
    for (uint32_t rank = 0; rank < run->program->rank_count; rank++) {
        uint32_t connections = run->ranks[rank].answered - run->program->communicator_count;
        if (run->ranks[rank].answered < run->program->communicator_count ||
            connection(run, connections) != NONE)
            return false;
    }
    return true;
}

static void set_up(struct driver *run, uint32_t rank)
{
    uint32_t ids = run->program->communicator_count, index = run->ranks[rank].answered++;
    if (index >= ids && connection(run, index - ids) == NONE)
        return; /* more answers than there were grants */
    if (index < ids && run->program->communicators[index].from_start)
        say_now(run, rank == 0 ? RECORD_ID_MADE : RECORD_ID_PASSED, rank, index, 0);
    else if (index >= ids)
        say_now(run, RECORD_READY, rank, connection(run, index - ids), 0);
    uint32_t next = index + 1 >= ids ? connection(run, index + 1 - ids) : NONE;
    if (next != NONE)
        say_now(run, RECORD_INITIALISING, rank, next, 0);
    if (all_are_connected(run))
        begin(run);
}

/* Lets the host program out of its barrier once all ranks are at theirs. */
static void pass_barrier(struct driver *run, uint32_t call)
{
    uint32_t point = point_of(call, RETURNED);
    for (uint32_t i = run->order->first_wait[point]; i < run->order->first_wait[point + 1]; i++)
        if (run->order->waits[i].point == NONE || !run->reached[run->order->waits[i].point])
            return;
    uint32_t rank = statement_in(run, call)->rank;
    atomic_store(&run->setup.board->calls[call].returned, 1);
    cuda_run_arrive(run, &(struct record){.kind = RECORD_RETURNED,
                                          .time = cuda_run_clock(),
                                          .rank = rank,
                                          .call = call,
                                          .point = NONE,
                                          .communicator = NONE,
                                          .memory = NONE});
    cuda_run_grant_calls(run, rank);
}

static void look_at_barriers(struct driver *run)
{
    for (uint32_t rank = 0; rank < run->program->rank_count; rank++) {
        uint32_t call = run->ranks[rank].current;
        if (call != NONE && statement_in(run, call)->kind == CALL_BARRIER &&
            !run->reached[point_of(call, RETURNED)])
            pass_barrier(run, call);
    }
}

static void take_call(struct driver *run, const struct record *record)
{
    struct board_call *board = &run->setup.board->calls[record->call];
    if (record->kind == RECORD_CALLED) {
        atomic_store(&board->entered, 1);
        run->ranks[record->rank].current = record->call;
    }
    /* The workers do not wait at a barrier; the run makes it. */
    if (record->kind == RECORD_RETURNED && statement_in(run, record->call)->kind == CALL_BARRIER)
        return;
    if (record->kind == RECORD_RETURNED)
        atomic_store(&board->returned, 1);
    cuda_run_arrive(run, record);
    if (record->kind == RECORD_CALLED && run->stage == RUN_GOING)
        look_at_barriers(run);
}

/* What the run is on stands before everything else, if that was not said yet. */
static void say_first(struct driver *run, const struct record *machine)
{
    struct record first = *machine;
    first.kind = RECORD_NOTE;
    first.time = run->opened - 1;
    first.rank = NONE;
    cuda_run_arrive(run, &first);
}

/* What a run that is broken off does to what it was at says nothing of the schedule. What was done before may
 * be reported late. */
static bool comes_of_the_end(const struct driver *run, const struct record *record)
{
    bool is_content = record->kind == RECORD_WRITTEN && record->call == NONE;
    bool was_before = record->time != 0 && record->time <= run->ending;
    return run->stage >= RUN_ENDING && run->outcome != OUTCOME_FINISHED && record->kind != RECORD_OUTPUT &&
           !is_content && !was_before;
}

static void reported(struct driver *run, uint32_t rank, const struct record *record)
{
    if (record->kind == REPORT_ANSWERED) {
        if (run->stage == RUN_SETTING_UP)
            set_up(run, rank);
        else
            run->ranks[rank].left |= run->stage == RUN_ENDING;
        return;
    }
    if (record->kind == REPORT_MACHINE) {
        say_first(run, record);
        return;
    }
    if (comes_of_the_end(run, record))
        return;
    if (record->kind == RECORD_STARTED)
        atomic_store(&run->setup.board->calls[record->call].started, 1);
    if (record->kind == RECORD_DONE)
        atomic_store(&run->setup.board->calls[record->call].done, 1);
    if (record->kind == RECORD_CALLED || record->kind == RECORD_RETURNED)
        take_call(run, record);
    else
        cuda_run_arrive(run, record);
    if (record->kind == RECORD_ERROR)
        cuda_run_leave(run, OUTCOME_FAILED);
}

static int64_t now(const struct driver *run)
{
    return run->zero ? cuda_run_clock() - run->zero : cuda_run_clock() - run->opened + SETUP_BEGINS_NS;
}

static void let_out(struct driver *run)
{
    while (cuda_run_say_next(run, INT64_MAX))
        continue;
}

/* NCCL does not find out by itself that a peer on this machine has gone, so the others are told. */
static void lost(struct driver *run, uint32_t rank)
{
    run->ranks[rank].gone = true;
    let_out(run);
    if (run->stage < RUN_ENDING) {
        int64_t moment = now(run); /* the session has said by then that the process ended */
        run->last_said = moment > run->last_said ? moment : run->last_said;
        if (run->stage == RUN_GOING)
            cuda_run_say_waits(run);
        cuda_run_leave(run, OUTCOME_FAILED);
    }
}

static bool all_have_left(const struct driver *run)
{
    for (uint32_t rank = 0; rank < run->program->rank_count; rank++)
        if (!run->ranks[rank].gone && !run->ranks[rank].left)
            return false;
    return true;
}

static enum advance await_end(struct driver *run)
{
    if (!all_have_left(run) && cuda_run_clock() - run->ending < LEAVING_NS)
        return ADVANCE_AWAITS;
    let_out(run);
    run->stage = RUN_ENDED;
    return ADVANCE_ENDED;
}

static bool all_is_said(const struct driver *run)
{
    return run->returned == run->program->call_count && run->done >= run->operations;
}

static bool is_aborting(const struct driver *run)
{
    for (uint32_t rank = 0; rank < run->program->rank_count; rank++) {
        uint32_t call = run->ranks[rank].current;
        if (call != NONE && statement_in(run, call)->kind == CALL_ABORT &&
            !run->reached[point_of(call, RETURNED)])
            return true;
    }
    return false;
}

/* Nothing moves, and nothing that ends by itself is running. A person's gates hold only what a plan has not
 * let go, so they are no matter here. */
static bool is_stuck(const struct driver *run)
{
    bool may_be = !run->plan.simulated || run->plan.over;
    int64_t since = run->progressed > run->busy_until ? run->progressed : run->busy_until;
    return may_be && cuda_run_clock() - since > (is_aborting(run) ? ABORT_NS : PATIENCE_NS);
}

static enum advance go_on(struct driver *run, int64_t until)
{
    if (all_is_said(run)) {
        cuda_run_leave(run, OUTCOME_FINISHED);
        return ADVANCED;
    }
    if (is_stuck(run)) {
        let_out(run);
        cuda_run_say_waits(run);
        cuda_run_leave(run, OUTCOME_STUCK);
        return ADVANCED;
    }
    /* The plan stops at a goal only if everything up to it is in the log. */
    if (!run->plan.simulated || run->plan.over || run->arrivals.count > 0 ||
        !cuda_plan_expectations_are_over(run))
        return ADVANCE_AWAITS;
    return cuda_plan_advance(run, until);
}

/* A free run says how it was set up when it knows when that ended, unless it takes long. */
static bool keeps_silent(const struct driver *run)
{
    return run->stage == RUN_SETTING_UP && !run->plan.simulated && cuda_run_clock() - run->opened < SILENT_NS;
}

static enum advance advance_stage(struct driver *run, int64_t until)
{
    if (keeps_silent(run))
        return ADVANCE_AWAITS;
    if (cuda_run_say_next(run, cuda_run_clock() - HOLD_BACK_NS))
        return ADVANCED;
    switch (run->stage) {
    case RUN_SETTING_UP:
        return ADVANCE_AWAITS;
    case RUN_GOING:
        return go_on(run, until);
    case RUN_ENDING:
        return await_end(run);
    case RUN_ENDED:
        break;
    }
    return ADVANCE_ENDED;
}

/* A stepped run stands still while a person reads, and so does its time: while nothing is asked of it. What
 * the GPUs did meanwhile is said first, with the time that it had. */
static void leave_out_rest(struct driver *run)
{
    int64_t moment = cuda_run_clock(), gap = moment - run->advanced;
    if (!run->plan.simulated || run->plan.over || run->stage != RUN_GOING)
        return;
    if (gap > (run->awaited ? ASKED_AGAIN_NS : REST_NS))
        run->rested += gap;
    if (run->arrivals.count > 0 || run->rested == 0)
        return;
    int64_t most = moment - run->zero - run->last_said;
    run->zero += run->rested < most ? run->rested : most > 0 ? most : 0;
    run->rested = 0;
}

static enum advance advance(struct driver *run, int64_t until, bool ahead)
{
    (void)ahead;
    leave_out_rest(run);
    enum advance advance = advance_stage(run, until);
    run->advanced = cuda_run_clock();
    run->awaited = advance == ADVANCE_AWAITS;
    return advance;
}

static enum outcome outcome(const struct driver *run)
{
    return run->outcome;
}

static bool awaiting(const struct driver *run)
{
    return run->arrivals.count > 0;
}

static void held(struct driver *run, bool held)
{
    cuda_plan_mirror_gates(run);
    if (run->plan.simulated)
        sim_driver.held(run->plan.simulated, held);
}

static bool released(struct driver *run, uint32_t call, enum phase phase)
{
    cuda_plan_mirror_gates(run);
    return run->plan.simulated && sim_driver.released(run->plan.simulated, call, phase);
}

static int timeout_ms(const struct driver *run)
{
    return run->arrivals.count > 0 || run->plan.expected_count > 0 ? POLL_MS : LEISURE_MS;
}

const struct driver_backend cuda_driver = {
    .open = open_run,
    .close = close_run,
    .advance = advance,
    .outcome = outcome,
    .awaiting = awaiting,
    .reported = reported,
    .let_out = let_out,
    .lost = lost,
    .held = held,
    .released = released,
    .now = now,
    .next_due = cuda_plan_next_due,
    .timeout_ms = timeout_ms,
};
