/* A walk as a whole screen. Pure. */
#ifndef HANDOFF_SCREEN_FRAME_H
#define HANDOFF_SCREEN_FRAME_H

#include "screen/canvas.h"
#include "screen/walk.h"

void frame_draw(const struct walk *walk, struct canvas *canvas);

/* What every full screen says on a terminal that is too small for it. */
void draw_too_small(struct canvas *canvas);

#endif
