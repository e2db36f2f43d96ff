/* A run as trace-event JSON, for ui.perfetto.dev and chrome://tracing. */
#ifndef HANDOFF_EXPORT_PERFETTO_H
#define HANDOFF_EXPORT_PERFETTO_H

#include "export/run.h"

/* Appends one JSON object: a process for each rank, a track for its host program and for each of its streams,
 * arrows from each call to its operation, from send to receive and from record to wait, and for each buffer a
 * counter of the operations that read and write it. Times are microseconds from the first record on. */
void export_perfetto(const struct export_run *run, struct text *out);

#endif
