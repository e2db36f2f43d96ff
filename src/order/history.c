#include "order/history.h"

#include <stdlib.h>

#include "base/memory.h"
#include "order/segment.h"

static const enum access list_access[PAST_LIST_COUNT] = {ACCESS_READ, ACCESS_WRITE, ACCESS_ACCUMULATE};

struct history {
    const struct program *program;
    struct segments *memories; /* empty before the first access */
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
        segments_free(&history->memories[i]);
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
    struct segments *segments = &history->memories[memory];
    struct segment_place place = {0, 0};
    bool any = segments->count > 0;
    for (; any; any = segments_next(segments, &place))
        for (int list = 0; list < PAST_LIST_COUNT; list++)
            free_list(history, &segments_at(segments, place)->past[list]);
    segments_free(segments);
}

/* Makes a segment begin at ELEMENT. */
static void split_at(struct history *history, struct segments *segments, uint32_t element)
{
    struct segment_place place = segments_find(segments, element);
    const struct segment *old = segments_at(segments, place);
    if (old->first == element)
        return;
    struct segment split = {.first = element, .written = old->written};
    for (int list = 0; list < PAST_LIST_COUNT; list++)
        split.past[list] = copy_list(history, old->past[list]);
    segments_insert_after(segments, place, split);
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

struct joining {
    struct history *history;
    uint32_t call;
};

/* Nothing but the call's write is left in both: the segment becomes a part of the one before it. */
static bool join(void *context, const struct segment *before, struct segment *segment)
{
    const struct joining *joining = context;
    if (!holds_only(joining->history, segment, joining->call) ||
        !holds_only(joining->history, before, joining->call))
        return false;
    free_list(joining->history, &segment->past[PAST_WRITES]);
    return true;
}

void history_add(struct history *history, const struct causality *causality, const struct access_event *event,
                 const struct history_observer *observer)
{
    struct segments *segments = &history->memories[event->memory];
    uint64_t end = (uint64_t)event->first + event->count;
    if (segments->count == 0)
        segments_begin(segments, nothing_yet);
    split_at(history, segments, event->first);
    if (end < history->program->memories[event->memory].count)
        split_at(history, segments, (uint32_t)end);
    const struct segment_place first = segments_find(segments, event->first);
    struct segment_place place = first;
    uint32_t touched = 0;
    do {
        struct segment *segment = segments_at(segments, place);
        if (segment->first >= end)
            break;
        access_segment(history, segment, causality, event, observer);
        touched++;
    } while (segments_next(segments, &place));
    struct joining joining = {history, event->call};
    if (event->access == ACCESS_WRITE && touched > 1)
        segments_filter(segments, first, end, join, &joining);
}

void history_look(const struct history *history, const struct causality *causality,
                  const struct access_event *event, const struct history_observer *observer)
{
    const struct segments *segments = &history->memories[event->memory];
    struct segment_place place = {0, 0};
    for (bool any = segments->count > 0; any; any = segments_next(segments, &place))
        for (enum past_list list = 0; list < PAST_LIST_COUNT; list++)
            for (uint32_t i = segments_at(segments, place)->past[list]; i != NONE; i = history->pool[i].next)
                if (may_go_on(causality, &history->pool[i], event))
                    observer->conflict(observer->context, event, &history->pool[i], list_access[list]);
}
