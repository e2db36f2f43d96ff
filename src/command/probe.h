/* What a machine has of CUDA and NCCL, looked up in a child process: neither library may be loaded into the
 * launcher. */
#ifndef HANDOFF_COMMAND_PROBE_H
#define HANDOFF_COMMAND_PROBE_H

#include "base/text.h"

/* Appends a line for the driver, each GPU, how they are linked, and NCCL, or what is missing of them. The
 * bytes are a driver's: untrusted. Returns the number of GPUs; 0 and ERROR, in one sentence, where a run
 * cannot use any. */
unsigned probe_cuda(struct text *found, struct error *error);

#endif
