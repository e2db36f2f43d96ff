/* Schedules of one's own that came from what was on the screen: in the state folder's schedules/. */
#ifndef HANDOFF_COMMAND_COPIES_H
#define HANDOFF_COMMAND_COPIES_H

#include "lesson/library.h"

/* Appends the path of the copy of this name, made of letters that a file's name may hold. If there is none
 * yet, one is written that holds CONTENT. False and ERROR where that fails. */
bool copy_make(const char *name, const struct text *content, struct text *path, struct error *error);

/* Whether the file at PATH is one of them. */
bool copy_is_own(const char *path);

/* Those that are there, by name; none where there is no folder. Freed by library_free(). */
void copies_open(struct lesson_library *copies);

/* Appends the schedule as it is with these variants on: with none, as it was written. */
void copy_flatten(const struct schedule *schedule, uint32_t variants, struct text *out);

#endif
