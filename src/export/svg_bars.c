/* What stands in the rows: calls, operations, uses of buffers, and the arrows between them. */
#include <stdlib.h>

#include "base/memory.h"
#include "export/svg_inside.h"

static const struct statement *statement_of(const struct svg_panel *panel, uint32_t call)
{
    return call_statement(panel->program, call);
}

/* "A", "send x", "wait E", "sync compute" */
static void append_brief(const struct svg_panel *panel, uint32_t call, struct text *out)
{
    const struct program *program = panel->program;
    const struct statement *statement = statement_of(panel, call);
    if (statement->kind == CALL_LAUNCH) {
        text_append(out, program->kernels[statement->kernel]);
        return;
    }
    text_append(out, call_kind_name((enum call_kind)statement->kind));
    const char *name = NULL;
    if (statement->event != NONE)
        name = program->events[statement->event].name;
    else if (statement->span_count > 0)
        name = program->memories[program->spans[statement->first_span].memory].name;
    else if (statement->memory != NONE)
        name = program->memories[statement->memory].name;
    else if (statement->kind == CALL_SYNC_STREAM || statement->kind == CALL_POLL_STREAM)
        name = program->streams[statement->stream].name;
    else if (statement->kind == CALL_SYNC_DEVICE)
        name = "device";
    if (name)
        text_format(out, " %s", name);
}

static void append_rectangle(struct text *out, const char *class, double left, double right, double middle,
                             double height)
{
    double width = right - left < 1.5 ? 1.5 : right - left;
    text_format(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", class,
                left, middle - height / 2, width, height);
}

static void append_text(struct text *out, const char *class, double x, double y, const char *text)
{
    text_format(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
    svg_escape(text, out);
    text_append(out, "</text>\n");
}

static void append_line(struct text *out, const char *class, double x1, double y1, double x2, double y2)
{
    text_format(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class, x1, y1,
                x2, y2);
}

/* The labels of one row that do not fit into their bars. */
struct labels {
    struct svg_label *items;
    size_t count, capacity;
};

static void add_label(struct labels *labels, double anchor, double size, struct text *text)
{
    ARRAY_RESERVE(labels->items, labels->count, labels->capacity);
    labels->items[labels->count++] =
        (struct svg_label){.text = *text, .anchor = anchor, .width = svg_text_width(text_string(text), size)};
    *text = (struct text){0};
}

/* Writes them side by side at TOP, each with a line to its anchor at FOOT. Where they are too many, none. */
static void write_labels(const struct svg_panel *panel, struct labels *labels, double top, double foot,
                         struct text *out)
{
    bool fit = svg_spread(labels->items, labels->count, panel->left, panel->left + panel->width + 24);
    for (size_t i = 0; i < labels->count; i++) {
        struct svg_label *label = &labels->items[i];
        if (fit) {
            double x = label->left + label->width / 2, reach = label->anchor - x;
            double limit = label->width / 2;
            x += reach > limit ? limit : reach < -limit ? -limit : reach;
            append_line(out, "lead", x, top + SVG_SMALL_FONT + 1, label->anchor, foot);
            append_text(out, "small", label->left, top + SVG_SMALL_FONT - 1, text_string(&label->text));
        }
        text_free(&label->text);
    }
    free(labels->items);
    *labels = (struct labels){0};
}

/* What only makes something stands before the work that the figure is about. */
static bool is_of_interest(const struct svg_panel *panel, uint32_t call)
{
    const struct statement *statement = statement_of(panel, call);
    const struct view_call *state = &panel->view->calls[call];
    bool makes = statement->kind == CALL_BUFFER || statement->kind == CALL_HOST ||
                 statement->kind == CALL_MANAGED || statement->kind == CALL_STREAM ||
                 statement->kind == CALL_USE_GPU;
    return !makes && state->called != TIME_NONE && state->called >= panel->from;
}

/* A call that holds the host back is a bar, any other a tick. */
static void draw_calls(const struct svg_panel *panel, const struct svg_row *row, struct text *out)
{
    const struct rank *rank = &panel->program->ranks[row->rank];
    struct labels labels = {0};
    append_line(out, "axis", panel->left, row->middle, panel->left + panel->width, row->middle);
    for (uint32_t i = 0; i < rank->call_count; i++) {
        uint32_t call = rank->first_call + i;
        const struct view_call *state = &panel->view->calls[call];
        if (!is_of_interest(panel, call))
            continue;
        double left = svg_x(panel, state->called);
        double right = svg_x(panel, state->returned == TIME_NONE ? panel->to : state->returned);
        bool blocks = right - left > 3;
        if (blocks)
            append_rectangle(out, "held", left, right, row->middle, 6);
        else
            append_line(out, "tick", left, row->middle - 4, left, row->middle + 4);
        struct text text = {0};
        append_brief(panel, call, &text);
        add_label(&labels, left, SVG_SMALL_FONT, &text);
    }
    write_labels(panel, &labels, row->top, row->middle - 4, out);
}

static const char *class_of(const struct statement *statement)
{
    switch (statement->kind) {
    case CALL_LAUNCH:
        return "kernel";
    case CALL_COPY:
    case CALL_SET:
        return "copy";
    case CALL_RECORD:
    case CALL_WAIT:
        return "event";
    default:
        return "transfer";
    }
}

static double lane_middle(const struct svg_row *row, const struct svg_use *use, double height)
{
    return row->middle + (use->lane - (row->lanes - 1) / 2.0) * height;
}

/* An operation: first what it waited, hollow, then what it ran. */
static void draw_operation(const struct svg_panel *panel, const struct svg_row *row,
                           const struct svg_use *use, struct labels *labels, struct text *out)
{
    uint32_t call = use->call;
    double middle = lane_middle(row, use, SVG_BAR);
    const struct view_call *state = &panel->view->calls[call];
    bool ended = state->done != TIME_NONE;
    double left = svg_x(panel, state->started), right = svg_x(panel, ended ? state->done : panel->to);
    double runs_from = left;
    if (!ended && state->waiting)
        runs_from = right;
    else if (state->waited_until != TIME_NONE && state->waited_until > state->started)
        runs_from = svg_x(panel, state->waited_until);
    struct text text = {0};
    append_brief(panel, call, &text);
    if (state->torn)
        text_append(&text, " (torn)");
    if (!ended)
        text_append(&text, " (not done)");
    if (runs_from > left + 1)
        append_rectangle(out, "waits", left, runs_from, middle, SVG_BAR);
    if (ended || runs_from < right)
        append_rectangle(out, state->torn ? "torn" : class_of(statement_of(panel, call)), runs_from, right,
                         middle, SVG_BAR);
    double width = svg_text_width(text_string(&text), SVG_FONT);
    double begin = right - runs_from >= width + 6 ? runs_from : left, end = right;
    if (end - begin < width + 6) {
        add_label(labels, (left + (right > left + 1.5 ? left + 1.5 : right)) / 2, SVG_SMALL_FONT, &text);
        return;
    }
    const struct statement *statement = statement_of(panel, call);
    bool on_pattern = statement->kind != CALL_LAUNCH || state->torn;
    if (on_pattern)
        append_rectangle(out, "plate", (begin + end - width) / 2 - 3, (begin + end + width) / 2 + 3, middle,
                         SVG_FONT + 1);
    append_text(out, on_pattern ? "name" : "on", (begin + end) / 2, middle + SVG_FONT * 0.36,
                text_string(&text));
    text_free(&text);
}

static void draw_stream(const struct svg_panel *panel, const struct svg_row *row, struct text *out)
{
    struct labels labels = {0};
    append_line(out, "axis", panel->left, row->middle, panel->left + panel->width, row->middle);
    for (uint32_t i = 0; i < row->use_count; i++)
        draw_operation(panel, row, &row->uses[i], &labels, out);
    write_labels(panel, &labels, row->top, row->top + SVG_LABEL_ROW, out);
}

static void draw_use(const struct svg_panel *panel, const struct svg_row *row, const struct svg_use *use,
                     struct text *out)
{
    bool reads = use->access & ACCESS_READ, writes = use->access & ACCESS_CHANGE;
    double left = svg_x(panel, use->from), right = svg_x(panel, use->to);
    double middle = lane_middle(row, use, SVG_USE);
    bool torn = panel->view->calls[use->call].torn;
    append_rectangle(out, torn ? "torn" : writes ? "writes" : "reads", left, right, middle, SVG_USE);
    struct text text = {0};
    append_brief(panel, use->call, &text);
    text_append(&text, reads && writes ? " reads, writes" : writes ? " writes" : " reads");
    double width = svg_text_width(text_string(&text), SVG_SMALL_FONT), centre = (left + right) / 2;
    if (right - left >= width + 6) {
        if (torn)
            append_rectangle(out, "plate", centre - width / 2 - 2, centre + width / 2 + 2, middle,
                             SVG_USE - 1);
        append_text(out, writes && !torn ? "small-on" : "small middle", centre,
                    middle + SVG_SMALL_FONT * 0.36, text_string(&text));
    }
    text_free(&text);
}

/* From when the buffer is there until it is freed, and who uses it. */
static void draw_buffer(const struct svg_panel *panel, const struct svg_row *row, struct text *out)
{
    const struct rank *rank = &panel->program->ranks[row->rank];
    double from = panel->left, to = panel->left + panel->width;
    for (uint32_t i = 0; i < rank->call_count; i++) {
        const struct statement *statement = statement_of(panel, rank->first_call + i);
        int64_t returned = panel->view->calls[rank->first_call + i].returned;
        if (statement->memory != row->memory || returned == TIME_NONE)
            continue;
        if (statement->kind == CALL_FREE)
            to = svg_x(panel, returned);
        else
            from = svg_x(panel, returned);
    }
    append_line(out, "life", from, row->middle, to, row->middle);
    for (uint32_t i = 0; i < row->use_count; i++)
        draw_use(panel, row, &row->uses[i], out);
}

static const struct svg_row *row_of(const struct svg_panel *panel, uint32_t call)
{
    return &panel->rows[panel->row_of_stream[statement_of(panel, call)->stream]];
}

/* Where the call's bar is. */
static double middle_of(const struct svg_panel *panel, uint32_t call)
{
    const struct svg_row *row = row_of(panel, call);
    for (uint32_t i = 0; i < row->use_count; i++)
        if (row->uses[i].call == call)
            return lane_middle(row, &row->uses[i], SVG_BAR);
    return row->middle;
}

static void draw_arrow(const struct svg_panel *panel, const char *class, uint32_t from, uint32_t to,
                       int64_t at, struct text *out)
{
    if (row_of(panel, from) == row_of(panel, to))
        return;
    double begin = middle_of(panel, from), end = middle_of(panel, to);
    double x = svg_x(panel, at), half = begin < end ? SVG_BAR / 2.0 : -SVG_BAR / 2.0;
    text_format(out,
                "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
                "marker-end=\"url(#%s-head)\"/>\n",
                class, x, begin + half, x, end - half, class);
}

/* Bytes go from send to receive from when both have started; a wait ends when its record is done. */
static void draw_arrows(const struct svg_panel *panel, struct text *out)
{
    const struct order *order = panel->run->order;
    for (uint32_t call = 0; call < panel->program->call_count; call++) {
        const struct statement *statement = statement_of(panel, call);
        const struct view_call *state = &panel->view->calls[call];
        uint32_t other = statement->kind == CALL_RECV   ? order->match[call]
                         : statement->kind == CALL_WAIT ? order->bound[call]
                                                        : NONE;
        if (other == NONE || state->started == TIME_NONE || panel->view->calls[other].started == TIME_NONE)
            continue;
        int64_t other_started = panel->view->calls[other].started;
        int64_t both = state->started > other_started ? state->started : other_started;
        if (statement->kind == CALL_RECV)
            draw_arrow(panel, "sends", other, call, both, out);
        else if (state->done != TIME_NONE)
            draw_arrow(panel, "orders", other, call, state->done, out);
    }
}

static void name_row(const struct svg_panel *panel, const struct svg_row *row, struct text *out)
{
    const char *name = row->memory != NONE   ? panel->program->memories[row->memory].name
                       : row->stream != NONE ? panel->program->streams[row->stream].name
                                             : "calls";
    append_text(out, row->stream != NONE ? "row" : "row dim", panel->left - 8, row->middle + SVG_FONT * 0.36,
                name);
}

static void name_rank(const struct svg_panel *panel, const struct svg_row *row, struct text *out)
{
    struct text name = {0};
    text_format(&name, "rank %u, GPU %u", row->rank, panel->program->ranks[row->rank].gpu);
    append_text(out, "rank", panel->left - panel->margin, row->top - 6, text_string(&name));
    text_free(&name);
}

void svg_draw_rows(const struct svg_panel *panel, struct text *out)
{
    draw_arrows(panel, out);
    for (uint32_t i = 0; i < panel->row_count; i++) {
        const struct svg_row *row = &panel->rows[i];
        if (i == 0 || row[-1].rank != row->rank)
            name_rank(panel, row, out);
        name_row(panel, row, out);
        if (row->memory != NONE)
            draw_buffer(panel, row, out);
        else if (row->stream != NONE)
            draw_stream(panel, row, out);
        else
            draw_calls(panel, row, out);
    }
}
