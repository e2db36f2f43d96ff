/* A lesson's walk as a text to read or to listen to. */
#ifndef HANDOFF_COMMAND_PACE_H
#define HANDOFF_COMMAND_PACE_H

#include "command/options.h"
#include "command/prepare.h"

/* Runs it and prints, step by step, what happens, what the step says of it, its questions, and their answers
 * behind the events that show them. Returns the exit status. */
int pace_print(const struct prepared *prepared, const struct run_options *options, enum backend backend);

#endif
