#include "order/progress.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void progress_open(struct progress *progress, const struct program *program)
{
    *progress = (struct progress){.program = program};
    progress->streams = memory_zeroed(program->stream_count, sizeof *progress->streams);
    for (uint32_t i = 0; i < program->stream_count; i++)
        progress->streams[i].last = NONE;
    progress->recorded = memory_all_ones(program->event_count, sizeof(uint32_t));
    progress->first_work = memory_all_ones(program->communicator_count, sizeof(uint32_t));
}

void progress_close(struct progress *progress)
{
    free(progress->streams);
    free(progress->recorded);
    free(progress->first_work);
    free(progress->work);
    free(progress->members);
    free(progress->group_streams);
}

void progress_begin_rank(struct progress *progress)
{
    for (uint32_t gpu = 0; gpu < SCHEDULE_MAX_GPUS; gpu++) {
        struct device_progress *device = &progress->devices[gpu];
        *device = (struct device_progress){.last_default = NONE, .last_communication = NONE};
        for (int list = 0; list < FRESH_LIST_COUNT; list++)
            device->first_fresh[list] = NONE;
    }
    memset(progress->first_work, 0xFF, progress->program->communicator_count * sizeof *progress->first_work);
    progress->work_count = 0;
    progress_clear_group(progress);
    progress->depth = 0;
}

struct device_progress *progress_device(struct progress *progress, uint32_t stream)
{
    return &progress->devices[progress->program->streams[stream].gpu];
}

void progress_clear_fresh(struct progress *progress, struct device_progress *device, enum fresh_list list)
{
    uint32_t next;
    for (uint32_t stream = device->first_fresh[list]; stream != NONE; stream = next) {
        next = progress->streams[stream].next_fresh[list];
        progress->streams[stream].fresh[list] = false;
    }
    device->first_fresh[list] = NONE;
}

static void make_fresh(struct progress *progress, uint32_t stream, enum fresh_list list)
{
    struct stream_progress *got_work = &progress->streams[stream];
    struct device_progress *device = progress_device(progress, stream);
    if (got_work->fresh[list])
        return;
    got_work->fresh[list] = true;
    got_work->next_fresh[list] = device->first_fresh[list];
    device->first_fresh[list] = stream;
}

void progress_submit(struct progress *progress, uint32_t stream, uint32_t operation)
{
    const struct stream *described = &progress->program->streams[stream];
    struct device_progress *device = progress_device(progress, stream);
    progress->streams[stream].last = operation;
    progress->streams[stream].serial = ++progress->serial;
    if (described->is_default) {
        progress_clear_fresh(progress, device, FRESH_FOR_DEFAULT);
        progress_clear_fresh(progress, device, FRESH_FOR_DEFAULT_SYNC);
        device->last_default = operation;
        device->default_serial = progress->serial;
    } else if (!described->nonblocking) {
        make_fresh(progress, stream, FRESH_FOR_DEFAULT);
        make_fresh(progress, stream, FRESH_FOR_DEFAULT_SYNC);
    }
    make_fresh(progress, stream, FRESH_FOR_DEVICE_SYNC);
    make_fresh(progress, stream, FRESH_FOR_ALLOCATION);
}

void progress_put_before_default(struct progress *progress, uint32_t stream, uint32_t end,
                                 const uint32_t *bound)
{
    const struct device_progress *device = progress_device(progress, stream);
    if (!progress->program->streams[stream].nonblocking && device->last_default != NONE &&
        bound[device->last_default] == end)
        progress->streams[stream].serial = device->default_serial - 1;
}

void progress_add_member(struct progress *progress, uint32_t call)
{
    uint32_t stream = call_statement(progress->program, call)->stream;
    ARRAY_RESERVE(progress->members, progress->member_count, progress->member_capacity);
    progress->members[progress->member_count++] = call;
    if (progress->streams[stream].in_group)
        return;
    progress->streams[stream].in_group = true;
    progress->streams[stream].last_member = NONE;
    ARRAY_RESERVE(progress->group_streams, progress->group_stream_count, progress->group_stream_capacity);
    progress->group_streams[progress->group_stream_count++] = stream;
}

void progress_clear_group(struct progress *progress)
{
    for (uint32_t i = 0; i < progress->group_stream_count; i++)
        progress->streams[progress->group_streams[i]].in_group = false;
    progress->group_stream_count = progress->member_count = 0;
}

void progress_add_work(struct progress *progress, uint32_t communicator, uint32_t stream, uint32_t operation)
{
    uint32_t *first = &progress->first_work[communicator];
    if (*first != NONE && progress->work[*first].stream == stream) {
        progress->work[*first].operation = operation;
        return;
    }
    ARRAY_RESERVE(progress->work, progress->work_count, progress->work_capacity);
    progress->work[progress->work_count] =
        (struct communicator_work){.operation = operation, .stream = stream, .next = *first};
    *first = progress->work_count++;
}
