/* One call of a host program, made on its device. */
#ifndef HANDOFF_PROCESS_CALL_H
#define HANDOFF_PROCESS_CALL_H

#include "device/device.h"

/* IDS: by communicator, for `comm`. False and ERROR where the call failed. */
bool call_make(const struct device_backend *backend, struct device *device, const struct program *program,
               const unsigned char (*ids)[COMMUNICATOR_ID_BYTES], uint32_t call, struct error *error);

#endif
