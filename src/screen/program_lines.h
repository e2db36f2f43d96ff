/* The lines of a program that are shown: those it has without variants, and those that the chosen ones add.
 */
#ifndef HANDOFF_SCREEN_PROGRAM_LINES_H
#define HANDOFF_SCREEN_PROGRAM_LINES_H

#include "schedule/schedule.h"

struct program_line {
    uint32_t number; /* within the schedule, from 1 */
    uint32_t block;  /* lines of one `rank` block have one number */
    bool added, removed;
    bool is_rank, is_comment;
};

/* Owned by whoever declares it; zero-initialise, and free() the lines. */
struct program_lines {
    struct program_line *lines;
    size_t count, capacity;
};

/* Takes the place of what the list held. */
void program_lines_find(struct program_lines *list, const struct schedule *schedule, uint32_t variants);

#endif
