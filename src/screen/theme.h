/* How a style looks, by the colours that a terminal has. */
#ifndef HANDOFF_SCREEN_THEME_H
#define HANDOFF_SCREEN_THEME_H

#include "screen/canvas.h"

enum { LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_UNDERLINE = 4, LOOK_REVERSE = 8 };

struct look {
    int colour; /* -1: the terminal's own */
    unsigned attributes;
};

/* COLOURS: 256, 8 or 0. */
struct look theme_look(enum style style, int colours);

#endif
