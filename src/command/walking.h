/* What `learn` and `present` have in common: their arguments, and the walk. */
#ifndef HANDOFF_COMMAND_WALKING_H
#define HANDOFF_COMMAND_WALKING_H

#include "command/live.h"

/* LIVE: what the command says about its walk; its arguments fill in the rest. Without a lesson or a file: the
 * menu. Returns the exit status. */
int walking_run(struct live_options *live, int argc, char **argv);

#define WALKING_OPTIONS_USAGE                                                                                \
    "  --step N         begin where step N has been reached\n"                                               \
    "  --no-mouse       leave the mouse to the terminal\n"                                                   \
    "  --share GROUP    let the members of a group follow; they see the lesson's file and what you show\n"

#endif
