#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/cuda/cuda_device.h"
#include "schedule/element.h"

void *span_address(const struct device *device, const struct span *span)
{
    const struct memory *memory = &device->program->memories[span->memory];
    uint8_t *base = device->buffers[span->memory].address;
    return base ? base + (size_t)span->first * element_size(memory->type) : NULL;
}

static size_t memory_bytes(const struct memory *memory)
{
    return (size_t)memory->count * element_size(memory->type);
}

static bool allocate_bytes(enum memory_kind kind, size_t bytes, void **address, struct error *error)
{
    switch (kind) {
    case MEMORY_DEVICE:
        return cuda_check(cudaMalloc(address, bytes), error, "cudaMalloc");
    case MEMORY_PINNED:
        return cuda_check(cudaHostAlloc(address, bytes, cudaHostAllocMapped | cudaHostAllocPortable), error,
                          "cudaHostAlloc");
    case MEMORY_MANAGED:
        return cuda_check(cudaMallocManaged(address, bytes, cudaMemAttachGlobal), error, "cudaMallocManaged");
    case MEMORY_PAGEABLE:
        break;
    }
    *address = memory_zeroed(bytes, 1);
    return true;
}

/* What nobody wrote is 0, as in the simulator. Cleared on the observer's stream, which waits for no gate. */
static bool clear(struct device *device, const struct memory *memory, void *address, struct error *error)
{
    size_t bytes = memory_bytes(memory);
    if (memory->kind == MEMORY_DEVICE) {
        return gpu_clear(&device->gpus[memory->gpu], address, bytes, error);
    }
    memset(address, 0, bytes);
    return true;
}

bool device_allocate(struct device *device, uint32_t number, struct error *error)
{
    const struct memory *memory = &device->program->memories[number];
    void *address = NULL;
    pthread_mutex_lock(&device->quiet);
    bool fine = allocate_bytes((enum memory_kind)memory->kind, memory_bytes(memory), &address, error);
    pthread_mutex_unlock(&device->quiet);
    if (!fine || !clear(device, memory, address, error)) {
        return false;
    }
    pthread_mutex_lock(&device->buffers_lock);
    device->buffers[number].address = address;
    device->buffers[number].seen =
        memory_zeroed(kept_count(0, memory->count) + 1, element_size(memory->type));
    device->buffers[number].written = memory_zeroed(kept_count(0, memory->count) + 1, 1);
    pthread_mutex_unlock(&device->buffers_lock);
    return true;
}

static bool free_bytes(enum memory_kind kind, void *address, struct error *error)
{
    switch (kind) {
    case MEMORY_PINNED:
        return cuda_check(cudaFreeHost(address), error, "cudaFreeHost");
    case MEMORY_PAGEABLE:
        free(address);
        return true;
    case MEMORY_DEVICE:
    case MEMORY_MANAGED:
        break;
    }
    return cuda_check(cudaFree(address), error, "cudaFree");
}

bool device_release(struct device *device, uint32_t number, struct error *error)
{
    pthread_mutex_lock(&device->buffers_lock);
    void *address = device->buffers[number].address;
    device->buffers[number].address = NULL;
    pthread_mutex_unlock(&device->buffers_lock);
    pthread_mutex_lock(&device->quiet);
    bool fine = free_bytes((enum memory_kind)device->program->memories[number].kind, address, error);
    pthread_mutex_unlock(&device->quiet);
    return fine;
}

void report_elements(struct device *device, enum record_kind kind, uint32_t call, int64_t time,
                     const struct span *span, const void *bytes)
{
    uint32_t size = element_size(device->program->memories[span->memory].type);
    size_t length = (size_t)kept_count(span->first, span->count) * size;
    uint8_t *seen = device->buffers[span->memory].seen;
    if (seen && length > 0) {
        memcpy(seen + (size_t)span->first * size, bytes, length);
    }
    struct record record = {.kind = (uint8_t)kind,
                            .time = time,
                            .rank = device->setup.rank,
                            .call = call,
                            .memory = span->memory,
                            .first = span->first,
                            .point = NONE,
                            .count = span->count,
                            .length = length,
                            .bytes = (const char *)bytes};
    device->setup.report(device->setup.context, &record);
}

static void note_span(struct device *device, const struct span *span)
{
    uint8_t *written = device->buffers[span->memory].written;
    uint32_t kept = kept_count(span->first, span->count);
    if (written && kept > 0) {
        memset(written + span->first, 1, kept);
    }
}

void note_written(struct device *device, uint32_t call)
{
    const struct statement *statement = call_statement(device->program, call);
    pthread_mutex_lock(&device->buffers_lock);
    for (uint32_t i = 0; i < statement->span_count; i++) {
        const struct span *span = &device->program->spans[statement->first_span + i];
        if (span->access & ACCESS_CHANGE) {
            note_span(device, span);
        }
    }
    pthread_mutex_unlock(&device->buffers_lock);
}

/* Every run of elements that something wrote, as they are now. */
static void report_memory(struct device *device, uint32_t number)
{
    const struct memory *memory = &device->program->memories[number];
    const struct buffer *buffer = &device->buffers[number];
    uint32_t kept = kept_count(0, memory->count), size = element_size(memory->type);
    uint8_t *bytes = memory_zeroed(kept, size);
    cudaStream_t stream = device->gpus[memory->gpu].observer;
    bool fine = cudaMemcpyAsync(bytes, buffer->address, (size_t)kept * size, cudaMemcpyDefault, stream) ==
                    cudaSuccess &&
                cudaStreamSynchronize(stream) == cudaSuccess;
    for (uint32_t i = 0; fine && i < kept;) {
        uint32_t end = i;
        while (end < kept && buffer->written[end]) {
            end++;
        }
        if (end > i) {
            struct span span = {.memory = number, .first = i, .count = end - i};
            report_elements(device, RECORD_WRITTEN, NONE, host_clock(), &span, bytes + (size_t)i * size);
        }
        i = end + 1;
    }
    free(bytes);
}

void device_report_contents(struct device *device)
{
    if (!device->values_at_end) {
        return;
    }
    if (device->setup.report_values) {
        static const char note[] =
            "what this rank's operations wrote is more than 64 MiB: buffers are shown as "
            "they are in the end";
        report_text(device, RECORD_NOTE, NONE, host_clock(), note, sizeof note - 1);
    }
    pthread_mutex_lock(&device->buffers_lock);
    for (uint32_t i = 0; i < device->program->memory_count; i++) {
        if (device->buffers[i].address) {
            report_memory(device, i);
        }
    }
    pthread_mutex_unlock(&device->buffers_lock);
}

static void host_write(const struct device *device, uint32_t call, const struct span *span)
{
    const struct memory *memory = &device->program->memories[span->memory];
    uint8_t *bytes = span_address(device, span);
    for (uint32_t i = 0; i < span->count; i++) {
        element_store((enum element_type)memory->type, bytes + (size_t)i * element_size(memory->type),
                      produced_value(device->program, call, span->count, i));
    }
}

bool device_host_access(struct device *device, uint32_t call, struct error *error)
{
    const struct statement *statement = call_statement(device->program, call);
    const struct span *span = &device->program->spans[statement->first_span];
    const struct memory *memory = &device->program->memories[span->memory];
    if (memory->kind == MEMORY_DEVICE) {
        return error_set(error, "the host program cannot reach %s: it is the GPU's memory", memory->name);
    }
    if (statement->kind == CALL_WRITE) {
        host_write(device, call, span);
        note_written(device, call);
    }
    if (!device->setup.report_values) {
        return true;
    }
    pthread_mutex_lock(&device->buffers_lock);
    report_elements(device, statement->kind == CALL_WRITE ? RECORD_WRITTEN : RECORD_HOST_READ, call,
                    host_clock(), span, span_address(device, span));
    pthread_mutex_unlock(&device->buffers_lock);
    return true;
}
