#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "device/sim/cost.h"
#include "device/sim/run.h"

/* The steps in order, each with the time since the first process was forked. */
struct plan {
    struct setup_step *steps;
    int64_t *times;
    uint32_t count;
    int64_t time;
};

static void add(struct plan *plan, enum record_kind kind, uint32_t rank, uint32_t communicator)
{
    plan->times[plan->count] = plan->time;
    plan->steps[plan->count++] =
        (struct setup_step){.kind = (uint8_t)kind, .rank = rank, .communicator = communicator};
}

static void add_for_all(struct plan *plan, const struct program *program, enum record_kind kind,
                        uint32_t communicator, int64_t apart)
{
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        add(plan, kind, rank, communicator);
        plan->time += apart;
    }
}

static void add_ids(struct plan *plan, const struct program *program, uint32_t communicator)
{
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        plan->time += cost_of_id();
        add(plan, rank == 0 ? RECORD_ID_MADE : RECORD_ID_PASSED, rank, communicator);
    }
}

void setup_plan(struct driver *driver)
{
    const struct program *program = driver->program;
    /* Of each rank: forked; of each communicator: the id, initialising and ready. */
    size_t most = program->rank_count * (1 + 3 * (size_t)program->communicator_count);
    struct plan plan = {
        .steps = memory_zeroed(most, sizeof *plan.steps),
        .times = memory_zeroed(most, sizeof *plan.times),
    };
    add_for_all(&plan, program, RECORD_FORKED, NONE, cost_of_fork());
    for (uint32_t c = 0; c < program->communicator_count; c++)
        add_ids(&plan, program, c);
    for (uint32_t c = 0; c < program->communicator_count; c++) {
        if (!program->communicators[c].from_start)
            continue;
        plan.time += cost_of_id();
        add_for_all(&plan, program, RECORD_INITIALISING, c, cost_of_id());
        plan.time += cost_of_connect();
        add_for_all(&plan, program, RECORD_READY, c, 0);
    }
    assert(plan.count > 0); /* no program is without a rank */
    plan.steps[plan.count - 1].last = true;
    for (uint32_t i = 0; i < plan.count; i++)
        heap_put(&driver->heap, plan.times[i] - plan.time, DUE_SETUP, i);
    driver->now = -plan.time;
    driver->setup_steps = plan.steps;
    free(plan.times);
}

static void say(struct driver *driver, const struct setup_step *step)
{
    journal_say(&driver->journal,
                &(struct record){.time = driver->now,
                                 .kind = step->kind,
                                 .rank = step->rank,
                                 .call = NONE,
                                 .point = NONE,
                                 .communicator = step->communicator,
                                 .memory = NONE,
                                 .number = step->kind == RECORD_FORKED ? driver->setup.pids[step->rank] : 0});
}

void setup_step(struct driver *driver, uint32_t index)
{
    const struct setup_step *step = &driver->setup_steps[index];
    if (driver->lost[step->rank] || (step->kind == RECORD_READY && driver->any_lost))
        return; /* without one of them, no communicator comes to be */
    if (step->kind == RECORD_ID_MADE || step->kind == RECORD_ID_PASSED)
        run_grant(driver, step->rank, GRANT_ID, step->communicator, 0, 0, true);
    say(driver, step);
    if (step->kind == RECORD_INITIALISING)
        run_grant(driver, step->rank, GRANT_CONNECT, step->communicator, 0, 0, false);
    if (step->last)
        machine_begin(driver->machine, run_schedule, driver);
}
