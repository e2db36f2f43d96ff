/* A challenge of a lesson: something to bring about by one's own hand, which the program can judge.
 * docs/lesson-format.md. */
#ifndef HANDOFF_LESSON_CHALLENGE_H
#define HANDOFF_LESSON_CHALLENGE_H

#include "lesson/goal.h"
#include "lesson/markdown.h"

enum challenge_kind {
    CHALLENGE_RELEASE, /* everything is held, and is released operation by operation */
    CHALLENGE_EDIT,    /* the schedule is changed, and runs to its end */
};

enum move_kind { MOVE_RELEASE, MOVE_INSERT, MOVE_REPLACE, MOVE_REMOVE };
#define MOVE_ALL UINT32_MAX

/* A line of the solution. */
struct move {
    enum move_kind kind;
    struct place place;
    uint32_t rank, count; /* release: so many of the track, or MOVE_ALL that can be */
    char *track;          /* "host", or a stream's name */
    uint32_t line;        /* of the schedule: to be changed, or to insert before */
    char *words;
};

struct challenge {
    struct place place;
    char *name;
    struct prose_block *prose;
    size_t prose_count;
    struct prose_block *hints;
    size_t hint_count;
    uint32_t variants; /* on from the start */
    struct goal *goal;
    enum challenge_kind kind;
    struct move *moves;
    size_t move_count;
};

/* Takes a block that stands under the challenge's heading: words, the items of a numbered list as hints, the
 * goal, the solution. */
void challenge_take_block(struct challenge *challenge, const struct lesson *lesson,
                          struct markdown_block *block, struct diagnostics *diagnostics);
/* Adds a fault for what is missing, and for what is not in the program. */
void challenge_check(const struct challenge *challenge, const struct schedule *schedule,
                     struct diagnostics *diagnostics);
void challenge_free(struct challenge *challenge);

/* The stream that a release names, or NONE for the host program. False where there is none. */
bool challenge_track(const struct move *move, const struct program *program, uint32_t *stream);

/* Appends the text of the schedule as the solution changes it. */
void challenge_solved_text(const struct challenge *challenge, const struct schedule *schedule,
                           struct text *out);

#endif
