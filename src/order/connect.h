/* NCCL connects two ranks at their first transfer in a direction, and all at the first collective, and may
 * hold the host programs until both or all have come to it (NCCL user guide: NCCL_RUNTIME_CONNECT, on by
 * default; usage/groups: every call may have to block). */
#ifndef HANDOFF_ORDER_CONNECT_H
#define HANDOFF_ORDER_CONNECT_H

#include "order/order.h"

/* By call: whether it is such a first one. The caller frees it. */
bool *find_first_uses(const struct program *program);

/* Whether a host program may get stuck at a first use, or where host memory is allocated or copied. Quick,
 * and sure only where it says no. */
bool may_hold_hosts(const struct order *order, const bool *first_uses);

#endif
