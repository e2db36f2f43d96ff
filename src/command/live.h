/* A walk over a run that goes on while it is looked at: where screen and session meet. */
#ifndef HANDOFF_COMMAND_LIVE_H
#define HANDOFF_COMMAND_LIVE_H

#include "command/options.h"
#include "command/prepare.h"
#include "command/sharing.h"
#include "progress/study.h"

struct live_options {
    const char *command; /* for messages */
    struct run_options run;
    enum backend backend;
    size_t step; /* begin at the end of this step; 0: before the first */
    bool is_presented;
    struct sharing_options sharing;
    bool is_from_menu;
    struct study *progress; /* of the reader; NULL: nothing is kept */
    const char *begin_with; /* a challenge's name; NULL */

    /* Where it lies over another walk (excursion.h); NULL. */
    struct walk *over;
    const struct challenge *challenge;
    const char *lesson; /* the challenge's */
    bool *edits;        /* gets whether the reader left to edit the program again */
    bool is_running;    /* from the start */
};

/* Walks until the reader leaves. The terminal has to be open, and is closed where the status is not 0: the
 * command's exit status, after a message. PREPARED stays the caller's; its program may have been resolved
 * anew with other variants. */
int live_walk(struct prepared *prepared, const struct live_options *options);

#endif
