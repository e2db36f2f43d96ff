/* The inside of a simulated device, as a worker has it: memory that no other process has, kernels that run on
 * the CPU, transfers through sockets. It keeps no time and no order: the driver says what happens when. */
#ifndef HANDOFF_DEVICE_SIM_DEVICE_H
#define HANDOFF_DEVICE_SIM_DEVICE_H

#include "device/device.h"
#include "device/sim/link.h"

/* Bytes read when an operation started, for when it is done. */
struct snapshot {
    struct snapshot *next;
    uint32_t call;
    size_t length;
    uint8_t bytes[];
};

/* What was never written reads as 0, and what is made of it counts as written: a real GPU gives what happens
 * to be there, and cannot tell either. */
struct sim_memory {
    uint8_t *bytes;   /* NULL where it was not allocated, or was freed */
    uint8_t *written; /* a bit for each element */
    bool freed;
};

struct device {
    struct device_setup setup;
    struct sim_memory *memories; /* by memory */
    struct links links;
    struct snapshot *snapshots;
    bool said_loss; /* that another worker has gone and left something unsent: once is enough */
};

/* memory.c */

bool sim_allocate(struct device *device, uint32_t memory, struct error *error);
bool sim_release(struct device *device, uint32_t memory, struct error *error);
bool sim_host_access(struct device *device, uint32_t call, struct error *error);
void sim_report_contents(struct device *device);

/* COUNT bytes from byte OFFSET of the span on. */
void sim_read(const struct device *device, const struct span *span, size_t offset, uint8_t *bytes,
              size_t count);
void sim_write(struct device *device, const struct span *span, size_t offset, const uint8_t *bytes,
               size_t count);
/* Reports the elements that the bytes are in, as written by CALL. */
void sim_report_written(struct device *device, uint32_t call, const struct span *span, size_t offset,
                        size_t count);

struct snapshot *sim_snapshot(struct device *device, uint32_t call, size_t length);
/* Takes it out of the device's list; the caller frees it. NULL if there is none. */
struct snapshot *sim_take_snapshot(struct device *device, uint32_t call);

/* execute.c: kernels, sets, and the pieces of copies */
void sim_start(struct device *device, uint32_t call);
void sim_done(struct device *device, uint32_t call);
void sim_copy(struct device *device, const struct grant *grant);

/* transfer.c */
bool sim_give(struct device *device, const struct grant *grant, struct error *error);
bool sim_take(struct device *device, const struct grant *grant, struct error *error);

#endif
