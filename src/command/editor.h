/* The person's own editor. */
#ifndef HANDOFF_COMMAND_EDITOR_H
#define HANDOFF_COMMAND_EDITOR_H

#include "base/error.h"

/* Lends the open terminal to $VISUAL, $EDITOR or vi with the file at PATH, and takes it back when that ends.
 * No shell is involved: the variable's words may be quoted as in one, and nothing in it is expanded. False
 * and ERROR where there is no such program, or it fails. */
bool editor_run(const char *path, struct error *error);

#endif
