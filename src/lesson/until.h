/* The until block of a step: how far the run goes before the reader reads on. One condition a line, all must
 * hold: rank R KIND [NAME] [#N] STATE     rank 1 recv waiting · rank 0 send x done · rank 0 launch A #2
 * started rank R line L STATE               rank 1 line 12 called (L: the line within the schedule) rank R id
 * made | id passed | ready finished | stuck STATE: called submitted returned started waiting done. */
#ifndef HANDOFF_LESSON_UNTIL_H
#define HANDOFF_LESSON_UNTIL_H

#include "log/view.h"

struct until;
struct until *until_parse(const char *text, size_t length, struct place place,
                          struct diagnostics *diagnostics);
void until_free(struct until *until);
/* "finished" and "stuck" need the outcome; every other condition holds too once the run has ended: so a
 * variant in which it never comes true does not hang. */
bool until_holds(const struct until *until, const struct view *view);
/* Names what is not in the program ("rank 1 has no send"), for lint. */
bool until_fits(const struct until *until, const struct program *program, struct error *error);

#endif
