/* The GPU's side of the schedule language, for a C caller: every function submits one kernel (and no more) to
 * a stream of the current device and returns what the submission said.
 *
 * TYPE is an enum element_type. Elements are computed as doubles and stored as element_store() does. */
#ifndef HANDOFF_KERNELS_KERNELS_H
#define HANDOFF_KERNELS_KERNELS_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What element INDEX is to be: FIRST + STEP * (INDEX % PERIOD). */
struct progression {
    double first, step;
    uint32_t period;
};

/* A mark: the GPU's clock goes to *FIRST and, unless it is NULL, to *SECOND. Before that, what is seen in
 * BYTES bytes at SOURCE goes to SNAPSHOT: whoever sees the clock sees the snapshot. All but SOURCE are in
 * mapped host memory. */
struct mark {
    uint64_t *first, *second;
    const void *source;
    void *snapshot;
    uint32_t bytes;
};

/* What a kernel says of itself: its start, its end, or nothing where these are NULL. It is its start that its
 * first thread runs, and its end that all of its blocks have written. FINISHED_BLOCKS is on the GPU, 0, and
 * no other kernel's meanwhile. */
struct own_marks {
    uint64_t *started;
    struct mark done;
    uint32_t *finished_blocks;
};

/* A, C and opaque kernels: OUT gets the progression. */
cudaError_t kernel_produce(void *out, int type, uint32_t count, struct progression values,
                           const struct own_marks *marks, cudaStream_t stream);
/* Accumulates the progression into OUT, each element atomically. */
cudaError_t kernel_accumulate(void *out, int type, uint32_t count, struct progression values,
                              const struct own_marks *marks, cudaStream_t stream);
/* B: each element of OUT gets twice the sum of the inputs' elements with its number. An input that is shorter
 * begins again; without inputs OUT gets 0. */
enum { KERNEL_MAX_INPUTS = 32 };
struct inputs {
    const void *elements[KERNEL_MAX_INPUTS];
    uint32_t counts[KERNEL_MAX_INPUTS];
    uint8_t types[KERNEL_MAX_INPUTS];
    uint32_t count;
};
cudaError_t kernel_twice(const struct inputs *inputs, void *out, int type, uint32_t count,
                         const struct own_marks *marks, cudaStream_t stream);
/* One thread that watches the GPU's clock for NANOSECONDS: what `takes` asks for. It keeps a stream busy
 * and leaves the rest of the GPU to others. */
cudaError_t kernel_delay(uint64_t nanoseconds, cudaStream_t stream);

/* Adds to *DIFFERENT the number of elements that are not the progression's. */
cudaError_t kernel_count_different(const void *in, int type, uint32_t count, struct progression expected,
                                   unsigned long long *different, cudaStream_t stream);

/* A mark behind all that is on the stream. */
cudaError_t kernel_mark(const struct mark *mark, cudaStream_t stream);

/* Answers ROUNDS questions of the host about the GPU's clock. The host counts *QUESTION up from 0; the GPU
 * writes its clock to *CLOCK and then the same number to *ANSWER. All in mapped host memory. Gives up when no
 * question came for a second. */
cudaError_t kernel_answer_clock(const uint32_t *question, uint32_t *answer, uint64_t *clock, uint32_t rounds,
                                cudaStream_t stream);

/* Load every kernel of compute.cu and time.cu onto the current device, so that no later launch has to. */
cudaError_t kernels_load_compute(void);
cudaError_t kernels_load_time(void);

#ifdef __cplusplus
}
#endif

#endif
