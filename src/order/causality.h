/* What is guaranteed to have happened before what: goes through the points of a program in an order that
 * every wait allows, and knows at each which others every execution has behind it.
 *
 * A chain is a host program or a stream. A position in a host program's chain is a number of calls that have
 * returned, in a stream's chain a number of operations (a group of one communicator counts as one) that are
 * done. */
#ifndef HANDOFF_ORDER_CAUSALITY_H
#define HANDOFF_ORDER_CAUSALITY_H

#include "order/clock.h"
#include "order/machine.h"

struct position {
    uint32_t chain, count;
};

struct causality {
    const struct order *order;
    const struct program *program;
    struct machine *machine; /* CHOICE_GUARANTEED */
    struct clock_pool clocks;
    uint32_t *stream_chains; /* by stream; NONE for one without operations */
    uint32_t *chain_clocks;  /* what a host program or stream knows so far */
    uint32_t *chain_counts;  /* streams: operations done */
    uint32_t *places_done;   /* streams: of those the members of a group that is at hand (order->place) */
    uint32_t *snapshots;     /* by point: what it knew, for those in other chains that wait for it */
    uint32_t *host_points;   /* a ring: ready points of host programs */
    uint32_t host_first, host_count;
    uint32_t *operation_points; /* a stack */
    uint32_t operation_count, operation_capacity;
    uint32_t point, clock; /* the point being visited and what it knows */
};

/* Calls VISIT at each point that happens, after everything that it waits for. A point that nothing is
 * guaranteed to let happen is not visited. */
void causality_run(const struct order *order, void (*visit)(void *context, const struct causality *causality),
                   void *context);

/* Where the work of a call ends in its chain: an operation's when it is done, a host call's when it returned.
 * For the call whose STARTED or ENTERED is being visited. */
struct position causality_end(const struct causality *causality, uint32_t call, enum phase phase);

/* Up to which position of the chain everything has happened before the point that is being visited. */
uint32_t causality_known(const struct causality *causality, uint32_t chain);

/* Whether everything up to POSITION has happened before the point that is being visited. */
bool causality_knows(const struct causality *causality, struct position position);

#endif
