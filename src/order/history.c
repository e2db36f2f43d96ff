#include "order/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum past_list { PAST_READS, PAST_WRITES, PAST_ACCUMULATIONS, PAST_LIST_COUNT };
static const enum access list_access[PAST_LIST_COUNT] = {ACCESS_READ, ACCESS_WRITE, ACCESS_ACCUMULATE};

/* The elements from FIRST to the next segment, all accessed alike. */
struct segment {
    uint32_t first;
    uint32_t past[PAST_LIST_COUNT]; /* indices into the pool, NONE at the end */
    bool written;
};

struct memory_history {
    struct segment *segments; /* ascending; the first begins at 0. NULL before the first access */
    uint32_t count, capacity;
};

struct history {
    const struct program *program;
    struct memory_history *memories;
    struct past_access *pool;
    uint32_t pool_count, pool_capacity, first_free;
};

struct history *history_open(const struct program *program)
{
    struct history *history = memory_zeroed(1, sizeof *history);
    history->program = program;
    history->memories = memory_zeroed(program->memory_count, sizeof *history->memories);
    history->first_free = NONE;
    return history;
}

void history_close(struct history *history)
{
    for (uint32_t i = 0; i < history->program->memory_count; i++)
        free(history->memories[i].segments);
    free(history->memories);
    free(history->pool);
    free(history);
}

static uint32_t add_past(struct history *history, struct past_access past)
{
    uint32_t index = history->first_free;
    if (index != NONE) {
        history->first_free = history->pool[index].next;
    } else {
        ARRAY_RESERVE(history->pool, history->pool_count, history->pool_capacity);
        index = history->pool_count++;
    }
    history->pool[index] = past;
    return index;
}

static void free_past(struct history *history, uint32_t index)
{
    history->pool[index].next = history->first_free;
    history->first_free = index;
}

static void free_list(struct history *history, uint32_t *list)
{
    while (*list != NONE) {
        uint32_t next = history->pool[*list].next;
        free_past(history, *list);
        *list = next;
    }
}

static uint32_t copy_list(struct history *history, uint32_t list)
{
    uint32_t copy = NONE;
    for (uint32_t i = list; i != NONE; i = history->pool[i].next) {
        struct past_access past = history->pool[i];
        past.next = copy;
        copy = add_past(history, past);
    }
    return copy;
}

static const struct segment nothing_yet = {.past = {NONE, NONE, NONE}};

void history_forget(struct history *history, uint32_t memory)
{
    struct memory_history *past = &history->memories[memory];
    for (uint32_t s = 0; s < past->count; s++)
        for (int list = 0; list < PAST_LIST_COUNT; list++)
            free_list(history, &past->segments[s].past[list]);
    past->count = 0;
}

/* The segment that ELEMENT stands in. */
static uint32_t find_segment(const struct memory_history *past, uint32_t element)
{
    uint32_t low = 0, high = past->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (past->segments[middle].first <= element)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Makes a segment begin at ELEMENT; returns which. */
static uint32_t split_at(struct history *history, struct memory_history *past, uint32_t element)
{
    uint32_t at = find_segment(past, element);
    if (past->segments[at].first == element)
        return at;
    ARRAY_RESERVE(past->segments, past->count, past->capacity);
    struct segment *old = &past->segments[at];
    memmove(old + 2, old + 1, (past->count - at - 1) * sizeof *old);
    past->count++;
    old[1] = (struct segment){.first = element, .written = old->written};
    for (int list = 0; list < PAST_LIST_COUNT; list++)
        old[1].past[list] = copy_list(history, old->past[list]);
    return at + 1;
}

/* Whether EVENT comes behind an access that the past one already conflicts with: what orders that one orders
 * this one too. A free is another kind of finding, which the race does not tell of. */
static bool is_implied(const struct causality *causality, const struct past_access *past,
                       const struct access_event *event)
{
    return event->span != NONE && past->call < event->call && past->raced.count > 0 &&
           causality_knows(causality, past->raced);
}

static bool may_go_on(const struct causality *causality, const struct past_access *past,
                      const struct access_event *event)
{
    return past->call != event->call && !causality_knows(causality, past->end);
}

/* Reports the accesses of a list that may still be going on. */
static void report_conflicts(struct history *history, const struct segment *segment, enum past_list list,
                             const struct causality *causality, const struct access_event *event,
                             const struct history_observer *observer)
{
    for (uint32_t i = segment->past[list]; i != NONE; i = history->pool[i].next) {
        struct past_access *past = &history->pool[i];
        if (!may_go_on(causality, past, event) || is_implied(causality, past, event))
            continue;
        observer->conflict(observer->context, event, past, list_access[list]);
        if (past->call < event->call && past->raced.count == 0)
            past->raced = event->end;
    }
}

/* Takes off the list what is over by now: whatever conflicts with it later conflicts with EVENT as well. */
static void drop_known(struct history *history, uint32_t *list, const struct causality *causality)
{
    while (*list != NONE) {
        uint32_t index = *list;
        if (causality_knows(causality, history->pool[index].end)) {
            *list = history->pool[index].next;
            free_past(history, index);
        } else {
            list = &history->pool[index].next;
        }
    }
}

static enum past_list list_of(enum access access)
{
    return access == ACCESS_READ ? PAST_READS : access == ACCESS_WRITE ? PAST_WRITES : PAST_ACCUMULATIONS;
}

static void access_segment(struct history *history, struct segment *segment,
                           const struct causality *causality, const struct access_event *event,
                           const struct history_observer *observer)
{
    enum past_list own = list_of(event->access);
    for (enum past_list list = 0; list < PAST_LIST_COUNT; list++)
        if (list != own || own == PAST_WRITES)
            report_conflicts(history, segment, list, causality, event, observer);
    if (own != PAST_WRITES && !segment->written)
        observer->unwritten(observer->context, event);
    for (enum past_list list = 0; list < PAST_LIST_COUNT; list++)
        if (list == own || own == PAST_WRITES)
            drop_known(history, &segment->past[list], causality);
    segment->written |= own != PAST_READS;
    segment->past[own] = add_past(
        history, (struct past_access){.call = event->call, .next = segment->past[own], .end = event->end});
}

static bool holds_only(const struct history *history, const struct segment *segment, uint32_t call)
{
    const struct past_access *pool = history->pool;
    uint32_t write = segment->past[PAST_WRITES];
    return segment->past[PAST_READS] == NONE && segment->past[PAST_ACCUMULATIONS] == NONE &&
           pool[write].call == call && pool[write].next == NONE;
}

/* Joins the segments FROM to just before TO that nothing but CALL's write is left in. */
static void join_written(struct history *history, struct memory_history *past, uint32_t from, uint32_t to,
                         uint32_t call)
{
    uint32_t kept = from + 1;
    for (uint32_t s = from + 1; s < to; s++) {
        struct segment *segment = &past->segments[s];
        if (holds_only(history, segment, call) && holds_only(history, &past->segments[kept - 1], call))
            free_list(history, &segment->past[PAST_WRITES]);
        else
            past->segments[kept++] = *segment;
    }
    memmove(&past->segments[kept], &past->segments[to], (past->count - to) * sizeof *past->segments);
    past->count -= to - kept;
}

void history_add(struct history *history, const struct causality *causality, const struct access_event *event,
                 const struct history_observer *observer)
{
    struct memory_history *past = &history->memories[event->memory];
    if (past->count == 0) {
        ARRAY_RESERVE(past->segments, past->count, past->capacity);
        past->segments[past->count++] = nothing_yet;
    }
    uint32_t end = event->first + event->count;
    uint32_t from = split_at(history, past, event->first);
    uint32_t to =
        end < history->program->memories[event->memory].count ? split_at(history, past, end) : past->count;
    for (uint32_t s = from; s < to; s++)
        access_segment(history, &past->segments[s], causality, event, observer);
    if (event->access == ACCESS_WRITE && to - from > 1)
        join_written(history, past, from, to, event->call);
}

void history_look(const struct history *history, const struct causality *causality,
                  const struct access_event *event, const struct history_observer *observer)
{
    const struct memory_history *past = &history->memories[event->memory];
    for (uint32_t s = 0; s < past->count; s++)
        for (enum past_list list = 0; list < PAST_LIST_COUNT; list++)
            for (uint32_t i = past->segments[s].past[list]; i != NONE; i = history->pool[i].next)
                if (may_go_on(causality, &history->pool[i], event))
                    observer->conflict(observer->context, event, &history->pool[i], list_access[list]);
}
