/* The verdict on a program: for every execution that the rules allow, not for one that happened. */
#ifndef HANDOFF_ORDER_CHECK_H
#define HANDOFF_ORDER_CHECK_H

#include "order/finding.h"

/* All findings with their texts, in the order of the lines. Freed by findings_free(). */
struct findings order_check(const struct order *order);

#endif
