/* The order graph reduced to what a reader needs: a node for each operation, and for each call in which the
 * host itself works or waits; calls that only submit are ways between them. */
#ifndef HANDOFF_EXPORT_GRAPH_H
#define HANDOFF_EXPORT_GRAPH_H

#include "order/order.h"

/* FROM is done before TO starts or goes on; of a transfer, TO is the receive, which is done no sooner than
 * FROM starts. Nodes are numbered by the order of their calls. */
struct graph_edge {
    uint32_t from, to; /* nodes */
    bool is_transfer;
    bool is_implied; /* by other edges */
};

struct graph {
    const struct order *order;
    uint32_t *calls; /* by node */
    uint32_t *nodes; /* by call; NONE */
    uint32_t node_count;
    struct graph_edge *edges;
    uint32_t edge_count, edge_capacity;
};

/* False where there are more than LIMIT nodes. Freed by graph_close() in either case. */
bool graph_open(struct graph *graph, const struct order *order, uint32_t limit);
void graph_close(struct graph *graph);

/* Whether the call is one that several ranks make together: those are not ordered among themselves. */
bool graph_is_meeting(const struct statement *statement);

#endif
