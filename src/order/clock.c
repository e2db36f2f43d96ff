#include "order/clock.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void clock_pool_open(struct clock_pool *pool, uint32_t width)
{
    *pool = (struct clock_pool){.width = width};
}

void clock_pool_close(struct clock_pool *pool)
{
    free(pool->entries);
    free(pool->holders);
    free(pool->released);
}

static uint32_t *entries_of(struct clock_pool *pool, uint32_t clock)
{
    return pool->entries + (size_t)clock * pool->width;
}

static uint32_t take_clock(struct clock_pool *pool)
{
    if (pool->released_count > 0)
        return pool->released[--pool->released_count];
    if (pool->count == pool->capacity) {
        pool->capacity = pool->capacity ? pool->capacity * 2 : 16;
        pool->entries = memory_resize(pool->entries, (size_t)pool->capacity * pool->width, sizeof(uint32_t));
        pool->holders = memory_resize(pool->holders, pool->capacity, sizeof *pool->holders);
    }
    return pool->count++;
}

uint32_t clock_new(struct clock_pool *pool)
{
    uint32_t clock = take_clock(pool);
    memset(entries_of(pool, clock), 0, pool->width * sizeof(uint32_t));
    pool->holders[clock] = 1;
    return clock;
}

void clock_hold(struct clock_pool *pool, uint32_t clock, uint32_t times)
{
    pool->holders[clock] += times;
}

void clock_release(struct clock_pool *pool, uint32_t clock)
{
    if (--pool->holders[clock] > 0)
        return;
    ARRAY_RESERVE(pool->released, pool->released_count, pool->released_capacity);
    pool->released[pool->released_count++] = clock;
}

static void make_own(struct clock_pool *pool, uint32_t *clock)
{
    if (pool->holders[*clock] == 1)
        return;
    uint32_t copy = take_clock(pool);
    memcpy(entries_of(pool, copy), entries_of(pool, *clock), pool->width * sizeof(uint32_t));
    pool->holders[copy] = 1;
    clock_release(pool, *clock);
    *clock = copy;
}

void clock_raise(struct clock_pool *pool, uint32_t *clock, uint32_t chain, uint32_t value)
{
    if (clock_entry(pool, *clock, chain) >= value)
        return;
    make_own(pool, clock);
    entries_of(pool, *clock)[chain] = value;
}

static bool adds_something(struct clock_pool *pool, uint32_t clock, uint32_t other)
{
    const uint32_t *mine = entries_of(pool, clock), *theirs = entries_of(pool, other);
    uint32_t more = 0;
    for (uint32_t i = 0; i < pool->width; i++)
        more |= theirs[i] > mine[i];
    return more != 0;
}

void clock_join(struct clock_pool *pool, uint32_t *clock, uint32_t other)
{
    if (*clock == other || !adds_something(pool, *clock, other))
        return;
    make_own(pool, clock);
    uint32_t *mine = entries_of(pool, *clock);
    const uint32_t *theirs = entries_of(pool, other);
    for (uint32_t i = 0; i < pool->width; i++)
        mine[i] = theirs[i] > mine[i] ? theirs[i] : mine[i];
}
