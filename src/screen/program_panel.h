/* The program: its lines, where each rank's host program is, and what the chosen variants add and take away.
 */
#ifndef HANDOFF_SCREEN_PROGRAM_PANEL_H
#define HANDOFF_SCREEN_PROGRAM_PANEL_H

#include "screen/canvas.h"
#include "screen/walk.h"

/* Where not all lines fit, comments go first; then those around every rank's current line are shown, and a
 * mark where lines are left out; a reader who scrolls sees the lines as they stand. */
void program_panel_draw(const struct walk *walk, struct canvas *canvas, struct rectangle area);

#endif
