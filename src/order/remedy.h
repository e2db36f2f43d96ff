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
/* The first attempts at a deadlock, so many: a rank, or all of them, makes its calls in another's order. */
unsigned reorder_attempts(const struct remedy *remedy);
void remedy_reorder(const struct remedy *remedy, unsigned attempt);
bool remedy_partner(const struct remedy *remedy, unsigned attempt); /* unmatched */
bool remedy_mismatch(const struct remedy *remedy, unsigned attempt);
bool remedy_statement(const struct remedy *remedy, unsigned attempt); /* uninitialized, unrecorded, misuse */
bool remedy_communicator(const struct remedy *remedy, unsigned attempt); /* misuse: one of another GPU */

/* The same communication with COUNT elements and on another communicator. */
void replace_communication(const struct remedy *remedy, uint32_t call, uint32_t count,
                           const char *communicator);

/* What meets CALL on RANK, in its memory of the same name or, unless ALIKE, in another; false where it has
 * none. */
bool describe_partner(const struct remedy *remedy, uint32_t call, uint32_t rank, bool alike,
                      struct text *out);
/* Whether what CALL needs is there, but meets something before CALL. */
bool is_behind_mismatch(const struct remedy *remedy, uint32_t call);

/* Whether the order of two calls of a rank decides which of them meets what. */
bool match_in_turn(const struct statement *first, const struct statement *second);
enum matching { KEEPS_MATCHES, MATCHES_ANEW };

/* Whether two calls of a rank may change places without another meaning: what each reads and writes stays,
 * and with KEEPS_MATCHES whom each meets. */
bool may_swap(const struct program *program, uint32_t earlier, uint32_t later, enum matching matching);
struct calls {
    const uint32_t *items;
    uint32_t count;
};
/* Whether CALL may go to the other side of TO: it may change places with all that it passes, EXCEPT not
 * looked at. */
bool may_move(const struct remedy *remedy, uint32_t call, uint32_t to, const struct calls *except,
              enum matching matching);
/* Whether the lines may become a group of the rank of CALL, which stands on one of them. */
bool may_group(const struct remedy *remedy, uint32_t call, uint32_t first_line, uint32_t last_line);

/* The `group` that CALL stands in, the outermost; CALL where there is none. */
uint32_t outermost_group(const struct remedy *remedy, uint32_t call);
/* RANK's part in what CALL takes part in; NONE. */
uint32_t partner_of(const struct remedy *remedy, uint32_t call, uint32_t rank);

/* The line of a call within the schedule's text; of a member the line where its group ends, or begins. */
uint32_t line_of(const struct remedy *remedy, uint32_t call);
uint32_t line_after(const struct remedy *remedy, uint32_t call);
uint32_t line_before(const struct remedy *remedy, uint32_t call);

const struct statement *remedy_statement_of(const struct remedy *remedy, uint32_t call);
const char *communicator_name_of(const struct remedy *remedy, uint32_t call);
const struct span *span_of(const struct remedy *remedy, uint32_t call); /* of a communication */
const char *stream_name_of(const struct remedy *remedy, uint32_t call);
/* The last call of CALL's rank that uses the memory, or the communicator where MEMORY is NONE. */
uint32_t last_use(const struct remedy *remedy, uint32_t call, uint32_t memory, uint32_t communicator);

#endif
