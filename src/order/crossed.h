/* Groups that NCCL forbids, although no rule of ours finds a circle of waits in them. */
#ifndef HANDOFF_ORDER_CROSSED_H
#define HANDOFF_ORDER_CROSSED_H

#include "order/order.h"

/* Two collectives of one group, on different communicators, and their parts on another rank: EARLIER stands
 * before CALL, and EARLIER_PART behind PART. */
struct crossing {
    uint32_t earlier, call, earlier_part, part;
};

/* How often collectives of a group stand in the opposite order on another rank (NCCL user guide,
 * usage/groups, group operation ordering semantics: one order on all ranks, in a group too). FOUND, unless it
 * is NULL, is called for each. */
uint32_t find_crossed(const struct order *order,
                      void (*found)(void *context, const struct crossing *crossing), void *context);

#endif
