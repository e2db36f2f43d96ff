/* The menu of lessons, and the walks that are begun from it. */
#ifndef HANDOFF_COMMAND_CHOOSE_H
#define HANDOFF_COMMAND_CHOOSE_H

#include "command/live.h"

/* Opens the terminal, and comes back when the reader leaves the menu: the command's exit status. */
int choose_and_walk(const struct live_options *options);

#endif
