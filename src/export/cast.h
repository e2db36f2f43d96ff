/* The walk of a lesson as a recording for asciinema (asciicast v2). */
#ifndef HANDOFF_EXPORT_CAST_H
#define HANDOFF_EXPORT_CAST_H

#include "export/run.h"
#include "lesson/lesson.h"

struct cast_options {
    const char *file;            /* gives the walk its title */
    const struct lesson *lesson; /* NULL for a bare schedule: its run, moment by moment */
    int rows, columns;
    int first, last; /* the walk's steps that are shown, from 1; LAST may be beyond its last */
    bool ascii;
};

enum { CAST_MOST_ROWS = 200, CAST_MOST_COLUMNS = 400 };

/* Appends the recording: each step runs, stands as long as its text takes to read, its questions are
 * answered, and a marker says where it begins. The same run gives the same recording, whatever its pids. RUN
 * is one without steps. */
void export_cast(const struct export_run *run, const struct cast_options *options, struct text *out);

#endif
