/* What may stop for good: cycles among the waits of a strict run. */
#ifndef HANDOFF_ORDER_DEADLOCK_H
#define HANDOFF_ORDER_DEADLOCK_H

#include "order/finding.h"

/* Adds a finding with its cycle, without a text, for each knot of waits; not where the cycle goes through a
 * call on a communicator that its rank ENDED before (may be NULL): that is another finding's.
 * Returns whether the run came to its end. */
bool find_deadlocks(const struct order *order, const uint32_t *ended, struct findings *findings);

/* A cycle in words, every link named. */
void word_deadlock(const struct order *order, const struct finding *finding, struct text *out);

#endif
