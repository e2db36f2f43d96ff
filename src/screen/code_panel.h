/* The program as the CUDA and NCCL calls that it stands for. Pure. */
#ifndef HANDOFF_SCREEN_CODE_PANEL_H
#define HANDOFF_SCREEN_CODE_PANEL_H

#include "screen/canvas.h"
#include "screen/walk.h"

/* The lines around the current call of each rank, as many ranks as there is room for, the chosen one's first;
 * a reader who scrolls sees all lines from there on. */
void code_panel_draw(const struct walk *walk, struct canvas *canvas, struct rectangle area);

#endif
