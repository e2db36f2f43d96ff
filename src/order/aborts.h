/* What is done for certain when a rank aborts a communicator. */
#ifndef HANDOFF_ORDER_ABORTS_H
#define HANDOFF_ORDER_ABORTS_H

#include "order/causality.h"

/* The entry of one abort. */
struct abort_entry {
    uint32_t abort; /* the call */
    const struct causality *causality;
    const struct position
        *ends; /* by call: where its communication ends; COUNT is 0 where that has not started */
};

/* Calls EACH for every abort that some execution enters. ENDS: by call, of communication; found zeroed, and
 * left with a COUNT of 0 for what no execution starts. */
void aborts_run(const struct order *order, struct position *ends,
                void (*each)(void *context, const struct abort_entry *entry), void *context);

/* Whether CALL, communication of any rank, is done whenever the abort is entered. */
bool is_done_before(const struct abort_entry *entry, uint32_t call);

/* For a graph that is built otherwise, of a program with an abort: takes what is done before its abort, and
 * what is never aborted because the rank does not come to it, out of order->aborted_by, and gives its waits
 * the strength that they have without one. */
void settle_aborts(struct order *order);

#endif
