/* Calls between two operations that nothing orders which look as if they did. */
#ifndef HANDOFF_ORDER_VAIN_H
#define HANDOFF_ORDER_VAIN_H

#include "order/order.h"

/* Appends a sentence behind ". " for each kind of such a call that the host program makes between EARLIER, an
 * operation, and LATER: a `sync device` for another GPU, and a `query` of EARLIER's stream or of an event
 * behind it. */
void vain_words(const struct order *order, uint32_t earlier, uint32_t later, struct text *out);

#endif
