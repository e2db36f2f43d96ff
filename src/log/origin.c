/* Which launch made a value, through copies and transfers. */
#include "log/fold.h"

#include <string.h>

/* Where the call takes its values from: a copy from its source, a receive from the matching send's buffer, a
 * broadcast from its root's. */
static const struct span *source_of(const struct view *view, uint32_t call)
{
    const struct statement *statement = call_statement(view->program, call);
    uint32_t from = NONE;
    if (statement->kind == CALL_COPY)
        from = call;
    else if (statement->kind == CALL_RECV)
        from = view->order->match[call];
    else if (statement->kind == CALL_BROADCAST && statement->rank != statement->peer)
        for (uint32_t r = 0, at = view->order->match[call]; r < view->program->rank_count && at != NONE;
             r++, at = view->order->match[at])
            if (call_statement(view->program, at)->rank == statement->peer)
                from = at;
    if (from == NONE)
        return NULL;
    uint32_t count;
    const struct span *spans = spans_of(view, from, &count);
    return count > 0 ? spans : NULL;
}

/* The launch that made the value which CALL brought to ELEMENT, as far as the source still holds it. */
static uint32_t maker_at_source(const struct view *view, uint32_t call, uint32_t index, uint32_t element)
{
    const struct span *source = source_of(view, call);
    if (!source)
        return NONE;
    uint32_t count;
    const struct span *destination = spans_of(view, call, &count) + (count - 1);
    const struct program *program = view->program;
    const struct view_memory *to = &view->memories[index], *from = &view->memories[source->memory];
    if (destination->memory != index || element < destination->first)
        return NONE;
    uint32_t place = element - destination->first + source->first;
    size_t size = element_size(program->memories[index].type);
    if (place >= from->kept || size != element_size(program->memories[source->memory].type) ||
        memcmp(from->bytes + place * size, to->bytes + element * size, size) != 0)
        return NONE;
    return from->makers[place];
}

static bool is_opaque_launch(const struct view *view, uint32_t call)
{
    const struct statement *statement = call_statement(view->program, call);
    if (statement->kind != CALL_LAUNCH)
        return false;
    const char *name = view->program->kernels[statement->kernel];
    return strcmp(name, "A") != 0 && strcmp(name, "B") != 0 && strcmp(name, "C") != 0;
}

uint32_t maker_of(const struct view *view, uint32_t call, uint32_t memory, uint32_t element)
{
    if (call == NONE)
        return NONE;
    return is_opaque_launch(view, call) ? call : maker_at_source(view, call, memory, element);
}
