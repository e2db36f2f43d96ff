#ifndef HANDOFF_DEVICE_CUDA_DESCRIBE_H
#define HANDOFF_DEVICE_CUDA_DESCRIBE_H

#include "base/text.h"

/* See struct cuda_module. */
unsigned describe_machine(struct text *out, struct error *error);

#endif
