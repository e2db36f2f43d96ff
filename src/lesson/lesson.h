/* A lesson file: docs/lesson-format.md. Read with md4c; untrusted, like every file. Immutable once read. */
#ifndef HANDOFF_LESSON_LESSON_H
#define HANDOFF_LESSON_LESSON_H

#include "log/view.h"
#include "schedule/schedule.h"

/* Prose as runs of text with a style. Text is visible already (no control characters). */
enum prose_style { PROSE_PLAIN, PROSE_EMPHASIS, PROSE_STRONG, PROSE_CODE };
enum block_kind { BLOCK_PARAGRAPH, BLOCK_LIST_ITEM, BLOCK_CODE };
struct prose_run {
    enum prose_style style;
    char *text;
};
struct prose_block {
    enum block_kind kind;
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
    struct answer *answers;
    size_t answer_count;
    struct prose_block *reason; /* the paragraphs after it */
    size_t reason_count;
};

struct until; /* until.h: when the step's run stops */

struct step {
    struct place place;
    char *title;
    struct prose_block *prose;
    size_t prose_count;
    struct question *questions;
    size_t question_count;
    struct until *until; /* NULL: nothing runs in this step */
    char *notes;         /* for the presenter; "" where there are none */
};

struct lesson {
    char *name; /* the file's name without folder and ending */
    char *title;
    char *text; /* the whole file */
    size_t length;
    struct prose_block *prose; /* between the title and the first step */
    size_t prose_count;
    struct schedule *schedule;
    struct step *steps;
    size_t step_count;
};

/* TEXT may be freed afterwards. NULL if DIAGNOSTICS got something. */
struct lesson *lesson_parse(const char *name, const char *text, size_t length,
                            struct diagnostics *diagnostics);
void lesson_free(struct lesson *lesson);

#endif
