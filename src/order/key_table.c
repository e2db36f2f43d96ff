#include "order/key_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const struct key no_key = {{UINT32_MAX, UINT32_MAX, UINT32_MAX}};

static bool keys_equal(const struct key *a, const struct key *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static uint32_t hash_of(const struct key *key)
{
    uint64_t hash = key->parts[0] * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ (hash >> 29) ^ key->parts[1]) * UINT64_C(0xBF58476D1CE4E5B9);
    hash = (hash ^ (hash >> 31) ^ key->parts[2]) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(hash >> 32);
}

static struct key_slot *find_slot(const struct key_table *table, const struct key *key)
{
    uint32_t mask = table->capacity - 1, at = hash_of(key) & mask;
    while (!keys_equal(&table->slots[at].key, &no_key) && !keys_equal(&table->slots[at].key, key))
        at = (at + 1) & mask;
    return &table->slots[at];
}

static void grow(struct key_table *table)
{
    struct key_table grown = {.count = table->count, .capacity = table->capacity ? table->capacity * 2 : 64};
    grown.slots = memory_all_ones(grown.capacity, sizeof *grown.slots);
    for (uint32_t i = 0; i < table->capacity; i++)
        if (!keys_equal(&table->slots[i].key, &no_key))
            *find_slot(&grown, &table->slots[i].key) = table->slots[i];
    free(table->slots);
    *table = grown;
}

uint32_t *key_table_at(struct key_table *table, struct key key)
{
    if (table->count * 2 >= table->capacity)
        grow(table);
    struct key_slot *slot = find_slot(table, &key);
    if (keys_equal(&slot->key, &no_key)) {
        slot->key = key;
        table->count++;
    }
    return &slot->value;
}
