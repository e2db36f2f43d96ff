/* Which calls meet: sends with receives, and the calls that every rank makes together. Static: the order of
 * the calls decides (rules 5 and 7). */
#ifndef HANDOFF_ORDER_MATCH_H
#define HANDOFF_ORDER_MATCH_H

#include "order/order.h"

/* Fills order->match, and where the program aborts a communicator what its aborts end. */
void order_match(struct order *order);

#endif
