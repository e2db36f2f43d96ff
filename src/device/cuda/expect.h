/* What a buffer should hold, as far as the program says: what was made last, before any transfers and copies.
 */
#ifndef HANDOFF_DEVICE_CUDA_EXPECT_H
#define HANDOFF_DEVICE_CUDA_EXPECT_H

#include "kernels/kernels.h"
#include "order/order.h"

/* What the call should write into the span of its own, if every rank's operations came in the order of its
 * calls. False where the program does not say. */
bool expect_written(const struct order *order, uint32_t call, const struct span *span,
                    struct progression *expected);

/* In work.c: what a kernel with a name of its own, or the host, makes of COUNT elements. */
struct progression produced_progression(const struct program *program, uint32_t call, uint32_t count);

#endif
