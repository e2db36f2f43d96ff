/* Calls, bytes and waits in words, for findings. ASCII. */
#ifndef HANDOFF_ORDER_WORDING_H
#define HANDOFF_ORDER_WORDING_H

#include "order/order.h"

/* "`recv x from 0 on comm` (rank 1, line 17)" */
void word_call(const struct program *program, uint32_t call, struct text *out);
/* The same without the rank. */
void word_call_of_rank(const struct program *program, uint32_t call, struct text *out);

/* The line of the file that the call stands on. */
uint32_t call_line(const struct program *program, uint32_t call);

/* "x[2:4] (8 bytes)", "x (16 bytes)" */
void word_elements(const struct program *program, uint32_t memory, uint32_t first, uint32_t count,
                   struct text *out);

/* What stands between the call of POINT and the call that its wait names: " stands on stream s behind ". */
void word_reason(const struct order *order, uint32_t point, const struct wait *wait, struct text *out);

#endif
