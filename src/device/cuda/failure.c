#include "device/cuda/cuda_device.h"

bool cuda_check(cudaError_t result, struct error *error, const char *call)
{
    if (result == cudaSuccess) {
        return true;
    }
    return error_set(error, "%s: %s (%s)", call, cudaGetErrorString(result), cudaGetErrorName(result));
}

bool driver_check(CUresult result, struct error *error, const char *call)
{
    if (result == CUDA_SUCCESS) {
        return true;
    }
    const char *words = NULL, *name = NULL;
    cuGetErrorString(result, &words);
    cuGetErrorName(result, &name);
    return error_set(error, "%s: %s (%s)", call, words ? words : "unknown error", name ? name : "?");
}

bool nccl_check(ncclResult_t result, ncclComm_t communicator, struct error *error, const char *call)
{
    if (result == ncclSuccess) {
        return true;
    }
    const char *last = ncclGetLastError(communicator);
    if (last && *last) {
        return error_set(error, "%s: %s: %s", call, ncclGetErrorString(result), last);
    }
    return error_set(error, "%s: %s", call, ncclGetErrorString(result));
}
