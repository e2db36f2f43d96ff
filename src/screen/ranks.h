/* A rank's panel: its process, its host program, each stream with the state of its operations and what the
 * first of them waits for, its events, and the cells of its buffers. Pure. */
#ifndef HANDOFF_SCREEN_RANKS_H
#define HANDOFF_SCREEN_RANKS_H

#include "screen/layout.h"
#include "screen/walk.h"

int rank_panel_rows(const struct walk *walk, uint32_t rank, enum detail detail, int columns);

/* One row of AREA is the whole rank in short. A panel that is too high is scrolled so that the chosen track
 * is in sight, and by the reader's scrolling. */
void rank_panel_draw(const struct walk *walk, uint32_t rank, enum detail detail, struct canvas *canvas,
                     struct rectangle area);

#endif
