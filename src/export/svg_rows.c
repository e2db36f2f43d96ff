/* Which rows a run has, and where they stand. */
#include <stdlib.h>

#include "base/memory.h"
#include "export/svg_inside.h"

static void add_row(struct svg_panel *panel, uint32_t rank, uint32_t stream, uint32_t memory)
{
    panel->rows[panel->row_count++] = (struct svg_row){.rank = rank, .stream = stream, .memory = memory};
}

static bool *find_used(const struct program *program, bool streams)
{
    bool *used = memory_zeroed(streams ? program->stream_count : program->memory_count, sizeof *used);
    for (uint32_t i = 0; i < program->call_count; i++) {
        const struct statement *statement = call_statement(program, i);
        if (streams && call_is_operation(statement))
            used[statement->stream] = true;
        for (uint32_t s = 0; !streams && s < statement->span_count; s++)
            used[program->spans[statement->first_span + s].memory] = true;
    }
    return used;
}

static void find_rows(struct svg_panel *panel)
{
    const struct program *program = panel->program;
    bool *streams = find_used(program, true), *memories = find_used(program, false);
    panel->rows = memory_zeroed(program->rank_count + program->stream_count + program->memory_count,
                                sizeof *panel->rows);
    panel->row_of_stream = memory_all_ones(program->stream_count, sizeof *panel->row_of_stream);
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        if (program->ranks[rank].call_count > 0)
            add_row(panel, rank, NONE, NONE);
        for (uint32_t i = 0; i < program->stream_count; i++)
            if (program->streams[i].rank == rank && streams[i]) {
                panel->row_of_stream[i] = panel->row_count;
                add_row(panel, rank, i, NONE);
            }
        for (uint32_t i = 0; i < program->memory_count; i++)
            if (program->memories[i].rank == rank && memories[i])
                add_row(panel, rank, NONE, i);
    }
    free(streams);
    free(memories);
}

/* From the first call that asks for work to the end. */
static void find_times(struct svg_panel *panel)
{
    panel->from = panel->to = panel->view->now == TIME_NONE ? 0 : panel->view->now;
    for (uint32_t i = 0; i < panel->program->call_count; i++) {
        int64_t called = panel->view->calls[i].called;
        if (called != TIME_NONE && called < panel->from &&
            call_is_operation(call_statement(panel->program, i)))
            panel->from = called;
    }
    if (panel->view->outcome != OUTCOME_FINISHED)
        panel->to += (panel->to - panel->from) / 5; /* so that what waits for ever can be seen */
    if (panel->to <= panel->from)
        panel->to = panel->from + 1;
}

static double margin(const struct svg_panel *panel)
{
    double widest = svg_text_width("calls", SVG_FONT);
    for (uint32_t i = 0; i < panel->row_count; i++) {
        const struct svg_row *row = &panel->rows[i];
        const char *name = row->memory != NONE   ? panel->program->memories[row->memory].name
                           : row->stream != NONE ? panel->program->streams[row->stream].name
                                                 : "calls";
        double width = svg_text_width(name, SVG_FONT);
        widest = width > widest ? width : widest;
    }
    return widest + 12;
}

void svg_panel_open(struct svg_panel *panel, const struct export_run *run)
{
    *panel = (struct svg_panel){.run = run, .program = run->order->program, .view = export_run_view(run)};
    find_rows(panel);
    find_times(panel);
    panel->margin = margin(panel);
    for (uint32_t i = 0; i < panel->row_count; i++)
        if (panel->rows[i].memory != NONE || panel->rows[i].stream != NONE)
            svg_find_uses(panel, &panel->rows[i]);
}

void svg_panel_close(struct svg_panel *panel)
{
    for (uint32_t i = 0; i < panel->row_count; i++)
        free(panel->rows[i].uses);
    view_close(panel->view);
    free(panel->rows);
    free(panel->row_of_stream);
}

void svg_place_rows(struct svg_panel *panel, double top)
{
    enum { RANK_HEADER = 22, RANK_GAP = 12, BUFFER_GAP = 4 };
    double y = top;
    panel->top = top;
    for (uint32_t i = 0; i < panel->row_count; i++) {
        struct svg_row *row = &panel->rows[i];
        bool begins_rank = i == 0 || row[-1].rank != row->rank;
        bool is_buffer = row->memory != NONE, begins_buffers = is_buffer && row[-1].memory == NONE;
        if (begins_rank)
            y += RANK_HEADER + (i > 0 ? RANK_GAP : 0);
        if (begins_buffers)
            y += BUFFER_GAP;
        row->top = y;
        y += is_buffer ? 3 : SVG_LABEL_ROW;
        double lane = is_buffer ? SVG_USE : row->stream == NONE ? 10 : SVG_BAR;
        double height = lane * (row->lanes > 0 ? row->lanes : 1);
        row->middle = y + height / 2;
        y += height + 3;
        row->bottom = y;
    }
    panel->bottom = y + 4;
}

double svg_x(const struct svg_panel *panel, int64_t time)
{
    double share = ((double)time - (double)panel->from) / ((double)panel->to - (double)panel->from);
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return panel->left + share * panel->width;
}
