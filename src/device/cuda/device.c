/* The backend's table, and a device from opening to closing. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/describe.h"
#include "device/cuda/gate_bench.h"
#include "device/cuda/module.h"
#include "kernels/kernels.h"

static bool make_current(struct device *device, int physical, struct error *error)
{
    if (device->current == physical) {
        return true;
    }
    device->current = physical;
    return cuda_check(cudaSetDevice(physical), error, "cudaSetDevice");
}

bool gpu_make_current(struct device *device, const struct gpu *gpu, struct error *error)
{
    return make_current(device, gpu->physical, error);
}

bool gpu_return_to(struct device *device, int physical, bool fine, struct error *error)
{
    return make_current(device, physical, fine ? error : &(struct error){0}) && fine;
}

struct gpu *stream_gpu(struct device *device, uint32_t stream)
{
    return &device->gpus[device->program->streams[stream].gpu];
}

struct gpu *call_gpu(struct device *device, uint32_t call)
{
    return stream_gpu(device, call_statement(device->program, call)->stream);
}

bool gpu_clear(const struct gpu *gpu, void *address, size_t bytes, struct error *error)
{
    return cuda_check(cudaMemsetAsync(address, 0, bytes, gpu->observer), error, "cudaMemsetAsync") &&
           cuda_check(cudaStreamSynchronize(gpu->observer), error, "cudaStreamSynchronize");
}

void report_text(const struct device *device, uint8_t kind, uint32_t call, int64_t time, const char *bytes,
                 size_t length)
{
    const struct record record = {.kind = kind,
                                  .time = time,
                                  .rank = device->setup.rank,
                                  .call = call,
                                  .point = NONE,
                                  .length = length,
                                  .bytes = bytes};
    device->setup.report(device->setup.context, &record);
}

/* By default streams beyond the eighth share a queue with others, and with their gates (CUDA programming
 * guide, environment variables). More queues than are needed take time to make. */
static void ask_for_queues(const struct program *program, uint32_t rank)
{
    enum { DEFAULT = 8, MOST = 32, OWN = 2, FOR_A_COMMUNICATOR = 2 };
    uint32_t needed = OWN + FOR_A_COMMUNICATOR * program->communicator_count;
    for (uint32_t i = 0; i < program->stream_count; i++) {
        needed += program->streams[i].rank == rank;
    }
    struct text number = {0};
    text_format(&number, "%u", (unsigned)(needed < MOST ? needed : MOST));
    if (needed > DEFAULT) {
        setenv("CUDA_DEVICE_MAX_CONNECTIONS", text_string(&number), 0);
    }
    text_free(&number);
}

/* Which physical GPUs stand for the program's GPU numbers, and which of the numbers this rank uses. */
static bool find_gpus(struct device *device, struct error *error)
{
    const struct program *program = device->program;
    uint32_t rank = device->setup.rank;
    int available = 0;
    uint16_t physical[SCHEDULE_MAX_GPUS];
    if (!cuda_check(cudaGetDeviceCount(&available), error, "looking for GPUs") ||
        !cuda_choose_gpus(device->setup.gpu_list, (unsigned)available, physical, error)) {
        return false;
    }
    for (uint32_t i = 0; i < SCHEDULE_MAX_GPUS; i++) {
        device->gpus[i].physical = physical[i];
    }
    device->gpus[program->ranks[rank].gpu].used = true;
    for (uint32_t i = 0; i < program->statement_count; i++) {
        if (program->statements[i].rank == rank) {
            device->gpus[program->statements[i].gpu].used = true;
        }
    }
    struct record record = {.kind = REPORT_GPUS,
                            .rank = rank,
                            .call = NONE,
                            .length = sizeof physical,
                            .bytes = (const char *)physical};
    device->setup.report(device->setup.context, &record);
    return true;
}

/* Whether two ranks of any communicator are on one physical GPU. */
static bool ranks_share(const struct device *device)
{
    const struct program *program = device->program;
    bool shares = false;
    for (uint32_t i = 0; i < program->communicator_count; i++) {
        for (uint32_t a = 0; a < program->rank_count; a++) {
            for (uint32_t b = 0; b < a; b++) {
                shares |= device->gpus[communicator_gpu(program, i, a)].physical ==
                          device->gpus[communicator_gpu(program, i, b)].physical;
            }
        }
    }
    return shares;
}

/* NCCL takes ranks for one GPU's twice, and refuses, unless it may share from 2.30 on; before, it has to take
 * them for two hosts (docs/measured.md). All ranks are on this machine, so they meet on its loopback. */
static bool prepare_nccl(const struct device *device, struct error *error)
{
    bool shares = ranks_share(device);
    setvbuf(stdout, NULL, _IOLBF, 0); /* what NCCL prints is shown as it comes */
    setenv("NCCL_DEBUG", "WARN", 0);
    setenv("NCCL_SOCKET_IFNAME", "lo", 0);
    int version = 0;
    if (!nccl_check(ncclGetVersion(&version), NULL, error, "ncclGetVersion")) {
        return false;
    }
    if (shares && version >= NCCL_VERSION(2, 30, 0)) {
        setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 0);
    } else if (shares) {
        struct text name = {0};
        text_format(&name, "handoff-rank-%u", (unsigned)device->setup.rank);
        setenv("NCCL_HOSTID", text_string(&name), 1);
        text_free(&name);
    }
    return true;
}

static bool load_kernels(struct error *error)
{
    return cuda_check(kernels_load_compute(), error, "loading the kernels") &&
           cuda_check(kernels_load_time(), error, "loading the kernels");
}

/* The context, the board, and everything that must be there before a gate closes. */
static bool open_gpu(struct device *device, struct gpu *gpu, struct error *error)
{
    void *board = NULL;
    if (!gpu_make_current(device, gpu, error) || !cuda_check(cudaFree(NULL), error, "opening the GPU") ||
        !cuda_check(cudaHostGetDevicePointer(&board, device->setup.board, 0), error,
                    "cudaHostGetDevicePointer") ||
        !cuda_check(cudaStreamCreateWithFlags(&gpu->observer, cudaStreamNonBlocking), error,
                    "cudaStreamCreateWithFlags")) {
        return false;
    }
    gpu->board = board;
    return load_kernels(error) && clock_open(&gpu->clock, error) && mark_try_gate(device, gpu, error);
}

/* So that a kernel reaches what the rank has on its other GPUs, where the machine can do that. */
static bool join_gpus(struct device *device, struct gpu *gpu, struct error *error)
{
    for (uint32_t i = 0; i < SCHEDULE_MAX_GPUS; i++) {
        int other = device->gpus[i].physical, can = 0;
        if (!device->gpus[i].used || other == gpu->physical) {
            continue;
        }
        if (!gpu_make_current(device, gpu, error) ||
            !cuda_check(cudaDeviceCanAccessPeer(&can, gpu->physical, other), error,
                        "cudaDeviceCanAccessPeer")) {
            return false;
        }
        cudaError_t result = can ? cudaDeviceEnablePeerAccess(other, 0) : cudaSuccess;
        if (result == cudaErrorPeerAccessAlreadyEnabled) {
            cudaGetLastError(); /* two of the program's GPUs are one here */
        } else if (!cuda_check(result, error, "cudaDeviceEnablePeerAccess")) {
            return false;
        }
    }
    return true;
}

static bool open_gpus(struct device *device, struct error *error)
{
    device->current = -1;
    const struct gpu *first = &device->gpus[device->program->ranks[device->setup.rank].gpu];
    if (!gpu_make_current(device, first, error) ||
        !cuda_check(cudaHostRegister(device->setup.board, device->setup.board->bytes,
                                     cudaHostRegisterMapped | cudaHostRegisterPortable),
                    error, "cudaHostRegister")) {
        return false;
    }
    for (uint32_t i = 0; i < SCHEDULE_MAX_GPUS; i++) {
        if (device->gpus[i].used && !open_gpu(device, &device->gpus[i], error)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < SCHEDULE_MAX_GPUS; i++) {
        if (device->gpus[i].used && !join_gpus(device, &device->gpus[i], error)) {
            return false;
        }
    }
    return gpu_make_current(device, first, error);
}

/* Says what the run is on: of all ranks, the first does. */
static void report_machine(const struct device *device)
{
    struct cudaDeviceProp properties;
    const struct program *program = device->program;
    const struct gpu *gpu = &device->gpus[program->ranks[device->setup.rank].gpu];
    int driver = 0, nccl = 0;
    if (device->setup.rank != 0 || cudaGetDeviceProperties(&properties, gpu->physical) != cudaSuccess) {
        return;
    }
    cudaDriverGetVersion(&driver);
    ncclGetVersion(&nccl);
    struct text note = {0};
    text_format(&note, "cuda: %s%s, CUDA %d.%d, NCCL %d.%d.%d, GPU time known to %.1f us", properties.name,
                ranks_share(device) ? " (shared by ranks)" : "", driver / 1000, driver % 1000 / 10,
                nccl / 10000, nccl / 100 % 100, nccl % 100, (double)gpu->clock.line.last.error / 1000);
    report_text(device, REPORT_MACHINE, NONE, host_clock(), text_string(&note), note.length);
    text_free(&note);
}

static void close_device(struct device *device)
{
    const struct program *program = device->program;
    /* First of all: whatever is freed waits for what is still on the GPU. The observer may have had no time
     * to see that the run was broken off. */
    if (device->interrupted || atomic_load(&device->setup.board->interrupted)) {
        abort_communicators(device);
    }
    observer_close(device);
    destroy_communicators(device);
    for (uint32_t i = 0; i < program->communicator_count; i++) {
        cudaFree(device->greetings[i]);
    }
    for (uint32_t i = 0; i < program->event_count; i++) {
        if (device->events[i]) {
            cudaEventDestroy(device->events[i]);
        }
    }
    for (uint32_t i = 0; i < program->stream_count; i++) {
        if (device->streams[i] && !program->streams[i].is_default) {
            cudaStreamDestroy(device->streams[i]);
        }
    }
    for (uint32_t i = 0; i < program->memory_count; i++) {
        if (device->buffers[i].address) {
            device_release(device, i, &(struct error){0});
        }
        free(device->buffers[i].seen);
        free(device->buffers[i].written);
    }
    scratches_close(device);
    differences_close(device);
    marks_close(device);
    for (uint32_t i = 0; i < SCHEDULE_MAX_GPUS; i++) {
        if (device->gpus[i].observer) {
            cudaStreamDestroy(device->gpus[i].observer);
        }
        clock_close(&device->gpus[i].clock);
    }
    cudaHostUnregister(device->setup.board);
    free(device->streams);
    free(device->events);
    free(device->communicators);
    free(device->greetings);
    free(device->buffers);
    free(device->members);
    free(device);
}

static struct device *open_device(const struct device_setup *setup, struct error *error)
{
    const struct program *program = setup->program;
    struct device *device = memory_zeroed(1, sizeof *device);
    device->setup = *setup;
    device->program = program;
    device->streams = memory_zeroed(program->stream_count + 1, sizeof *device->streams);
    device->events = memory_zeroed(program->event_count + 1, sizeof *device->events);
    device->communicators = memory_zeroed(program->communicator_count + 1, sizeof *device->communicators);
    device->greetings = memory_zeroed(program->communicator_count + 1, sizeof *device->greetings);
    device->buffers = memory_zeroed(program->memory_count + 1, sizeof *device->buffers);
    pthread_mutex_init(&device->communicators_lock, NULL);
    pthread_mutex_init(&device->buffers_lock, NULL);
    pthread_mutex_init(&device->quiet, NULL);
    device->scratches = memory_zeroed(program->stream_count + 1, sizeof *device->scratches);
    for (uint32_t i = 0; i < program->stream_count; i++) {
        device->streams[i] = program->streams[i].is_default ? cudaStreamLegacy : NULL;
    }
    ask_for_queues(program, setup->rank);
    bool fine = find_gpus(device, error) && prepare_nccl(device, error) && open_gpus(device, error) &&
                marks_open(device, error) && differences_open(device, error);
    if (fine) {
        report_machine(device);
    }
    if (!fine || !observer_open(device, error)) {
        close_device(device);
        return NULL;
    }
    return device;
}

static bool use_gpu(struct device *device, uint32_t gpu, struct error *error)
{
    return gpu_make_current(device, &device->gpus[gpu], error);
}

static bool create_stream(struct device *device, uint32_t stream, struct error *error)
{
    unsigned flags = device->program->streams[stream].nonblocking ? cudaStreamNonBlocking : cudaStreamDefault;
    return cuda_check(cudaStreamCreateWithFlags(&device->streams[stream], flags), error,
                      "cudaStreamCreateWithFlags");
}

static const struct device_backend backend = {
    .name = "cuda",
    .open = open_device,
    .close = close_device,
    .make_id = device_make_id,
    .connect = device_connect,
    .destroy = device_destroy,
    .abort = device_abort,
    .use_gpu = use_gpu,
    .allocate = device_allocate,
    .release = device_release,
    .create_stream = create_stream,
    .launch = device_launch,
    .copy = device_copy,
    .set = device_set,
    .communicate = device_communicate,
    .group_start = device_group_start,
    .group_end = device_group_end,
    .record = device_record,
    .wait = device_wait,
    .synchronize = device_synchronize,
    .host_access = device_host_access,
    .report_contents = device_report_contents,
    .clock = host_clock,
};

__attribute__((visibility("default"))) extern const struct cuda_module handoff_cuda_module;
const struct cuda_module handoff_cuda_module = {
    .contract = CUDA_MODULE_CONTRACT,
    .backend = &backend,
    .describe = describe_machine,
    .hold_gates = hold_gates,
};
