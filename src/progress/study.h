/* What a person has done, by lesson and by the names of steps and challenges, kept in the state folder's
 * progress.json. Sessions that run at once add to one another: a change is merged into the file as it is at
 * that moment, under a lock. Where nothing can be kept (no home, nothing may be written there), everything
 * works for the session alone, and nobody is told: a lesson is not about that. */
#ifndef HANDOFF_PROGRESS_STUDY_H
#define HANDOFF_PROGRESS_STUDY_H

#include "base/text.h"

struct study;

/* Never NULL. */
struct study *study_open(void);
/* Keeps what another session's lock held up so far, and frees. NULL is fine. False where what was done since
 * could not be kept. */
bool study_close(struct study *study);

/* Appends what has to be said, such as that a damaged file was put aside, the first time that it is asked
 * for. Untrusted. */
void study_take_notice(struct study *study, struct text *out);

/* Changes. LESSON and STEP are names; VARIANTS are the names of those that were on. */
void study_reach(struct study *study, const char *lesson, const char *step, const char *variants);
void study_finish(struct study *study, const char *lesson);
void study_solve(struct study *study, const char *lesson, const char *challenge);
/* An answer to the step's question INDEX; a right one takes an earlier wrong one back. */
void study_answer(struct study *study, const char *lesson, const char *step, unsigned question,
                  bool is_right);
/* Forgets the lesson. False and ERROR where the file cannot be changed. */
bool study_reset(struct study *study, const char *lesson, struct error *error);

/* What is known. The strings are untrusted, and valid until the next change. */
const char *study_last_lesson(const struct study *study);                  /* NULL: none */
const char *study_place(const struct study *study, const char *lesson);    /* step; NULL: none */
const char *study_variants(const struct study *study, const char *lesson); /* "" for none */
bool study_is_finished(const struct study *study, const char *lesson);
bool study_has_step(const struct study *study, const char *lesson, const char *step);
bool study_has_challenge(const struct study *study, const char *lesson, const char *challenge);
bool study_is_wrong(const struct study *study, const char *lesson, const char *step, unsigned question);

#endif
