/* What lies over a walk until the reader comes back from it: a challenge, or a schedule of one's own. */
#ifndef HANDOFF_COMMAND_EXCURSION_H
#define HANDOFF_COMMAND_EXCURSION_H

#include "command/live.h"

/* Each returns 0, or the exit status with which everything ends. OVER gets a notice where it cannot be, and
 * what is known of challenges. */
int excursion_challenge(struct walk *over, const struct prepared *prepared,
                        const struct live_options *options, size_t index);
/* Opens what is on the screen in the reader's editor, as a copy, and walks through what comes of it. */
int excursion_edit(struct walk *over, const struct prepared *prepared, const struct live_options *options);

#endif
