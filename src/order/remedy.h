/* Changes that may make a finding go away. Each is a guess, tried and checked by fix.h. */
#ifndef HANDOFF_ORDER_REMEDY_H
#define HANDOFF_ORDER_REMEDY_H

#include "order/change.h"
#include "order/finding.h"

/* What a guess is made from. SO_FAR: the changes that are made already, whose names are taken. */
struct remedy {
    const struct order *order;
    const struct program *program;
    const struct finding *finding;
    const struct change *so_far;
    struct change *change;
};

/* Fills the empty CHANGE with guess number ATTEMPT, smallest change first; an empty one is no guess. False
 * where there are no more. */
bool remedy_guess(const struct remedy *remedy, unsigned attempt);

/* For the finding kinds, each in a file of its own. */
bool remedy_order(const struct remedy *remedy, unsigned attempt);    /* races, memory freed too early */
bool remedy_lifetime(const struct remedy *remedy, unsigned attempt); /* used after its end */
bool remedy_deadlock(const struct remedy *remedy, unsigned attempt);
bool remedy_partner(const struct remedy *remedy, unsigned attempt);   /* unmatched, mismatch */
bool remedy_statement(const struct remedy *remedy, unsigned attempt); /* uninitialized, unrecorded, misuse */
bool remedy_communicator(const struct remedy *remedy, unsigned attempt); /* misuse: one of another GPU */

/* The same communication with COUNT elements and on another communicator. */
void replace_communication(const struct remedy *remedy, uint32_t call, uint32_t count,
                           const char *communicator);

/* The line of a call within the schedule's text; of a member the line where its group ends, or begins. */
uint32_t line_of(const struct remedy *remedy, uint32_t call);
uint32_t line_after(const struct remedy *remedy, uint32_t call);
uint32_t line_before(const struct remedy *remedy, uint32_t call);

const struct statement *remedy_statement_of(const struct remedy *remedy, uint32_t call);
const char *stream_name_of(const struct remedy *remedy, uint32_t call);
/* The last call of CALL's rank that uses the memory, or the communicator where MEMORY is NONE. */
uint32_t last_use(const struct remedy *remedy, uint32_t call, uint32_t memory, uint32_t communicator);

#endif
