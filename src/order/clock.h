/* Vector clocks that many points share: a pool of vectors, copied only when one that others hold changes. */
#ifndef HANDOFF_ORDER_CLOCK_H
#define HANDOFF_ORDER_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock_pool {
    uint32_t width; /* entries of a clock */
    uint32_t *entries;
    uint32_t *holders; /* by clock */
    uint32_t count, capacity;
    uint32_t *released;
    uint32_t released_count, released_capacity;
};

void clock_pool_open(struct clock_pool *pool, uint32_t width);
void clock_pool_close(struct clock_pool *pool);

/* A clock of zeros with one holder. Clocks are numbers: the pool moves in memory. */
uint32_t clock_new(struct clock_pool *pool);
void clock_hold(struct clock_pool *pool, uint32_t clock, uint32_t times);
void clock_release(struct clock_pool *pool, uint32_t clock);

static inline uint32_t clock_entry(const struct clock_pool *pool, uint32_t clock, uint32_t chain)
{
    return pool->entries[(size_t)clock * pool->width + chain];
}

/* Raise the clock that *CLOCK holds; where others hold it too, *CLOCK gets a copy of its own. */
void clock_raise(struct clock_pool *pool, uint32_t *clock, uint32_t chain, uint32_t value);
void clock_join(struct clock_pool *pool, uint32_t *clock, uint32_t other);

#endif
