/* The text of a step, and its questions. Pure. */
#ifndef HANDOFF_SCREEN_PROSE_H
#define HANDOFF_SCREEN_PROSE_H

#include "screen/canvas.h"
#include "screen/page.h"
#include "screen/walk.h"

/* The lines that the title and text of a step (NULL: of what stands before the first) take on the smallest
 * screen, and how many it has for them. */
int prose_rows(const struct lesson *lesson, const struct step *step);
int prose_room(const struct lesson *lesson);
/* A question with its answers, and what there is to say to the one that was given (-1: none). */
void prose_add_question(struct page *page, const struct question *question, int answered);

/* Whether the walk has anything to read. */
bool prose_is_there(const struct walk *walk);
/* How many lines there are to show in a panel of so many columns. */
int prose_panel_rows(const struct walk *walk, int columns, bool ascii);
/* Returns how many lines are left below. */
int prose_panel_draw(const struct walk *walk, struct canvas *canvas, struct rectangle area);

#endif
