/* The until block of a step: how far the run goes before the reader reads on. One condition a line; the run
 * stops where all of them hold. docs/lesson-format.md has them all:
 *
 *     rank R KIND [NAME] [#N] STATE    rank 1 recv waiting; rank 0 send x done; rank 0 launch A #2 started
 *     rank R line L STATE              L: the line within the schedule
 *     rank R forked | id | initialising | ready | exited
 *     finished | stuck
 *
 * STATE: called submitted returned started waiting done. "waiting" holds while the call or its operation is
 * held by another, and once it is done; the others hold from then on. */
#ifndef HANDOFF_LESSON_UNTIL_H
#define HANDOFF_LESSON_UNTIL_H

#include "lesson/lesson.h"
#include "log/view.h"

/* LENGTH bytes of TEXT are the block's lines; the first stands on FIRST_LINE of the file. The schedule's
 * variants are those that a line may name. NULL if DIAGNOSTICS got something. */
struct until *until_parse(const char *text, size_t length, uint32_t first_line,
                          const struct schedule *schedule, struct diagnostics *diagnostics);
void until_free(struct until *until);

/* Every condition also holds once the run has ended, whatever its outcome: a variant in which one never comes
 * true stops at its end. */
bool until_holds(const struct until *until, const struct view *view);

/* Whether the run came to that place by itself: a run that has ended meets only what asks for its end. */
bool until_is_met(const struct until *until, const struct view *view);

/* Adds a fault for each condition of the program's variants that names what is not in the program. */
void until_check(const struct until *until, const struct program *program, struct diagnostics *diagnostics);

#endif
