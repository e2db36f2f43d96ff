/* A change of a schedule's text: edits that own their words. */
#ifndef HANDOFF_ORDER_CHANGE_H
#define HANDOFF_ORDER_CHANGE_H

#include "schedule/edit.h"

/* Lines are those of the schedule before any edit. What is inserted is there only with the VARIANTS that are
 * on; without any, under the condition of the first of LINES that has one (0: none). */
struct change {
    const struct schedule *schedule;
    uint32_t variants;
    uint32_t lines[2];
    struct edit *edits;
    size_t count, capacity;
};

void change_insert_before(struct change *change, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void change_insert_after(struct change *change, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void change_replace(struct change *change, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Under the variants that are on, where the line has no condition. */
void change_remove(struct change *change, uint32_t line);
/* The line with all that is on it goes to before line TO, or to after it. */
void change_move_before(struct change *change, uint32_t line, uint32_t to);
void change_move_after(struct change *change, uint32_t line, uint32_t to);

void change_append(struct change *change, const struct change *other); /* copies */
void change_clear(struct change *change);
void change_free(struct change *change);

/* Whether what is inserted or replaced has a line that begins so. */
bool change_has(const struct change *change, const char *words);

#endif
