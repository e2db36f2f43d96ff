/* The accesses to each memory so far that a later one may still conflict with, by ranges of elements. */
#ifndef HANDOFF_ORDER_HISTORY_H
#define HANDOFF_ORDER_HISTORY_H

#include "order/causality.h"

/* What a call does with a span, and where in its chain it has done it. ACCESS: one bit of enum access. */
struct access_event {
    uint32_t call;
    uint32_t span;
    struct position end;
    uint32_t memory, first, count;
    enum access access;
};

/* An access that is over by END. */
struct past_access {
    uint32_t call, next;
    struct position end;
    struct position raced; /* the end of the first later-called access that was reported to conflict with it;
                              its count is 0 before there is one */
};

/* Told of each conflict of EVENT with a PAST access of a kind that is not known to be over, and of elements
 * that EVENT reads though nothing has written them. One conflict may come for several ranges. */
struct history_observer {
    void (*conflict)(void *context, const struct access_event *event, const struct past_access *past,
                     enum access access);
    void (*unwritten)(void *context, const struct access_event *event);
    void *context;
};

struct history;
struct history *history_open(const struct program *program);
void history_close(struct history *history);

void history_add(struct history *history, const struct causality *causality, const struct access_event *event,
                 const struct history_observer *observer);

/* Reports the conflicts of an access to all of a memory, and keeps nothing of it. */
void history_look(const struct history *history, const struct causality *causality,
                  const struct access_event *event, const struct history_observer *observer);

/* Forgets all accesses to a memory and what was written: it was allocated. */
void history_forget(struct history *history, uint32_t memory);

#endif
