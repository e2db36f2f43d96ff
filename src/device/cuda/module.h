/* The CUDA backend as a module of its own: a shared object that links CUDA and NCCL, so that nothing else of
 * handoff does. A worker loads it after the fork; the launcher never does, because neither library survives a
 * fork. */
#ifndef HANDOFF_DEVICE_CUDA_MODULE_H
#define HANDOFF_DEVICE_CUDA_MODULE_H

#include "base/text.h"
#include "device/device.h"

#define CUDA_MODULE_SYMBOL "handoff_cuda_module"
enum { CUDA_MODULE_CONTRACT = 3 }; /* counted up whenever a struct that crosses over changes */

struct cuda_module {
    uint32_t contract;
    const struct device_backend *backend;
    /* Appends one line for each thing found: driver, GPUs, how they are linked, NCCL. Returns the number of
     * GPUs; 0 and ERROR where none can be used. */
    unsigned (*describe)(struct text *out, struct error *error);
    /* Puts a gate and a mark behind it on a stream of the physical GPU for each call of the board, sets
     * `started_clock` of the first, and returns when all have passed. */
    bool (*hold_gates)(struct board *board, unsigned gpu, struct error *error);
};

/* Loads the module, for the rest of the process. NULL and ERROR, in one sentence for the user, where the
 * build has none, or where the driver or NCCL is missing. */
const struct cuda_module *cuda_module_load(struct error *error);

/* Whether loading is worth a try: the module was built and a driver's device file is there. Loads nothing, so
 * the launcher may ask. False and ERROR as above. */
bool cuda_module_is_likely(struct error *error);

/* The physical GPU of each of a program's GPU numbers, into GPUS (room for SCHEDULE_MAX_GPUS), out of the
 * AVAILABLE ones. LIST is "1,0" (GPU number 0 is the physical GPU 1) or NULL: GPU n is the physical n. Where
 * there are fewer than numbers, they are shared in turn. */
bool cuda_choose_gpus(const char *list, unsigned available, uint16_t *gpus, struct error *error);

#endif
