/* The bytes of sends, receives and collectives on their way between processes. A stream of bytes is known by
 * a call that both ends can name: the send's, or the collective's call on the lowest rank. */
#include <string.h>

#include "device/sim/device.h"
#include "schedule/element.h"

static const struct span *span_of(const struct device *device, uint32_t call)
{
    return &device->setup.program->spans[call_statement(device->setup.program, call)->first_span];
}

/* Calls are numbered rank by rank. */
static uint32_t lowest_of_ring(const struct order *order, uint32_t call)
{
    uint32_t lowest = call;
    for (uint32_t next = order->match[call]; next != call && next != NONE; next = order->match[next])
        lowest = next < lowest ? next : lowest;
    return lowest;
}

static uint32_t key_of(const struct device *device, uint32_t call)
{
    const struct order *order = device->setup.order;
    switch (call_statement(device->setup.program, call)->kind) {
    case CALL_SEND:
        return call;
    case CALL_RECV:
        return order->match[call];
    default:
        return lowest_of_ring(order, call);
    }
}

static void send_block(struct device *device, const struct statement *statement, uint32_t key,
                       const uint8_t *bytes, size_t count)
{
    if (statement->kind == CALL_SEND) {
        links_send(&device->links, statement->peer, key, bytes, count);
        return;
    }
    for (uint32_t rank = 0; rank < device->setup.program->rank_count; rank++)
        if (rank != device->setup.rank)
            links_send(&device->links, rank, key, bytes, count);
}

bool sim_give(struct device *device, const struct grant *grant, struct error *error)
{
    (void)error;
    const struct statement *statement = call_statement(device->setup.program, grant->index);
    uint32_t key = key_of(device, grant->index);
    uint8_t block[32768];
    for (size_t at = grant->offset, end = at + grant->length; at < end;) {
        size_t count = end - at < sizeof block ? end - at : sizeof block;
        sim_read(device, span_of(device, grant->index), at, block, count);
        send_block(device, statement, key, block, count);
        at += count;
    }
    return true;
}

static bool receive_block(struct device *device, uint32_t rank, uint32_t key, uint8_t *bytes, size_t count,
                          struct error *error)
{
    return links_receive(&device->links, rank, key, bytes, count) ||
           error_set(error, "rank %u has gone before it sent everything", rank);
}

/* Adds the bytes of every rank, always in the order of the ranks, so that all get the same. */
static bool sum_block(struct device *device, uint32_t call, size_t at, uint8_t *block, size_t count,
                      struct error *error)
{
    const struct span *span = span_of(device, call);
    uint8_t type = device->setup.program->memories[span->memory].type;
    size_t size = element_size(type);
    double sums[32768];
    memset(sums, 0, count / size * sizeof *sums);
    uint32_t key = key_of(device, call);
    for (uint32_t rank = 0; rank < device->setup.program->rank_count; rank++) {
        if (rank == device->setup.rank)
            sim_read(device, span, at, block, count);
        else if (!receive_block(device, rank, key, block, count, error))
            return false;
        for (size_t i = 0; i < count / size; i++)
            sums[i] += element_load(type, block + i * size);
    }
    for (size_t i = 0; i < count / size; i++)
        element_store(type, block + i * size, sums[i]);
    return true;
}

bool sim_take(struct device *device, const struct grant *grant, struct error *error)
{
    const struct statement *statement = call_statement(device->setup.program, grant->index);
    const struct span *span = span_of(device, grant->index);
    uint8_t block[32768];
    for (size_t at = grant->offset, end = at + grant->length; at < end;) {
        size_t count = end - at < sizeof block ? end - at : sizeof block;
        bool fine =
            statement->kind == CALL_ALLREDUCE
                ? sum_block(device, grant->index, at, block, count, error)
                : receive_block(device, statement->peer, key_of(device, grant->index), block, count, error);
        if (!fine) {
            bool is_known = device->said_loss;
            device->said_loss = true;
            return is_known;
        }
        sim_write(device, span, at, block, count);
        at += count;
    }
    if (device->setup.report_values)
        sim_report_written(device, grant->index, span, grant->offset, grant->length);
    return true;
}
