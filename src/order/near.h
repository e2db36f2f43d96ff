/* For two operations that nothing orders: the orders that come near, so that one sees where they end. */
#ifndef HANDOFF_ORDER_NEAR_H
#define HANDOFF_ORDER_NEAR_H

#include "order/machine.h"

struct near_search;

/* GUARANTEED: a machine of CHOICE_GUARANTEED, which must outlive the search. */
struct near_search *near_open(const struct machine *guaranteed);
void near_close(struct near_search *search);

/* Appends sentences, each behind ". ". EARLIER is an operation; LATER one that was called after it, or a call
 * of the host program. */
void near_words(struct near_search *search, uint32_t earlier, uint32_t later, struct text *out);

#endif
