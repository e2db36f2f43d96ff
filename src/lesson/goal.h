/* The goal block of a challenge: what the run, or the program, has to be like. One condition a line, and all
 * of them have to hold. docs/lesson-format.md has them all:
 *
 *     rank R BUFFER is [not] VALUE ...    the first elements at the end of the run
 *     finished | stuck
 *     safe                                the checker finds no error
 *     waits <= N                          so many calls of wait, sync, poll and barrier
 *     done within T                       such as 70ms: the last operation
 *     variant NAME ...                    no condition: what is on from the start */
#ifndef HANDOFF_LESSON_GOAL_H
#define HANDOFF_LESSON_GOAL_H

#include "log/view.h"

struct goal;

/* NULL if DIAGNOSTICS got something. LENGTH bytes of TEXT are the block's lines; the first stands on
 * FIRST_LINE of the file. VARIANTS gets those that are to be on. */
struct goal *goal_parse(const char *text, size_t length, uint32_t first_line, const struct schedule *schedule,
                        uint32_t *variants, struct diagnostics *diagnostics);
void goal_free(struct goal *goal);

/* Adds a fault for each condition that names what is not in the program. */
void goal_check(const struct goal *goal, const struct program *program, struct diagnostics *diagnostics);

/* Whether the goal is reached by the run that VIEW has to its end. IS_SAFE: the checker finds no error in its
 * program. WHY gets a sentence for each condition that does not hold. Makes no difference between a run on a
 * GPU and a simulated one, but for what such a run can tell. */
bool goal_judge(const struct goal *goal, const struct view *view, bool is_safe, struct text *why);

#endif
