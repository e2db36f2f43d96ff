/* Which calls run at the same time on the same bytes, and what becomes torn by it. */
#include "log/fold.h"

#include <string.h>

#include "base/memory.h"

void call_list_add(struct call_list *list, uint32_t call)
{
    ARRAY_RESERVE(list->calls, list->count, list->capacity);
    list->calls[list->count++] = call;
}

void call_list_remove(struct call_list *list, uint32_t call)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->calls[i] == call) {
            memmove(&list->calls[i], &list->calls[i + 1], (list->count - i - 1) * sizeof *list->calls);
            list->count--;
            return;
        }
    }
}

static bool accesses_conflict(uint32_t first, uint32_t second)
{
    if (first == ACCESS_ACCUMULATE && second == ACCESS_ACCUMULATE)
        return false;
    return ((first | second) & (ACCESS_WRITE | ACCESS_ACCUMULATE)) != 0;
}

static bool spans_overlap(const struct span *first, const struct span *second)
{
    return first->memory == second->memory && first->first < second->first + second->count &&
           second->first < first->first + first->count;
}

const struct span *spans_of(const struct view *view, uint32_t call, uint32_t *count)
{
    const struct statement *statement = call_statement(view->program, call);
    *count = statement->span_count;
    return view->program->spans + statement->first_span;
}

/* Whether the two touch the same bytes and one of them changes them. FED: whether SECOND changes what FIRST
 * reads. */
static bool calls_conflict(const struct view *view, uint32_t first, uint32_t second, bool *fed)
{
    uint32_t first_count, second_count;
    const struct span *first_spans = spans_of(view, first, &first_count);
    const struct span *second_spans = spans_of(view, second, &second_count);
    bool conflict = false;
    *fed = false;
    for (uint32_t i = 0; i < first_count; i++) {
        for (uint32_t j = 0; j < second_count; j++) {
            if (!spans_overlap(&first_spans[i], &second_spans[j]) ||
                !accesses_conflict(first_spans[i].access, second_spans[j].access))
                continue;
            conflict = true;
            if ((first_spans[i].access & ACCESS_READ) && (second_spans[j].access & ~(uint32_t)ACCESS_READ))
                *fed = true;
        }
    }
    return conflict;
}

static void mark_overlapped(struct view *view, uint32_t call)
{
    if (view->calls[call].overlapped)
        return;
    view->calls[call].overlapped = true;
    uint32_t count;
    const struct span *spans = spans_of(view, call, &count);
    for (uint32_t s = 0; s < count; s++) {
        struct view_memory *memory = &view->memories[spans[s].memory];
        for (uint32_t e = spans[s].first; e < spans[s].first + spans[s].count && e < memory->kept; e++)
            if (memory->writers[e] == call)
                memory->cells[e] = CELL_TORN;
    }
}

/* The receive of a send, the collective's calls on the other ranks. */
static void mark_receivers_overlapped(struct view *view, uint32_t call)
{
    const struct statement *statement = call_statement(view->program, call);
    if (!call_is_communication(statement) || statement->kind == CALL_RECV)
        return;
    uint32_t peer = view->order->match[call];
    for (uint32_t r = 0; r < view->program->rank_count && peer != NONE && peer != call; r++) {
        mark_overlapped(view, peer);
        peer = view->order->match[peer];
    }
}

void begin_access(struct view *view, uint32_t call)
{
    for (size_t i = 0; i < view->active.count; i++) {
        uint32_t other = view->active.calls[i];
        bool call_is_fed, other_is_fed;
        if (!calls_conflict(view, call, other, &call_is_fed))
            continue;
        calls_conflict(view, other, call, &other_is_fed);
        mark_overlapped(view, call);
        mark_overlapped(view, other);
        if (call_is_fed)
            mark_receivers_overlapped(view, call);
        if (other_is_fed)
            mark_receivers_overlapped(view, other);
    }
    call_list_add(&view->active, call);
}
