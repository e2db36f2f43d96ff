/* The states that a search has been in, and how often each is come to. */
#ifndef HANDOFF_ORDER_EXPLORE_STATES_H
#define HANDOFF_ORDER_EXPLORE_STATES_H

#include "order/explore_contents.h"

/* Numbers by hash. */
struct hash_index {
    struct hash_slot {
        struct hash key;
        uint32_t value; /* NONE: nothing is here */
    } * slots;
    uint32_t count, capacity;
};

/* The value of the key: VALUE where it was not in the index before. */
uint32_t hash_index_put(struct hash_index *index, struct hash key, uint32_t value);
void hash_index_free(struct hash_index *index);

/* At most UINT64_MAX. */
static inline uint64_t add_counts(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

struct state {
    uint64_t below; /* how many executions go on from here */
    uint32_t first_edge, edge_count;
    uint32_t ending; /* NONE where it goes on */
};

struct states {
    struct hash_index index;
    struct state *items;
    uint32_t count, capacity;
    uint32_t *edges; /* states that another leads to */
    uint32_t edge_count, edge_capacity;
    uint32_t *left; /* in the order in which all behind them had been seen */
    uint32_t left_count, left_capacity;
};

/* The number of the state; *IS_NEW tells whether it was never seen. */
uint32_t states_find(struct states *states, struct hash key, bool *is_new);

/* All that FROM leads to has been seen: these states. */
void states_leave(struct states *states, uint32_t from, const uint32_t *leads_to, uint32_t count);

/* Calls EACH with every ending's state and the number of ways from the state ROOT, which was left last, to
 * it. */
void states_count_ways(const struct states *states, uint32_t root,
                       void (*each)(void *context, uint32_t ending, uint64_t ways), void *context);
void states_free(struct states *states);

#endif
