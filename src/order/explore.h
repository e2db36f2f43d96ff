/* All executions of a program: how they can end, and how many of them end so. Executions that differ only in
 * the order of steps that have nothing to do with one another count as one, and are gone through once.
 *
 * What the values can be is found with the waits that always hold, and those of communication that may be
 * aborted (CHOICE_EAGER; buffers are too small for it to make a send wait); whether something gets stuck with
 * all waits that may hold (CHOICE_STRICT). Where strict executions stop earlier than the others, both are
 * gone through. */
#ifndef HANDOFF_ORDER_EXPLORE_H
#define HANDOFF_ORDER_EXPLORE_H

#include "order/order.h"

enum {
    EXPLORE_MAX_CALLS = 20000,
    EXPLORE_MAX_BYTES = EAGER_LIMIT, /* of all memories together */
    EXPLORE_MAX_STATES = 1 << 23,    /* about 700 MiB */
    EXPLORE_MAX_ENDING_BYTES = 256 << 20,
};

struct exploration_progress {
    uint64_t states, executions;
    uint32_t endings;
};

struct explore_options {
    uint64_t execution_limit; /* 0: none */
    /* Asked now and then whether to go on; may be NULL. */
    bool (*go_on)(void *context, const struct exploration_progress *progress);
    void *context;
};

enum exploration_end { EXPLORED_ALL, EXPLORED_TO_LIMIT, EXPLORED_TO_MEMORY, EXPLORED_TO_INTERRUPT };

/* One way to end. The bytes are laid out as the exploration says. */
struct ending {
    uint64_t executions; /* UINT64_MAX: that many or more */
    bool strict; /* reached where all waits hold that may; only kept apart where those get stuck earlier */
    bool stuck;
    uint8_t *bytes;   /* of all memories */
    uint8_t *written; /* by element of all memories */
    uint8_t *freed;   /* by memory; its bytes are as they were then */
    uint8_t *found;   /* what was read */
    uint8_t *reached; /* by read: whether it happened */
    uint32_t *path;   /* the steps that were chosen on the way, for explore_play() */
    uint32_t path_length;
};

/* What a host program's `read` found, or a kernel whose outputs do not show it (any but B): part of how an
 * execution ends. */
struct found_read {
    uint32_t call, span;
    size_t at; /* in an ending's FOUND */
};

struct exploration {
    const struct order *order;
    enum exploration_end end;
    uint64_t states, executions; /* UINT64_MAX: that many executions or more */
    bool strict_unseen; /* it ended before the strict executions were gone through, which get stuck earlier */
    uint32_t choice_count;  /* accesses to memory whose order is open */
    struct ending *endings; /* the first is that of the calls' own order, more frequent ones before others */
    uint32_t ending_count, ending_capacity;
    size_t *first_byte, *first_element; /* by memory: where its bytes and elements begin in an ending */
    size_t byte_count, element_count;
    struct found_read *reads; /* in the order of the calls */
    uint32_t read_count, read_capacity;
    size_t found_bytes;
};

/* NULL where the program is too large, which ERROR says. The order must outlive it. */
struct exploration *explore(const struct order *order, const struct explore_options *options,
                            struct error *error);
void exploration_free(struct exploration *exploration);

/* Told what happens in an execution, in its order. */
struct play_observer {
    void (*happened)(void *context, uint32_t point);
    void (*wrote)(void *context, uint32_t call, uint32_t memory, uint32_t first, uint32_t count,
                  const uint8_t *bytes);
    void (*found)(void *context, uint32_t call, uint32_t memory, uint32_t first, uint32_t count,
                  const uint8_t *bytes);
    void (*freed)(void *context, uint32_t call, uint32_t memory);
    void *context;
};

/* Plays one of the executions that end so. */
void explore_play(const struct exploration *exploration, const struct ending *ending,
                  const struct play_observer *observer);

/* Calls EACH for every call that was entered and never returns, and every operation that has started and is
 * never done, with the first wait that holds it. */
void explore_stuck_points(const struct exploration *exploration, const struct ending *ending,
                          void (*each)(void *context, uint32_t point, const struct wait *wait),
                          void *context);

#endif
