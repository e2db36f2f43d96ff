/* Keeps what a walk through a lesson adds to a person's progress. */
#ifndef HANDOFF_COMMAND_LEARNER_H
#define HANDOFF_COMMAND_LEARNER_H

#include "progress/study.h"
#include "screen/walk.h"

struct learner {
    struct study *progress; /* borrowed; NULL: nothing is kept */
    int64_t step;           /* the last one that was noted */
    uint32_t variants;      /* in its walk */
    bool **wrong;           /* as it is kept: see walk.wrong */
};

/* Tells WALK, which was opened just now, what was answered wrong before. A bare schedule has no progress. */
void learner_open(struct learner *learner, struct study *progress, struct walk *walk);
void learner_close(struct learner *learner, const struct walk *walk);

/* Judges the challenge, once the run has ended and all of it is shown. True where there is something new. */
bool learner_judge(struct study *progress, const char *lesson, struct walk *walk);

/* Notes what is new on the screen. */
void learner_note(struct learner *learner, const struct walk *walk);

/* The number of the step, in the walk of these variants, at which the person left the lesson; 0 where it is
 * not begun, or done. */
size_t learner_place(const struct study *progress, const struct lesson *lesson, uint32_t variants);

/* Ends what was opened with study_open(), and says so where it could not be kept: on standard error, so the
 * terminal is given back before. NULL is fine. */
void learner_keep(struct study *progress, const char *command);

#endif
