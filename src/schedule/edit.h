/* Changes a schedule's text by lines: what is not changed stays byte for byte. */
#ifndef HANDOFF_SCHEDULE_EDIT_H
#define HANDOFF_SCHEDULE_EDIT_H

#include "schedule/schedule.h"

enum edit_kind {
    EDIT_INSERT,  /* the words become a line before LINE; line_count + 1 is the end of the text */
    EDIT_REPLACE, /* the words stand where LINE's statement stood; its variants and its comment stay */
    EDIT_REMOVE,  /* LINE goes */
};

/* The change of one line. */
struct edit {
    enum edit_kind kind;
    uint32_t line;     /* within the schedule's text, before any edit */
    const char *words; /* a statement, without indentation. NULL to remove */
    uint32_t like;     /* the line whose indentation is taken; 0: LINE */
};

/* Appends the text after the edits. They may come in any order; those to be inserted before one line keep
 * theirs. A line is replaced or removed once at most. */
void schedule_edit(const struct schedule *schedule, const struct edit *edits, size_t count, struct text *out);

/* Appends the same as a patch of the file of this name ("diff -u"). VISIBLE: fit for a terminal, where the
 * file's control characters are made visible; else fit for patch. */
void schedule_patch(const struct schedule *schedule, const struct edit *edits, size_t count, const char *file,
                    bool visible, struct text *out);

#endif
