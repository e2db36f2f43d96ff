/* One time line for both: the host asks the GPU what time it is, again and again, and believes the answer
 * that came fastest. The two clocks do not go at quite the same pace, so it asks again while the run goes on.
 */
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "device/cuda/cuda_device.h"

enum { FIRST_ROUNDS = 200, ROUNDS = 40, ATTEMPTS = 5 };
static const int64_t FIRST_LIMIT_NS = 2000000000;
static const int64_t LIMIT_NS = 3000000; /* less than the driver holds back: no mark is reported meanwhile */
static const int64_t SHORTEST_INTERVAL_NS = 200000000, LONGEST_INTERVAL_NS = 5000000000;

struct conversation {
    _Atomic uint32_t question, answer;
    uint64_t clock;
};

int64_t host_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Asks one question; false where no answer comes by the deadline. */
static bool ask(struct conversation *conversation, uint32_t round, int64_t deadline, int64_t *asked,
                int64_t *answered)
{
    *asked = host_clock();
    atomic_store(&conversation->question, round);
    do {
        *answered = host_clock();
        if (*answered > deadline) {
            return false;
        }
    } while (atomic_load(&conversation->answer) < round);
    return true;
}

static bool hold_conversation(struct clock *clock, uint32_t rounds, int64_t deadline, struct reading *reading)
{
    int64_t fastest = INT64_MAX;
    for (uint32_t round = 1; round <= rounds; round++) {
        int64_t asked, answered;
        if (!ask(clock->conversation, round, deadline, &asked, &answered)) {
            atomic_store(&clock->conversation->question, rounds); /* the kernel is not to wait for more */
            return false;
        }
        uint64_t answer = *(volatile uint64_t *)&clock->conversation->clock;
        clock->tick = greatest_common_divisor(clock->tick, answer);
        if (answered - asked < fastest) {
            fastest = answered - asked;
            *reading = (struct reading){.gpu = answer, .host = asked + fastest / 2};
        }
    }
    /* The GPU read its clock somewhere between question and answer, and the clock may tick coarsely. */
    reading->error = fastest / 2 + (int64_t)clock->tick;
    return true;
}

/* Nothing is asked while the kernel of an earlier time has not ended. */
static bool read_clock(struct clock *clock, uint32_t rounds, int64_t limit_ns, struct reading *reading,
                       struct error *error)
{
    struct conversation *conversation = clock->conversation;
    clock->asked = host_clock();
    if (!cuda_check(cudaStreamQuery(clock->stream), error, "cudaStreamQuery")) {
        return false;
    }
    atomic_store(&conversation->question, 0);
    atomic_store(&conversation->answer, 0);
    return cuda_check(kernel_answer_clock((uint32_t *)&conversation->question,
                                          (uint32_t *)&conversation->answer, &conversation->clock, rounds,
                                          clock->stream),
                      error, "launch of the clock kernel") &&
           (hold_conversation(clock, rounds, host_clock() + limit_ns, reading) ||
            error_set(error, "the GPU does not answer what time it is"));
}

/* The kernel of an earlier time ends right after its last answer. */
static void read_better(struct clock *clock, struct reading *best)
{
    struct reading reading;
    for (int attempt = 1; attempt < ATTEMPTS && !reading_is_good(best); attempt++) {
        if (cudaStreamSynchronize(clock->stream) != cudaSuccess ||
            !read_clock(clock, ROUNDS, FIRST_LIMIT_NS / ATTEMPTS, &reading, &(struct error){0})) {
            return;
        }
        *best = reading.error < best->error ? reading : *best;
    }
}

bool clock_open(struct clock *clock, struct error *error)
{
    if (!cuda_check(cudaStreamCreateWithFlags(&clock->stream, cudaStreamNonBlocking), error,
                    "cudaStreamCreateWithFlags") ||
        !cuda_check(
            cudaHostAlloc((void **)&clock->conversation, sizeof *clock->conversation, cudaHostAllocMapped),
            error, "cudaHostAlloc")) {
        return false;
    }
    memset(clock->conversation, 0, sizeof *clock->conversation);
    struct reading best;
    if (!read_clock(clock, FIRST_ROUNDS, FIRST_LIMIT_NS, &best, error)) {
        return false;
    }
    read_better(clock, &best);
    time_line_adopt(&clock->line, &best);
    clock->interval = SHORTEST_INTERVAL_NS;
    return true;
}

void clock_close(struct clock *clock)
{
    if (clock->stream) {
        cudaStreamDestroy(clock->stream);
    }
    cudaFreeHost(clock->conversation);
}

bool clock_read_again(struct clock *clock, struct reading *reading)
{
    if (host_clock() - clock->asked < clock->interval) {
        return false;
    }
    return read_clock(clock, ROUNDS, LIMIT_NS, reading, &(struct error){0});
}

void clock_adopt(struct clock *clock, const struct reading *reading)
{
    time_line_adopt(&clock->line, reading);
    clock->interval = 2 * clock->interval < LONGEST_INTERVAL_NS ? 2 * clock->interval : LONGEST_INTERVAL_NS;
}
