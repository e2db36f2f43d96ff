#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/bench.h"
#include "process/session.h"

struct run {
    struct benched *benched;
    struct error failure; /* the first that was said */
};

static void take(void *context, const struct record *record)
{
    struct run *run = context;
    if (record->kind == RECORD_ERROR && !run->failure.message[0])
        error_set(&run->failure, "%.*s", (int)record->length, record->bytes);
    view_apply(run->benched->view, record);
}

static bool prepare(struct benched *benched, const char *text, struct error *error)
{
    struct diagnostics faults = {0};
    benched->schedule = schedule_parse(text, strlen(text), 1, &faults);
    benched->program = benched->schedule ? program_resolve(benched->schedule, 0, &faults) : NULL;
    if (!benched->program)
        error_set(error, "the benchmark's own schedule is wrong: %s",
                  faults.count > 0 ? faults.items[0].text : "?");
    diagnostics_free(&faults);
    if (!benched->program)
        return false;
    benched->order = order_build(benched->program);
    benched->view = view_open(benched->order);
    return true;
}

bool bench_run(struct benched *benched, const char *text, const char *gpus, bool unwatched,
               struct error *error)
{
    *benched = (struct benched){0};
    if (!prepare(benched, text, error))
        return false;
    struct run run = {.benched = benched};
    const struct session_options options = {
        .backend = BACKEND_CUDA, .unwatched = unwatched, .gpus = gpus, .sink = take, .context = &run};
    struct session *session = session_open(benched->order, &options, error);
    if (!session)
        return false;
    const struct session_goal goal = {.kind = GOAL_END};
    session_set_goal(session, &goal);
    session_wait(session);
    text_append(&benched->backend, session_backend(session));
    session_close(session);
    return benched->view->outcome == OUTCOME_FINISHED ||
           error_set(error, "%s",
                     run.failure.message[0] ? run.failure.message : "a run of the benchmark got stuck");
}

void benched_free(struct benched *benched)
{
    view_close(benched->view);
    order_free(benched->order);
    program_free(benched->program);
    schedule_free(benched->schedule);
    text_free(&benched->backend);
    *benched = (struct benched){0};
}

const struct view_call *benched_call(const struct benched *benched, uint32_t rank, enum call_kind kind,
                                     uint32_t index)
{
    const struct rank *calls = &benched->program->ranks[rank];
    for (uint32_t i = 0; i < calls->call_count; i++) {
        uint32_t call = calls->first_call + i;
        if (call_statement(benched->program, call)->kind == kind && index-- == 0)
            return &benched->view->calls[call];
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

int64_t bench_median(int64_t *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return count > 0 ? values[count / 2] : 0;
}

struct estimate bench_estimate(int64_t *values, size_t count)
{
    /* The median lies outside the values CUT from either end where CUT or fewer of them are below it, or
     * above: as likely as so few heads of COUNT coins. */
    size_t cut = 0;
    double exactly = ldexp(1, -(int)count), at_most = exactly;
    for (;;) {
        exactly *= (double)(count - cut) / (double)(cut + 1);
        if (2 * (at_most + exactly) > 0.05)
            break;
        at_most += exactly;
        cut++;
    }
    int64_t median = bench_median(values, count);
    return (struct estimate){median, values[cut], values[count - 1 - cut]};
}
