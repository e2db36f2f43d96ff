/* Partners that an abort may take away: it waits for nothing, so it may end a transfer or a collective on its
 * rank that has not taken part yet, or whose data are still on their way, and the other side waits on. */
#ifndef HANDOFF_ORDER_SEVERED_H
#define HANDOFF_ORDER_SEVERED_H

#include "order/finding.h"

/* An `unmatched` finding for each communication call that another rank's abort may cut off, unless its own
 * rank is sure to come to an abort of it; OTHER is the abort. ENDED as find_ended_communicators() has it. */
void find_severed(const struct order *order, const uint32_t *ended, struct findings *findings);

/* Whether it is one of those: what has no partner at all has no OTHER. */
static inline bool is_severed(const struct finding *finding)
{
    return finding->kind == FINDING_UNMATCHED && finding->other != NONE;
}

/* The partner of CALL that such a finding is about. */
uint32_t severed_partner(const struct order *order, uint32_t call, uint32_t abort);

#endif
