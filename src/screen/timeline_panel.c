#include "screen/timeline_panel.h"

#include <math.h>

#include "screen/operation.h"
#include "screen/timeline.h"

/* The timeline shows at least so much, before and after work was asked for. */
enum { SETTING_UP_NS = 2000000, WORK_NS = 10000 };

/* A width that the scale keeps while a run goes on: rounded up to one or two figures. */
static int64_t round_up(int64_t width)
{
    static const double steps[] = {1, 1.5, 2, 3, 4, 5, 6, 8, 10};
    double power = pow(10, floor(log10(width > 1 ? (double)width : 1)));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] * power >= (double)width)
            return (int64_t)(steps[i] * power);
    return width;
}

/* The part around the present moment that ZOOM leaves, moved by PAN quarters of it. */
static void zoom(const struct walk *walk, struct timeline_window *window)
{
    int64_t whole = window->to - window->from, width = whole >> walk->zoom;
    int64_t now = walk->view->now == TIME_NONE ? window->from : walk->view->now;
    int64_t from = now - width / 2 + walk->pan * (width / 4);
    if (walk->zoom == 0 || width < 10)
        return;
    if (from > window->to - width)
        from = window->to - width;
    if (from < window->from)
        from = window->from;
    window->from = from;
    window->to = from + width;
}

void timeline_panel_draw(const struct walk *walk, struct canvas *canvas, struct rectangle area)
{
    const struct log *log = walk->log;
    struct timeline_window window = {.cursor = walk->view->now,
                                     .first_track = walk->scroll[PANEL_TIMELINE],
                                     .rank = walk_chosen_track(walk) ? walk_chosen_track(walk)->rank : NONE};
    int64_t shortest = SETTING_UP_NS;
    if (walk->first_time != TIME_NONE && walk->view->now != TIME_NONE) {
        bool has_work = walk->first_work != TIME_NONE && walk->view->now >= walk->first_work;
        window.from = has_work ? walk->first_work : walk->first_time;
        int64_t last = has_work ? log->records[log->count - 1].time : walk->view->now;
        if (has_work)
            shortest = WORK_NS;
        window.to = window.from + round_up(last - window.from);
    }
    if (window.to < window.from + shortest)
        window.to = window.from + shortest;
    zoom(walk, &window);
    timeline_draw(walk->view, &window, canvas, area);
}

static int64_t first_call(const struct view *view)
{
    int64_t first = view->now;
    for (uint32_t call = 0; call < view->program->call_count; call++)
        if (view->calls[call].submitted != TIME_NONE && view->calls[call].called < first)
            first = view->calls[call].called;
    return first;
}

static int64_t last_done(const struct view *view)
{
    int64_t last = 0;
    for (uint32_t call = 0; call < view->program->call_count; call++)
        if (view->calls[call].done > last)
            last = view->calls[call].done;
    return last;
}

void timeline_compare_draw(const struct walk *walk, struct canvas *canvas, struct rectangle area)
{
    struct timeline_window window = {.cursor = TIME_NONE, .rank = NONE};
    int rows = area.rows / COMPARED;
    for (int i = 0; i < COMPARED; i++) {
        int64_t end = last_done(walk->compared[i].view);
        int64_t begin = first_call(walk->compared[i].view);
        window.from = i == 0 || begin < window.from ? begin : window.from;
        window.to = end > window.to ? end : window.to;
    }
    window.to = window.from + round_up(window.to - window.from);
    for (int i = 0; i < COMPARED; i++) {
        const struct compared *run = &walk->compared[i];
        struct rectangle part = rectangle_within(area, (struct rectangle){i * rows, 0, rows, area.columns});
        struct line line = {canvas, part, 0, 0};
        struct text time = {0};
        format_time(last_done(run->view), &time);
        line_text(&line, STYLE_STRONG, text_string(&run->name));
        line_format(&line, STYLE_PLAIN, ": all work is done at %s", text_string(&time));
        if (run->view->outcome == OUTCOME_STUCK)
            line_text(&line, STYLE_ERROR, ", and then it is stuck");
        text_free(&time);
        part.row++;
        part.rows -= 2;
        timeline_draw(run->view, &window, canvas, part);
    }
}

static void write_call(const struct walk *walk, uint32_t call, struct line *line)
{
    struct text text = {0};
    enum operation_state state = view_operation(walk->view, call);
    operation_name(walk->program, call, &text);
    line_format(line, STYLE_DIM, "r%u ", (unsigned)call_statement(walk->program, call)->rank);
    line_text(line, operation_style(state), text_string(&text));
    line_text(line, STYLE_PLAIN, " ");
    line_glyph(line, operation_style(state), operation_glyph(state));
    text_clear(&text);
    if (state == OPERATION_WAITING)
        view_explain_wait(walk->view, call, &text);
    line_format(line, STYLE_WAITING, " %s", text_string(&text));
    line_text(line, STYLE_PLAIN, text.length > 0 ? "  " : " ");
    text_free(&text);
}

void moment_write(const struct walk *walk, struct line *line)
{
    const struct view *view = walk->view;
    struct text time = {0};
    if (view->now != TIME_NONE)
        format_time(view->now, &time);
    line_format(line, STYLE_STRONG, "%s: ", view->now == TIME_NONE ? "not begun" : text_string(&time));
    text_free(&time);
    if (view->active_count == 0)
        line_text(line, STYLE_DIM, "no operation runs or waits");
    for (size_t i = 0; i < view->active_count && line_room(line) > 0; i++)
        write_call(walk, view->active[i], line);
}
