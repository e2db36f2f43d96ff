/* The inside of a session, for the files that make it up. */
#ifndef HANDOFF_PROCESS_INSIDE_H
#define HANDOFF_PROCESS_INSIDE_H

#include "base/text.h"
#include "device/driver.h"
#include "process/attended.h"
#include "process/session.h"

struct session {
    const struct order *order;
    struct session_options options;
    uint16_t gpus[SCHEDULE_MAX_GPUS];
    struct board *board;
    enum backend chosen;     /* BACKEND_SIM or BACKEND_CUDA */
    struct text description; /* of it, for people */
    struct text note;        /* what is to be said first; empty once it was */
    struct text refusal;     /* why CUDA cannot be had; empty while it may be */
    const struct driver_backend *driving;
    struct driver *driver;
    struct attended workers[RUN_MAX_RANKS];
    uint32_t worker_count;
    bool told_to_leave[RUN_MAX_RANKS], exit_said[RUN_MAX_RANKS];
    bool pressed[RUN_MAX_RANKS]; /* ended, because it did not leave in time */
    struct session_goal goal;
    bool goal_reached;
    bool failed;        /* something that was said makes the outcome a failure */
    bool leaving;       /* the driver has ended the run */
    bool ended;         /* the outcome was said */
    bool unfinished;    /* the last pump stopped for its time, not for want of work */
    bool awaiting;      /* the driver has to wait */
    int64_t said;       /* the time of the last record; TIME_NONE */
    bool held;          /* as session_hold_all() said last */
    int64_t heard;      /* CLOCK_MONOTONIC: when something came from a worker last */
    int64_t left;       /* CLOCK_MONOTONIC: when the driver ended the run */
    uint32_t *released; /* calls whose gate was opened and that is not said yet */
    size_t released_count, released_capacity;
};

/* backend.c. Before the workers are forked; ERROR where what the options ask for is not to be had. */
bool session_choose_backend(struct session *session, struct error *error);
const struct device_backend *session_load_sim(struct error *error);
const struct device_backend *session_load_cuda(struct error *error);
/* Keeps what a worker says of its GPUs, and why it cannot have them. Returns whether the record was for the
 * session alone. */
bool session_hear(struct session *session, const struct record *record);
/* A worker has gone. */
void session_hear_lost(struct session *session, int64_t status);
/* After a refusal, where the options leave the choice: a simulated run instead. */
bool session_must_fall_back(const struct session *session);

/* The log's next record. CONTEXT is the session: the driver says its own through it. */
void session_say(void *context, const struct record *record);
void session_say_text(struct session *session, uint8_t kind, uint32_t rank, const char *text, size_t length);
/* The time of what the session says itself. The driver may be ahead of the log, which keeps to one order. */
int64_t session_moment(const struct session *session);

/* attend.c. Takes in what has come from the workers, without waiting. Returns whether anything had. */
bool session_attend(struct session *session);
/* Says which workers have been stopped: nothing will come from them, and nothing else tells why. */
void session_say_stopped(struct session *session);
void session_say_exited(struct session *session, uint32_t rank);

#endif
