/* What the driver says to the log and to the workers. */
#include "base/memory.h"
#include "device/sim/run.h"

static struct record record_of(const struct driver *driver, enum record_kind kind, uint32_t call)
{
    return (struct record){.time = driver->now,
                           .kind = (uint8_t)kind,
                           .rank = statement_in(driver, call)->rank,
                           .call = call,
                           .point = NONE,
                           .communicator = NONE,
                           .memory = NONE};
}

void run_say(struct driver *driver, enum record_kind kind, uint32_t call)
{
    struct record record = record_of(driver, kind, call);
    if (kind == RECORD_FREED)
        record.memory = statement_in(driver, call)->memory;
    if (kind == RECORD_INITIALISING || kind == RECORD_READY)
        record.communicator = statement_in(driver, call)->communicator;
    journal_say(&driver->journal, &record);
}

void run_say_waiting(struct driver *driver, uint32_t call, uint32_t point, uint8_t rule)
{
    struct record record = record_of(driver, RECORD_WAITING, call);
    record.point = point;
    record.rule = rule;
    journal_say(&driver->journal, &record);
}

void run_grant(struct driver *driver, uint32_t rank, enum grant_kind kind, uint32_t index, uint32_t offset,
               uint32_t length, bool answer)
{
    if (driver->lost[rank])
        return;
    const struct grant grant = {
        .kind = (uint16_t)kind, .answer = answer, .index = index, .offset = offset, .length = length};
    driver->setup.grant(driver->setup.context, rank, &grant);
    if (answer)
        journal_await(&driver->journal, rank, driver->now);
}

/* A group's end has started when it was called, so a host program may be thousands of groups ahead. */
static bool is_members_business(const struct driver *driver, uint32_t point)
{
    return statement_in(driver, point_call(point))->kind == CALL_GROUP_END && point_phase(point) == DONE;
}

void run_watch(struct driver *driver, uint32_t point)
{
    if (!order_has_point(driver->order, point) || machine_may_happen(driver->machine, point) ||
        is_members_business(driver, point))
        return;
    ARRAY_RESERVE(driver->waiting, driver->waiting_count, driver->waiting_capacity);
    driver->waiting[driver->waiting_count++] = (struct waiting){.point = point, .until = NONE};
}

static bool is_over(const struct driver *driver, const struct waiting *waiting)
{
    return has_happened(driver, waiting->point) || machine_may_happen(driver->machine, waiting->point);
}

static void say_wait(struct driver *driver, struct waiting *waiting)
{
    if (waiting->said && (waiting->until == NONE || !has_happened(driver, waiting->until)))
        return;
    const struct wait *wait = machine_held_by(driver->machine, waiting->point);
    if (!wait)
        return;
    waiting->said = true;
    waiting->until = wait->point;
    run_say_waiting(driver, point_call(waiting->point), wait->point, wait->rule);
}

void run_say_waits(struct driver *driver)
{
    size_t kept = 0;
    for (size_t i = 0; i < driver->waiting_count; i++) {
        struct waiting *waiting = &driver->waiting[i];
        if (is_over(driver, waiting))
            continue;
        say_wait(driver, waiting);
        driver->waiting[kept++] = *waiting;
    }
    driver->waiting_count = kept;
}
