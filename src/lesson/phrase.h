/* A line of a lesson's small languages (until, goal, solution), cut into words. */
#ifndef HANDOFF_LESSON_PHRASE_H
#define HANDOFF_LESSON_PHRASE_H

#include "schedule/diagnostic.h"

enum { PHRASE_MAX_WORDS = 40 };

struct phrase {
    char *words[PHRASE_MAX_WORDS]; /* visible already */
    struct place places[PHRASE_MAX_WORDS];
    struct place end;
    size_t count, used;
};

/* False, after a fault, where a line has more words. Free it in either case. */
bool phrase_read(struct phrase *phrase, const char *text, size_t length, struct place place,
                 struct diagnostics *diagnostics);
void phrase_free(struct phrase *phrase);

/* The next word; NULL behind the last. */
const char *phrase_next(struct phrase *phrase);
/* Where it stands, or the line's end. */
struct place phrase_place(const struct phrase *phrase);

/* Adds the fault that WHAT was expected where the next word stands. Always false. */
bool phrase_expected(const struct phrase *phrase, const char *what, struct diagnostics *diagnostics);

/* Reads the next word as a number of at most MOST. False, after a fault, where it is none. */
bool phrase_number(struct phrase *phrase, const char *what, uint32_t most, uint32_t *number,
                   struct diagnostics *diagnostics);

/* Hands each line of a block, the first of which stands on FIRST_LINE of the file, to TAKE. */
void phrase_lines(const char *text, size_t length, uint32_t first_line,
                  void (*take)(void *context, const char *line, size_t length, struct place place),
                  void *context);

#endif
