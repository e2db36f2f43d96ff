/* Making the worker processes, with nothing in them of the launcher's but what is theirs. */
#ifndef HANDOFF_PROCESS_SPAWN_H
#define HANDOFF_PROCESS_SPAWN_H

#include <sys/types.h>

#include "process/session.h"

/* A worker's descriptors. Each is a connected stream socket. */
struct worker_place {
    uint32_t rank;
    int channel;              /* grants come in, reports go out */
    int peers[RUN_MAX_RANKS]; /* by rank: to that rank's worker; -1 for its own */
};

/* A worker as its launcher sees it. */
struct spawned {
    pid_t pid;
    int channel; /* does not block */
    int output;  /* a pipe that ends all it prints; does not block */
};

/* Forks COUNT workers, all or none. RUN is called in each of them with CONTEXT and ends the process with
 * _exit(). A worker dies with the launcher, has the signals as a fresh program has them, but for an ignored
 * SIGPIPE, is in a process group of its own so that the terminal's keys do not reach it, reads nothing from
 * standard input and prints into its pipe. */
bool spawn_workers(struct spawned *workers, uint32_t count,
                   void (*run)(void *context, const struct worker_place *place), void *context,
                   struct error *error);

/* Ends the process, stopped or not, and waits until it is gone, for at most about two seconds. */
void spawned_kill(struct spawned *worker);

#endif
