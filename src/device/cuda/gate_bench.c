/* A stream with nothing on it but gates and marks, for measuring how fast they are. */
#include "device/cuda/gate_bench.h"
#include "device/cuda/cuda_device.h"
#include "kernels/kernels.h"

/* A gate and the mark behind it for each call of the board. */
static bool submit_gates(struct board *board, const struct board *mapped, cudaStream_t stream,
                         struct error *error)
{
    for (uint32_t i = 0; i < board->call_count; i++) {
        struct mark mark = {.first = (uint64_t *)&mapped->calls[i].done_clock};
        if (!driver_check(cuStreamWaitValue32((CUstream)stream, (CUdeviceptr)(uintptr_t)&mapped->calls[i].go,
                                              GATE_OPEN, CU_STREAM_WAIT_VALUE_GEQ),
                          error, "cuStreamWaitValue32") ||
            !cuda_check(kernel_mark(&mark, stream), error, "launch of a mark"))
            return false;
    }
    atomic_store(&board->calls[0].started_clock, 1);
    return cuda_check(cudaStreamSynchronize(stream), error, "cudaStreamSynchronize");
}

bool hold_gates(struct board *board, unsigned gpu, struct error *error)
{
    void *mapped = NULL;
    cudaStream_t stream = NULL;
    return cuda_check(cudaSetDevice((int)gpu), error, "cudaSetDevice") &&
           cuda_check(cudaHostRegister(board, board->bytes, cudaHostRegisterMapped), error,
                      "cudaHostRegister") &&
           cuda_check(cudaHostGetDevicePointer(&mapped, board, 0), error, "cudaHostGetDevicePointer") &&
           cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), error,
                      "cudaStreamCreateWithFlags") &&
           cuda_check(kernels_load_time(), error, "loading the kernels") &&
           submit_gates(board, mapped, stream, error);
}
