/* The timeline within a walk: which part of it is shown, and what there is to say of a moment. Pure. */
#ifndef HANDOFF_SCREEN_TIMELINE_PANEL_H
#define HANDOFF_SCREEN_TIMELINE_PANEL_H

#include "screen/line.h"
#include "screen/walk.h"

void timeline_panel_draw(const struct walk *walk, struct canvas *canvas, struct rectangle area);

/* The runs of walk.compared below one another, on one scale. */
void timeline_compare_draw(const struct walk *walk, struct canvas *canvas, struct rectangle area);

/* What runs at the moment that is shown, and what waits for what. */
void moment_write(const struct walk *walk, struct line *line);

#endif
