/* The plan of a stepped run: the simulator's driver, without workers. What it says is to happen next is let
 * happen for real. */
#include <stdlib.h>

#include "base/memory.h"
#include "device/cuda/run.h"

/* How long a step may take on hardware, reports that come late included, before the plan goes on without it:
 * hardware may be stricter than the rules, and a later step may be what it waits for. */
static const int64_t RETURN_LIMIT_NS = 300000000, STEP_LIMIT_NS = 1500000000;

/* The simulated workers do at once what they are granted, and answer as soon as the driver listens. */
static void take_grant(void *context, uint32_t rank, const struct grant *grant)
{
    struct driver *run = context;
    run->plan.answers[rank] += grant->answer;
}

static void give_answers(struct driver *run)
{
    struct plan *plan = &run->plan;
    for (uint32_t rank = 0; rank < run->program->rank_count; rank++)
        for (; plan->answers[rank] > 0; plan->answers[rank]--)
            sim_driver.reported(plan->simulated, rank,
                                &(struct record){.kind = REPORT_ANSWERED, .rank = rank});
}

static void expect(struct driver *run, uint32_t point)
{
    struct plan *plan = &run->plan;
    ARRAY_RESERVE(plan->expected, plan->expected_count, plan->expected_capacity);
    plan->expected[plan->expected_count++] = point;
    plan->expected_since = cuda_run_clock();
}

/* What only the plan knows: its own waits and gates. */
static void pass_on(struct driver *run, const struct record *planned)
{
    struct record record = *planned;
    record.time = cuda_run_clock();
    arrivals_add(&run->arrivals, &record);
}

static void follow_plan(void *context, const struct record *planned)
{
    struct driver *run = context;
    switch (planned->kind) {
    case RECORD_CALLED:
        run->ranks[planned->rank].planned = planned->call + 1;
        cuda_run_grant_calls(run, planned->rank);
        expect(run, point_of(planned->call, ENTERED));
        break;
    case RECORD_RETURNED:
        expect(run, point_of(planned->call, RETURNED));
        break;
    case RECORD_STARTED:
        atomic_store(&run->setup.board->calls[planned->call].go, GATE_OPEN);
        expect(run, point_of(planned->call, STARTED));
        break;
    case RECORD_DONE:
        expect(run, point_of(planned->call, DONE));
        break;
    case RECORD_WAITING:
    case RECORD_HELD:
    case RECORD_RELEASED:
        pass_on(run, planned);
        break;
    default:
        break;
    }
}

bool cuda_plan_expectations_are_over(struct driver *run)
{
    struct plan *plan = &run->plan;
    int64_t limit = RETURN_LIMIT_NS;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < plan->expected_count; i++) {
        uint32_t point = plan->expected[i];
        if (run->said[point])
            continue;
        if (run->reached[point] || point_phase(point) != RETURNED)
            limit = STEP_LIMIT_NS;
        plan->expected[kept++] = point;
    }
    plan->expected_count = kept;
    int64_t since = plan->expected_since > run->busy_until ? plan->expected_since : run->busy_until;
    if (kept > 0 && cuda_run_clock() - since > limit)
        plan->expected_count = 0;
    return plan->expected_count == 0;
}

void cuda_plan_mirror_gates(struct driver *run)
{
    for (uint32_t call = 0; run->plan.simulated && call < run->program->call_count; call++) {
        const struct board_call *gates = &run->setup.board->calls[call];
        struct board_call *mirrored = &run->plan.board->calls[call];
        atomic_store(&mirrored->host_gate, atomic_load(&gates->host_gate));
        atomic_store(&mirrored->gate, atomic_load(&gates->gate));
    }
}

void cuda_plan_open(struct driver *run)
{
    struct plan *plan = &run->plan;
    plan->board =
        memory_zeroed(1, sizeof *plan->board + run->program->call_count * sizeof *plan->board->calls);
    plan->board->call_count = run->program->call_count;
    const struct driver_setup setup = {
        .order = run->order,
        .board = plan->board,
        .eager = true, /* as hardware is */
        .pids = run->setup.pids,
        .grant = take_grant,
        .say = follow_plan,
        .context = run,
    };
    plan->simulated = sim_driver.open(&setup);
    plan->planned = sim_driver.now(plan->simulated);
    cuda_plan_mirror_gates(run);
}

void cuda_plan_begin(struct driver *run)
{
    struct plan *plan = &run->plan;
    while (sim_driver.advance(plan->simulated, 0, false) != ADVANCE_RESTS)
        give_answers(run);
    plan->expected_count = 0;
    plan->planned = sim_driver.now(plan->simulated);
    plan->real = 0;
}

void cuda_plan_close(struct plan *plan)
{
    if (plan->simulated)
        sim_driver.close(plan->simulated);
    free(plan->board);
    free(plan->expected);
}

/* The plan has a time of its own, in which kernels take what the simulator has them take. From where the plan
 * went on last, both go at the same pace. */
enum advance cuda_plan_advance(struct driver *run, int64_t until)
{
    struct plan *plan = &run->plan;
    int64_t planned = until == INT64_MAX ? until : plan->planned + (until - plan->real);
    enum advance advance = sim_driver.advance(plan->simulated, planned, false);
    give_answers(run);
    if (advance == ADVANCE_RESTS)
        return ADVANCE_RESTS;
    plan->planned = sim_driver.now(plan->simulated);
    plan->real = cuda_run_clock() - run->zero;
    if (advance == ADVANCE_ENDED) {
        plan->over = true;
        cuda_run_let_all_go(run);
    }
    return ADVANCED;
}

int64_t cuda_plan_next_due(const struct driver *run)
{
    const struct plan *plan = &run->plan;
    if (!plan->simulated || plan->over || !run->zero)
        return TIME_NONE;
    int64_t due = sim_driver.next_due(plan->simulated);
    return due == TIME_NONE ? TIME_NONE : plan->real + (due - plan->planned);
}
