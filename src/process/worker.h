/* A worker process: one rank's host program and its device. It does what it is granted, in order, and
 * reports. */
#ifndef HANDOFF_PROCESS_WORKER_H
#define HANDOFF_PROCESS_WORKER_H

#include "device/device.h"
#include "process/spawn.h"

struct worker_setup {
    /* Finds the backend, after the fork. NULL and ERROR where it is not to be had. */
    const struct device_backend *(*load)(struct error *error);
    const struct order *order;
    struct board *board;
    const char *gpu_list;
    bool report_values;
    enum watch watch;
};

/* For spawn_workers(); SETUP is a struct worker_setup. Does not come back. */
void worker_run(void *setup, const struct worker_place *place);

#endif
