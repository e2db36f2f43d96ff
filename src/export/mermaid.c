#include "export/mermaid.h"

#include <string.h>

#include "export/graph.h"
#include "log/words.h"

struct chart {
    const struct order *order;
    const struct program *program;
    struct graph graph;
    struct text *out;
    uint32_t missing; /* partners that are not there, so far */
};

static const struct statement *statement_of(const struct chart *chart, uint32_t call)
{
    return call_statement(chart->program, call);
}

/* Words within quotes. */
static void append_words(const char *words, struct text *out)
{
    for (const char *c = words; *c; c++) {
        switch (*c) {
        case '"':
            text_append(out, "#quot;");
            break;
        case '<':
            text_append(out, "&lt;");
            break;
        case '>':
            text_append(out, "&gt;");
            break;
        case '&':
            text_append(out, "&amp;");
            break;
        case '#':
            text_append(out, "#35;");
            break;
        default:
            text_append_bytes(out, c, 1);
            break;
        }
    }
}

/* The call in words, without the stream whose box it stands in. */
static void append_node(struct chart *chart, uint32_t call, const char *indent)
{
    struct text words = {0};
    describe_call_briefly(chart->program, call, &words);
    char *on = words.bytes ? strstr(words.bytes, " on ") : NULL;
    if (on && call_is_operation(statement_of(chart, call)))
        *on = '\0';
    text_format(chart->out, "%sc%u[\"", indent, call);
    append_words(text_string(&words), chart->out);
    text_append(chart->out, "\"]\n");
    text_free(&words);
}

/* Of the rank's nodes those on the stream; NONE: the host's own. */
/* NONE + 1 is 0: the host's box is the first. */
static void append_box(struct chart *chart, uint32_t rank, uint32_t stream, const char *name)
{
    bool is_open = false;
    for (uint32_t node = 0; node < chart->graph.node_count; node++) {
        uint32_t call = chart->graph.calls[node];
        const struct statement *statement = statement_of(chart, call);
        uint32_t own = call_is_operation(statement) ? statement->stream : NONE;
        if (statement->rank != rank || own != stream)
            continue;
        if (!is_open)
            text_format(chart->out, "    subgraph r%ub%u[\"%s\"]\n", rank, stream + 1, name);
        is_open = true;
        append_node(chart, call, "      ");
    }
    if (is_open)
        text_append(chart->out, "    end\n");
}

static void append_ranks(struct chart *chart)
{
    const struct program *program = chart->program;
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        text_format(chart->out, "  subgraph r%u[\"rank %u\"]\n", rank, rank);
        append_box(chart, rank, NONE, "host program");
        for (uint32_t i = 0; i < program->stream_count; i++)
            if (program->streams[i].rank == rank)
                append_box(chart, rank, i, program->streams[i].name);
        text_append(chart->out, "  end\n");
    }
}

static void append_edges(struct chart *chart)
{
    for (uint32_t e = 0; e < chart->graph.edge_count; e++) {
        const struct graph_edge *edge = &chart->graph.edges[e];
        if (!edge->is_implied)
            text_format(chart->out, edge->is_transfer ? "  c%u ==> c%u\n" : "  c%u --> c%u\n",
                        chart->graph.calls[edge->from], chart->graph.calls[edge->to]);
    }
}

/* What several ranks do together. */
static void append_meetings(struct chart *chart)
{
    for (uint32_t node = 0; node < chart->graph.node_count; node++) {
        uint32_t call = chart->graph.calls[node], other = chart->order->match[call];
        if (graph_is_meeting(statement_of(chart, call)) && other != NONE && other > call)
            text_format(chart->out, "  c%u <--> c%u\n", call, other);
    }
}

static bool is_node(const struct chart *chart, uint32_t call)
{
    return call != NONE && chart->graph.nodes[call] != NONE;
}

static void append_cycle(struct chart *chart, const struct finding *finding)
{
    for (uint32_t i = 0; i < finding->cycle_length; i++) {
        uint32_t held = point_call(finding->cycle[i]);
        uint32_t until = point_call(finding->cycle[(i + 1) % finding->cycle_length]);
        if (held != until && is_node(chart, held) && is_node(chart, until))
            text_format(chart->out, "  c%u -. \"waits for\" .-> c%u\n", held, until);
    }
}

static void append_finding(struct chart *chart, const struct finding *finding)
{
    const char *kind = finding_kind_name(finding->kind);
    if (finding->kind == FINDING_DEADLOCK) {
        append_cycle(chart, finding);
    } else if (!is_node(chart, finding->call) || finding_severity(finding->kind) != SEVERITY_ERROR) {
        return;
    } else if (is_node(chart, finding->other)) {
        text_format(chart->out, "  c%u -. \"%s: no order\" .-> c%u\n", finding->other, kind, finding->call);
    } else if (finding->kind == FINDING_UNMATCHED) {
        text_format(chart->out, "  n%u[\"nobody\"]\n  c%u -. \"unmatched\" .-> n%u\n", chart->missing,
                    finding->call, chart->missing);
        chart->missing++;
    }
}

bool export_mermaid(const struct order *order, const struct findings *findings, struct text *out,
                    struct error *error)
{
    struct chart chart = {.order = order, .program = order->program, .out = out};
    bool fits = graph_open(&chart.graph, order, MERMAID_MOST_NODES);
    if (fits) {
        text_append(out, "flowchart TD\n");
        append_ranks(&chart);
        append_edges(&chart);
        append_meetings(&chart);
        for (uint32_t i = 0; i < findings->count; i++)
            append_finding(&chart, &findings->items[i]);
    } else {
        error_set(error, "a chart shows at most %d operations and waits, and the schedule has %u",
                  MERMAID_MOST_NODES, chart.graph.node_count);
    }
    graph_close(&chart.graph);
    return fits;
}
