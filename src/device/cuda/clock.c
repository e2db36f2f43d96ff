/* One time line for both: the host asks the GPU what time it is, again and again, and believes the answer
 * that came fastest. */
#include <stdatomic.h>
#include <time.h>

#include "device/cuda/cuda_device.h"
#include "kernels/kernels.h"

enum { CALIBRATION_ROUNDS = 200 };
static const int64_t ANSWER_LIMIT_NS = 2000000000;

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

/* Asks one question; false where no answer came in time. */
static bool ask(struct conversation *conversation, uint32_t round, int64_t *asked, int64_t *answered)
{
    *asked = host_clock();
    atomic_store(&conversation->question, round);
    do {
        *answered = host_clock();
        if (*answered - *asked > ANSWER_LIMIT_NS) {
            return false;
        }
    } while (atomic_load(&conversation->answer) < round);
    return true;
}

static bool hold_conversation(struct conversation *conversation, struct clock *clock)
{
    uint64_t tick = 0;
    int64_t fastest = INT64_MAX;
    for (uint32_t round = 1; round <= CALIBRATION_ROUNDS; round++) {
        int64_t asked, answered;
        if (!ask(conversation, round, &asked, &answered)) {
            return false;
        }
        uint64_t answer = *(volatile uint64_t *)&conversation->clock;
        tick = greatest_common_divisor(tick, answer);
        if (answered - asked < fastest) {
            fastest = answered - asked;
            clock->offset = asked + fastest / 2 - (int64_t)answer;
        }
    }
    /* The GPU read its clock somewhere between question and answer, and the clock may tick coarsely. */
    clock->error = fastest / 2 + (int64_t)tick;
    return true;
}

bool clock_calibrate(struct clock *clock, cudaStream_t stream, struct error *error)
{
    struct conversation *conversation;
    if (!cuda_check(cudaHostAlloc((void **)&conversation, sizeof *conversation, cudaHostAllocMapped), error,
                    "cudaHostAlloc")) {
        return false;
    }
    *conversation = (struct conversation){0};
    bool fine =
        cuda_check(kernel_answer_clock((uint32_t *)&conversation->question, (uint32_t *)&conversation->answer,
                                       &conversation->clock, CALIBRATION_ROUNDS, stream),
                   error, "launch of the clock kernel");
    if (fine && !hold_conversation(conversation, clock)) {
        fine = error_set(error, "the GPU does not answer what time it is");
    }
    fine = cuda_check(cudaStreamSynchronize(stream), fine ? error : &(struct error){0},
                      "cudaStreamSynchronize") &&
           fine;
    cudaFreeHost(conversation);
    return fine;
}
