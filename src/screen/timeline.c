#include "screen/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/operation.h"
#include "screen/plot.h"

enum { MOST_BUFFERS = 32 };

void format_time(int64_t time, struct text *out)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    double size = fabs((double)time);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (size >= units[i].ns) {
            double value = (double)time / units[i].ns;
            text_format(out, "%.*f %s", size < 100 * units[i].ns ? 2 : 1, value, units[i].unit);
            return;
        }
    text_format(out, "%lld ns", (long long)time);
}

static void add_lane(struct plot *plot, uint32_t rank, uint32_t stream, uint32_t memory)
{
    plot->lanes[plot->lane_count++] =
        (struct lane){.rank = rank, .stream = stream, .memory = memory, .busy_to = TIME_NONE};
}

static void add_streams(struct plot *plot)
{
    const struct program *program = plot->view->program;
    bool *used = streams_used(program);
    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        for (uint32_t stream = 0; stream < program->stream_count; stream++)
            if (program->streams[stream].rank == rank && used[stream]) {
                plot->lane_of_stream[stream] = plot->lane_count;
                add_lane(plot, rank, stream, NONE);
            }
    free(used);
}

/* The buffers that more than one statement uses: of the others nothing can be in the way. */
static void add_buffers(struct plot *plot)
{
    const struct program *program = plot->view->program;
    uint32_t *users = memory_zeroed(program->memory_count, sizeof *users);
    uint32_t added = 0;
    for (uint32_t i = 0; i < program->statement_count; i++)
        for (uint32_t s = 0; s < program->statements[i].span_count; s++)
            users[program->spans[program->statements[i].first_span + s].memory]++;
    for (uint32_t memory = 0; memory < program->memory_count; memory++) {
        plot->lane_of_memory[memory] = NONE;
        if (users[memory] < 2 || added == MOST_BUFFERS)
            continue;
        plot->lane_of_memory[memory] = plot->lane_count;
        add_lane(plot, program->memories[memory].rank, NONE, memory);
        added++;
    }
    free(users);
}

static void find_lanes(struct plot *plot)
{
    const struct program *program = plot->view->program;
    plot->lane_of_stream = memory_zeroed(program->stream_count, sizeof *plot->lane_of_stream);
    plot->lane_of_memory = memory_zeroed(program->memory_count, sizeof *plot->lane_of_memory);
    plot->lanes =
        memory_zeroed(program->rank_count + program->stream_count + MOST_BUFFERS, sizeof *plot->lanes);
    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        add_lane(plot, rank, NONE, NONE);
    add_streams(plot);
    add_buffers(plot);
}

static void free_lanes(struct plot *plot)
{
    free(plot->lanes);
    free(plot->lane_of_stream);
    free(plot->lane_of_memory);
}

int timeline_rows(const struct view *view)
{
    struct plot plot = {.view = view};
    find_lanes(&plot);
    free_lanes(&plot);
    return (int)plot.lane_count + 1;
}

/* All that has happened, from the first call that asks for work on a GPU. */
static void whole_window(const struct view *view, int64_t *from, int64_t *to)
{
    int64_t first = TIME_NONE, first_work = TIME_NONE;
    for (uint32_t call = 0; call < view->program->call_count; call++) {
        int64_t called = view->calls[call].called;
        if (called == TIME_NONE)
            continue;
        if (first == TIME_NONE || called < first)
            first = called;
        if (call_is_operation(call_statement(view->program, call)) &&
            (first_work == TIME_NONE || called < first_work))
            first_work = called;
    }
    *from = first_work != TIME_NONE ? first_work : first != TIME_NONE ? first : 0;
    *to = view->now > *from ? view->now : *from + 1;
}

int plot_column(const struct plot *plot, int64_t time)
{
    double share = ((double)time - (double)plot->from) / ((double)plot->to - (double)plot->from);
    double column = floor(share * plot->area.columns);
    return column < -1 ? -1 : column > plot->area.columns ? plot->area.columns : (int)column;
}

static void lane_label(const struct view *view, const struct lane *lane, struct text *out)
{
    text_format(out, "r%u ", (unsigned)lane->rank);
    if (lane->memory != NONE)
        text_format(out, "use of %s", view->program->memories[lane->memory].name);
    else
        text_append(out, lane->stream == NONE ? "calls" : view->program->streams[lane->stream].name);
}

static int draw_labels(struct plot *plot, struct rectangle area)
{
    int width = 0;
    struct text label = {0};
    for (uint32_t i = 0; i < plot->lane_count; i++) {
        text_clear(&label);
        lane_label(plot->view, &plot->lanes[i], &label);
        int needed = canvas_text_width(plot->canvas, text_string(&label)) + 1;
        if (plot->lanes[i].row >= 0 && needed > width)
            width = needed;
    }
    if (width > area.columns / 3)
        width = area.columns / 3;
    area.columns = width > 0 ? width - 1 : 0;
    for (uint32_t i = 0; i < plot->lane_count; i++) {
        text_clear(&label);
        lane_label(plot->view, &plot->lanes[i], &label);
        if (plot->lanes[i].row >= 0)
            canvas_text(plot->canvas, area, plot->lanes[i].row, 0, STYLE_DIM, text_string(&label));
    }
    text_free(&label);
    return width;
}

/* The distance of two ticks, 1, 2 or 5 times a power of ten, so that their labels do not meet. */
static double tick_step(const struct plot *plot)
{
    double at_least = ((double)plot->to - (double)plot->from) * 12 / plot->area.columns;
    double step = pow(10, floor(log10(at_least > 1 ? at_least : 1)));
    static const double steps[] = {1, 2, 5, 10};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] * step >= at_least)
            return steps[i] * step;
    return 10 * step;
}

static void draw_axis(const struct plot *plot, int row)
{
    canvas_glyphs(plot->canvas, plot->area, row, 0, plot->area.columns, STYLE_FRAME, GLYPH_HORIZONTAL);
    if (plot->area.columns < 12)
        return;
    double step = tick_step(plot);
    double unit = step >= 1e9 ? 1e9 : step >= 1e6 ? 1e6 : step >= 1e3 ? 1e3 : 1;
    const char *name = step >= 1e9 ? "s" : step >= 1e6 ? "ms" : step >= 1e3 ? "us" : "ns";
    struct text label = {0};
    int64_t last = (int64_t)floor((double)plot->to / step);
    for (int64_t number = (int64_t)ceil((double)plot->from / step); number <= last; number++) {
        double tick = (double)number * step;
        int column = plot_column(plot, (int64_t)tick);
        text_clear(&label);
        text_format(&label, "%.0f %s", tick / unit, name);
        canvas_glyph(plot->canvas, plot->area, row, column, STYLE_FRAME, GLYPH_TEE_DOWN);
        if (column + 1 + (int)label.length <= plot->area.columns)
            canvas_text(plot->canvas, plot->area, row, column + 1, STYLE_DIM, text_string(&label));
    }
    text_free(&label);
}

static void draw_cursor(const struct plot *plot, int64_t cursor)
{
    int column = plot_column(plot, cursor);
    if (column == plot->area.columns)
        column--;
    for (uint32_t i = 0; i < plot->lane_count; i++)
        if (plot->lanes[i].row >= 0 && column >= plot->lanes[i].free)
            canvas_glyph(plot->canvas, plot->area, plot->lanes[i].row, column, STYLE_DIM, GLYPH_VERTICAL);
}

static bool is_buffer(const struct lane *lane)
{
    return lane->memory != NONE;
}

/* Takes lanes of the kind (of any rank: NONE), without the first SKIP of them, while there is room. Returns
 * how many rows are left. */
static int take_lanes(struct plot *plot, int left, int skip, bool buffers, uint32_t rank)
{
    for (uint32_t i = 0; i < plot->lane_count && left > 0; i++) {
        struct lane *lane = &plot->lanes[i];
        if (lane->row == 0 || is_buffer(lane) != buffers || (rank != NONE && lane->rank != rank) ||
            skip-- > 0)
            continue;
        lane->row = 0;
        left--;
    }
    return left;
}

/* Chooses the lanes that are shown in ROWS rows: calls and streams before buffers, and the window's rank
 * before others. */
static void choose_lanes(struct plot *plot, const struct timeline_window *window, int rows)
{
    int most = (int)plot->lane_count - rows, left = rows;
    for (uint32_t i = 0; i < plot->lane_count; i++)
        plot->lanes[i].row = -1;
    int skip = most > 0 && window->first_track < most ? window->first_track : most > 0 ? most : 0;
    left = take_lanes(plot, left, skip, false, window->rank);
    left = take_lanes(plot, left, skip, false, NONE);
    left = take_lanes(plot, left, 0, true, window->rank);
    take_lanes(plot, left, 0, true, NONE);
}

/* Gives each chosen lane its row, and the axis the one between calls and work: that is returned. */
static int place_rows(struct plot *plot, const struct timeline_window *window, int rows)
{
    int row = 0, axis = -1;
    choose_lanes(plot, window, rows - 1);
    for (uint32_t i = 0; i < plot->lane_count; i++) {
        if (axis < 0 && plot->lanes[i].stream != NONE)
            axis = row++;
        if (plot->lanes[i].row == 0)
            plot->lanes[i].row = row++;
    }
    return axis < 0 ? row : axis;
}

/* The last moment that the column stands for. */
static int64_t plot_time(const struct plot *plot, int column)
{
    double width = (double)(plot->to - plot->from) / plot->area.columns;
    return plot->from + (int64_t)(width * (column + 1)) - 1;
}

void timeline_draw(const struct view *view, const struct timeline_window *window, struct canvas *canvas,
                   struct rectangle area)
{
    struct plot plot = {.view = view, .canvas = canvas, .area = area, .from = window->from, .to = window->to};
    if (area.rows <= 0 || area.columns <= 0)
        return;
    if (plot.from >= plot.to)
        whole_window(view, &plot.from, &plot.to);
    find_lanes(&plot);
    int axis = place_rows(&plot, window, area.rows);
    int width = draw_labels(&plot, area);
    plot.area.column += width;
    plot.area.columns -= width;
    draw_axis(&plot, axis);
    plot_bars(&plot);
    plot_uses(&plot);
    if (window->cursor != TIME_NONE)
        draw_cursor(&plot, window->cursor);
    for (int column = 0; column < plot.area.columns; column++)
        for (int row = 0; row < plot.area.rows; row++)
            canvas_target(canvas, plot.area, row, column, 1,
                          (struct target){TARGET_TIME, plot_time(&plot, column)});
    free_lanes(&plot);
}
