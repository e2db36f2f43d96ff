/* Markdown as a flat list of blocks that know where they stand in the file. What a lesson cannot show
 * (images, quotations, raw HTML, a list in a list) is a fault. */
#ifndef HANDOFF_LESSON_MARKDOWN_H
#define HANDOFF_LESSON_MARKDOWN_H

#include "lesson/lesson.h"

enum markdown_kind {
    MARKDOWN_HEADING,
    MARKDOWN_PARAGRAPH,
    MARKDOWN_ITEM, /* of a list */
    MARKDOWN_TASK, /* an item with a box: "- [x]" */
    MARKDOWN_CODE,
    MARKDOWN_COMMENT,
};

struct markdown_block {
    enum markdown_kind kind;
    struct place place;
    unsigned level;          /* heading: 1 to 6 */
    unsigned list;           /* item, task: which list of the file, from 1 */
    bool checked;            /* task */
    char *language;          /* code: the first word after the fence; "" where there is none. Untrusted */
    size_t content;          /* code with a fence, comment: where its content begins in the text */
    size_t content_length;   /* a fenced block's whole lines, or what stands between <!-- and --> */
    struct prose_block text; /* all but comments */
};

struct markdown {
    struct markdown_block *blocks;
    size_t count, capacity;
};

void markdown_read(struct markdown *markdown, const char *text, size_t length,
                   struct diagnostics *diagnostics);
void markdown_free(struct markdown *markdown);

/* Moves the block's text to the end of a list of prose. */
void prose_move(struct prose_block **prose, size_t *count, struct markdown_block *block);

/* Frees the runs; the block itself is its owner's. */
void prose_block_free(struct prose_block *block);

#endif
