/* What all memories hold while executions are tried one after another: every step can be taken back, and two
 * states with the same contents have the same hashes. */
#ifndef HANDOFF_ORDER_EXPLORE_CONTENTS_H
#define HANDOFF_ORDER_EXPLORE_CONTENTS_H

#include "order/explore_steps.h"

/* Wide enough that two states that differ have different ones. */
struct hash {
    uint64_t low, high;
};

struct contents {
    const struct step_table *table;
    const struct program *program;
    size_t *first_byte;    /* by memory: where its bytes begin in STATE; [memory_count] is where they end */
    size_t *first_element; /* by memory: where in STATE there is a byte for each element: whether it was
                              written */
    size_t first_freed;    /* where there is a byte for each memory */
    size_t first_kept;     /* where there are the bytes that steps keep */
    size_t first_unread;   /* where there is a byte for each step: how many are still to use what it keeps */
    size_t first_lost;     /* where there is a byte for each step: whether its piece was given up */
    uint8_t *state;
    uint8_t *changed; /* what was overwritten, last at the end */
    size_t changed_count, changed_capacity;
    struct hash lasting; /* of the memories, and of what host programs found */
    struct hash passing; /* of what is on its way */
};

/* A state to come back to. */
struct contents_mark {
    size_t changed_count;
    struct hash lasting, passing;
};

void contents_open(struct contents *contents, const struct step_table *table);
void contents_close(struct contents *contents);

/* Lets a step do what it does. A piece that is given up moves nothing. */
void contents_do(struct contents *contents, uint32_t step_number, bool given_up);

struct contents_mark contents_mark(const struct contents *contents);

/* Takes back what was done since then. */
void contents_undo(struct contents *contents, const struct contents_mark *mark);

static inline bool contents_is_written(const struct contents *contents, uint32_t memory, uint32_t element)
{
    return contents->state[contents->first_element[memory] + element];
}

/* Whether the step's piece was given up. */
static inline bool contents_is_lost(const struct contents *contents, uint32_t step)
{
    return contents->state[contents->first_lost + step];
}

static inline uint64_t hash_spread(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

/* What stands for VALUE at the place WHAT. */
static inline struct hash hash_mix(uint64_t what, uint64_t value)
{
    uint64_t key = hash_spread(what + UINT64_C(0x9E3779B97F4A7C15));
    return (struct hash){hash_spread(value ^ key), hash_spread(value * UINT64_C(0xD1342543DE82EF95) + ~key)};
}

/* Puts a part into a hash, or takes it out. */
static inline void hash_toggle(struct hash *hash, struct hash part)
{
    hash->low ^= part.low;
    hash->high ^= part.high;
}

#endif
