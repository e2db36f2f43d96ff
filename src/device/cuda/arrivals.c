#include "device/cuda/arrivals.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool is_earlier(const struct arrival *a, const struct arrival *b)
{
    return a->record.time != b->record.time ? a->record.time < b->record.time : a->serial < b->serial;
}

static void swap(struct arrival *a, struct arrival *b)
{
    struct arrival kept = *a;
    *a = *b;
    *b = kept;
}

void arrivals_free(struct arrivals *arrivals)
{
    for (size_t i = 0; i < arrivals->count; i++)
        free((char *)arrivals->items[i].record.bytes);
    free(arrivals->items);
    *arrivals = (struct arrivals){0};
}

void arrivals_add(struct arrivals *arrivals, const struct record *record)
{
    ARRAY_RESERVE(arrivals->items, arrivals->count, arrivals->capacity);
    size_t place = arrivals->count++;
    struct arrival *items = arrivals->items;
    items[place] = (struct arrival){.record = *record, .serial = arrivals->serial++};
    if (record->length > 0) {
        char *bytes = memory_zeroed(record->length, 1);
        memcpy(bytes, record->bytes, record->length);
        items[place].record.bytes = bytes;
    } else {
        items[place].record.bytes = NULL;
    }
    while (place > 0 && is_earlier(&items[place], &items[(place - 1) / 2])) {
        swap(&items[place], &items[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
}

const struct record *arrivals_first(const struct arrivals *arrivals)
{
    return arrivals->count > 0 ? &arrivals->items[0].record : NULL;
}

struct record arrivals_take(struct arrivals *arrivals)
{
    struct arrival *items = arrivals->items;
    struct record record = items[0].record;
    items[0] = items[--arrivals->count];
    for (size_t place = 0, child; (child = 2 * place + 1) < arrivals->count; place = child) {
        if (child + 1 < arrivals->count && is_earlier(&items[child + 1], &items[child]))
            child++;
        if (!is_earlier(&items[child], &items[place]))
            break;
        swap(&items[place], &items[child]);
    }
    return record;
}
