/* What the presenter sees beside the walk: notes, answers, what comes next, and how long it has been going
 * on. Pure. */
#ifndef HANDOFF_SCREEN_NOTES_H
#define HANDOFF_SCREEN_NOTES_H

#include "screen/canvas.h"
#include "screen/walk.h"

struct notes {
    const struct walk *walk;
    int64_t seconds; /* since the session began */
    int scroll;      /* lines */
    const char *end; /* how the session ended; "" while it goes on */
};

void notes_draw(const struct notes *notes, struct canvas *canvas);

/* "0:07", "12:34", "1:02:03" */
void format_elapsed(int64_t seconds, struct text *out);

#endif
