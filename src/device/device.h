/* The worker's half of a backend: what a host program asks of its device, the calls of CUDA and NCCL that the
 * schedule language stands for. The simulator (sim/) is always built in; CUDA (cuda/) is a module that a
 * worker loads after the fork. The launcher's half is a driver (driver.h).
 *
 * Functions return false and set ERROR where the call failed. A call number says everything about a call: its
 * statement and spans are in the program. */
#ifndef HANDOFF_DEVICE_DEVICE_H
#define HANDOFF_DEVICE_DEVICE_H

#include "log/record.h"
#include "order/order.h"
#include "process/board.h"

enum { COMMUNICATOR_ID_BYTES = 128 }; /* sizeof(ncclUniqueId) (NCCL user guide, api/types) */

struct device; /* a backend's own */

/* What a device does at each operation besides the operation, where time is real. The simulator's launcher
 * does it all, so `sim` reads none of this. */
enum watch {
    WATCH_GATES,   /* holds it until the driver lets it go, marks it and reports it */
    WATCH_MARKS,   /* marks it and reports it */
    WATCH_NOTHING, /* nothing: for measuring what the others cost */
};

struct device_setup {
    const struct program *program;
    const struct order *order;
    struct board *board;
    uint32_t rank;
    const char *gpu_list; /* --gpus as it was written; NULL */
    const int *peers;     /* by rank: a connected stream socket to that rank's worker; -1 for its own */
    bool report_values;
    enum watch watch;
    /* Where what happened on the device goes, on its way to the log. Thread-safe. */
    void (*report)(void *context, const struct record *record);
    /* What was reported where time is real may be kept for a moment: sends it. Thread-safe. */
    void (*flush)(void *context);
    void *context;
};

/* What a driver tells a worker to do; a worker does one after another. */
enum grant_kind {
    GRANT_ID,      /* INDEX: a communicator. Rank 0 makes its id and passes it on, the others read it */
    GRANT_CONNECT, /* INDEX: a communicator */
    GRANT_CALL,    /* INDEX: a call that the host program makes now */
    GRANT_LEAVE,   /* report the last values, close the device and exit */
    /* What a simulated device does; INDEX is the operation's call. OFFSET and LENGTH: which bytes of the
       transfer. */
    GRANT_START,
    GRANT_DONE,
    GRANT_GIVE, /* read from the buffer and send to whoever takes part */
    GRANT_TAKE, /* receive and write to the buffer */
    GRANT_COPY,
};

struct grant {
    uint16_t kind;
    uint16_t answer; /* whether to report REPORT_ANSWERED behind what it reports */
    uint32_t index, offset, length;
};

/* Kinds of records that no log has. REPORT_GPUS: BYTES are SCHEDULE_MAX_GPUS uint16_t, the physical GPU of
 * each of the program's GPU numbers. REPORT_MACHINE: text, what the run is on; the first rank says it. */
enum { REPORT_ANSWERED = 255, REPORT_GPUS = 254, REPORT_MACHINE = 253 };

struct device_backend {
    const char *name;
    struct device *(*open)(const struct device_setup *setup, struct error *error);
    void (*close)(struct device *device);

    bool (*make_id)(struct device *device, unsigned char id[COMMUNICATOR_ID_BYTES], struct error *error);
    bool (*connect)(struct device *device, uint32_t communicator,
                    const unsigned char id[COMMUNICATOR_ID_BYTES], struct error *error);
    bool (*destroy)(struct device *device, uint32_t communicator, struct error *error);
    bool (*abort)(struct device *device, uint32_t communicator, struct error *error);

    bool (*use_gpu)(struct device *device, uint32_t gpu, struct error *error);
    bool (*allocate)(struct device *device, uint32_t memory, struct error *error);
    bool (*release)(struct device *device, uint32_t memory, struct error *error);
    bool (*create_stream)(struct device *device, uint32_t stream, struct error *error);

    bool (*launch)(struct device *device, uint32_t call, struct error *error);
    bool (*copy)(struct device *device, uint32_t call, struct error *error);
    bool (*set)(struct device *device, uint32_t call, struct error *error);
    bool (*communicate)(struct device *device, uint32_t call,
                        struct error *error); /* send, recv, collectives */
    bool (*group_start)(struct device *device, uint32_t call, struct error *error);
    bool (*group_end)(struct device *device, uint32_t call, struct error *error);
    bool (*record)(struct device *device, uint32_t call, struct error *error);
    bool (*wait)(struct device *device, uint32_t call, struct error *error);
    bool (*synchronize)(struct device *device, uint32_t call, struct error *error); /* sync, poll, query */
    bool (*host_access)(struct device *device, uint32_t call, struct error *error); /* read, write */

    /* At the end of a run, where what operations wrote was not reported: what each memory holds, as
     * RECORD_WRITTEN of no call, of its elements that were ever written. */
    void (*report_contents)(struct device *device);

    /* Real time in ns, one clock for all workers: calls are reported with it as they are made. NULL where
     * time is granted. */
    int64_t (*clock)(void);

    /* For devices that do only what they are told, else NULL. */
    bool (*obey)(struct device *device, const struct grant *grant, struct error *error);
    /* Sleeps until CHANNEL can be read, while what other workers send is taken in. NULL: poll will do. */
    void (*await)(struct device *device, int channel);
};

extern const struct device_backend sim_backend;

#endif
