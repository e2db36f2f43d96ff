#include "device/sim/heap.h"

#include "base/memory.h"

static bool is_before(const struct due *a, const struct due *b)
{
    return a->time != b->time ? a->time < b->time : a->sequence < b->sequence;
}

void heap_put(struct heap *heap, int64_t time, enum due_kind kind, uint32_t what)
{
    ARRAY_RESERVE(heap->items, heap->count, heap->capacity);
    const struct due due = {.time = time, .sequence = heap->sequence++, .what = what, .kind = (uint8_t)kind};
    size_t at = heap->count++;
    while (at > 0 && is_before(&due, &heap->items[(at - 1) / 2])) {
        heap->items[at] = heap->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->items[at] = due;
}

const struct due *heap_first(const struct heap *heap)
{
    return heap->count ? &heap->items[0] : NULL;
}

struct due heap_take(struct heap *heap)
{
    struct due taken = heap->items[0];
    const struct due last = heap->items[--heap->count];
    size_t at = 0;
    while (2 * at + 1 < heap->count) {
        size_t child = 2 * at + 1;
        if (child + 1 < heap->count && is_before(&heap->items[child + 1], &heap->items[child]))
            child++;
        if (!is_before(&heap->items[child], &last))
            break;
        heap->items[at] = heap->items[child];
        at = child;
    }
    heap->items[at] = last;
    return taken;
}
