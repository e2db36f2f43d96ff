/* The signals that end a run early. */
#ifndef HANDOFF_COMMAND_INTERRUPT_H
#define HANDOFF_COMMAND_INTERRUPT_H

#include "base/error.h"

/* From here on SIGINT, SIGTERM and SIGHUP are only noted. Call it after the workers were forked. */
bool interrupt_catch(struct error *error);

/* To poll for: it becomes readable when such a signal comes, and stays so. */
int interrupt_descriptor(void);

/* The signal that came; 0 for none. */
int interrupt_signal(void);

#endif
