/* A run of the simulator as a log in memory. */
#ifndef HANDOFF_COMMAND_SIMULATE_H
#define HANDOFF_COMMAND_SIMULATE_H

#include "command/prepare.h"
#include "log/log.h"

/* Runs it to its outcome, whatever that is. VARIANTS as they were chosen; NULL. The same program gives the
 * same log, pids apart. False and ERROR where the run cannot be made. LOG is freed by log_free() and
 * log_header_free(). */
bool simulate(const struct prepared *prepared, const char *variants, bool eager, struct log *log,
              struct error *error);

#endif
