#include "schedule/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { NEAREST_OF = 16384 }; /* names that are compared with a misspelt one */

static uint32_t hash_word(enum sort sort, struct word word)
{
    uint32_t hash = UINT32_C(2166136261) + (uint32_t)sort;
    for (uint32_t i = 0; i < word.length; i++)
        hash = (hash ^ (unsigned char)word.at[i]) * UINT32_C(16777619);
    return hash ^ hash >> 15;
}

static void grow_slots(struct names *names)
{
    names->slot_count = names->slot_count ? names->slot_count * 2 : 64;
    free(names->slots);
    names->slots = memory_zeroed(names->slot_count, sizeof *names->slots);
    uint32_t mask = names->slot_count - 1;
    for (uint32_t i = 0; i < names->count; i++) {
        uint32_t slot = names->items[i].hash & mask;
        while (names->slots[slot])
            slot = (slot + 1) & mask;
        names->slots[slot] = i + 1;
    }
}

uint32_t names_find(struct names *names, enum sort sort, struct word word)
{
    if (names->count >= names->slot_count / 2)
        grow_slots(names);
    uint32_t hash = hash_word(sort, word), mask = names->slot_count - 1;
    uint32_t slot = hash & mask;
    for (; names->slots[slot]; slot = (slot + 1) & mask) {
        const struct name *name = &names->items[names->slots[slot] - 1];
        if (name->hash == hash && name->sort == sort && name->word.length == word.length &&
            memcmp(name->word.at, word.at, word.length) == 0)
            return names->slots[slot] - 1;
    }
    ARRAY_RESERVE(names->items, names->count, names->capacity);
    names->items[names->count] =
        (struct name){.word = word, .hash = hash, .thing = NONE, .sort = (uint8_t)sort};
    names->slots[slot] = names->count + 1;
    return names->count++;
}

void names_clear(struct names *names)
{
    names->count = 0;
    if (names->slots)
        memset(names->slots, 0, names->slot_count * sizeof *names->slots);
}

void names_free(struct names *names)
{
    free(names->items);
    free(names->slots);
    *names = (struct names){0};
}

const struct name *names_nearest(const struct names *names, enum sort sort, struct word word)
{
    const struct name *nearest = NULL;
    unsigned least = NAMES_APART;
    uint32_t count = names->count < NEAREST_OF ? names->count : NEAREST_OF;
    for (uint32_t i = 0; i < count; i++) {
        const struct name *name = &names->items[i];
        if (name->sort != sort || (name->thing == NONE && !name->off_line))
            continue;
        unsigned distance = name_distance(word.at, word.length, name->word.at, name->word.length);
        if (distance > 0 && distance < least) {
            least = distance;
            nearest = name;
        }
    }
    return nearest;
}
