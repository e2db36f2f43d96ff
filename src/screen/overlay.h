/* What lies over the screen: help, messages, the list of variants. Pure. */
#ifndef HANDOFF_SCREEN_OVERLAY_H
#define HANDOFF_SCREEN_OVERLAY_H

#include "screen/canvas.h"
#include "screen/walk.h"

void overlay_draw(const struct walk *walk, struct canvas *canvas, struct rectangle body);

/* A frame with a title around AREA, which is cleared. Returns the inside. */
struct rectangle frame_box(struct canvas *canvas, struct rectangle area, const char *title);

#endif
