/* Groups that NCCL forbids, although no rule of ours finds a circle of waits in them. */
#ifndef HANDOFF_ORDER_CROSSED_H
#define HANDOFF_ORDER_CROSSED_H

#include "order/order.h"

/* How often collectives of one group, on different communicators, stand in the opposite order on another rank
 * (NCCL user guide, usage/groups, group operation ordering semantics: one order on all ranks, in a group
 * too). */
uint32_t count_crossed(const struct order *order);

#endif
