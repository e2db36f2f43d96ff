/* A memory's elements, cut into segments that were accessed alike. A list in blocks: cutting and joining cost
 * as little with a million segments as with ten. */
#ifndef HANDOFF_ORDER_SEGMENT_H
#define HANDOFF_ORDER_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

enum past_list { PAST_READS, PAST_WRITES, PAST_ACCUMULATIONS, PAST_LIST_COUNT };

/* The elements from FIRST to the next segment. */
struct segment {
    uint32_t first;
    uint32_t past[PAST_LIST_COUNT]; /* lists of accesses (history.c); NONE at their end */
    bool written;
};

struct segment_block;

/* Ascending; zero-initialise. */
struct segments {
    struct segment_block **blocks;
    uint32_t count, capacity;
};

/* Valid until a segment is inserted or dropped. */
struct segment_place {
    uint32_t block, index;
};

void segments_free(struct segments *segments);

/* The first segment of an empty list. */
void segments_begin(struct segments *segments, struct segment segment);

/* The segment that ELEMENT stands in. The list must not be empty. */
struct segment_place segments_find(const struct segments *segments, uint32_t element);
struct segment *segments_at(const struct segments *segments, struct segment_place place);
/* Goes to the next segment; false at the end. */
bool segments_next(const struct segments *segments, struct segment_place *place);

void segments_insert_after(struct segments *segments, struct segment_place place, struct segment segment);

/* Drops the segments behind the one at PLACE, and before element END, of which DROP says so. It is told the
 * one before that stays. */
void segments_filter(struct segments *segments, struct segment_place place, uint64_t end,
                     bool (*drop)(void *context, const struct segment *before, struct segment *segment),
                     void *context);

#endif
