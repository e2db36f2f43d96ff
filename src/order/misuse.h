/* Calls that CUDA or NCCL refuse, whatever the order. */
#ifndef HANDOFF_ORDER_MISUSE_H
#define HANDOFF_ORDER_MISUSE_H

#include "order/finding.h"

/* Each source line is reported once a memory. */
void find_misuse(const struct program *program, struct findings *findings);

#endif
