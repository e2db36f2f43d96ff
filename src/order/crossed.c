#include "order/crossed.h"

#include <string.h>

/* Of the group at hand: by rank, which of its collectives meets the last call there, and that; 0 before any.
 */
struct meetings {
    uint32_t calls[SCHEDULE_MAX_RANKS], parts[SCHEDULE_MAX_RANKS];
    uint32_t group; /* its end */
};

static uint32_t meet(const struct order *order, uint32_t call, struct meetings *meetings,
                     void (*found)(void *context, const struct crossing *crossing), void *context)
{
    uint32_t count = 0;
    for (uint32_t part = order->match[call]; part != NONE && part != call; part = order->match[part]) {
        uint32_t rank = call_statement(order->program, part)->rank;
        const struct crossing crossing = {meetings->calls[rank], call, meetings->parts[rank], part};
        if (part > meetings->parts[rank]) {
            meetings->calls[rank] = call;
            meetings->parts[rank] = part;
            continue;
        }
        count++;
        if (found)
            found(context, &crossing);
    }
    return count;
}

uint32_t find_crossed(const struct order *order,
                      void (*found)(void *context, const struct crossing *crossing), void *context)
{
    struct meetings meetings = {.group = NONE};
    uint32_t count = 0;
    for (uint32_t call = 0; call < order->program->call_count; call++) {
        const struct statement *statement = call_statement(order->program, call);
        if (!call_is_collective(statement) || !statement->in_group)
            continue;
        if (meetings.group != order->bound[call])
            memset(&meetings, 0, sizeof meetings);
        meetings.group = order->bound[call];
        count += meet(order, call, &meetings, found, context);
    }
    return count;
}
