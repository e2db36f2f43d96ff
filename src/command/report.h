/* A run told as text on standard output: events, timeline, buffers. */
#ifndef HANDOFF_COMMAND_REPORT_H
#define HANDOFF_COMMAND_REPORT_H

#include "log/print.h"

/* The columns of the terminal ($COLUMNS, or as it says); ELSEWHERE where there is none. */
int report_width(int elsewhere);

/* Prints the line of a record that the view was just folded over, and behind an outcome that is not finished
 * what waits for what. */
void report_record(const struct print *print, const struct record *record);

/* Prints the timeline as wide as the terminal ($COLUMNS, or 100 columns where there is none), then the
 * buffers, then where the schedule is wrong, if it is. */
void report_end(const struct print *print, const struct log_header *header);

/* Appends where check finds errors, if it does: executions that go well prove nothing. WHATEVER: "this
 * execution came to". */
void report_errors(const struct order *order, const char *whatever, struct text *out);

#endif
