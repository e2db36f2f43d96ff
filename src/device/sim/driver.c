#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/sim/run.h"

static struct driver *open_driver(const struct driver_setup *setup)
{
    struct driver *driver = memory_zeroed(1, sizeof *driver);
    driver->setup = *setup;
    driver->order = setup->order;
    driver->program = setup->order->program;
    int64_t *pids = memory_zeroed(driver->program->rank_count, sizeof *pids);
    memcpy(pids, setup->pids, driver->program->rank_count * sizeof *pids);
    driver->setup.pids = pids;
    driver->machine = machine_open(setup->order, setup->eager ? CHOICE_EAGER : CHOICE_STRICT);
    driver->journal.say = setup->say;
    driver->journal.context = setup->context;
    driver->calls = memory_zeroed(driver->program->call_count, sizeof *driver->calls);
    for (uint32_t call = 0; call < driver->program->call_count; call++)
        driver->calls[call].flow = NONE;
    driver->flows_of_memory = memory_zeroed(driver->program->memory_count, sizeof *driver->flows_of_memory);
    setup_plan(driver);
    return driver;
}

static void close_driver(struct driver *driver)
{
    machine_close(driver->machine);
    journal_free(&driver->journal);
    free((void *)driver->setup.pids);
    free(driver->heap.items);
    free(driver->calls);
    free(driver->flows);
    free(driver->flows_of_memory);
    free(driver->held);
    free(driver->waiting);
    free(driver->setup_steps);
    free(driver);
}

/* Operations that stand in their streams and cannot start: nothing said so before. */
static void say_who_cannot_start(struct driver *driver)
{
    const struct board *board = driver->setup.board;
    for (uint32_t call = 0; call < driver->program->call_count; call++) {
        const struct statement *statement = statement_in(driver, call);
        if (!call_is_operation(statement) || driver->lost[statement->rank] ||
            !has_happened(driver, point_of(submitter_of(driver->order, call), ENTERED)) ||
            board->calls[call].started)
            continue;
        const struct wait *wait = machine_held_by(driver->machine, point_of(call, STARTED));
        if (wait)
            run_say_waiting(driver, call, wait->point, wait->rule);
    }
}

static void end_run(struct driver *driver)
{
    bool finished = driver->returned == driver->program->call_count && driver->submitted == driver->done;
    driver->outcome = finished ? OUTCOME_FINISHED : OUTCOME_STUCK;
    if (!finished)
        say_who_cannot_start(driver);
    for (uint32_t rank = 0; rank < driver->program->rank_count; rank++)
        run_grant(driver, rank, GRANT_LEAVE, 0, 0, 0, true);
}

static enum advance advance(struct driver *driver, int64_t until, bool ahead)
{
    if (driver->journal.count >= (ahead ? JOURNAL_LIMIT : 1))
        return ADVANCE_AWAITS;
    if (driver->outcome != OUTCOME_NONE)
        return driver->journal.count > 0 ? ADVANCE_AWAITS : ADVANCE_ENDED;
    const struct due *first = heap_first(&driver->heap);
    if (!first && driver->held_count > 0)
        return ADVANCE_RESTS;
    if (!first) {
        end_run(driver);
        return ADVANCED;
    }
    int64_t instant = first->time;
    if (instant > until)
        return ADVANCE_RESTS;
    while (first && first->time == instant) {
        const struct due due = heap_take(&driver->heap);
        run_happen(driver, &due);
        first = heap_first(&driver->heap);
    }
    run_say_waits(driver);
    return ADVANCED;
}

static enum outcome outcome(const struct driver *driver)
{
    return driver->outcome;
}

static bool awaiting(const struct driver *driver)
{
    return driver->journal.count > 0;
}

static void reported(struct driver *driver, uint32_t rank, const struct record *record)
{
    journal_report(&driver->journal, rank, record);
}

static void lose(struct driver *driver, uint32_t rank)
{
    if (driver->outcome == OUTCOME_NONE) {
        driver->lost[rank] = true;
        driver->any_lost = true;
    }
    size_t kept = 0;
    for (size_t i = 0; i < driver->held_count; i++)
        if (statement_in(driver, point_call(driver->held[i].point))->rank != rank)
            driver->held[kept++] = driver->held[i];
    driver->held_count = kept;
    kept = 0;
    for (size_t i = 0; i < driver->waiting_count; i++)
        if (statement_in(driver, point_call(driver->waiting[i].point))->rank != rank)
            driver->waiting[kept++] = driver->waiting[i];
    driver->waiting_count = kept;
    run_lose(driver);
    run_release_held(driver);
    journal_lose(&driver->journal, rank, driver->now);
}

static void hold(struct driver *driver, bool held)
{
    driver->holding = held;
    run_release_held(driver);
}

static bool release(struct driver *driver, uint32_t call, enum phase phase)
{
    if (phase == DONE) {
        if (!machine_may_happen(driver->machine, point_of(call, DONE)))
            return false;
        driver->calls[call].end_released = true;
    }
    run_release_held(driver);
    return true;
}

static int64_t now(const struct driver *driver)
{
    return driver->now;
}

static int64_t next_due(const struct driver *driver)
{
    const struct due *first = heap_first(&driver->heap);
    return first ? first->time : TIME_NONE;
}

static int timeout_ms(const struct driver *driver)
{
    (void)driver;
    return -1;
}

const struct driver_backend sim_driver = {
    .open = open_driver,
    .close = close_driver,
    .advance = advance,
    .outcome = outcome,
    .awaiting = awaiting,
    .reported = reported,
    .lost = lose,
    .held = hold,
    .released = release,
    .now = now,
    .next_due = next_due,
    .timeout_ms = timeout_ms,
};
