/* Whole files that are there whole or not at all. */
#ifndef HANDOFF_BASE_FILE_H
#define HANDOFF_BASE_FILE_H

#include <stddef.h>

#include "base/error.h"

/* Puts LENGTH bytes into the file at PATH, in the place of what it held. They are written beside it first:
 * where that fails, PATH is as it was. What is no regular file (a terminal, a pipe) is written to. */
bool file_replace(const char *path, const char *bytes, size_t length, struct error *error);

#endif
