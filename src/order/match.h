/* Which calls meet: sends with receives, and the calls that every rank makes together. Static: the order of
 * the calls decides (rules 5 and 7). */
#ifndef HANDOFF_ORDER_MATCH_H
#define HANDOFF_ORDER_MATCH_H

#include "order/order.h"

/* Fills order->match, and where the program aborts a communicator what its aborts end. */
void order_match(struct order *order);

/* Of a group that the call END closes, outermost: gives each member what OF_COMMUNICATOR has at END, which is
 * what submits it. */
void note_members(const struct program *program, uint32_t end, const uint32_t *of_communicator,
                  uint32_t *of_call);

#endif
