/* The inside of a session, for the files that make it up. */
#ifndef HANDOFF_PROCESS_INSIDE_H
#define HANDOFF_PROCESS_INSIDE_H

#include "device/driver.h"
#include "process/attended.h"
#include "process/session.h"

struct session {
    const struct order *order;
    struct session_options options;
    uint16_t gpus[SCHEDULE_MAX_GPUS];
    struct board *board;
    const struct device_backend *backend;
    const struct driver_backend *driving;
    struct driver *driver;
    struct attended workers[RUN_MAX_RANKS];
    uint32_t worker_count;
    bool told_to_leave[RUN_MAX_RANKS], exit_said[RUN_MAX_RANKS];
    struct session_goal goal;
    bool goal_reached;
    bool failed;        /* something that was said makes the outcome a failure */
    bool leaving;       /* the driver has ended the run */
    bool ended;         /* the outcome was said */
    bool unfinished;    /* the last pump stopped for its time, not for want of work */
    bool awaiting;      /* the driver has to wait */
    uint32_t *released; /* calls whose gate was opened and that is not said yet */
    size_t released_count, released_capacity;
};

/* The log's next record. CONTEXT is the session: the driver says its own through it. */
void session_say(void *context, const struct record *record);

#endif
