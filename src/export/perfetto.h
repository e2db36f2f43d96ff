/* A run as trace-event JSON, for ui.perfetto.dev and other viewers of that format. */
#ifndef HANDOFF_EXPORT_PERFETTO_H
#define HANDOFF_EXPORT_PERFETTO_H

#include "export/run.h"

/* Appends one JSON object: a process for each rank, a track for its host program and for each of its streams,
 * what calls and operations wait for as slices within theirs, arrows from each call to its operation, from
 * send to receive and from record to wait, and for each buffer counters of what reads and writes it. Times
 * are microseconds, from the log's time 0 on. */
void export_perfetto(const struct export_run *run, struct text *out);

#endif
