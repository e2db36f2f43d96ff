/* Whether every order between operations still holds without some statements. */
#ifndef HANDOFF_ORDER_REDUNDANT_H
#define HANDOFF_ORDER_REDUNDANT_H

#include "order/order.h"

/* Whether the call does something on the device: records and waits only order. */
bool is_work(const struct statement *statement);

/* A number that is the same for two graphs of a program in which the same operations and host accesses are
 * guaranteed behind one another: equal numbers mean equal orders, but for one chance in 2^64. */
uint64_t order_signature(const struct order *order);

#endif
