/* Elements of every type as doubles, on the GPU: the counterpart of schedule/element.h. */
#ifndef HANDOFF_KERNELS_ELEMENT_CUH
#define HANDOFF_KERNELS_ELEMENT_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

/* The values of enum element_type. */
enum {
    INT8,
    UINT8,
    INT32,
    UINT32,
    INT64,
    UINT64,
    FLOAT16,
    BFLOAT16,
    FLOAT32,
    FLOAT64,
};

static __device__ inline double load_element(const void *elements, int type, uint32_t index)
{
    switch (type) {
    case INT8:
        return ((const int8_t *)elements)[index];
    case UINT8:
        return ((const uint8_t *)elements)[index];
    case INT32:
        return ((const int32_t *)elements)[index];
    case UINT32:
        return ((const uint32_t *)elements)[index];
    case INT64:
        return (double)((const int64_t *)elements)[index];
    case UINT64:
        return (double)((const uint64_t *)elements)[index];
    case FLOAT16:
        return (double)__half2float(((const __half *)elements)[index]);
    case BFLOAT16:
        return (double)__bfloat162float(((const __nv_bfloat16 *)elements)[index]);
    case FLOAT32:
        return (double)((const float *)elements)[index];
    default:
        return ((const double *)elements)[index];
    }
}

/* Rounds to nearest even for the float types; integers wrap. */
static __device__ inline void store_element(void *elements, int type, uint32_t index, double value)
{
    switch (type) {
    case INT8:
        ((int8_t *)elements)[index] = (int8_t)(int64_t)value;
        break;
    case UINT8:
        ((uint8_t *)elements)[index] = (uint8_t)(int64_t)value;
        break;
    case INT32:
        ((int32_t *)elements)[index] = (int32_t)(int64_t)value;
        break;
    case UINT32:
        ((uint32_t *)elements)[index] = (uint32_t)(int64_t)value;
        break;
    case INT64:
        ((int64_t *)elements)[index] = (int64_t)value;
        break;
    case UINT64:
        ((uint64_t *)elements)[index] = (uint64_t)(int64_t)value;
        break;
    case FLOAT16:
        ((__half *)elements)[index] = __double2half(value);
        break;
    case BFLOAT16:
        ((__nv_bfloat16 *)elements)[index] = __double2bfloat16(value);
        break;
    case FLOAT32:
        ((float *)elements)[index] = (float)value;
        break;
    default:
        ((double *)elements)[index] = value;
        break;
    }
}

static __device__ inline uint32_t element_bytes(int type)
{
    switch (type) {
    case INT8:
    case UINT8:
        return 1;
    case FLOAT16:
    case BFLOAT16:
        return 2;
    case INT32:
    case UINT32:
    case FLOAT32:
        return 4;
    default:
        return 8;
    }
}

/* Asking for a kernel's attributes loads it. */
static inline cudaError_t load_kernels(const void *const *kernels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cudaFuncAttributes attributes;
        cudaError_t failure = cudaFuncGetAttributes(&attributes, kernels[i]);
        if (failure != cudaSuccess) {
            return failure;
        }
    }
    return cudaSuccess;
}

#endif
