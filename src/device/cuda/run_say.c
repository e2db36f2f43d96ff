/* From what workers report to what the log says. */
#include <stdlib.h>
#include <time.h>

#include "device/cuda/run.h"

/* A worker that gets no processor may report so late. More is not waited for: a schedule with a hazard can
 * have hardware do what the rules do not foresee. */
static const int64_t LATEST_NS = 200000000;

int64_t cuda_run_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The log's time never goes back: a record that comes too late for its place gets the time of the one before.
 */
static int64_t log_time(struct driver *run, int64_t host)
{
    int64_t time = run->zero ? host - run->zero : host - run->opened + SETUP_BEGINS_NS;
    if (!run->zero && time >= 0)
        time = -1;
    if (time < run->last_said)
        time = run->last_said;
    run->last_said = time;
    return time;
}

/* The end of a group is an operation without records of its own: it has started when it was entered, and is
 * done when its members are, which stand right before it. */
static void note_group(struct driver *run, uint8_t *points, uint32_t call)
{
    uint32_t end = statement_in(run, call)->kind == CALL_GROUP_END ? call : run->order->bound[call];
    if (end == NONE || statement_in(run, end)->kind != CALL_GROUP_END || statement_in(run, end)->in_group)
        return;
    points[point_of(end, STARTED)] = points[point_of(end, ENTERED)];
    bool done = points[point_of(end, STARTED)];
    uint32_t first = run->program->ranks[statement_in(run, end)->rank].first_call;
    for (uint32_t member = end; done && member-- > first && statement_in(run, member)->in_group;)
        done = run->order->bound[member] != end || !call_is_communication(statement_in(run, member)) ||
               points[point_of(member, DONE)];
    points[point_of(end, DONE)] = done;
}

/* The point that the record says has happened; NONE. */
static uint32_t record_point(const struct driver *run, const struct record *record)
{
    static const enum phase phases[RECORD_KIND_COUNT] = {
        [RECORD_CALLED] = ENTERED,
        [RECORD_RETURNED] = RETURNED,
        [RECORD_STARTED] = STARTED,
        [RECORD_DONE] = DONE,
    };
    bool is_point = record->kind == RECORD_CALLED || record->kind == RECORD_RETURNED ||
                    record->kind == RECORD_STARTED || record->kind == RECORD_DONE;
    return is_point && record->call < run->program->call_count ? point_of(record->call, phases[record->kind])
                                                               : NONE;
}

static void note_point(struct driver *run, uint8_t *points, const struct record *record)
{
    uint32_t point = record_point(run, record);
    if (point == NONE)
        return;
    points[point] = 1;
    note_group(run, points, record->call);
}

void cuda_run_arrive(struct driver *run, const struct record *record)
{
    struct record arrived = *record;
    if (arrived.time == 0)
        arrived.time = cuda_run_clock();
    note_point(run, run->reached, record);
    if (record->kind != RECORD_OUTPUT)
        run->progressed = cuda_run_clock();
    arrivals_add(&run->arrivals, &arrived);
}

static void say_waiting(struct driver *run, uint32_t point, const struct wait *wait)
{
    uint32_t call = point_call(point), number = (uint32_t)(wait - run->order->waits) + 1;
    if (run->wait_said[point] == number)
        return;
    run->wait_said[point] = number;
    const struct record record = {.kind = RECORD_WAITING,
                                  .time = run->last_said,
                                  .rank = statement_in(run, call)->rank,
                                  .call = call,
                                  .point = wait->point,
                                  .rule = wait->rule,
                                  .communicator = NONE,
                                  .memory = NONE};
    run->setup.say(run->setup.context, &record);
}

/* The first wait of the point, of those that the choice takes, whose point has not happened. */
static const struct wait *held_by(const struct driver *run, enum choice choice, uint32_t point)
{
    const struct order *order = run->order;
    for (uint32_t i = order->first_wait[point]; i < order->first_wait[point + 1]; i++) {
        const struct wait *wait = &order->waits[i];
        if ((wait->point == NONE || !run->said[wait->point]) && choice_takes(order, choice, point, wait))
            return wait;
    }
    return NULL;
}

/* What was entered or has started, and cannot end yet. */
static void say_wait_of(struct driver *run, uint32_t point, enum choice choice)
{
    if (!order_has_point(run->order, point) || run->said[point] ||
        statement_in(run, point_call(point))->kind == CALL_GROUP_END)
        return;
    const struct wait *wait = held_by(run, choice, point);
    if (wait)
        say_waiting(run, point, wait);
}

void cuda_run_say_waits(struct driver *run)
{
    for (uint32_t call = 0; call < run->program->call_count; call++) {
        if (run->said[point_of(call, ENTERED)])
            say_wait_of(run, point_of(call, RETURNED), CHOICE_STRICT);
        if (order_has_point(run->order, point_of(call, DONE)) && run->said[point_of(call, ENTERED)])
            say_wait_of(run, point_of(call, run->said[point_of(call, STARTED)] ? DONE : STARTED),
                        CHOICE_STRICT);
    }
}

/* STARTED: host clock. */
static void note_duration(struct driver *run, const struct statement *statement, int64_t started)
{
    int64_t until = started + (int64_t)statement->takes_ns;
    run->busy_until = until > run->busy_until ? until : run->busy_until;
}

/* A plan says itself what is waited for. HOST: the record's time on the host's clock. */
static void follow(struct driver *run, const struct record *record, int64_t host)
{
    const struct statement *statement = statement_in(run, record->call);
    bool is_free = !run->plan.simulated;
    switch (record->kind) {
    case RECORD_CALLED:
        if (is_free)
            say_wait_of(run, point_of(record->call, RETURNED), CHOICE_GUARANTEED);
        break;
    case RECORD_RETURNED:
        run->returned++;
        break;
    case RECORD_STARTED:
        note_duration(run, statement, host);
        if (is_free)
            say_wait_of(run, point_of(record->call, DONE), CHOICE_GUARANTEED);
        break;
    case RECORD_DONE:
        run->done++;
        break;
    default:
        break;
    }
}

static void say_freed(struct driver *run, const struct record *returned)
{
    const struct statement *statement = statement_in(run, returned->call);
    if (statement->kind != CALL_FREE)
        return;
    struct record freed = *returned;
    freed.kind = RECORD_FREED;
    freed.memory = statement->memory;
    run->setup.say(run->setup.context, &freed);
}

bool cuda_run_may_pass(const struct program *program, uint32_t point, const struct wait *wait)
{
    return wait->rule == 12 && call_statement(program, point_call(point))->rank !=
                                   call_statement(program, point_call(wait->point))->rank;
}

/* What was written stands right before its operation's end, as the last that it did. */
static uint32_t latest_point(const struct driver *run, const struct record *record)
{
    bool is_last = record->kind == RECORD_WRITTEN && record->call < run->program->call_count &&
                   run->reached[point_of(record->call, DONE)];
    return is_last ? point_of(record->call, DONE) : record_point(run, record);
}

/* Whether something has happened before it by the rules, but was not reported yet: its worker is late. */
static bool comes_too_soon(const struct driver *run, const struct record *record)
{
    const struct order *order = run->order;
    uint32_t point = latest_point(run, record);
    if (point == NONE || run->setup.watch == WATCH_NOTHING)
        return false;
    for (uint32_t i = order->first_wait[point]; i < order->first_wait[point + 1]; i++) {
        const struct wait *wait = &order->waits[i];
        if (wait->strength == ALWAYS && wait->point != NONE && !run->reached[wait->point] &&
            !cuda_run_may_pass(run->program, point, wait))
            return true;
    }
    return false;
}

bool cuda_run_say_next(struct driver *run, int64_t until)
{
    const struct record *first = arrivals_first(&run->arrivals);
    if (!first || first->time > until || (first->time > until - LATEST_NS && comes_too_soon(run, first)))
        return false;
    struct record record = arrivals_take(&run->arrivals);
    char *bytes = (char *)record.bytes;
    int64_t host = record.time;
    record.time = log_time(run, host);
    note_point(run, run->said, &record);
    if (record.kind == RECORD_RETURNED)
        say_freed(run, &record);
    run->setup.say(run->setup.context, &record);
    if (record.kind == RECORD_CALLED || record.kind == RECORD_RETURNED || record.kind == RECORD_STARTED ||
        record.kind == RECORD_DONE)
        follow(run, &record, host);
    free(bytes);
    return true;
}
