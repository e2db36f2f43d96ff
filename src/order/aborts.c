#include "order/aborts.h"

#include <stdlib.h>

#include "base/memory.h"

struct watch {
    struct position *ends;
    void (*each)(void *context, const struct abort_entry *entry);
    void *context;
};

static void visit(void *context, const struct causality *causality)
{
    struct watch *watch = context;
    uint32_t call = point_call(causality->point);
    const struct statement *statement = call_statement(causality->program, call);
    if (point_phase(causality->point) == STARTED && call_is_communication(statement))
        watch->ends[call] = causality_end(causality, call, DONE);
    if (point_phase(causality->point) != ENTERED || statement->kind != CALL_ABORT)
        return;
    const struct abort_entry entry = {call, causality, watch->ends};
    watch->each(watch->context, &entry);
}

void aborts_run(const struct order *order, struct position *ends,
                void (*each)(void *context, const struct abort_entry *entry), void *context)
{
    struct watch watch = {.ends = ends, .each = each, .context = context};
    causality_run(order, visit, &watch);
}

bool is_done_before(const struct abort_entry *entry, uint32_t call)
{
    return entry->ends[call].count > 0 && causality_knows(entry->causality, entry->ends[call]);
}

struct settling {
    const struct order *order;
    bool *open; /* by call: its abort may come before it is done */
};

static void find_open(void *context, const struct abort_entry *entry)
{
    struct settling *settling = context;
    const struct order *order = settling->order;
    for (uint32_t call = order->first_ended[entry->abort]; call != NONE; call = order->next_ended[call])
        settling->open[call] = order->aborted_by[call] != NONE && !is_done_before(entry, call);
}

/* What holds CALL does so in every execution: the abort comes later, or never. */
static void settle(struct order *order, uint32_t call)
{
    order->aborted_by[call] = NONE;
    for (uint32_t point = point_of(call, STARTED); point <= point_of(call, DONE); point++)
        for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++)
            order->waits[w].strength = (uint8_t)strength_without_abort(order, point, &order->waits[w]);
}

/* Whether there was one. */
static bool settle_some(struct order *order)
{
    struct settling settling = {.order = order};
    bool some = false;
    struct position *ends = memory_zeroed(order->program->call_count, sizeof *ends);
    settling.open = memory_zeroed(order->program->call_count, sizeof *settling.open);
    aborts_run(order, ends, find_open, &settling);
    free(ends);
    for (uint32_t call = 0; call < order->program->call_count; call++)
        if (order->aborted_by[call] != NONE && !settling.open[call]) {
            settle(order, call);
            some = true;
        }
    free(settling.open);
    return some;
}

void settle_aborts(struct order *order)
{
    while (settle_some(order)) /* which may put more before an abort, or keep a rank from it */
        continue;
}
