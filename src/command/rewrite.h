/* Puts a changed schedule in the place of the old one, in its file or in its lesson. */
#ifndef HANDOFF_COMMAND_REWRITE_H
#define HANDOFF_COMMAND_REWRITE_H

#include "lesson/library.h"
#include "schedule/edit.h"

/* Whether what a command's argument names is a file that can be changed, and not read once. */
bool rewrite_is_possible(const char *argument);

/* The file is whole at every moment, the old one or the new one. */
bool rewrite_schedule(const struct source *source, const struct edit *edits, size_t count,
                      struct error *error);

#endif
