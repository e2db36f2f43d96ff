#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/memory.h"
#include "device/sim/device.h"

static struct device *open_device(const struct device_setup *setup, struct error *error)
{
    (void)error;
    struct device *device = memory_zeroed(1, sizeof *device);
    device->setup = *setup;
    device->memories = memory_zeroed(setup->program->memory_count, sizeof *device->memories);
    links_open(&device->links, setup->peers, setup->program->rank_count);
    return device;
}

static void close_device(struct device *device)
{
    links_flush(&device->links);
    links_close(&device->links);
    for (uint32_t i = 0; i < device->setup.program->memory_count; i++) {
        free(device->memories[i].bytes);
        free(device->memories[i].written);
    }
    free(device->memories);
    for (struct snapshot *snapshot = device->snapshots, *next; snapshot; snapshot = next) {
        next = snapshot->next;
        free(snapshot);
    }
    free(device);
}

/* As unguessable as NCCL's, which has the address of a listening socket in it. */
static bool make_id(struct device *device, unsigned char id[COMMUNICATOR_ID_BYTES], struct error *error)
{
    (void)device;
    ssize_t made;
    do
        made = getrandom(id, COMMUNICATOR_ID_BYTES, 0);
    while (made < 0 && errno == EINTR);
    return made == COMMUNICATOR_ID_BYTES || error_set_errno(error, "no random bytes for an id");
}

/* The sockets are the communicators; the driver sees to it that every rank comes. */
static bool connect_communicator(struct device *device, uint32_t communicator,
                                 const unsigned char id[COMMUNICATOR_ID_BYTES], struct error *error)
{
    (void)device, (void)communicator, (void)id, (void)error;
    return true;
}

/* What the call asks for is done when the driver grants it. */
static bool submit(struct device *device, uint32_t call, struct error *error)
{
    (void)device, (void)call, (void)error;
    return true;
}

static bool obey(struct device *device, const struct grant *grant, struct error *error)
{
    switch (grant->kind) {
    case GRANT_START:
        sim_start(device, grant->index);
        return true;
    case GRANT_DONE:
        sim_done(device, grant->index);
        return true;
    case GRANT_COPY:
        sim_copy(device, grant);
        return true;
    case GRANT_GIVE:
        return sim_give(device, grant, error);
    case GRANT_TAKE:
        return sim_take(device, grant, error);
    default:
        return error_set(error, "a grant of unknown kind %u", grant->kind);
    }
}

static void await_channel(struct device *device, int channel)
{
    links_await(&device->links, channel);
}

const struct device_backend sim_backend = {
    .name = "simulated",
    .open = open_device,
    .close = close_device,
    .make_id = make_id,
    .connect = connect_communicator,
    .destroy = submit,
    .abort = submit,
    .use_gpu = submit,
    .allocate = sim_allocate,
    .release = sim_release,
    .create_stream = submit,
    .launch = submit,
    .copy = submit,
    .set = submit,
    .communicate = submit,
    .group_start = submit,
    .group_end = submit,
    .record = submit,
    .wait = submit,
    .synchronize = submit,
    .host_access = sim_host_access,
    .report_contents = sim_report_contents,
    .obey = obey,
    .await = await_channel,
};
