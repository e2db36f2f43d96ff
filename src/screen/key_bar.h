/* The last row of a walk: what keys do here. Pure. */
#ifndef HANDOFF_SCREEN_KEY_BAR_H
#define HANDOFF_SCREEN_KEY_BAR_H

#include "screen/canvas.h"
#include "screen/walk.h"

/* Where there is no room for all of them, those that are worth most; a way out is always among them. */
void key_bar_draw(const struct walk *walk, struct canvas *canvas, struct rectangle area);

#endif
