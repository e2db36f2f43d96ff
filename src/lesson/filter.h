/* "[only NAME ...]" and "[not NAME ...]" behind a step's title or a line of an until block. */
#ifndef HANDOFF_LESSON_FILTER_H
#define HANDOFF_LESSON_FILTER_H

#include "lesson/lesson.h"

/* Reads the lists in brackets at the end of TEXT, which stands at PLACE. LENGTH shrinks to what is before
 * them; without such a list nothing changes. SCHEDULE may be NULL: names are not looked up then. */
struct variant_filter filter_read(const char *text, size_t *length, struct place place,
                                  const struct schedule *schedule, struct diagnostics *diagnostics);

/* Adds "unknown WHAT 'WORD'; did you mean 'NEAREST'?", without the question where no name is near. */
void unknown_name(struct diagnostics *diagnostics, struct place place, const char *what, const char *word,
                  const char *const *known, size_t known_count);

#endif
