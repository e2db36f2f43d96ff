/* What a run came to, as one JSON object: `handoff run --json` (docs/log-format.md). */
#ifndef HANDOFF_LOG_RESULT_H
#define HANDOFF_LOG_RESULT_H

#include "log/view.h"

/* Appends the object and a newline. HEADER: its backend and GPUs are taken. */
void result_to_json(const struct view *view, const struct log_header *header, struct text *out);

#endif
