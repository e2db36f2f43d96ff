/* The calls of a rank as they are written: what a `repeat` repeats exactly becomes a loop, the rest stands
 * one round after the other. */
#ifndef HANDOFF_EXPORT_C_ROUNDS_H
#define HANDOFF_EXPORT_C_ROUNDS_H

#include <stdint.h>

/* A call's lines, and what is said above them. */
struct c_step {
    char *code;
    char *reason;        /* "" for none */
    uint32_t call, line; /* the schedule's line */
    uint32_t again;      /* the next step of the same line; NONE */
    uint32_t same; /* the step whose lines stand for this one as well: itself, or one in an earlier round */
};

/* Steps FIRST .. FIRST + LENGTH - 1 stand in a loop of so many rounds. */
struct c_loop {
    uint32_t first, length, rounds;
};

/* Finds the loops, outer ones before those in them and in the order of the steps; freed by the caller. Of
 * rounds that are alike, the first is to be written, with what is said of the last. */
struct c_loop *c_fold_rounds(struct c_step *steps, uint32_t count, uint32_t *loop_count);

#endif
