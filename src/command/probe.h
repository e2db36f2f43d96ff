/* What a machine has of CUDA and NCCL, looked up in a child process: neither library may be loaded into the
 * launcher. */
#ifndef HANDOFF_COMMAND_PROBE_H
#define HANDOFF_COMMAND_PROBE_H

#include "base/text.h"

/* Appends a line for the driver, each GPU and NCCL, or what is missing of them. The bytes are a driver's:
 * untrusted. False and ERROR where the child could not answer. */
bool probe_cuda(struct text *found, struct error *error);

#endif
