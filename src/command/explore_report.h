/* What explore found, told. */
#ifndef HANDOFF_COMMAND_EXPLORE_REPORT_H
#define HANDOFF_COMMAND_EXPLORE_REPORT_H

#include "order/explore.h"

struct explore_report {
    const struct exploration *exploration;
    const char *file, *variants; /* untrusted; VARIANTS may be NULL */
    bool ascii;
};

/* Each outcome, and what differs from the first; then where check finds errors, if it does. */
void explore_append_text(const struct explore_report *report, struct text *out);

void explore_append_json(const struct explore_report *report, struct text *out);

/* "2 outcomes of 4 executions" and why the search stopped early, if it did. */
void explore_append_summary(const struct exploration *exploration, struct text *out);

#endif
