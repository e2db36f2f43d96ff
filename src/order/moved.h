/* How many bytes a transfer or a copy moves. */
#ifndef HANDOFF_ORDER_MOVED_H
#define HANDOFF_ORDER_MOVED_H

#include "order/order.h"

/* What all who take part in the communication or copy CALL have room for. Of a transfer whose counts differ
 * the rest stays where it is: NCCL reports nothing either (docs/measured.md). Of collectives that differ in
 * kind, type or root nothing says what a GPU does; here, nothing arrives. */
uint32_t moved_bytes(const struct order *order, uint32_t call);

/* The call whose statement says how the bytes are cut and how long they take: of a receive the matching send.
 */
uint32_t moved_sender(const struct order *order, uint32_t call);

/* How large an element of them is, in bytes. */
uint32_t moved_unit(const struct order *order, uint32_t call);

#endif
