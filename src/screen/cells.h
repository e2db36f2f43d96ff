/* A buffer's elements as a row of cells. */
#ifndef HANDOFF_SCREEN_CELLS_H
#define HANDOFF_SCREEN_CELLS_H

#include "log/view.h"
#include "screen/line.h"

/* Writes the cells of a memory: never written, arriving, a value, being read, torn; as many as there is room
 * for. WITH_WORDS: and who reads or writes them. */
void memory_write_cells(const struct view *view, uint32_t memory, bool with_words, struct line *line);

#endif
