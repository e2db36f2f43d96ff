/* Writing marks, on the GPU. */
#ifndef HANDOFF_KERNELS_MARK_CUH
#define HANDOFF_KERNELS_MARK_CUH

#include <stdint.h>

#include "kernels.h"

/* The GPU's clock in nanoseconds: one for all of a GPU's contexts (PTX ISA, %globaltimer). */
static __device__ inline uint64_t gpu_clock(void)
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

static __device__ inline void take_snapshot(const mark &mark)
{
    for (uint32_t i = threadIdx.x; i < mark.bytes; i += blockDim.x) {
        ((volatile uint8_t *)mark.snapshot)[i] = ((const volatile uint8_t *)mark.source)[i];
    }
    __threadfence_system();
    __syncthreads();
}

/* By all threads of one block. One store is all that a mark without a snapshot takes: its word is its time.
 */
static __device__ inline void set_mark(const mark &mark)
{
    if (mark.bytes) {
        take_snapshot(mark);
    }
    if (threadIdx.x == 0) {
        uint64_t now = gpu_clock();
        *(volatile uint64_t *)mark.first = now;
        if (mark.second) {
            *(volatile uint64_t *)mark.second = now;
        }
    }
}

/* A kernel's first statement, by all threads. */
static __device__ inline void mark_own_start(const own_marks &marks)
{
    if (marks.started && blockIdx.x == 0 && threadIdx.x == 0) {
        *(volatile uint64_t *)marks.started = gpu_clock();
    }
}

/* A kernel's last statement, by all threads: whichever block comes here last has the writes of all before it,
 * and sets the mark. Its count begins again at 0 by itself. */
static __device__ inline void mark_own_end(const own_marks &marks)
{
    __shared__ bool is_last;
    if (!marks.done.first) {
        return;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = gridDim.x == 1 || atomicInc(marks.finished_blocks, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last) {
        set_mark(marks.done);
    }
}

#endif
