/* Which calls run at the same time on the same bytes, and what becomes torn by it. */
#include "log/fold.h"

#include "base/memory.h"
#include "order/hazard.h"

const struct span *spans_of(const struct view *view, uint32_t call, uint32_t *count)
{
    const struct statement *statement = call_statement(view->program, call);
    *count = statement->span_count;
    return view->program->spans + statement->first_span;
}

/* Whether the two touch the same bytes and one of them changes them. TEARS: whether SECOND changes what FIRST
 * reads or writes, so that what FIRST writes may be torn. */
static bool calls_meet(const struct view *view, uint32_t first, uint32_t second, bool *tears)
{
    uint32_t first_count, second_count;
    const struct span *first_spans = spans_of(view, first, &first_count);
    const struct span *second_spans = spans_of(view, second, &second_count);
    bool conflict = false;
    *tears = false;
    for (uint32_t i = 0; i < first_count; i++) {
        for (uint32_t j = 0; j < second_count; j++) {
            struct span shared;
            if (!spans_overlap(&first_spans[i], &second_spans[j], &shared) ||
                !accesses_conflict(first_spans[i].access, second_spans[j].access))
                continue;
            conflict = true;
            if (second_spans[j].access & ~(uint32_t)ACCESS_READ)
                *tears = true;
        }
    }
    return conflict;
}

static void mark_torn(struct view *view, uint32_t call)
{
    if (view->calls[call].torn)
        return;
    view->calls[call].overlapped = view->calls[call].torn = true;
    uint32_t count;
    const struct span *spans = spans_of(view, call, &count);
    for (uint32_t s = 0; s < count; s++) {
        struct view_memory *memory = &view->memories[spans[s].memory];
        for (uint32_t e = spans[s].first; e < spans[s].first + spans[s].count && e < memory->kept; e++)
            if (memory->writers[e] == call)
                memory->cells[e] = CELL_TORN;
    }
}

/* And with it the receive of a send, the collective's calls on the other ranks. */
static void mark_torn_everywhere(struct view *view, uint32_t call)
{
    mark_torn(view, call);
    const struct statement *statement = call_statement(view->program, call);
    if (!call_is_communication(statement) || statement->kind == CALL_RECV)
        return;
    uint32_t peer = view->order->match[call];
    for (uint32_t r = 0; r < view->program->rank_count && peer != NONE && peer != call; r++) {
        mark_torn(view, peer);
        peer = view->order->match[peer];
    }
}

static void compare_accesses(struct view *view, uint32_t call, uint32_t other)
{
    bool call_is_torn, other_is_torn;
    if (!calls_meet(view, call, other, &call_is_torn))
        return;
    calls_meet(view, other, call, &other_is_torn);
    view->calls[call].overlapped = view->calls[other].overlapped = true;
    if (call_is_torn)
        mark_torn_everywhere(view, call);
    if (other_is_torn)
        mark_torn_everywhere(view, other);
}

void begin_access(struct view *view, uint32_t call)
{
    if (view->calls[call].active_place != NONE)
        return;
    size_t first = view->active_count > ACCESSES_COMPARED ? view->active_count - ACCESSES_COMPARED : 0;
    for (size_t i = first; i < view->active_count; i++)
        compare_accesses(view, call, view->active[i]);
    ARRAY_RESERVE(view->active, view->active_count, view->active_capacity);
    view->calls[call].active_place = (uint32_t)view->active_count;
    view->active[view->active_count++] = call;
}

void end_access(struct view *view, uint32_t call)
{
    uint32_t place = view->calls[call].active_place;
    if (place == NONE)
        return;
    uint32_t last = view->active[--view->active_count];
    view->active[place] = last;
    view->calls[last].active_place = place;
    view->calls[call].active_place = NONE;
}
