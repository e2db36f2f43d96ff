/* The timeline's bars: host calls, and the operations of the streams. */
#include <string.h>

#include "screen/plot.h"

/* A letter may stand this far to the right of its time where several calls share a column. */
enum { FURTHEST_LETTER = 12 };

char call_letter(const struct program *program, const struct statement *statement)
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

void plot_label(const struct plot *plot, const struct lane *lane, int column, int length, enum style style,
                uint32_t call)
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

int64_t operation_end(const struct view *view, uint32_t call)
{
    const struct view_call *times = &view->calls[call];
    return times->done != TIME_NONE ? times->done : later(view->now, times->started);
}

int64_t operation_waited(const struct view *view, uint32_t call)
{
    const struct statement *statement = call_statement(view->program, call);
    const struct view_call *times = &view->calls[call];
    if (statement->kind == CALL_WAIT || (call_is_communication(statement) && times->waiting))
        return operation_end(view, call);
    if (!call_is_communication(statement) || times->waited_until == TIME_NONE)
        return times->started;
    return later(times->waited_until, times->started);
}

enum style plot_on_bar(enum style style)
{
    return style == STYLE_RUNNING ? STYLE_ON_RUNNING : style == STYLE_DONE ? STYLE_ON_DONE : style;
}

static void draw_operation(struct plot *plot, struct lane *lane, uint32_t call)
{
    const struct view_call *times = &plot->view->calls[call];
    const struct statement *statement = call_statement(plot->view->program, call);
    int64_t end = operation_end(plot->view, call);
    int64_t moves = operation_waited(plot->view, call);
    int first = plot_column(plot, times->started), last = plot_column(plot, end),
        middle = plot_column(plot, moves);
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
    enum style style = times->overlapped          ? STYLE_ERROR
                       : times->done != TIME_NONE ? STYLE_DONE
                                                  : STYLE_RUNNING;
    bool is_kernel = statement->kind == CALL_LAUNCH;
    canvas_glyphs(plot->canvas, plot->area, lane->row, first, middle - first, STYLE_WAITING, GLYPH_BAR_WAIT);
    canvas_glyphs(plot->canvas, plot->area, lane->row, middle, last - middle, style,
                  is_kernel ? GLYPH_BAR_FULL : GLYPH_BAR_LIGHT);
    if (middle - first > last - middle)
        plot_label(plot, lane, first, middle - first, STYLE_WAITING, call);
    else
        plot_label(plot, lane, middle, last - middle, is_kernel ? plot_on_bar(style) : style, call);
    if (times->overlapped && last - middle > 2)
        canvas_glyph(plot->canvas, plot->area, lane->row, last - 1, STYLE_ERROR, GLYPH_TORN);
}

/* An event is a moment: its first letter where it was complete, or just after what stands there. */
static void draw_record(struct plot *plot, struct lane *lane, uint32_t call)
{
    int64_t done = plot->view->calls[call].done;
    if (done == TIME_NONE)
        return;
    int column = plot_column(plot, done);
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
    int first = plot_column(plot, times->called), last = plot_column(plot, end);
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
        plot_label(plot, lane, first, last - first, waits ? STYLE_WAITING : STYLE_PLAIN, call);
        lane->free = last;
        return;
    }
    const char letter[] = {call_letter(plot->view->program, statement), '\0'};
    canvas_text(plot->canvas, plot->area, lane->row, first, blocked ? STYLE_WAITING : STYLE_PLAIN, letter);
    lane->free = first + 1;
}

void plot_bars(struct plot *plot)
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
