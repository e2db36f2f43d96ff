/* What `launch` asks for: the kernels that read and write buffers. */
#include "element.cuh"
#include "kernels.h"
#include "mark.cuh"

static const unsigned THREADS = 256, MAX_BLOCKS = 1024;

static unsigned block_count(uint32_t count)
{
    unsigned blocks = (unsigned)(((uint64_t)count + THREADS - 1) / THREADS);
    return blocks < 1 ? 1 : blocks > MAX_BLOCKS ? MAX_BLOCKS : blocks;
}

static __device__ inline uint64_t first_index(void)
{
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ inline uint64_t index_stride(void)
{
    return (uint64_t)gridDim.x * blockDim.x;
}

static __device__ inline double value_at(progression values, uint64_t index)
{
    return values.first + values.step * (double)(index % values.period);
}

static __global__ void produce(void *out, int type, uint32_t count, progression values, own_marks marks)
{
    mark_own_start(marks);
    for (uint64_t i = first_index(); i < count; i += index_stride()) {
        store_element(out, type, (uint32_t)i, value_at(values, i));
    }
    mark_own_end(marks);
}

static __global__ void twice(inputs inputs, void *out, int type, uint32_t count, own_marks marks)
{
    mark_own_start(marks);
    for (uint64_t i = first_index(); i < count; i += index_stride()) {
        double sum = 0;
        for (uint32_t k = 0; k < inputs.count; k++) {
            uint32_t place = i < inputs.counts[k] ? (uint32_t)i : (uint32_t)(i % inputs.counts[k]);
            sum += load_element(inputs.elements[k], inputs.types[k], place);
        }
        store_element(out, type, (uint32_t)i, 2 * sum);
    }
    mark_own_end(marks);
}

/* Adds to one element of 64 bits, or of fewer within its aligned 32-bit word. */
static __device__ void add_atomically(void *elements, int type, uint32_t index, double value)
{
    uint32_t bytes = element_bytes(type);
    if (bytes == 8) {
        unsigned long long *word = (unsigned long long *)elements + index;
        unsigned long long seen = *word, expected;
        do {
            expected = seen;
            unsigned long long sum = expected;
            store_element(&sum, type, 0, load_element(&expected, type, 0) + value);
            seen = atomicCAS(word, expected, sum);
        } while (seen != expected);
        return;
    }
    uintptr_t address = (uintptr_t)elements + (uintptr_t)index * bytes;
    unsigned *word = (unsigned *)(address & ~(uintptr_t)3);
    uint32_t place = (uint32_t)(address & 3) / bytes;
    unsigned seen = *word, expected;
    do {
        expected = seen;
        unsigned sum = expected;
        store_element(&sum, type, place, load_element(&expected, type, place) + value);
        seen = atomicCAS(word, expected, sum);
    } while (seen != expected);
}

static __global__ void accumulate(void *out, int type, uint32_t count, progression values, own_marks marks)
{
    mark_own_start(marks);
    for (uint64_t i = first_index(); i < count; i += index_stride()) {
        add_atomically(out, type, (uint32_t)i, value_at(values, i));
    }
    mark_own_end(marks);
}

static __global__ void count_different(const void *in, int type, uint32_t count, progression expected,
                                       unsigned long long *different)
{
    unsigned long long found = 0;
    for (uint64_t i = first_index(); i < count; i += index_stride()) {
        uint64_t bits = 0;
        store_element(&bits, type, 0, value_at(expected, i));
        found += load_element(in, type, (uint32_t)i) != load_element(&bits, type, 0);
    }
    if (found) {
        atomicAdd(different, found);
    }
}

cudaError_t kernel_produce(void *out, int type, uint32_t count, struct progression values,
                           const struct own_marks *marks, cudaStream_t stream)
{
    produce<<<block_count(count), THREADS, 0, stream>>>(out, type, count, values, *marks);
    return cudaGetLastError();
}

cudaError_t kernel_accumulate(void *out, int type, uint32_t count, struct progression values,
                              const struct own_marks *marks, cudaStream_t stream)
{
    accumulate<<<block_count(count), THREADS, 0, stream>>>(out, type, count, values, *marks);
    return cudaGetLastError();
}

cudaError_t kernel_twice(const struct inputs *inputs, void *out, int type, uint32_t count,
                         const struct own_marks *marks, cudaStream_t stream)
{
    twice<<<block_count(count), THREADS, 0, stream>>>(*inputs, out, type, count, *marks);
    return cudaGetLastError();
}

cudaError_t kernel_count_different(const void *in, int type, uint32_t count, struct progression expected,
                                   unsigned long long *different, cudaStream_t stream)
{
    count_different<<<block_count(count), THREADS, 0, stream>>>(in, type, count, expected, different);
    return cudaGetLastError();
}

cudaError_t kernels_load_compute(void)
{
    const void *const kernels[] = {(const void *)produce, (const void *)twice, (const void *)accumulate,
                                   (const void *)count_different};
    return load_kernels(kernels, sizeof kernels / sizeof *kernels);
}
