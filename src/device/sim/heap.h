/* What is due, earliest first; of what is due at the same time, what was put in first. */
#ifndef HANDOFF_DEVICE_SIM_HEAP_H
#define HANDOFF_DEVICE_SIM_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum due_kind {
    DUE_SETUP,  /* WHAT: a step of setting up */
    DUE_POINT,  /* WHAT: a point that may happen */
    DUE_SUBMIT, /* WHAT: a call whose operation now stands in its stream */
    DUE_PIECE,  /* WHAT: a call whose transfer has a piece to move */
};

struct due {
    int64_t time;
    uint64_t sequence;
    uint32_t what;
    uint8_t kind;
};

/* Zero-initialise; free ITEMS. */
struct heap {
    struct due *items;
    size_t count, capacity;
    uint64_t sequence;
};

void heap_put(struct heap *heap, int64_t time, enum due_kind kind, uint32_t what);
/* The earliest; NULL where nothing is due. Valid until the heap changes. */
const struct due *heap_first(const struct heap *heap);
struct due heap_take(struct heap *heap);

#endif
