/* A schedule as a complete program of CUDA and NCCL, for nvcc. */
#ifndef HANDOFF_EXPORT_C_H
#define HANDOFF_EXPORT_C_H

#include "order/order.h"

/* Which line stands for which call. Lines count from 0. Freed by export_line_map_free(). */
struct export_line_map {
    uint32_t *calls; /* by line of the text: the first call that it stands for; NONE */
    uint32_t line_count;
    uint32_t *lines; /* by call: the first of its lines; NONE for one that needs no code */
};
void export_line_map_free(struct export_line_map *map);

/* Appends the program. FILE: what it is made from, untrusted; it gives the program its name
 * ("lessons/5-overlap.md": "overlap"). Names of the schedule stay as they are, unless they would mean
 * something else in C++, CUDA or NCCL. MAP may be NULL. */
void export_c(const struct order *order, const char *file, struct text *out, struct export_line_map *map);

#endif
