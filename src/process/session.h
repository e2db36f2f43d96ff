/* A run in progress: the launcher's side of it. A session forks a worker for each rank, hands out gates and
 * time, and gives every event to its sink in order. It never blocks: a front end waits for its descriptors
 * and pumps it.
 *
 * Nothing moves unless a goal was set. Closing a session ends every process and gives everything back. */
#ifndef HANDOFF_PROCESS_SESSION_H
#define HANDOFF_PROCESS_SESSION_H

#include <poll.h>

#include "log/record.h"
#include "order/order.h"

enum { RUN_MAX_RANKS = 8 };

enum backend { BACKEND_AUTO, BACKEND_SIM, BACKEND_CUDA };

struct session_options {
    enum backend backend;
    bool eager;
    bool report_values; /* RECORD_WRITTEN during the run. Without, only at its end */
    bool stepped;       /* gates, or goals other than GOAL_END, will be used. Without, GPUs run freely */
    bool unwatched;     /* GPUs make no marks: no STARTED and DONE. For measuring what marks cost */
    const char *gpus;   /* --gpus: "1,0"; NULL */
    /* Called from within session_pump() and session_wait(), never from others. */
    void (*sink)(void *context, const struct record *record);
    void *context;
};

/* A condition on a run, as in a lesson's until block. Parsed and tested in lesson/until.c; here it is a
 * function that says whether it holds, asked after each record. */
struct session_goal {
    enum {
        GOAL_NONE,   /* nothing moves */
        GOAL_END,    /* on to the outcome */
        GOAL_UNTIL,  /* until HOLDS says so */
        GOAL_TIME,   /* until TIME (simulated ns); what is due then has happened */
        GOAL_SETTLE, /* until nothing more happens with the gates as they are */
    } kind;
    bool (*holds)(void *context);
    void *context;
    int64_t time;
};

enum session_state {
    SESSION_IDLE,   /* the goal is reached, or there is none */
    SESSION_MOVING, /* pump it when its descriptors are ready */
    SESSION_ENDED,  /* RECORD_OUTCOME was given out */
};

struct session;

/* Forks the workers. Before any library of CUDA is loaded. NULL and ERROR where that fails. */
struct session *session_open(const struct order *order, const struct session_options *options,
                             struct error *error);
void session_close(struct session *session);
/* Says what happened and is held back for its place in the log; before a run is closed that did not end. */
void session_let_out(struct session *session);

/* "simulated", or "cuda: " and the GPUs' names: for the log's header. On GPUs both this and session_gpus()
 * are known from the first RECORD_READY on. */
const char *session_backend(const struct session *session);
/* Whether the run ended because the backend that was asked for is not to be had here. */
bool session_is_unavailable(const struct session *session);
/* Fills GPUS by the program's GPU number with the machine's, and returns how many numbers there are. */
size_t session_gpus(const struct session *session, uint16_t gpus[SCHEDULE_MAX_GPUS]);

void session_set_goal(struct session *session, const struct session_goal *goal);
enum session_state session_state(const struct session *session);

/* Does what can be done without waiting: at most about 5 ms of work a call. */
enum session_state session_pump(struct session *session);

/* Fills FDS (room for SESSION_MAX_DESCRIPTORS) with what to poll for; returns how many. TIMEOUT_MS: -1, or
 * how long poll may sleep at most. */
enum { SESSION_MAX_DESCRIPTORS = 4 * RUN_MAX_RANKS + 2 };
int session_descriptors(const struct session *session, struct pollfd *fds, int *timeout_ms);

/* Polls and pumps until the goal is reached or the run has ended. For callers without a screen. */
enum session_state session_wait(struct session *session);

/* Gates. A track is a rank's host program (STREAM NONE) or a stream. Held tracks stop before each call or
 * operation until it is released. All are open at first. */
void session_hold_all(struct session *session, bool held);
/* Opens the gate of the track's next call or operation; where one of it is running, lets time go on until
 * that is done. False and ERROR (in words for the user) where there is nothing to release. Follow with
 * GOAL_SETTLE. */
bool session_release(struct session *session, uint32_t rank, uint32_t stream, struct error *error);
/* Opens the gate of one operation or call by its number. */
bool session_release_call(struct session *session, uint32_t call, struct error *error);

/* When the next thing is due in simulated time; TIME_NONE where nothing is or time is real. */
int64_t session_next_due(const struct session *session);

#endif
