/* Kernels about time: the delay that `takes` asks for, marks, and the clock. */
#include "element.cuh"
#include "kernels.h"
#include "mark.cuh"

static const unsigned SNAPSHOT_THREADS = 128;
static const uint64_t PATIENCE_NS = 1000000000;

static __global__ void delay(uint64_t nanoseconds)
{
    uint64_t begin = gpu_clock();
    while (gpu_clock() - begin < nanoseconds) {
        __nanosleep(200);
    }
}

static __global__ void mark_stream(mark mark)
{
    set_mark(mark);
}

static __global__ void answer_clock(const uint32_t *question, uint32_t *answer, uint64_t *clock,
                                    uint32_t rounds)
{
    for (uint32_t round = 1; round <= rounds; round++) {
        uint64_t begin = gpu_clock();
        while (*(const volatile uint32_t *)question < round) {
            if (gpu_clock() - begin > PATIENCE_NS) {
                return;
            }
        }
        *(volatile uint64_t *)clock = gpu_clock();
        __threadfence_system();
        *(volatile uint32_t *)answer = round;
    }
}

cudaError_t kernel_delay(uint64_t nanoseconds, cudaStream_t stream)
{
    delay<<<1, 1, 0, stream>>>(nanoseconds);
    return cudaGetLastError();
}

cudaError_t kernel_mark(const struct mark *mark, cudaStream_t stream)
{
    unsigned threads = mark->bytes ? SNAPSHOT_THREADS : 1;
    mark_stream<<<1, threads, 0, stream>>>(*mark);
    return cudaGetLastError();
}

cudaError_t kernel_answer_clock(const uint32_t *question, uint32_t *answer, uint64_t *clock, uint32_t rounds,
                                cudaStream_t stream)
{
    answer_clock<<<1, 1, 0, stream>>>(question, answer, clock, rounds);
    return cudaGetLastError();
}

cudaError_t kernels_load_time(void)
{
    const void *const kernels[] = {(const void *)delay, (const void *)mark_stream,
                                   (const void *)answer_clock};
    return load_kernels(kernels, sizeof kernels / sizeof *kernels);
}
