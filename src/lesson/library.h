/* Where lessons are: $HANDOFF_LESSONS, beside the build tree that the program runs from, then the installed
 * folder. */
#ifndef HANDOFF_LESSON_LIBRARY_H
#define HANDOFF_LESSON_LIBRARY_H

#include "lesson/lesson.h"

struct lesson_entry {
    char *name, *path, *title;
};
struct lesson_library {
    struct lesson_entry *entries; /* in teaching order: the number in the file's name ("5-overlap.md") */
    size_t count;
    char *folder;
};

bool library_open(struct lesson_library *library, struct error *error);
void library_free(struct lesson_library *library);

/* What a command's LESSON or FILE argument names: a lesson's name or number, else a file (.md a lesson, any
 * other a schedule). Reads it. Faults of the file are in DIAGNOSTICS, all else in ERROR (with the nearest
 * lesson's name). */
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
