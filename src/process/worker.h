/* A worker process: one rank's host program and its device. It does what it is granted, in order, and
 * reports. */
#ifndef HANDOFF_PROCESS_WORKER_H
#define HANDOFF_PROCESS_WORKER_H

#include "process/spawn.h"

struct worker_setup {
    const struct device_backend *backend;
    const struct order *order;
    struct board *board;
    const uint16_t *gpus;
    bool report_values;
};

/* For spawn_workers(); SETUP is a struct worker_setup. Does not come back. */
void worker_run(void *setup, const struct worker_place *place);

#endif
