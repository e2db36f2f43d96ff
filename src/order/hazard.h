/* Accesses to the same bytes that nothing orders: races, uses of freed memory, reads of what nothing wrote.
 */
#ifndef HANDOFF_ORDER_HAZARD_H
#define HANDOFF_ORDER_HAZARD_H

#include "order/finding.h"

/* Adds the findings, each pair of source lines once for a memory, without their texts. What starts and never
 * ends in any execution, such as a receive without its send, moves nothing: that is another finding's.
 * ALL_END: there is none of that. */
void find_hazards(const struct order *order, bool all_end, struct findings *findings);

enum hazard { READ_AFTER_WRITE, WRITE_AFTER_READ, WRITE_AFTER_WRITE };

/* Whether accesses of these kinds (bits of enum access) to the same bytes conflict. */
bool accesses_conflict(uint32_t first, uint32_t second);
/* The elements that both spans have; false where there are none. */
bool spans_overlap(const struct span *first, const struct span *second, struct span *shared);

/* The bytes of a memory that two calls, EARLIER made before LATER, both access in ways that conflict: the
 * first such range, and which hazard it is. False where there is none. */
bool calls_conflict(const struct program *program, uint32_t earlier, uint32_t later, uint32_t memory,
                    struct span *shared, enum hazard *hazard);

#endif
