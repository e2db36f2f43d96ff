/* Where lessons are: $HANDOFF_LESSONS, beside the build tree that the program runs from, then the installed
 * folder, as seen from the program's own. */
#ifndef HANDOFF_LESSON_LIBRARY_H
#define HANDOFF_LESSON_LIBRARY_H

#include "lesson/lesson.h"

/* The texts come from the file system: name and path are untrusted, the title is visible already. */
struct lesson_entry {
    char *name; /* the file's name without number and ending: "overlap" */
    char *path;
    char *title;
    unsigned number; /* 0 for a file without one */
};
struct lesson_library {
    struct lesson_entry *entries; /* in teaching order: by number ("5-overlap.md"), then by name */
    size_t count;
    char *folder;
};

bool library_open(struct lesson_library *library, struct error *error);
void library_free(struct lesson_library *library);

/* Schedules may be as large as this, lessons as LESSON_MAX_BYTES. */
enum { SOURCE_MAX_BYTES = 64 << 20 };

/* Whether a command's argument names standard input: a schedule, read once. */
bool source_is_standard_input(const char *argument);

/* What a command's LESSON or FILE argument names: standard input, a lesson's name or number, else a file or a
 * pipe (.md a lesson, any other a schedule). Reads it. Faults of the file are in DIAGNOSTICS, all else in
 * ERROR (with the nearest lesson's name). FILE is set wherever DIAGNOSTICS got something. Free it in every
 * case. */
struct source {
    char *file;                /* for messages */
    struct lesson *lesson;     /* NULL for a bare schedule */
    struct schedule *schedule; /* the lesson's, or its own */
    struct schedule *own;
};
bool source_open(struct source *source, const char *argument, struct diagnostics *diagnostics,
                 struct error *error);
void source_free(struct source *source);

#endif
