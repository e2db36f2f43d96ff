/* The launcher's side of one worker: grants out, reports and printed lines in, and its end. Nothing blocks.
 */
#ifndef HANDOFF_PROCESS_ATTENDED_H
#define HANDOFF_PROCESS_ATTENDED_H

#include "base/text.h"
#include "device/device.h"
#include "process/output.h"
#include "process/spawn.h"

/* Grants that a worker has not taken: beyond this, its driver should pause. */
enum { ATTENDED_BACKLOG = 1 << 18 };

/* A worker that is attended to. */
struct attended {
    struct spawned process;
    struct output output;
    struct text grants; /* from SENT on, still to be sent */
    size_t sent;
    struct text reports; /* what has come and is not whole */
    bool closed;         /* its end of the channel */
    bool gone;           /* and it was reaped */
    int64_t status;      /* then: exit status, or minus the signal that ended it */
};

void attended_grant(struct attended *worker, const struct grant *grant);
size_t attended_backlog(const struct attended *worker);
void attended_flush(struct attended *worker);

/* Reads what was reported and gives each record to SINK. Returns whether anything came, the end included.
 * A report that makes no sense ends the worker. */
bool attended_receive(struct attended *worker, const struct program *program, uint32_t rank,
                      void (*sink)(void *context, uint32_t rank, const struct record *record), void *context);

/* Reaps the process if its channel is closed and it has ended. True when it has just gone. */
bool attended_reap(struct attended *worker);

/* Whether a signal has stopped the process since the last look; *SIGNAL is its number. */
bool attended_has_stopped(const struct attended *worker, int *signal);

/* Ends the process, whatever its state, and gives everything back. */
void attended_close(struct attended *worker);

#endif
