/* The launcher's half of a backend: what drives a run. The simulator's driver holds the order machine and a
 * clock of its own, and tells the workers what to do and when; a GPU's driver opens the board's gates and
 * reads its marks, and time is real. The session asks it to go on and shows the log what it says. */
#ifndef HANDOFF_DEVICE_DRIVER_H
#define HANDOFF_DEVICE_DRIVER_H

#include "device/device.h"

struct driver; /* a backend's own */

struct driver_setup {
    const struct order *order;
    struct board *board;
    bool eager, report_values;
    enum watch watch;    /* where time is real. WATCH_GATES: gates and goals other than the end are obeyed */
    const int64_t *pids; /* by rank */
    /* Sends a grant to a worker. Never blocks: what the worker cannot take yet is kept. */
    void (*grant)(void *context, uint32_t rank, const struct grant *grant);
    /* The next record of the log, with its time. */
    void (*say)(void *context, const struct record *record);
    void *context;
};

enum advance {
    ADVANCED,       /* something happened; ask again */
    ADVANCE_AWAITS, /* nothing can happen before a worker reports or, in real time, before a while is over */
    ADVANCE_RESTS,  /* nothing happens by UNTIL, with the gates as they are */
    ADVANCE_ENDED,  /* the run is over, and every worker was told to leave */
};

struct driver_backend {
    struct driver *(*open)(const struct driver_setup *setup);
    void (*close)(struct driver *driver);

    /* Lets happen what is due next and no later than UNTIL (ns). AHEAD: no goal is looked at after each
     * record, so there is no need to await what workers report. Never blocks, and is short. */
    enum advance (*advance)(struct driver *driver, int64_t until, bool ahead);
    enum outcome (*outcome)(const struct driver *driver); /* once ENDED: finished or stuck */
    bool (*awaiting)(const struct driver *driver);        /* whether records are held back for a report */

    /* What a worker reported, REPORT_ANSWERED included. */
    void (*reported)(struct driver *driver, uint32_t rank, const struct record *record);
    /* Says what is held back for its place in the log: nobody is to report any more what belongs before it.
     * NULL: nothing is held back. */
    void (*let_out)(struct driver *driver);
    /* The worker has gone, and reported all that it will. */
    void (*lost)(struct driver *driver, uint32_t rank);

    /* The session has closed or opened every gate of the board that is still ahead. */
    void (*held)(struct driver *driver, bool held);
    /* The session has opened the gate before PHASE (ENTERED or STARTED) of the call. DONE: the operation is
     * running, and may go on to its end; false where that is not for the driver to say. */
    bool (*released)(struct driver *driver, uint32_t call, enum phase phase);

    int64_t (*now)(const struct driver *driver);
    int64_t (*next_due)(const struct driver *driver); /* TIME_NONE where nothing is, or time is real */
    int (*timeout_ms)(const struct driver *driver);   /* how long AWAITS may sleep; -1: until a report */
};

extern const struct driver_backend sim_driver, cuda_driver;

#endif
