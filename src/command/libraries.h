/* What of CUDA and NCCL is installed, as far as the libraries themselves say. */
#ifndef HANDOFF_COMMAND_LIBRARIES_H
#define HANDOFF_COMMAND_LIBRARIES_H

#include "base/text.h"

/* Appends a line for the driver, each of its GPUs, and NCCL, or that it is missing. Loads them: not for the
 * launcher. */
void describe_libraries(struct text *out);

#endif
