/* A run that is taken elsewhere: its log and all that the log refers to. The formats read nothing else. */
#ifndef HANDOFF_EXPORT_RUN_H
#define HANDOFF_EXPORT_RUN_H

#include "log/log.h"
#include "log/view.h"

/* Borrowed. */
struct export_run {
    const struct order *order;
    const struct log *log;
};

/* The view after the whole log; view_close() frees it. */
struct view *export_run_view(const struct export_run *run);

#endif
