/* An execution that goes forwards and backwards: the order machine says which points may happen, the step
 * table what happens to memory between them. Steps whose order with others matters wait to be chosen; all
 * else happens at once, because nothing can tell when it did. */
#ifndef HANDOFF_ORDER_EXPLORE_RUN_H
#define HANDOFF_ORDER_EXPLORE_RUN_H

#include "order/explore_contents.h"
#include "order/machine.h"

/* A set of choices: a bit for each. */
#define BITS_PER_WORD 64

static inline bool bit_is_set(const uint64_t *bits, uint32_t bit)
{
    return bits[bit / BITS_PER_WORD] >> (bit % BITS_PER_WORD) & 1;
}
static inline void bit_set(uint64_t *bits, uint32_t bit)
{
    bits[bit / BITS_PER_WORD] |= UINT64_C(1) << (bit % BITS_PER_WORD);
}
static inline void bit_clear(uint64_t *bits, uint32_t bit)
{
    bits[bit / BITS_PER_WORD] &= ~(UINT64_C(1) << (bit % BITS_PER_WORD));
}

/* The first that is set, from bit FROM on; NONE. */
uint32_t next_bit(const uint64_t *bits, uint32_t words, uint32_t from);

/* Told of everything in the order in which it happens. */
struct run_observer {
    void (*happened)(void *context, uint32_t point);
    void (*did)(void *context, uint32_t step);
    void *context;
};

struct happening {
    uint32_t item;
    struct contents_mark before; /* steps only */
};

struct run {
    const struct step_table *table;
    struct machine *machine;
    struct contents contents;
    const uint32_t
        *choices;      /* by step: its number among those that wait to be chosen; NONE. NULL: none waits */
    uint64_t *enabled; /* choices that may be made now */
    uint64_t *made;    /* choices */
    struct hash made_hash;
    uint8_t *done;           /* by step */
    uint32_t *missing;       /* by item */
    struct happening *trail; /* what happened, in order */
    uint32_t trail_count, trail_capacity;
    uint32_t *ready; /* items that happen at once, a queue */
    uint32_t ready_first, ready_count, ready_capacity;
    const struct run_observer *observer; /* may be NULL */
};

/* CHOICE_COUNT choices, numbered by CHOICES. The run has gone as far as it goes without a choice. */
void run_open(struct run *run, const struct step_table *table, enum choice choice, const uint32_t *choices,
              uint32_t choice_count, const struct run_observer *observer);
void run_close(struct run *run);

/* Lets the step, which may be done now, happen, and then all that need not be chosen. */
void run_choose(struct run *run, uint32_t step);

/* Takes back all that happened since the trail was so long. */
void run_undo(struct run *run, uint32_t trail_count);

#endif
