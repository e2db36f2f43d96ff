/* The inside of the simulator's driver: the order machine says what may happen, this says when. Everything is
 * decided here, in one process and by the numbers of calls, so that a run does not depend on how fast the
 * workers are: they only do what they are told, and tell values.
 *
 * Where nobody looks at values, a transfer's bytes are moved at its end in one go, or earlier where another
 * access to the same memory comes in between: what each access finds is the same as if the pieces had moved
 * one by one. */
#ifndef HANDOFF_DEVICE_SIM_RUN_H
#define HANDOFF_DEVICE_SIM_RUN_H

#include "device/driver.h"
#include "device/sim/heap.h"
#include "device/sim/journal.h"
#include "order/machine.h"

/* The transfer or copy of one call, from when nothing holds it any more to its end. A send gives, a receive
 * takes, of collectives a rank does one or both, a copy does both without a socket. */
struct flow {
    uint32_t call;
    uint32_t pieces;
    uint32_t given, taken; /* pieces so far */
    uint32_t unit, bytes;  /* pieces end at multiples of UNIT bytes; how many in all */
    int64_t begin, duration;
    bool gives, takes;
    bool stepwise; /* its pieces are due one by one */
};

/* Something on the way to the moment when every communicator is ready. */
struct setup_step {
    uint8_t kind; /* of its record */
    uint32_t rank, communicator;
    bool last;
};

/* What only the simulator knows of a call. */
struct sim_call {
    int64_t ready;     /* when the host program's own part of it is over */
    uint32_t flow;     /* index into flows, while it has one; NONE */
    bool moved;        /* its flow gave and took all */
    bool orphaned;     /* one who takes part in it is gone (orphan.c) */
    bool end_released; /* with the gates held: a person let it go on to its end */
};

/* A point that has come to a closed gate. */
struct held_point {
    uint32_t point;
    int64_t due;
};

/* RETURNED of a call that was entered, or DONE of an operation that has started, and what holds it. */
struct waiting {
    uint32_t point, until;
    bool said;
};

struct driver {
    struct driver_setup setup;
    const struct order *order;
    const struct program *program;
    struct machine *machine;
    int64_t now;
    struct heap heap;
    struct journal journal;
    struct sim_call *calls;
    struct flow *flows; /* those in progress, in no order */
    size_t flow_count, flow_capacity;
    uint32_t *flows_of_memory; /* how many flows touch each memory */
    struct held_point *held;
    size_t held_count, held_capacity;
    struct waiting *waiting; /* in the order in which they began to wait */
    size_t waiting_count, waiting_capacity;
    struct setup_step *setup_steps;
    bool holding; /* operations stop before their end, too */
    bool lost[JOURNAL_RANKS];
    bool any_lost;
    uint32_t returned, submitted, done; /* calls and operations so far */
    enum outcome outcome;               /* NONE before the run is over */
};

static inline const struct statement *statement_in(const struct driver *driver, uint32_t call)
{
    return call_statement(driver->program, call);
}
static inline bool has_happened(const struct driver *driver, uint32_t point)
{
    return driver->machine->happened[point];
}

/* say.c */
void run_say(struct driver *driver, enum record_kind kind, uint32_t call);
void run_say_waiting(struct driver *driver, uint32_t call, uint32_t point, uint8_t rule);
/* Grants to the rank's worker; what it answers goes into the log at this place. */
void run_grant(struct driver *driver, uint32_t rank, enum grant_kind kind, uint32_t index, uint32_t offset,
               uint32_t length, bool answer);
/* Begins to wait for POINT, if it does not happen at once. */
void run_watch(struct driver *driver, uint32_t point);
/* Says what is waited for now, once per change. At the end of each instant. */
void run_say_waits(struct driver *driver);

/* flow.c */

/* The flow of an operation of which nothing holds the end any more. False where it never comes to its end:
 * its data cannot come. */
bool flow_begin(struct driver *driver, uint32_t call, int64_t *duration);
/* Another access to the span is about to happen: moves the pieces that are due. */
void flow_touch(struct driver *driver, const struct span *span);
/* Whether the call has a flow that a closed gate does not stop. */
bool flow_is_moving(const struct driver *driver, uint32_t call);
/* A piece of a moving flow may be due. */
void flow_step(struct driver *driver, uint32_t call);
/* The operation is done. */
void flow_end(struct driver *driver, uint32_t call);
/* It is done with no more than was moved so far. */
void flow_drop(struct driver *driver, uint32_t call);
/* A person let the held operation go on. */
void flow_go_on(struct driver *driver, uint32_t call);

/* happen.c */
void run_schedule(void *driver, uint32_t point); /* for the machine: DRIVER is a struct driver */
void run_happen(struct driver *driver, const struct due *due);
/* Puts what was held at open gates back to what is due. */
void run_release_held(struct driver *driver);

/* orphan.c */

/* The operation does not come to its end any more, unless its own rank aborts it. */
void run_orphan(struct driver *driver, uint32_t call);
/* Whether it is one of those. */
bool run_is_alone(const struct driver *driver, uint32_t call);
/* Stops what a rank that has gone leaves half done with others. */
void run_lose(struct driver *driver);
/* The call ABORT was entered: ends what its rank has waited for in vain, and stops what is half done on
 * others, which may get stuck then, and so it does. */
void run_abort(struct driver *driver, uint32_t abort);
/* Whether the rank of CALL, communication, has aborted its communicator. */
bool run_was_aborted(const struct driver *driver, uint32_t call);

/* setup.c: forked processes, ids and communicators, at negative times up to 0 */
void setup_plan(struct driver *driver);
void setup_step(struct driver *driver, uint32_t index);

#endif
