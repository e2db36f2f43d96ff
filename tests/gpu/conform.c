/* Runs schedules in the simulator and on the GPUs, freely and stepped, and holds the two against each other.
 *
 * usage: conform [--gpus LIST] [--shard I/N] [--rest SECONDS] FILE ...
 *
 * Without a hazard: every run finishes with the same values. With one: it ends as the rules allow. In every
 * case no order in the hardware's log is one that the language forbids. Every FILE is run without variants
 * and with each of its variants alone. With --rest, a stepped run stands still for so long when its first
 * operation is done. The last line is "N passed, N failed". Exits 77 where there is no GPU
 * to run on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lesson/library.h"
#include "log/view.h"
#include "log_order.h"
#include "order/check.h"
#include "process/session.h"

static const int64_t TOLERANCE_NS = 50000, LIMIT_NS = 60000000000;

struct tally {
    unsigned passed, failed, shard, shards, next;
    unsigned rest; /* s */
    const char *gpus;
};

struct execution {
    struct view *view;
    struct error error; /* the first one said */
    bool unavailable, timed_out;
    bool any_done;
    uint16_t gpus[SCHEDULE_MAX_GPUS]; /* the machine's, by the program's number */
    unsigned differing;               /* operations on large buffers that did not write what was expected */
};

static int64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void take(void *context, const struct record *record)
{
    struct execution *execution = context;
    if (record->kind == RECORD_ERROR && !execution->error.message[0])
        error_set(&execution->error, "%.*s", (int)record->length, record->bytes);
    execution->differing += record->kind == RECORD_NOTE && record->call != NONE;
    execution->any_done |= record->kind == RECORD_DONE;
    view_apply(execution->view, record);
}

static bool any_is_done(void *context)
{
    return ((struct execution *)context)->any_done;
}

static void pump(struct session *session, struct execution *execution)
{
    int64_t begin = clock_ns();
    while (session_pump(session) == SESSION_MOVING && !execution->timed_out) {
        struct pollfd descriptors[SESSION_MAX_DESCRIPTORS];
        int timeout_ms;
        int count = session_descriptors(session, descriptors, &timeout_ms);
        poll(descriptors, (nfds_t)count, timeout_ms < 0 || timeout_ms > 1000 ? 1000 : timeout_ms);
        execution->timed_out = clock_ns() - begin > LIMIT_NS;
    }
}

static struct execution run(const struct order *order, enum backend backend, bool stepped,
                            const struct tally *tally)
{
    struct execution execution = {.view = view_open(order)};
    const struct session_options options = {.backend = backend,
                                            .report_values = true,
                                            .stepped = stepped,
                                            .gpus = backend == BACKEND_CUDA ? tally->gpus : NULL,
                                            .sink = take,
                                            .context = &execution};
    struct session *session = session_open(order, &options, &execution.error);
    if (!session) {
        execution.unavailable = true;
        return execution;
    }
    if (stepped && tally->rest > 0) {
        const struct session_goal half = {.kind = GOAL_UNTIL, .holds = any_is_done, .context = &execution};
        session_set_goal(session, &half);
        pump(session, &execution);
        sleep(tally->rest);
    }
    const struct session_goal goal = {.kind = GOAL_END};
    session_set_goal(session, &goal);
    pump(session, &execution);
    execution.unavailable = session_is_unavailable(session);
    session_gpus(session, execution.gpus);
    session_close(session);
    return execution;
}

/* Whether two GPUs on which one rank communicates are one on this machine. There the operations take turns
 * that the schedule does not have, and may wait for one another for ever. */
static bool folds_gpus(const struct program *program, const uint16_t *gpus)
{
    for (uint32_t i = 0; i < program->statement_count; i++) {
        const struct statement *one = &program->statements[i];
        for (uint32_t j = 0; j < i; j++) {
            const struct statement *other = &program->statements[j];
            if (other->rank != one->rank || !call_is_communication(one) || !call_is_communication(other))
                continue;
            unsigned a = program->streams[one->stream].gpu, b = program->streams[other->stream].gpu;
            if (a != b && gpus[a] == gpus[b])
                return true;
        }
    }
    return false;
}

/* "" where both ended with the same values; else the first difference. */
static void compare_values(const struct view *simulated, const struct view *real, struct error *fault)
{
    const struct program *program = simulated->program;
    for (uint32_t m = 0; m < program->memory_count; m++) {
        const struct view_memory *expected = &simulated->memories[m], *found = &real->memories[m];
        uint32_t bytes = element_size((enum element_type)program->memories[m].type);
        for (uint32_t i = 0; i < expected->kept; i++) {
            bool differs_in_kind =
                (expected->cells[i] == CELL_NEVER_WRITTEN) != (found->cells[i] == CELL_NEVER_WRITTEN);
            bool is_written = expected->cells[i] == CELL_VALUE;
            if (!differs_in_kind && !(is_written && memcmp(expected->bytes + (size_t)i * bytes,
                                                           found->bytes + (size_t)i * bytes, bytes) != 0))
                continue;
            struct text one = {0}, other = {0};
            view_format_value(simulated, m, i, &one);
            view_format_value(real, m, i, &other);
            error_set(fault, "rank %u %s[%u] is %s (%d), simulated %s (%d)", program->memories[m].rank,
                      program->memories[m].name, i, text_string(&other), found->cells[i], text_string(&one),
                      expected->cells[i]);
            text_free(&one);
            text_free(&other);
            return;
        }
    }
}

/* NCCL finds this one deadlock by itself: a send to the own rank that has no receive beside it. */
static bool is_refused_send_to_self(const struct execution *real)
{
    return strstr(real->error.message, "send to self") != NULL;
}

/* Whether the outcome is one that the findings leave open. */
static bool outcome_is_allowed(const struct findings *findings, const struct execution *real)
{
    const uint32_t *totals = findings->totals;
    enum outcome outcome = real->view->outcome;
    if (totals[FINDING_DEADLOCK] && is_refused_send_to_self(real))
        return true;
    if (outcome == OUTCOME_FINISHED)
        return true;
    if (outcome == OUTCOME_STUCK)
        return totals[FINDING_DEADLOCK] || totals[FINDING_UNMATCHED] || totals[FINDING_MISMATCH] ||
               totals[FINDING_USE_AFTER_FREE];
    return outcome == OUTCOME_FAILED &&
           (totals[FINDING_MISMATCH] || totals[FINDING_USE_AFTER_FREE] || totals[FINDING_MISUSE]);
}

static void describe_point(const struct program *program, uint32_t point, struct text *out)
{
    static const char *const phases[] = {"entered", "returned", "started", "done"};
    text_format(out, "rank %u ", call_statement(program, point_call(point))->rank);
    call_describe(program, point_call(point), out);
    text_format(out, " %s", phases[point_phase(point)]);
}

/* Whether not every execution ends with the same values: there is a hazard, or what an abort cuts off depends
 * on when it comes, which is none. */
static bool values_are_open(const struct order *order, const struct findings *findings)
{
    bool is_open = findings_error_count(findings) > 0;
    for (uint32_t call = 0; order->aborted_by && call < order->program->call_count; call++)
        is_open |= order->aborted_by[call] != NONE;
    return is_open;
}

static void judge(struct tally *tally, const char *name, const struct order *rules,
                  const struct findings *findings, const struct execution *simulated,
                  const struct execution *real)
{
    bool is_open = values_are_open(rules, findings);
    static const char *const outcomes[] = {"nothing", "finished", "stuck", "failed"};
    struct error fault = {0};
    struct log_order order = log_order_check(real->view, TOLERANCE_NS);
    if (real->timed_out) {
        error_set(&fault, "did not end within a minute");
    } else if (!outcome_is_allowed(findings, real)) {
        error_set(&fault, "ended %s: %s", outcomes[real->view->outcome], real->error.message);
    } else if (order.violated > 0) {
        struct text text = {0};
        describe_point(real->view->program, order.point, &text);
        text_append(&text, " before ");
        describe_point(real->view->program, order.earlier, &text);
        error_set(&fault, "%u of %u orders violated, worst by %" PRId64 " ns: %s", order.violated,
                  order.checked, order.by, text_string(&text));
        text_free(&text);
    } else if (!is_open && real->differing > 0) {
        error_set(&fault, "%u operations did not write what was expected", real->differing);
    } else if (!is_open) {
        compare_values(simulated->view, real->view, &fault);
    }
    struct error differs = {0};
    if (is_open)
        compare_values(simulated->view, real->view, &differs);
    tally->passed += !fault.message[0];
    tally->failed += fault.message[0] != '\0';
    printf("%s %s: %s, %u orders, %u differing%s%s%s%s\n", fault.message[0] ? "FAIL" : "ok  ", name,
           outcomes[real->view->outcome], order.checked, real->differing, fault.message[0] ? ": " : "",
           fault.message, differs.message[0] ? "; unlike the simulator, as it may be: " : "",
           differs.message);
    fflush(stdout);
}

static void conform_modes(struct tally *tally, const char *name, const struct order *order)
{
    struct findings findings = order_check(order);
    struct execution simulated = run(order, BACKEND_SIM, false, tally);
    for (int stepped = 0; stepped < 2; stepped++) {
        char mode[512];
        snprintf(mode, sizeof mode, "%s %s", name, stepped ? "stepped" : "free");
        struct execution real = run(order, BACKEND_CUDA, stepped, tally);
        if (folds_gpus(order->program, real.gpus))
            printf("skip %s: needs two GPUs in one rank\n", mode);
        else
            judge(tally, mode, order, &findings, &simulated, &real);
        view_close(real.view);
    }
    view_close(simulated.view);
    findings_free(&findings);
}

static void conform_variant(struct tally *tally, const char *name, const struct schedule *schedule,
                            uint32_t variants)
{
    struct diagnostics faults = {0};
    if (tally->next++ % tally->shards != tally->shard)
        return;
    struct program *program = program_resolve(schedule, variants, &faults);
    if (program && program->rank_count <= RUN_MAX_RANKS) {
        struct order *order = order_build(program);
        conform_modes(tally, name, order);
        order_free(order);
    }
    program_free(program);
    diagnostics_free(&faults);
}

static void conform_file(struct tally *tally, const char *file)
{
    struct source source = {0};
    struct diagnostics faults = {0};
    struct error error = {0};
    if (!source_open(&source, file, &faults, &error)) {
        printf("FAIL %s: it cannot be read: %s\n", file, error.message);
        tally->failed++;
    } else {
        const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
        conform_variant(tally, base, source.schedule, 0);
        for (size_t v = 0; v < schedule_variant_count(source.schedule); v++) {
            char name[256];
            snprintf(name, sizeof name, "%s %s", base, schedule_variant(source.schedule, v)->name);
            conform_variant(tally, name, source.schedule, UINT32_C(1) << v);
        }
    }
    source_free(&source);
    diagnostics_free(&faults);
}

/* "I/N". */
static bool read_shard(struct tally *tally, const char *text)
{
    char *end;
    tally->shard = (unsigned)strtoul(text, &end, 10);
    if (*end != '/')
        return false;
    tally->shards = (unsigned)strtoul(end + 1, &end, 10);
    return *end == '\0' && tally->shards > tally->shard;
}

static bool read_options(struct tally *tally, int argc, char **argv, int *first)
{
    for (*first = 1; *first + 1 < argc && argv[*first][0] == '-'; *first += 2) {
        if (strcmp(argv[*first], "--gpus") == 0)
            tally->gpus = argv[*first + 1];
        else if (strcmp(argv[*first], "--rest") == 0)
            tally->rest = (unsigned)strtoul(argv[*first + 1], NULL, 10);
        else if (strcmp(argv[*first], "--shard") != 0 || !read_shard(tally, argv[*first + 1]))
            return false;
    }
    return *first < argc;
}

/* Runs next to nothing on the GPUs. */
static bool can_run(const struct tally *tally, struct error *error)
{
    static const char text[] = "rank 0\nstream s\n";
    struct diagnostics faults = {0};
    struct schedule *schedule = schedule_parse(text, sizeof text - 1, 1, &faults);
    struct program *program = program_resolve(schedule, 0, &faults);
    struct order *order = order_build(program);
    struct execution execution = run(order, BACKEND_CUDA, false, tally);
    *error = execution.error;
    view_close(execution.view);
    order_free(order);
    program_free(program);
    schedule_free(schedule);
    return !execution.unavailable;
}

int main(int argc, char **argv)
{
    struct tally tally = {.shards = 1};
    struct error error = {0};
    int first;
    if (!read_options(&tally, argc, argv, &first)) {
        fputs("usage: conform [--gpus LIST] [--shard I/N] [--rest SECONDS] FILE ...\n", stderr);
        return 2;
    }
    if (!can_run(&tally, &error)) {
        printf("skipped: %s\n", error.message);
        return 77;
    }
    for (int i = first; i < argc; i++)
        conform_file(&tally, argv[i]);
    printf("%u passed, %u failed\n", tally.passed, tally.failed);
    return tally.failed > 0;
}
