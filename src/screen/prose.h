/* The text of a step, and its questions. Pure. */
#ifndef HANDOFF_SCREEN_PROSE_H
#define HANDOFF_SCREEN_PROSE_H

#include "screen/canvas.h"
#include "screen/page.h"
#include "screen/walk.h"

/* Returns how many lines are left below. */
int prose_panel_draw(const struct walk *walk, struct canvas *canvas, struct rectangle area);

#endif
