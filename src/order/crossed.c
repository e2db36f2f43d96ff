#include "order/crossed.h"

#include <string.h>

/* Of the group at hand: by rank, the last of the calls there that its collectives meet; 0 before any. */
struct meetings {
    uint32_t latest[SCHEDULE_MAX_RANKS];
    uint32_t group; /* its end */
};

static uint32_t meet(const struct order *order, uint32_t call, struct meetings *meetings)
{
    uint32_t crossed = 0;
    for (uint32_t other = order->match[call]; other != NONE && other != call; other = order->match[other]) {
        uint32_t *latest = &meetings->latest[call_statement(order->program, other)->rank];
        crossed += other < *latest;
        *latest = other > *latest ? other : *latest;
    }
    return crossed;
}

uint32_t count_crossed(const struct order *order)
{
    struct meetings meetings = {.group = NONE};
    uint32_t crossed = 0;
    for (uint32_t call = 0; call < order->program->call_count; call++) {
        const struct statement *statement = call_statement(order->program, call);
        if (!call_is_collective(statement) || !statement->in_group)
            continue;
        if (meetings.group != order->bound[call])
            memset(&meetings, 0, sizeof meetings);
        meetings.group = order->bound[call];
        crossed += meet(order, call, &meetings);
    }
    return crossed;
}
