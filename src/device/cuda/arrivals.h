/* Records from several workers on their way into one log: each worker reports in order, but a little late.
 * They are kept for a moment and come out by their times. */
#ifndef HANDOFF_DEVICE_CUDA_ARRIVALS_H
#define HANDOFF_DEVICE_CUDA_ARRIVALS_H

#include "log/record.h"

struct arrival {
    struct record record; /* its bytes are the arrivals' own */
    uint64_t serial;
};

/* A heap: the earliest first, and of equal times the one that came first. */
struct arrivals {
    struct arrival *items;
    size_t count, capacity;
    uint64_t serial;
};

void arrivals_free(struct arrivals *arrivals);
void arrivals_add(struct arrivals *arrivals, const struct record *record); /* copies */

/* The earliest; NULL. Good until the next call. */
const struct record *arrivals_first(const struct arrivals *arrivals);
/* Takes the earliest out; there must be one. Its bytes are the caller's to free(). */
struct record arrivals_take(struct arrivals *arrivals);

#endif
