/* Parts of the fold that view.c puts together; not for others. */
#ifndef HANDOFF_LOG_FOLD_H
#define HANDOFF_LOG_FOLD_H

#include "log/view.h"

const struct span *spans_of(const struct view *view, uint32_t call, uint32_t *count);

/* The call's operation (or host access) runs from here on, until end_access(). Where it conflicts with one
 * that is running, both are overlapped; the one whose bytes the other changes is torn, and with a send what
 * receives them. Of very many that run at once only the last ACCESSES_COMPARED are looked at. */
enum { ACCESSES_COMPARED = 1024 };
void begin_access(struct view *view, uint32_t call);
void end_access(struct view *view, uint32_t call);

/* The call waits for POINT (NONE: for what never comes) until end_wait(), or until POINT happens, which
 * end_waits_for() is told of. */
void begin_wait(struct view *view, uint32_t call, uint32_t point, uint8_t rule);
void end_wait(struct view *view, uint32_t call, int64_t time);
void end_waits_for(struct view *view, uint32_t point, int64_t time);

/* The launch of a kernel without a meaning that made the value which CALL just wrote to ELEMENT; NONE where
 * it is another's, or its source no longer holds it. CALL may be NONE. */
uint32_t maker_of(const struct view *view, uint32_t call, uint32_t memory, uint32_t element);

#endif
