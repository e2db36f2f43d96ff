/* Elements of every type as bytes and as numbers, and what the kernels with a meaning make of them. */
#ifndef HANDOFF_SCHEDULE_ELEMENT_H
#define HANDOFF_SCHEDULE_ELEMENT_H

#include "schedule/program.h"

/* 64-bit integers beyond 2^53 lose their last digits on the way through a double; nothing here makes such
 * values. */
double element_load(enum element_type type, const void *bytes);
/* Rounds to nearest even for the float types; integers wrap, as a C conversion from int64_t does. */
void element_store(enum element_type type, void *bytes, double value);

/* Element INDEX of what a producer writes at its TURN into COUNT elements (schedule-language.md, "Kernels
 * with a meaning"). A and a host write: COUNT * turn + index + 1. C: 100 * (turn + 1) + index. Any other
 * kernel but B: a value that its number among the program's kernels, its turn and the index tell apart. */
double produced_value(const struct program *program, uint32_t call, uint32_t count, uint32_t index);
/* From one element to the next these values grow by 1, and after so many elements they begin anew. */
uint32_t produced_period(const struct program *program, uint32_t call);

/* Whether such a kernel makes the value, and which: KERNEL is its number, TURN its turn modulo 1000. Only
 * where no value was made of others: a sum may look the same. */
bool value_names_kernel(const struct program *program, double value, uint32_t *kernel, uint32_t *turn);

#endif
