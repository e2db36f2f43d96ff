/* What was answered wrong, asked again. */
#ifndef HANDOFF_SCREEN_REVIEW_H
#define HANDOFF_SCREEN_REVIEW_H

#include "screen/page.h"
#include "screen/walk.h"

/* How many questions of this walk's steps were answered wrong and not set right since. */
size_t review_size(const struct walk *walk);

/* Opens the overlay with those questions. */
void review_open(struct walk *walk);
void review_key(struct walk *walk, uint32_t key);

/* The question at hand. Returns the box's title. */
const char *review_write(const struct walk *walk, struct page *page);

#endif
