/* Where the program keeps what belongs to the person who uses it. */
#ifndef HANDOFF_PROGRESS_FOLDER_H
#define HANDOFF_PROGRESS_FOLDER_H

#include "base/text.h"

/* Appends $XDG_STATE_HOME/handoff, or else ~/.local/state/handoff, or SUB within it (NULL for none), and
 * makes the folders that are missing. False where that cannot be: no home, or no room to write. */
bool state_folder(const char *sub, struct text *out);

#endif
