#include "order/explore_states.h"

#include <stdlib.h>

#include "base/memory.h"

static struct hash_slot *find_slot(const struct hash_index *index, struct hash key)
{
    uint32_t at = (uint32_t)key.low & (index->capacity - 1);
    while (index->slots[at].value != NONE &&
           (index->slots[at].key.low != key.low || index->slots[at].key.high != key.high))
        at = (at + 1) & (index->capacity - 1);
    return &index->slots[at];
}

static void grow(struct hash_index *index)
{
    struct hash_index grown = {.count = index->count, .capacity = index->capacity ? index->capacity * 2 : 64};
    grown.slots = memory_all_ones(grown.capacity, sizeof *grown.slots);
    for (uint32_t i = 0; i < index->capacity; i++)
        if (index->slots[i].value != NONE)
            *find_slot(&grown, index->slots[i].key) = index->slots[i];
    free(index->slots);
    *index = grown;
}

uint32_t hash_index_put(struct hash_index *index, struct hash key, uint32_t value)
{
    if (index->count / 3 * 5 >= index->capacity)
        grow(index);
    struct hash_slot *slot = find_slot(index, key);
    if (slot->value == NONE) {
        *slot = (struct hash_slot){key, value};
        index->count++;
    }
    return slot->value;
}

void hash_index_free(struct hash_index *index)
{
    free(index->slots);
    *index = (struct hash_index){0};
}

uint32_t states_find(struct states *states, struct hash key, bool *is_new)
{
    uint32_t state = hash_index_put(&states->index, key, states->count);
    *is_new = state == states->count;
    if (*is_new) {
        ARRAY_RESERVE(states->items, states->count, states->capacity);
        states->items[states->count++] = (struct state){.ending = NONE};
    }
    return state;
}

void states_leave(struct states *states, uint32_t from, const uint32_t *leads_to, uint32_t count)
{
    states->items[from].first_edge = states->edge_count;
    states->items[from].edge_count = count;
    for (uint32_t i = 0; i < count; i++) {
        ARRAY_RESERVE(states->edges, states->edge_count, states->edge_capacity);
        states->edges[states->edge_count++] = leads_to[i];
        states->items[from].below = add_counts(states->items[from].below, states->items[leads_to[i]].below);
    }
    ARRAY_RESERVE(states->left, states->left_count, states->left_capacity);
    states->left[states->left_count++] = from;
}

/* Whatever leads to a state was left after it. */
void states_count_ways(const struct states *states, uint32_t root,
                       void (*each)(void *context, uint32_t ending, uint64_t ways), void *context)
{
    uint64_t *ways = memory_zeroed(states->count, sizeof *ways);
    ways[root] = 1;
    for (uint32_t i = states->left_count; i > 0; i--) {
        uint32_t from = states->left[i - 1];
        const struct state *state = &states->items[from];
        for (uint32_t edge = state->first_edge; edge < state->first_edge + state->edge_count; edge++)
            ways[states->edges[edge]] = add_counts(ways[states->edges[edge]], ways[from]);
        if (state->ending != NONE)
            each(context, state->ending, ways[from]);
    }
    free(ways);
}

void states_free(struct states *states)
{
    hash_index_free(&states->index);
    free(states->items);
    free(states->edges);
    free(states->left);
}
