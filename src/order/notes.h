/* What a program could do without: orders made twice, and independent work kept apart by a stream. */
#ifndef HANDOFF_ORDER_NOTES_H
#define HANDOFF_ORDER_NOTES_H

#include "order/finding.h"

/* Adds the notes with their texts. Those that are redundant could all go together. False where the program is
 * so long that not every line was tried. */
bool find_notes(const struct order *order, struct findings *findings);

#endif
