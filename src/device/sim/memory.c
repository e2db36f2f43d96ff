#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/sim/device.h"
#include "schedule/element.h"
#include "schedule/kernel.h"

static const struct memory *described(const struct device *device, uint32_t memory)
{
    return &device->setup.program->memories[memory];
}

static size_t size_of(const struct device *device, uint32_t memory)
{
    return element_size(described(device, memory)->type);
}

/* calloc gives large memory as pages that are there once they are touched. */
bool sim_allocate(struct device *device, uint32_t memory, struct error *error)
{
    const struct memory *wanted = described(device, memory);
    struct sim_memory *allocated = &device->memories[memory];
    free(allocated->bytes);
    free(allocated->written);
    allocated->bytes = calloc(wanted->count, size_of(device, memory));
    allocated->written = calloc(wanted->count / 8 + 1, 1);
    allocated->freed = false;
    if (allocated->bytes && allocated->written)
        return true;
    free(allocated->bytes);
    free(allocated->written);
    *allocated = (struct sim_memory){0};
    return error_set(error, "no memory for %s (%u elements)", wanted->name, wanted->count);
}

bool sim_release(struct device *device, uint32_t memory, struct error *error)
{
    struct sim_memory *released = &device->memories[memory];
    if (!released->bytes)
        return error_set(error, "%s is freed, and was freed before", described(device, memory)->name);
    free(released->bytes);
    free(released->written);
    *released = (struct sim_memory){.freed = true};
    return true;
}

void sim_read(const struct device *device, const struct span *span, size_t offset, uint8_t *bytes,
              size_t count)
{
    const struct sim_memory *memory = &device->memories[span->memory];
    if (memory->bytes)
        memcpy(bytes, memory->bytes + span->first * size_of(device, span->memory) + offset, count);
    else
        memset(bytes, FREED_BYTE, count);
}

static void mark_written(struct sim_memory *memory, size_t first, size_t end)
{
    for (; first < end && first % 8 != 0; first++)
        memory->written[first / 8] |= (uint8_t)(1U << (first % 8));
    if (first + 8 <= end) {
        memset(memory->written + first / 8, 0xFF, (end - first) / 8);
        first += (end - first) / 8 * 8;
    }
    for (; first < end; first++)
        memory->written[first / 8] |= (uint8_t)(1U << (first % 8));
}

void sim_write(struct device *device, const struct span *span, size_t offset, const uint8_t *bytes,
               size_t count)
{
    struct sim_memory *memory = &device->memories[span->memory];
    size_t size = size_of(device, span->memory), at = span->first * size + offset;
    if (!memory->bytes || count == 0)
        return;
    memcpy(memory->bytes + at, bytes, count);
    mark_written(memory, at / size, (at + count + size - 1) / size);
}

/* A record of elements FIRST.. of the memory, with the bytes of those that a log keeps. */
static void report_elements(struct device *device, uint8_t kind, uint32_t call, uint32_t memory, size_t first,
                            size_t count)
{
    size_t size = size_of(device, memory);
    size_t kept = kept_count((uint32_t)first, (uint32_t)count);
    const uint8_t *bytes = device->memories[memory].bytes;
    device->setup.report(device->setup.context,
                         &(struct record){.kind = kind,
                                          .rank = device->setup.rank,
                                          .call = call,
                                          .point = NONE,
                                          .memory = memory,
                                          .first = (uint32_t)first,
                                          .count = (uint32_t)count,
                                          .length = kept * size,
                                          .bytes = (const char *)bytes + first * size});
}

void sim_report_written(struct device *device, uint32_t call, const struct span *span, size_t offset,
                        size_t count)
{
    if (count == 0 || !device->memories[span->memory].bytes)
        return;
    size_t size = size_of(device, span->memory), at = span->first * size + offset;
    size_t first = at / size, end = (at + count + size - 1) / size;
    report_elements(device, RECORD_WRITTEN, call, span->memory, first, end - first);
}

static bool is_written(const struct sim_memory *memory, size_t element)
{
    return memory->written[element / 8] >> (element % 8) & 1;
}

/* A record for each run of elements that were written. */
static void report_memory(struct device *device, uint32_t index)
{
    const struct sim_memory *memory = &device->memories[index];
    size_t count = described(device, index)->count;
    count = count < VIEW_ELEMENTS ? count : VIEW_ELEMENTS;
    for (size_t first = 0; first < count;) {
        size_t end = first;
        while (end < count && is_written(memory, end) == is_written(memory, first))
            end++;
        if (is_written(memory, first))
            report_elements(device, RECORD_WRITTEN, NONE, index, first, end - first);
        first = end;
    }
}

void sim_report_contents(struct device *device)
{
    if (device->setup.report_values)
        return;
    for (uint32_t i = 0; i < device->setup.program->memory_count; i++)
        if (device->memories[i].bytes)
            report_memory(device, i);
}

static bool is_accessible(const struct device *device, uint32_t memory, struct error *error)
{
    const struct memory *accessed = described(device, memory);
    if (device->memories[memory].freed)
        return error_set(error, "the host program uses %s after it was freed", accessed->name);
    if (!device->memories[memory].bytes)
        return error_set(error, "the host program uses %s, which was not allocated", accessed->name);
    if (accessed->kind == MEMORY_DEVICE)
        return error_set(
            error, "the host program uses %s, which is memory of a GPU: a real one ends the process here",
            accessed->name);
    return true;
}

static void host_write(struct device *device, uint32_t call, const struct span *span)
{
    const struct program *program = device->setup.program;
    uint8_t type = described(device, span->memory)->type;
    size_t size = element_size(type);
    for (uint32_t i = 0; i < span->count; i++) {
        uint8_t element[8];
        element_store(type, element, produced_value(program, call, span->count, i));
        sim_write(device, span, i * size, element, size);
    }
    if (device->setup.report_values)
        sim_report_written(device, call, span, 0, span->count * size);
}

bool sim_host_access(struct device *device, uint32_t call, struct error *error)
{
    const struct statement *statement = call_statement(device->setup.program, call);
    const struct span *span = &device->setup.program->spans[statement->first_span];
    if (!is_accessible(device, span->memory, error))
        return false;
    if (statement->kind == CALL_WRITE)
        host_write(device, call, span);
    else
        report_elements(device, RECORD_HOST_READ, call, span->memory, span->first, span->count);
    return true;
}

struct snapshot *sim_snapshot(struct device *device, uint32_t call, size_t length)
{
    struct snapshot *snapshot = memory_zeroed(1, sizeof *snapshot + length);
    snapshot->call = call;
    snapshot->length = length;
    snapshot->next = device->snapshots;
    device->snapshots = snapshot;
    return snapshot;
}

struct snapshot *sim_take_snapshot(struct device *device, uint32_t call)
{
    for (struct snapshot **at = &device->snapshots; *at; at = &(*at)->next)
        if ((*at)->call == call) {
            struct snapshot *taken = *at;
            *at = taken->next;
            return taken;
        }
    return NULL;
}
