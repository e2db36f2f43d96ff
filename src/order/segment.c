#include "order/segment.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK_SEGMENTS = 128 };

struct segment_block {
    uint32_t count; /* at least 1 */
    struct segment items[BLOCK_SEGMENTS];
};

void segments_free(struct segments *segments)
{
    for (uint32_t b = 0; b < segments->count; b++)
        free(segments->blocks[b]);
    free(segments->blocks);
    *segments = (struct segments){0};
}

/* An empty block before the one numbered AT. */
static struct segment_block *insert_block(struct segments *segments, uint32_t at)
{
    ARRAY_RESERVE(segments->blocks, segments->count, segments->capacity);
    memmove(segments->blocks + at + 1, segments->blocks + at, (segments->count - at) * sizeof(void *));
    segments->count++;
    struct segment_block *block = memory_zeroed(1, sizeof *block);
    segments->blocks[at] = block;
    return block;
}

void segments_begin(struct segments *segments, struct segment segment)
{
    struct segment_block *block = insert_block(segments, 0);
    block->items[block->count++] = segment;
}

struct segment_place segments_find(const struct segments *segments, uint32_t element)
{
    uint32_t low = 0, high = segments->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(segments->blocks[middle]->items[0].first <= element ? &low : &high) = middle;
    }
    const struct segment_block *block = segments->blocks[low];
    uint32_t first = 0, last = block->count;
    while (last - first > 1) {
        uint32_t middle = first + (last - first) / 2;
        *(block->items[middle].first <= element ? &first : &last) = middle;
    }
    return (struct segment_place){low, first};
}

struct segment *segments_at(const struct segments *segments, struct segment_place place)
{
    return &segments->blocks[place.block]->items[place.index];
}

bool segments_next(const struct segments *segments, struct segment_place *place)
{
    if (place->index + 1 < segments->blocks[place->block]->count) {
        place->index++;
        return true;
    }
    if (place->block + 1 == segments->count)
        return false;
    *place = (struct segment_place){place->block + 1, 0};
    return true;
}

/* Half of a full block goes to one of its own. */
static void halve(struct segments *segments, uint32_t at)
{
    struct segment_block *upper = insert_block(segments, at + 1), *lower = segments->blocks[at];
    upper->count = lower->count / 2;
    lower->count -= upper->count;
    memcpy(upper->items, lower->items + lower->count, upper->count * sizeof *upper->items);
}

void segments_insert_after(struct segments *segments, struct segment_place place, struct segment segment)
{
    if (segments->blocks[place.block]->count == BLOCK_SEGMENTS) {
        halve(segments, place.block);
        uint32_t kept = segments->blocks[place.block]->count;
        if (place.index >= kept)
            place = (struct segment_place){place.block + 1, place.index - kept};
    }
    struct segment_block *block = segments->blocks[place.block];
    struct segment *items = block->items + place.index + 1;
    memmove(items + 1, items, (block->count - place.index - 1) * sizeof *items);
    *items = segment;
    block->count++;
}

/* Takes out the blocks from FROM to just before TO that nothing is left in. */
static void drop_empty_blocks(struct segments *segments, uint32_t from, uint32_t to)
{
    uint32_t kept = from;
    for (uint32_t b = from; b < to; b++) {
        if (segments->blocks[b]->count > 0)
            segments->blocks[kept++] = segments->blocks[b];
        else
            free(segments->blocks[b]);
    }
    memmove(segments->blocks + kept, segments->blocks + to, (segments->count - to) * sizeof(void *));
    segments->count -= to - kept;
}

void segments_filter(struct segments *segments, struct segment_place place, uint64_t end,
                     bool (*drop)(void *context, const struct segment *before, struct segment *segment),
                     void *context)
{
    struct segment before = *segments_at(segments, place);
    uint32_t block_number = place.block, first = place.index + 1;
    bool past_end = false;
    for (; block_number < segments->count && !past_end; block_number++, first = 0) {
        struct segment_block *block = segments->blocks[block_number];
        uint32_t kept = first;
        for (uint32_t i = first; i < block->count; i++) {
            past_end |= block->items[i].first >= end;
            if (!past_end && drop(context, &before, &block->items[i]))
                continue;
            before = block->items[i];
            block->items[kept++] = before;
        }
        block->count = kept;
    }
    drop_empty_blocks(segments, place.block, block_number);
}
