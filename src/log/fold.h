/* Parts of the fold that view.c puts together; not for others. */
#ifndef HANDOFF_LOG_FOLD_H
#define HANDOFF_LOG_FOLD_H

#include "log/view.h"

void call_list_add(struct call_list *list, uint32_t call);
/* Keeps the order of the others. */
void call_list_remove(struct call_list *list, uint32_t call);

const struct span *spans_of(const struct view *view, uint32_t call, uint32_t *count);

/* The call's operation (or host access) runs from here on. Where it conflicts with one that is running, both
 * are overlapped; the one whose bytes the other changes is torn, and with a send what receives them. */
void begin_access(struct view *view, uint32_t call);

/* The launch of a kernel without a meaning that made the value which CALL just wrote to ELEMENT; NONE where
 * it is another's, or its source no longer holds it. CALL may be NONE. */
uint32_t maker_of(const struct view *view, uint32_t call, uint32_t memory, uint32_t element);

#endif
