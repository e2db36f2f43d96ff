#include "export/graph.h"

#include <stdlib.h>

#include "base/memory.h"

/* The host itself works in it, or it waits. */
static bool is_host_node(const struct statement *statement)
{
    switch (statement->kind) {
    case CALL_COMM:
    case CALL_SYNC_STREAM:
    case CALL_SYNC_EVENT:
    case CALL_SYNC_DEVICE:
    case CALL_POLL_STREAM:
    case CALL_POLL_EVENT:
    case CALL_READ:
    case CALL_WRITE:
    case CALL_BARRIER:
    case CALL_FREE:
    case CALL_DESTROY:
    case CALL_ABORT:
        return true;
    default:
        return false;
    }
}

bool graph_is_meeting(const struct statement *statement)
{
    return call_is_collective(statement) || statement->kind == CALL_BARRIER || statement->kind == CALL_COMM ||
           statement->kind == CALL_DESTROY;
}

static bool find_nodes(struct graph *graph, uint32_t limit)
{
    const struct program *program = graph->order->program;
    graph->calls = memory_zeroed(program->call_count, sizeof *graph->calls);
    graph->nodes = memory_all_ones(program->call_count, sizeof *graph->nodes);
    for (uint32_t call = 0; call < program->call_count; call++) {
        const struct statement *statement = call_statement(program, call);
        if (!call_is_operation(statement) && !is_host_node(statement))
            continue;
        graph->nodes[call] = graph->node_count;
        graph->calls[graph->node_count++] = call;
    }
    return graph->node_count <= limit;
}

/* Whether the point is the node's own doing: an operation's submission is not. */
static bool is_of_node(const struct graph *graph, uint32_t point)
{
    uint32_t call = point_call(point);
    if (graph->nodes[call] == NONE)
        return false;
    return point_phase(point) >= STARTED || !call_is_operation(call_statement(graph->order->program, call));
}

struct search {
    struct graph *graph;
    uint32_t node;
    uint32_t *seen; /* by point: the last node that was looked for, plus 1 */
    uint32_t *stack;
    uint32_t stack_count;
};

static void add_edge(struct graph *graph, uint32_t from, uint32_t to)
{
    const struct program *program = graph->order->program;
    const struct statement *first = call_statement(program, graph->calls[from]);
    const struct statement *second = call_statement(program, graph->calls[to]);
    bool meet = first->rank != second->rank && first->kind == second->kind && graph_is_meeting(first);
    for (uint32_t i = graph->edge_count; i-- > 0 && graph->edges[i].to == to;)
        if (graph->edges[i].from == from)
            return;
    if (meet || from == to)
        return;
    ARRAY_RESERVE(graph->edges, graph->edge_count, graph->edge_capacity);
    graph->edges[graph->edge_count++] =
        (struct graph_edge){.from = from,
                            .to = to,
                            .is_transfer = second->kind == CALL_RECV && first->kind == CALL_SEND &&
                                           graph->order->match[graph->calls[to]] == graph->calls[from]};
}

static void push(struct search *search, uint32_t point)
{
    if (search->seen[point] == search->node + 1)
        return;
    search->seen[point] = search->node + 1;
    search->stack[search->stack_count++] = point;
}

/* Follows what POINT waits for in every execution, up to the next nodes. */
static void look_behind(struct search *search, uint32_t point)
{
    const struct order *order = search->graph->order;
    for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++) {
        uint32_t until = order->waits[w].point;
        if (order->waits[w].strength != ALWAYS || until == NONE)
            continue;
        if (!is_of_node(search->graph, until))
            push(search, until);
        else if (search->graph->nodes[point_call(until)] != search->node)
            add_edge(search->graph, search->graph->nodes[point_call(until)], search->node);
        else
            push(search, until);
    }
}

static void find_edges(struct graph *graph)
{
    const struct order *order = graph->order;
    struct search search = {.graph = graph,
                            .seen = memory_zeroed(order->point_count, sizeof *search.seen),
                            .stack = memory_zeroed(order->point_count, sizeof *search.stack)};
    for (search.node = 0; search.node < graph->node_count; search.node++) {
        uint32_t call = graph->calls[search.node];
        for (enum phase phase = ENTERED; phase < PHASE_COUNT; phase++)
            if (is_of_node(graph, point_of(call, phase)) && order_has_point(order, point_of(call, phase)))
                push(&search, point_of(call, phase));
        while (search.stack_count > 0)
            look_behind(&search, search.stack[--search.stack_count]);
    }
    free(search.seen);
    free(search.stack);
}

/* Nodes so that edges go forward; what is on a cycle is left out. Returns how many there are. */
static uint32_t sort_nodes(const struct graph *graph, uint32_t *sorted)
{
    uint32_t *missing = memory_zeroed(graph->node_count, sizeof *missing), count = 0;
    for (uint32_t e = 0; e < graph->edge_count; e++)
        missing[graph->edges[e].to]++;
    for (uint32_t node = 0; node < graph->node_count; node++)
        if (missing[node] == 0)
            sorted[count++] = node;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t e = 0; e < graph->edge_count; e++)
            if (graph->edges[e].from == sorted[i] && --missing[graph->edges[e].to] == 0)
                sorted[count++] = graph->edges[e].to;
    free(missing);
    return count;
}

/* An edge says nothing new where a way of others says that FROM is done before TO. A way that begins with a
 * transfer only says that FROM has started. */
static void mark_implied(struct graph *graph)
{
    uint32_t n = graph->node_count;
    bool *reached = memory_zeroed((size_t)n * n + 1, sizeof *reached);
    uint32_t *sorted = memory_zeroed(n + 1, sizeof *sorted);
    uint32_t count = sort_nodes(graph, sorted);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t e = 0; e < graph->edge_count; e++) {
            const struct graph_edge *edge = &graph->edges[e];
            if (edge->to != sorted[i])
                continue;
            if (!edge->is_transfer)
                reached[(size_t)edge->to * n + edge->from] = true;
            for (uint32_t node = 0; node < n; node++)
                reached[(size_t)edge->to * n + node] |= reached[(size_t)edge->from * n + node];
        }
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        struct graph_edge *edge = &graph->edges[e];
        for (uint32_t other = 0; other < graph->edge_count && !edge->is_transfer; other++) {
            const struct graph_edge *last = &graph->edges[other];
            if (last->to == edge->to && last->from != edge->from &&
                reached[(size_t)last->from * n + edge->from])
                edge->is_implied = true;
        }
    }
    free(reached);
    free(sorted);
}

bool graph_open(struct graph *graph, const struct order *order, uint32_t limit)
{
    *graph = (struct graph){.order = order};
    if (!find_nodes(graph, limit))
        return false;
    find_edges(graph);
    mark_implied(graph);
    return true;
}

void graph_close(struct graph *graph)
{
    free(graph->calls);
    free(graph->nodes);
    free(graph->edges);
}
