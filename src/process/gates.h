/* The gates of a run: which call or operation of a track is next, and opening it. A track is a rank's host
 * program or a stream. */
#ifndef HANDOFF_PROCESS_GATES_H
#define HANDOFF_PROCESS_GATES_H

#include "order/order.h"
#include "process/board.h"

struct gates {
    const struct order *order;
    struct board *board;
};

/* Closes or opens all that is ahead. */
void gates_set_all(const struct gates *gates, bool closed);

/* The host program's next call; NONE where it has made all. */
uint32_t gates_next_call(const struct gates *gates, uint32_t rank);

/* The stream's operation that has started and is not done, and the next one; NONE where there is none. Of
 * the members of a group that are on the stream, the first. */
uint32_t gates_running(const struct gates *gates, uint32_t stream);
uint32_t gates_next_operation(const struct gates *gates, uint32_t stream);

/* Whether the operation was handed to its stream. */
bool gates_is_submitted(const struct gates *gates, uint32_t call);

/* Calls VISIT for the operation, or for each member of its group that is on the same stream. */
void gates_for_unit(const struct gates *gates, uint32_t call, void (*visit)(void *context, uint32_t call),
                    void *context);

#endif
