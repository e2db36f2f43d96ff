/* Gates and marks: what stands on a stream before and after each operation.
 *
 * They run on the operation's own stream, so they add no order that the schedule lacks: who waits for the
 * operation waits for its gate in any case, and the operation waits for whatever its gate and marks wait for.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "device/cuda/cuda_device.h"
#include "kernels/kernels.h"

enum { SNAPSHOT_ALIGNMENT = 16 };
static const uint64_t SNAPSHOT_LIMIT = 64 << 20;

/* Whether the span is written and shown, and by a GPU: what the host sees for itself needs no snapshot. */
static bool needs_snapshot(const struct program *program, const struct span *span)
{
    return (span->access & ACCESS_CHANGE) && kept_count(span->first, span->count) > 0 &&
           program->memories[span->memory].kind != MEMORY_PAGEABLE;
}

static uint64_t snapshot_bytes(const struct program *program, const struct span *span)
{
    const struct memory *memory = &program->memories[span->memory];
    uint64_t bytes = (uint64_t)kept_count(span->first, span->count) * element_size(memory->type);
    return (bytes + SNAPSHOT_ALIGNMENT - 1) / SNAPSHOT_ALIGNMENT * SNAPSHOT_ALIGNMENT;
}

/* Gives every operation of the rank its place; returns the bytes of all. */
static uint64_t lay_out_snapshots(struct device *device)
{
    const struct program *program = device->program;
    const struct rank *rank = &program->ranks[device->setup.rank];
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < rank->call_count; i++) {
        const struct statement *statement = call_statement(program, rank->first_call + i);
        device->snapshot_of[i] = bytes;
        if (call_is_operation(statement)) {
            for (uint32_t s = 0; s < statement->span_count; s++) {
                const struct span *span = &program->spans[statement->first_span + s];
                bytes += needs_snapshot(program, span) ? snapshot_bytes(program, span) : 0;
            }
        }
    }
    return bytes;
}

static bool make_block_counts(struct device *device, struct error *error)
{
    for (uint32_t i = 0; i < SCHEDULE_MAX_GPUS; i++) {
        struct gpu *gpu = &device->gpus[i];
        size_t bytes = (device->program->stream_count + (size_t)1) * sizeof *gpu->finished_blocks;
        if (gpu->used &&
            (!gpu_make_current(device, gpu, error) ||
             !cuda_check(cudaMalloc((void **)&gpu->finished_blocks, bytes), error, "cudaMalloc") ||
             !gpu_clear(gpu, gpu->finished_blocks, bytes, error))) {
            return false;
        }
    }
    return gpu_make_current(device, &device->gpus[device->program->ranks[device->setup.rank].gpu], error);
}

bool marks_open(struct device *device, struct error *error)
{
    uint32_t calls = device->program->ranks[device->setup.rank].call_count;
    device->snapshot_of = memory_zeroed(calls + 1, sizeof *device->snapshot_of);
    uint64_t bytes = device->setup.report_values ? lay_out_snapshots(device) : 0;
    device->values_at_end = !device->setup.report_values || bytes > SNAPSHOT_LIMIT;
    return make_block_counts(device, error) &&
           (bytes == 0 || device->values_at_end ||
            cuda_check(cudaHostAlloc((void **)&device->snapshots, bytes,
                                     cudaHostAllocMapped | cudaHostAllocPortable),
                       error, "cudaHostAlloc"));
}

void marks_close(struct device *device)
{
    for (uint32_t i = 0; i < SCHEDULE_MAX_GPUS; i++) {
        cudaFree(device->gpus[i].finished_blocks);
    }
    cudaFreeHost(device->snapshots);
    free(device->snapshot_of);
}

/* NULL where nothing is shown. */
static uint8_t *snapshot_place(struct device *device, uint32_t call)
{
    uint32_t index = call - device->program->ranks[device->setup.rank].first_call;
    return device->snapshots ? device->snapshots + device->snapshot_of[index] : NULL;
}

static cudaStream_t call_stream(struct device *device, uint32_t call)
{
    return device->streams[call_statement(device->program, call)->stream];
}

static struct board_call *call_board(struct device *device, uint32_t call)
{
    return &call_gpu(device, call)->board->calls[call];
}

/* By its second name: before CUDA 12 the plain one is that of a version that drivers have switched off (CUDA
 * driver API 11.8, MEMOP). */
static bool wait_until_open(cudaStream_t stream, const _Atomic uint32_t *word, uint32_t value,
                            struct error *error)
{
    return driver_check(cuStreamWaitValue32_v2((CUstream)stream, (CUdeviceptr)(uintptr_t)word, value,
                                               CU_STREAM_WAIT_VALUE_GEQ),
                        error, "cuStreamWaitValue32");
}

bool mark_try_gate(struct device *device, struct gpu *gpu, struct error *error)
{
    return device->setup.watch != WATCH_GATES ||
           (wait_until_open(gpu->observer, &gpu->board->interrupted, 0, error) &&
            cuda_check(cudaStreamSynchronize(gpu->observer), error, "cudaStreamSynchronize"));
}

static bool wait_at_gate(struct device *device, uint32_t call, struct error *error)
{
    return device->setup.watch != WATCH_GATES ||
           wait_until_open(call_stream(device, call), &call_board(device, call)->go, GATE_OPEN, error);
}

static void report_submitted(struct device *device, uint32_t call)
{
    struct record record = {
        .kind = RECORD_SUBMITTED, .time = host_clock(), .rank = device->setup.rank, .call = call};
    device->setup.report(device->setup.context, &record);
}

static bool launch_mark(struct device *device, uint32_t call, const struct mark *mark, struct error *error)
{
    return cuda_check(kernel_mark(mark, call_stream(device, call)), error, "launch of a mark");
}

/* What stands before every operation: its report, its gate and, unless that is NULL, its mark. Gates and
 * marks are for the GPU of their stream, whichever one the host program has made current: a kernel cannot be
 * launched on a stream of another (CUDA programming guide, multi-device system). */
static bool begin(struct device *device, uint32_t call, const struct mark *mark, struct error *error)
{
    int current = device->current;
    report_submitted(device, call);
    observer_expect(device, call);
    bool fine = gpu_make_current(device, call_gpu(device, call), error) &&
                wait_at_gate(device, call, error) && (!mark || launch_mark(device, call, mark, error));
    return gpu_return_to(device, current, fine, error);
}

bool mark_begin(struct device *device, uint32_t call, struct error *error)
{
    if (device->setup.watch == WATCH_NOTHING) {
        note_written(device, call);
        return true;
    }
    struct mark mark = {.first = (uint64_t *)&call_board(device, call)->started_clock};
    return begin(device, call, &mark, error);
}

/* Whether a kernel on the call's stream reaches the memory. */
static bool is_within_reach(struct device *device, uint32_t call, const struct memory *memory)
{
    return memory->kind != MEMORY_DEVICE ||
           device->gpus[memory->gpu].physical == call_gpu(device, call)->physical;
}

/* Takes the first shown span along in the mark itself, if it can; copies any others before it. */
static bool take_snapshot(struct device *device, uint32_t call, struct mark *mark, struct error *error)
{
    const struct program *program = device->program;
    const struct statement *statement = call_statement(program, call);
    uint8_t *place = snapshot_place(device, call);
    for (uint32_t s = 0; s < statement->span_count; s++) {
        const struct span *span = &program->spans[statement->first_span + s];
        if (!needs_snapshot(program, span)) {
            continue;
        }
        uint32_t bytes =
            kept_count(span->first, span->count) * element_size(program->memories[span->memory].type);
        if (!mark->source && is_within_reach(device, call, &program->memories[span->memory])) {
            mark->source = span_address(device, span);
            mark->snapshot = place;
            mark->bytes = bytes;
        } else if (!cuda_check(cudaMemcpyAsync(place, span_address(device, span), bytes, cudaMemcpyDefault,
                                               call_stream(device, call)),
                               error, "cudaMemcpyAsync")) {
            return false;
        }
        place += snapshot_bytes(program, span);
    }
    return true;
}

bool mark_end(struct device *device, uint32_t call, struct error *error)
{
    if (device->setup.watch == WATCH_NOTHING) {
        return true;
    }
    int current = device->current;
    struct mark mark = {.first = (uint64_t *)&call_board(device, call)->done_clock};
    bool fine = gpu_make_current(device, call_gpu(device, call), error) &&
                differences_count(device, call, error) &&
                (!device->snapshots || take_snapshot(device, call, &mark, error)) &&
                launch_mark(device, call, &mark, error);
    return gpu_return_to(device, current, fine, error);
}

/* Nothing comes between the operation and its mark that the kernel cannot do itself. */
bool mark_can_be_own(struct device *device, uint32_t call)
{
    const struct statement *statement = call_statement(device->program, call);
    uint32_t written = 0;
    for (uint32_t i = 0; i < statement->span_count; i++) {
        const struct span *span = &device->program->spans[statement->first_span + i];
        if (span->access & ACCESS_CHANGE) {
            written++;
            if (!is_within_reach(device, call, &device->program->memories[span->memory])) {
                return false;
            }
        }
    }
    return written == 1 && !differences_are_counted(device, call);
}

bool mark_own(struct device *device, uint32_t call, struct own_marks *marks, struct error *error)
{
    *marks = (struct own_marks){0};
    if (device->setup.watch == WATCH_NOTHING) {
        note_written(device, call);
        return true;
    }
    struct board_call *board = call_board(device, call);
    marks->started = (uint64_t *)&board->started_clock;
    marks->done.first = (uint64_t *)&board->done_clock;
    marks->finished_blocks =
        &call_gpu(device, call)->finished_blocks[call_statement(device->program, call)->stream];
    return begin(device, call, NULL, error) &&
           (!device->snapshots || take_snapshot(device, call, &marks->done, error));
}

static bool returns_when_done(const struct order *order, uint32_t call)
{
    uint32_t returned = point_of(call, RETURNED);
    for (uint32_t i = order->first_wait[returned]; i < order->first_wait[returned + 1]; i++) {
        if (order->waits[i].point == point_of(call, DONE) && order->waits[i].strength == ALWAYS) {
            return true;
        }
    }
    return false;
}

void mark_await(struct device *device, uint32_t call)
{
    const _Atomic uint64_t *done = &device->setup.board->calls[call].done_clock;
    if (device->setup.watch == WATCH_NOTHING || !returns_when_done(device->setup.order, call)) {
        return;
    }
    while (!atomic_load(done) && !device->interrupted) {
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    }
}

bool mark_instant(struct device *device, uint32_t call, struct error *error)
{
    if (device->setup.watch == WATCH_NOTHING) {
        return true;
    }
    struct board_call *board = call_board(device, call);
    struct mark mark = {.first = (uint64_t *)&board->started_clock, .second = (uint64_t *)&board->done_clock};
    return begin(device, call, &mark, error);
}

void report_snapshot(struct device *device, uint32_t call, int64_t time)
{
    const struct program *program = device->program;
    const struct statement *statement = call_statement(program, call);
    const uint8_t *place = snapshot_place(device, call);
    pthread_mutex_lock(&device->buffers_lock);
    for (uint32_t s = 0; s < statement->span_count; s++) {
        const struct span *span = &program->spans[statement->first_span + s];
        if (needs_snapshot(program, span)) {
            if (place) {
                report_elements(device, RECORD_WRITTEN, call, time, span, place);
                place += snapshot_bytes(program, span);
            }
        } else if (span->access & ACCESS_CHANGE && span_address(device, span)) {
            report_elements(device, RECORD_WRITTEN, call, time, span, span_address(device, span));
        }
    }
    pthread_mutex_unlock(&device->buffers_lock);
}
