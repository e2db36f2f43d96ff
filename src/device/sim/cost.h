/* How long things take in the simulator: the one table. Nanoseconds. */
#ifndef HANDOFF_DEVICE_SIM_COST_H
#define HANDOFF_DEVICE_SIM_COST_H

#include "schedule/program.h"

/* Setting up. */
int64_t cost_of_fork(void);    /* from one process to the next */
int64_t cost_of_id(void);      /* making it; reading it */
int64_t cost_of_connect(void); /* ncclCommInitRank, once every rank is in it */

/* What the host program itself needs for a call, waiting apart. */
int64_t cost_of_call(const struct statement *statement);
/* From one call's return to the next call. */
int64_t cost_between_calls(void);

/* From when nothing holds an operation any more to its start. */
int64_t cost_of_start(void);
/* From its start to its end, once nothing else holds it. BYTES: how much a transfer or copy moves. */
int64_t cost_of_operation(const struct program *program, const struct statement *statement, uint64_t bytes);
/* What is left of an operation that was aborted. */
int64_t cost_of_abort(void);

#endif
