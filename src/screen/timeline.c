#include "screen/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/operation.h"

/* A letter may stand this far to the right of its time where several calls share a column. */
enum { FURTHEST_LETTER = 12 };

/* A row: a rank's calls (STREAM NONE), or the work of one stream. */
struct lane {
    uint32_t rank, stream;
    int row;         /* of the plot; -1 while it is scrolled away */
    int free;        /* the first column after what was drawn last */
    int64_t busy_to; /* until when what was drawn last takes; TIME_NONE before that */
};

struct plot {
    const struct view *view;
    struct canvas *canvas;
    struct rectangle area; /* without the labels */
    int64_t from, to;
    struct lane *lanes; /* the ranks' calls first */
    uint32_t lane_count;
    uint32_t *lane_of_stream; /* for those that something is put on */
};

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

static void find_lanes(struct plot *plot)
{
    const struct program *program = plot->view->program;
    bool *used = streams_used(program);
    plot->lane_of_stream = memory_resize(NULL, program->stream_count + 1, sizeof *plot->lane_of_stream);
    plot->lanes = memory_zeroed(program->rank_count + program->stream_count + 1, sizeof *plot->lanes);
    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        plot->lanes[plot->lane_count++] = (struct lane){.rank = rank, .stream = NONE, .busy_to = TIME_NONE};
    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        for (uint32_t stream = 0; stream < program->stream_count; stream++)
            if (program->streams[stream].rank == rank && used[stream]) {
                plot->lane_of_stream[stream] = plot->lane_count;
                plot->lanes[plot->lane_count++] =
                    (struct lane){.rank = rank, .stream = stream, .busy_to = TIME_NONE};
            }
    free(used);
}

int timeline_rows(const struct view *view)
{
    struct plot plot = {.view = view};
    find_lanes(&plot);
    free(plot.lanes);
    free(plot.lane_of_stream);
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

/* The column of a time; may lie outside of the plot. */
static int column_of(const struct plot *plot, int64_t time)
{
    double share = ((double)time - (double)plot->from) / ((double)plot->to - (double)plot->from);
    double column = floor(share * plot->area.columns);
    return column < -1 ? -1 : column > plot->area.columns ? plot->area.columns : (int)column;
}

static void lane_label(const struct view *view, const struct lane *lane, struct text *out)
{
    text_format(out, "r%u ", (unsigned)lane->rank);
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
        if (needed > width)
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

/* What the calls' row shows for a call: one letter. */
static char call_letter(const struct program *program, const struct statement *statement)
{
    static const char letters[CALL_KIND_COUNT] = {
        [CALL_SEND] = 's',        [CALL_RECV] = 'r',       [CALL_ALLREDUCE] = 'a',
        [CALL_BROADCAST] = 'b',   [CALL_GROUP] = '(',      [CALL_GROUP_END] = ')',
        [CALL_WAIT] = 'w',        [CALL_COPY] = 'c',       [CALL_SET] = 'm',
        [CALL_SYNC_STREAM] = 'S', [CALL_SYNC_EVENT] = 'S', [CALL_SYNC_DEVICE] = 'S',
        [CALL_POLL_STREAM] = 'p', [CALL_POLL_EVENT] = 'p', [CALL_QUERY_STREAM] = 'q',
        [CALL_QUERY_EVENT] = 'q', [CALL_READ] = 'R',       [CALL_WRITE] = 'W',
        [CALL_BARRIER] = '|',     [CALL_FREE] = 'f',       [CALL_DESTROY] = 'd',
        [CALL_ABORT] = 'x',
    };
    if (statement->kind == CALL_LAUNCH)
        return program->kernels[statement->kernel][0];
    if (statement->kind == CALL_RECORD)
        return program->events[statement->event].name[0];
    return letters[statement->kind] ? letters[statement->kind] : '.';
}

/* Puts the longest of the call's names that fits, with a cell left on both sides, into a bar. */
static void draw_label(const struct plot *plot, const struct lane *lane, int column, int length,
                       enum style style, uint32_t call)
{
    const struct program *program = plot->view->program;
    const struct statement *statement = call_statement(program, call);
    const char *name = statement->kind == CALL_LAUNCH      ? program->kernels[statement->kernel]
                       : statement->kind == CALL_GROUP_END ? "group"
                                                           : call_kind_name((enum call_kind)statement->kind);
    const char *what = "";
    if (statement->kind == CALL_WAIT || statement->kind == CALL_RECORD)
        what = program->events[statement->event].name;
    else if (call_is_communication(statement) && statement->span_count > 0)
        what = program->memories[program->spans[statement->first_span].memory].name;
    const char letter[] = {call_letter(program, statement), '\0'};
    struct text longest = {0};
    text_format(&longest, *what ? "%s %s" : "%s%s", name, what);
    const char *names[] = {text_string(&longest), name, letter};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int width = (int)strlen(names[i]);
        if (width + (width > 1 ? 2 : 0) <= length) {
            canvas_text(plot->canvas, plot->area, lane->row, column + (length - width) / 2, style, names[i]);
            break;
        }
    }
    text_free(&longest);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Until when an operation only waits: between its start and its end. */
static int64_t waiting_end(const struct view *view, uint32_t call, int64_t end)
{
    const struct statement *statement = call_statement(view->program, call);
    const struct view_call *times = &view->calls[call];
    if (statement->kind == CALL_WAIT || (call_is_communication(statement) && times->waiting))
        return end;
    if (!call_is_communication(statement) || times->waited_until == TIME_NONE)
        return times->started;
    return later(times->waited_until, times->started);
}

/* The style of words within a full bar. */
static enum style on_bar(enum style style)
{
    return style == STYLE_RUNNING ? STYLE_ON_RUNNING : style == STYLE_DONE ? STYLE_ON_DONE : style;
}

static void draw_operation(struct plot *plot, struct lane *lane, uint32_t call)
{
    const struct view_call *times = &plot->view->calls[call];
    const struct statement *statement = call_statement(plot->view->program, call);
    int64_t end = times->done != TIME_NONE ? times->done : later(plot->view->now, times->started);
    int64_t moves = waiting_end(plot->view, call, end);
    int first = column_of(plot, times->started), last = column_of(plot, end), middle = column_of(plot, moves);
    bool overlaps = lane->busy_to != TIME_NONE && times->started < lane->busy_to;
    lane->busy_to = later(lane->busy_to, end);
    if (first < lane->free)
        first = lane->free;
    if (last <= first) {
        if (statement->kind == CALL_WAIT || overlaps)
            return;
        last = first + 1;
    }
    if (last > plot->area.columns)
        last = plot->area.columns;
    if (first >= last)
        return;
    middle = middle < first ? first : middle > last ? last : middle;
    lane->free = last;
    enum style style = times->overlapped ? STYLE_TORN : times->done != TIME_NONE ? STYLE_DONE : STYLE_RUNNING;
    bool is_kernel = statement->kind == CALL_LAUNCH;
    canvas_glyphs(plot->canvas, plot->area, lane->row, first, middle - first, STYLE_WAITING, GLYPH_BAR_WAIT);
    canvas_glyphs(plot->canvas, plot->area, lane->row, middle, last - middle, style,
                  is_kernel ? GLYPH_BAR_FULL : GLYPH_BAR_LIGHT);
    if (middle - first > last - middle)
        draw_label(plot, lane, first, middle - first, STYLE_WAITING, call);
    else
        draw_label(plot, lane, middle, last - middle, is_kernel ? on_bar(style) : style, call);
    if (times->overlapped && last - middle > 2)
        canvas_glyph(plot->canvas, plot->area, lane->row, last - 1, STYLE_TORN, GLYPH_TORN);
}

/* An event is a moment: its first letter where it was complete, or just after what stands there. */
static void draw_record(struct plot *plot, struct lane *lane, uint32_t call)
{
    int64_t done = plot->view->calls[call].done;
    if (done == TIME_NONE)
        return;
    int column = column_of(plot, done);
    if (column < lane->free)
        column = lane->free;
    const struct statement *statement = call_statement(plot->view->program, call);
    const char letter[] = {call_letter(plot->view->program, statement), '\0'};
    if (canvas_text(plot->canvas, plot->area, lane->row, column, STYLE_STRONG, letter) > 0)
        lane->free = column + 1;
}

/* Whether it is the way of such a call to hold the host program back. */
static bool call_blocks(const struct statement *statement)
{
    switch (statement->kind) {
    case CALL_COMM:
    case CALL_SYNC_STREAM:
    case CALL_SYNC_EVENT:
    case CALL_SYNC_DEVICE:
    case CALL_POLL_STREAM:
    case CALL_POLL_EVENT:
    case CALL_BARRIER:
    case CALL_FREE:
    case CALL_DESTROY:
        return true;
    case CALL_COPY:
        return !statement->has_stream;
    default:
        return false;
    }
}

static void draw_call(struct plot *plot, struct lane *lane, uint32_t call)
{
    const struct view_call *times = &plot->view->calls[call];
    const struct statement *statement = call_statement(plot->view->program, call);
    int64_t end = times->returned != TIME_NONE ? times->returned : later(plot->view->now, times->called);
    if (end < plot->from)
        return;
    int first = column_of(plot, times->called), last = column_of(plot, end);
    if (first < lane->free && lane->free - first > FURTHEST_LETTER && last <= lane->free + 1) {
        canvas_glyph(plot->canvas, plot->area, lane->row, lane->free, STYLE_DIM, GLYPH_CUT);
        return;
    }
    if (first < lane->free)
        first = lane->free;
    bool blocked = times->returned == TIME_NONE;
    if (last > first + 1) {
        if (last > plot->area.columns)
            last = plot->area.columns;
        bool waits = call_blocks(statement);
        canvas_glyphs(plot->canvas, plot->area, lane->row, first, last - first,
                      waits ? STYLE_WAITING : STYLE_DIM, waits ? GLYPH_BAR_WAIT : GLYPH_HORIZONTAL);
        draw_label(plot, lane, first, last - first, waits ? STYLE_WAITING : STYLE_PLAIN, call);
        lane->free = last;
        return;
    }
    const char letter[] = {call_letter(plot->view->program, statement), '\0'};
    canvas_text(plot->canvas, plot->area, lane->row, first, blocked ? STYLE_WAITING : STYLE_PLAIN, letter);
    lane->free = first + 1;
}

static void draw_calls(struct plot *plot)
{
    const struct program *program = plot->view->program;
    for (uint32_t call = 0; call < program->call_count; call++) {
        const struct statement *statement = call_statement(program, call);
        struct lane *host = &plot->lanes[statement->rank];
        if (plot->view->calls[call].called != TIME_NONE && host->row >= 0)
            draw_call(plot, host, call);
        if (!call_is_operation(statement) || statement->stream == NONE ||
            plot->view->calls[call].started == TIME_NONE)
            continue;
        struct lane *stream = &plot->lanes[plot->lane_of_stream[statement->stream]];
        if (stream->row >= 0 && statement->kind == CALL_RECORD)
            draw_record(plot, stream, call);
        else if (stream->row >= 0)
            draw_operation(plot, stream, call);
    }
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
        int column = column_of(plot, (int64_t)tick);
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
    int column = column_of(plot, cursor);
    if (column == plot->area.columns)
        column--;
    for (uint32_t i = 0; i < plot->lane_count; i++)
        if (plot->lanes[i].row >= 0 && column >= plot->lanes[i].free)
            canvas_glyph(plot->canvas, plot->area, plot->lanes[i].row, column, STYLE_DIM, GLYPH_VERTICAL);
}

/* Chooses the lanes that are shown in ROWS rows: RANK's own, then others from FIRST on. */
static void choose_lanes(struct plot *plot, const struct timeline_window *window, int rows)
{
    int left = rows;
    for (uint32_t i = 0; i < plot->lane_count; i++) {
        bool first = plot->lanes[i].rank == window->rank && left > 0;
        plot->lanes[i].row = first ? 0 : -1;
        left -= first;
    }
    int most = (int)plot->lane_count - rows;
    int skip = window->first_track < most ? window->first_track : most;
    for (uint32_t i = 0; i < plot->lane_count && left > 0; i++) {
        if (plot->lanes[i].row == 0 || skip-- > 0)
            continue;
        plot->lanes[i].row = 0;
        left--;
    }
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
    draw_calls(&plot);
    if (window->cursor != TIME_NONE)
        draw_cursor(&plot, window->cursor);
    free(plot.lanes);
    free(plot.lane_of_stream);
}
