/* Whether a challenge's goal is reached. */
#ifndef HANDOFF_COMMAND_SOLVE_H
#define HANDOFF_COMMAND_SOLVE_H

#include "lesson/challenge.h"

/* Judges a run that has ended. WHY gets a sentence for each condition that does not hold. */
bool solve_judge(const struct challenge *challenge, const struct view *view, struct text *why);

/* Makes the lesson's own solution on the simulator, and judges it. False where it does not solve the
 * challenge, or cannot be made: WHY says so. */
bool solve_challenge(const struct lesson *lesson, const struct challenge *challenge, struct text *why);

#endif
