/* What the checker says of a program on the screen: with the lines of the schedule as the screen counts them,
 * where `handoff check` counts those of the file. */
#ifndef HANDOFF_COMMAND_VERDICT_H
#define HANDOFF_COMMAND_VERDICT_H

#include "order/check.h"

struct verdict {
    struct schedule *schedule; /* the same text, beginning at line 1 */
    struct program *program;   /* the same calls */
    struct order *order;
    struct findings findings;
};

/* Freed by verdict_free(); a zeroed one too. */
struct verdict verdict_open(const struct program *program);
void verdict_free(struct verdict *verdict);

#endif
