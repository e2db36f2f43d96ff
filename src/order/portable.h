/* What an ok verdict rests on: where the rules find nothing wrong, and an NCCL or a CUDA that people run may
 * hang or keep another order all the same (docs/schedule-language.md, "What a verdict rests on"). */
#ifndef HANDOFF_ORDER_PORTABLE_H
#define HANDOFF_ORDER_PORTABLE_H

#include "order/finding.h"

/* Adds warnings with their texts to the findings of a program that have no error, in the order of the lines.
 */
void find_unportable(const struct order *order, struct findings *findings);

#endif
