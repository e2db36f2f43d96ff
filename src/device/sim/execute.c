/* Kernels and sets read when they start and write when they are done; copies move in pieces. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/sim/device.h"
#include "schedule/kernel.h"

static const struct span *spans_of(const struct device *device, const struct statement *statement)
{
    return &device->setup.program->spans[statement->first_span];
}

/* The bytes of all that the call reads, one span behind the other. */
static void read_inputs(struct device *device, uint32_t call, const struct statement *statement)
{
    const struct span *spans = spans_of(device, statement);
    size_t length = 0;
    for (uint32_t s = 0; s < statement->span_count; s++)
        if (spans[s].access & ACCESS_READ)
            length += span_bytes(device->setup.program, &spans[s]);
    struct snapshot *snapshot = sim_snapshot(device, call, length);
    size_t at = 0;
    for (uint32_t s = 0; s < statement->span_count; s++) {
        if (!(spans[s].access & ACCESS_READ))
            continue;
        size_t bytes = span_bytes(device->setup.program, &spans[s]);
        sim_read(device, &spans[s], 0, snapshot->bytes + at, bytes);
        at += bytes;
    }
}

void sim_start(struct device *device, uint32_t call)
{
    read_inputs(device, call, call_statement(device->setup.program, call));
}

/* Writes or accumulates one output of a kernel, block by block. */
static void write_output(struct device *device, uint32_t call, const struct snapshot *inputs,
                         const struct span *span)
{
    enum { BLOCK_ELEMENTS = 512 };
    uint8_t block[BLOCK_ELEMENTS * sizeof(double)];
    size_t size = element_size(device->setup.program->memories[span->memory].type);
    for (uint32_t first = 0; first < span->count;) {
        uint32_t count = span->count - first < BLOCK_ELEMENTS ? span->count - first : BLOCK_ELEMENTS;
        if (span->access & ACCESS_ACCUMULATE)
            sim_read(device, span, first * size, block, count * size);
        kernel_make(device->setup.program, call, span, inputs ? inputs->bytes : NULL, first, count, block);
        sim_write(device, span, first * size, block, count * size);
        first += count;
    }
}

static void set_bytes(struct device *device, const struct statement *statement, const struct span *span)
{
    uint8_t block[4096];
    memset(block, statement->value, sizeof block);
    size_t length = span_bytes(device->setup.program, span);
    for (size_t at = 0; at < length; at += sizeof block)
        sim_write(device, span, at, block, length - at < sizeof block ? length - at : sizeof block);
}

void sim_done(struct device *device, uint32_t call)
{
    const struct statement *statement = call_statement(device->setup.program, call);
    const struct span *spans = spans_of(device, statement);
    struct snapshot *inputs = sim_take_snapshot(device, call);
    for (uint32_t s = 0; s < statement->span_count; s++) {
        if (!(spans[s].access & ACCESS_CHANGE))
            continue;
        if (statement->kind == CALL_SET)
            set_bytes(device, statement, &spans[s]);
        else
            write_output(device, call, inputs, &spans[s]);
        if (device->setup.report_values)
            sim_report_written(device, call, &spans[s], 0, span_bytes(device->setup.program, &spans[s]));
    }
    free(inputs);
}

static const struct snapshot *find_snapshot(const struct device *device, uint32_t call)
{
    const struct snapshot *snapshot = device->snapshots;
    while (snapshot && snapshot->call != call)
        snapshot = snapshot->next;
    return snapshot;
}

void sim_copy(struct device *device, const struct grant *grant)
{
    const struct statement *statement = call_statement(device->setup.program, grant->index);
    const struct span *source = spans_of(device, statement), *destination = source + 1;
    const struct snapshot *staged = find_snapshot(device, grant->index);
    uint8_t block[65536];
    for (size_t at = grant->offset, end = at + grant->length; at < end;) {
        size_t count = end - at < sizeof block ? end - at : sizeof block;
        if (staged)
            memcpy(block, staged->bytes + at, count);
        else
            sim_read(device, source, at, block, count);
        sim_write(device, destination, at, block, count);
        at += count;
    }
    if (device->setup.report_values)
        sim_report_written(device, grant->index, destination, grant->offset, grant->length);
    if (staged && grant->offset + grant->length == staged->length)
        free(sim_take_snapshot(device, grant->index));
}
