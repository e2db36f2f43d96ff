/* A lesson file: docs/lesson-format.md. Read with md4c; untrusted, like every file. Immutable once read. */
#ifndef HANDOFF_LESSON_LESSON_H
#define HANDOFF_LESSON_LESSON_H

#include "schedule/schedule.h"

/* Limits of the format, stated in docs/lesson-format.md. */
enum {
    LESSON_MAX_BYTES = 256 * 1024,
    LESSON_MAX_STEPS = 99,
    LESSON_MAX_QUESTIONS = 9, /* of one step */
    LESSON_MAX_ANSWERS = 9,   /* of one question */
    LESSON_MAX_CHALLENGES = 9,
    LESSON_MAX_HINTS = 9, /* of one challenge */
};

/* Prose as runs of text with a style. Text is visible already: no control characters, but BLOCK_CODE ends
 * each of its lines with a newline. */
enum prose_style { PROSE_PLAIN, PROSE_EMPHASIS, PROSE_STRONG, PROSE_CODE };
enum block_kind { BLOCK_PARAGRAPH, BLOCK_LIST_ITEM, BLOCK_CODE };
struct prose_run {
    enum prose_style style;
    char *text;
};
struct prose_block {
    enum block_kind kind;
    unsigned number; /* of an item in a numbered list; 0 for an item without a number */
    struct prose_run *runs;
    size_t run_count;
};

struct answer {
    struct prose_block text;
    bool right;
};
struct question {
    struct place place;
    struct prose_block text; /* the paragraph before the list */
    struct answer *answers;  /* at least two, of which one or more are right and one or more are not */
    size_t answer_count;
    struct prose_block *reason; /* the paragraphs after it */
    size_t reason_count;
};

/* When something of a lesson is there: "[only NAME ...]" or "[not NAME ...]", as on a schedule's lines. Bit i
 * stands for variant i. Zero: always. */
struct variant_filter {
    uint32_t only, except;
};

struct until; /* until.h: when the step's run stops */

/* Entering a step runs on until UNTIL holds. Then its prose tells what is to be seen, and its questions ask
 * about what comes next. */
struct step {
    struct place place;
    char *title;
    struct variant_filter filter; /* walks of other variants leave it out: lesson_walk() */
    struct prose_block *prose;
    size_t prose_count;
    struct question *questions;
    size_t question_count;
    struct until *until; /* NULL: nothing runs in this step */
    char *notes;         /* for the presenter, in one line; "" where there are none */
};

struct lesson {
    char *name; /* the file's name without folder, number and ending: "overlap" */
    char *title;
    char *text; /* the whole file */
    size_t length;
    struct prose_block *prose; /* between the title and the first step */
    size_t prose_count;
    struct schedule *schedule;
    struct step *steps;
    size_t step_count;
    struct challenge *challenges; /* challenge.h */
    size_t challenge_count;
};

/* FILE is a path or a name ("lessons/5-overlap.md"); it only gives the lesson its name. TEXT may be freed
 * afterwards. NULL if DIAGNOSTICS got something. Every variant was resolved once: a schedule that fails in
 * one is a fault of the lesson, and so is an until block that names what is not there. */
struct lesson *lesson_parse(const char *file, const char *text, size_t length,
                            struct diagnostics *diagnostics);
void lesson_free(struct lesson *lesson);

/* The steps of a walk with these variants on: fills INDICES (room for step_count) with indices into steps and
 * returns how many. */
size_t lesson_walk(const struct lesson *lesson, uint32_t variants, size_t *indices);

bool variant_filter_passes(struct variant_filter filter, uint32_t variants);

#endif
