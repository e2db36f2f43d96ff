/* What can be seen without any order: sends and collectives without a partner or with one that differs, waits
 * on events that were not recorded, and work on a communicator that its rank has ended. */
#ifndef HANDOFF_ORDER_PAIRING_H
#define HANDOFF_ORDER_PAIRING_H

#include "order/finding.h"

/* By call: for communication, destroy and abort, the earlier destroy or abort of the communicator by the same
 * rank; NONE. NULL where the program has none. Freed by the caller. */
uint32_t *find_ended_communicators(const struct program *program);

/* Each source line is reported once a kind, for the first call that shows it. ENDED may be NULL. */
void find_unpaired(const struct order *order, const uint32_t *ended, struct findings *findings);

#endif
