/* A screen that is recorded: what a terminal has to be sent when it changes. */
#ifndef HANDOFF_EXPORT_CAST_SCREEN_H
#define HANDOFF_EXPORT_CAST_SCREEN_H

#include "screen/canvas.h"

struct cast_screen {
    struct canvas shown, next; /* the caller draws on NEXT */
    bool is_blank;             /* nothing was shown yet */
};

void cast_screen_open(struct cast_screen *screen, int rows, int columns, bool ascii);
void cast_screen_close(struct cast_screen *screen);

/* Appends what turns the terminal from SHOWN to NEXT. False where they are the same. */
bool cast_screen_show(struct cast_screen *screen, struct text *out);

#endif
