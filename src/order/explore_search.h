/* Goes through the executions of a program, one for each way to order what conflicts. */
#ifndef HANDOFF_ORDER_EXPLORE_SEARCH_H
#define HANDOFF_ORDER_EXPLORE_SEARCH_H

#include "order/explore.h"
#include "order/explore_choices.h"

/* Adds the endings of the executions that take the waits of CHOICE. */
void search_executions(struct exploration *exploration, const struct choices *choices, enum choice choice,
                       const struct explore_options *options);

#endif
