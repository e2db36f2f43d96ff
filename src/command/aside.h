/* What is made of a walk's program only when the reader asks for it: its C text, and runs of its variants. */
#ifndef HANDOFF_COMMAND_ASIDE_H
#define HANDOFF_COMMAND_ASIDE_H

#include "export/c.h"
#include "screen/walk.h"

struct aside {
    /* The C text; LINES point into TEXT. */
    struct text text;
    const char **lines;
    struct export_line_map map;

    /* Runs on the simulator. */
    struct program *programs[COMPARED];
    struct order *orders[COMPARED];
    struct view *views[COMPARED];
    uint32_t other; /* variants of the second one */
};

/* Shows the C text in the walk's program panel, or the schedule again. FILE names what it is made from. */
void aside_show_code(struct aside *aside, const char *file, struct walk *walk);

/* Opens the comparison with the program without variants, or with the next one. */
void aside_compare(struct aside *aside, struct walk *walk);

/* Another program comes: nothing of this one stays. A zeroed one is fine. */
void aside_free(struct aside *aside, struct walk *walk);

#endif
