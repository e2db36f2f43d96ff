#include "screen/frame.h"

#include <stdio.h>
#include <string.h>

#include "screen/code_panel.h"
#include "screen/key_bar.h"
#include "screen/layout.h"
#include "screen/line.h"
#include "screen/operation.h"
#include "screen/overlay.h"
#include "screen/program_panel.h"
#include "screen/prose.h"
#include "screen/ranks.h"
#include "screen/timeline.h"
#include "screen/timeline_panel.h"

void draw_too_small(struct canvas *canvas)
{
    struct rectangle area = {0, 0, canvas->rows, canvas->columns};
    char text[64];
    snprintf(text, sizeof text, "%dx%d is too small:", canvas->columns, canvas->rows);
    canvas_text(canvas, area, 0, 0, STYLE_STRONG, text);
    snprintf(text, sizeof text, "handoff needs %dx%d.", LAYOUT_MIN_COLUMNS, LAYOUT_MIN_ROWS);
    canvas_text(canvas, area, 1, 0, STYLE_PLAIN, text);
    canvas_text(canvas, area, 2, 0, STYLE_PLAIN, "Enlarge it, or q quits.");
}

static void measure(const struct walk *walk, int columns, bool ascii, struct layout_content *content)
{
    bool is_for_program = walk->focus == PANEL_PROGRAM || walk->code.is_shown;
    *content = (struct layout_content){
        .has_prose = prose_is_there(walk),
        .prose_rows = is_for_program ? 0 : prose_panel_rows(walk, layout_left_columns(columns) - 1, ascii),
        .program_lines = walk->is_presented ? 0 : (int)walk->lines.count,
        .timeline_rows = timeline_rows(walk->view),
        .rank_count = (int)walk->program->rank_count};
    const struct track *track = walk_chosen_track(walk);
    content->chosen_rank = track ? (int)track->rank : 0;
    for (int detail = 0; detail < DETAIL_COUNT; detail++)
        for (int rank = 0; rank < content->rank_count; rank++)
            content->rank_rows[detail][rank] =
                rank_panel_rows(walk, (uint32_t)rank, (enum detail)detail, layout_right_columns(columns) - 1);
}

static void write_variants(const struct walk *walk, struct line *line)
{
    bool any = false;
    for (size_t i = 0; i < schedule_variant_count(walk->schedule); i++) {
        if (!(walk->variants >> i & 1))
            continue;
        if (any)
            line_text(line, STYLE_ADDED, ",");
        else
            line_dot(line);
        line_text(line, STYLE_ADDED, any ? "" : "variant ");
        line_text(line, STYLE_ADDED, schedule_variant(walk->schedule, i)->name);
        any = true;
    }
}

/* "simulated · t = 6.20 ms"; returns where it begins. */
static int draw_title_right(const struct walk *walk, struct canvas *canvas, struct rectangle area)
{
    const char *backend = walk->log->header.backend ? walk->log->header.backend : "";
    struct text time = {0};
    text_append(&time, walk->view->now == TIME_NONE ? "not begun" : "t = ");
    if (walk->view->now != TIME_NONE)
        format_time(walk->view->now, &time);
    int backend_columns = canvas_text_width(canvas, backend), most = area.columns / 3;
    if (backend_columns > most)
        backend_columns = most;
    int start = area.columns - backend_columns - (int)time.length - 7;
    struct line line = {canvas, area, 0, start};
    line_text(&line, STYLE_PLAIN, " ");
    struct line cut = line;
    cut.area.columns = line.column + backend_columns;
    line_text(&cut, STYLE_DIM, backend);
    line.column = cut.column;
    line_text(&line, STYLE_DIM, " ");
    line_glyph(&line, STYLE_DIM, GLYPH_DOT);
    line_format(&line, STYLE_STRONG, " %s ", text_string(&time));
    text_free(&time);
    return start;
}

enum { FOLLOW_COLUMNS = 14 }; /* " · 100 follow " */

static void draw_title(const struct walk *walk, struct canvas *canvas, struct rectangle area, int divider)
{
    canvas_glyphs(canvas, area, 0, 0, area.columns, STYLE_FRAME, GLYPH_HORIZONTAL);
    canvas_glyph(canvas, area, 0, divider, STYLE_FRAME, GLYPH_TEE_DOWN);
    struct line line = {canvas, area, 0, 0};
    line.area.columns = draw_title_right(walk, canvas, area) - 2;
    line_text(&line, STYLE_TITLE, "handoff");
    line_dot(&line);
    line_text(&line, STYLE_TITLE, text_string(&walk->title));
    if (walk->lesson) {
        line_dot(&line);
        line_format(&line, STYLE_PLAIN, "step %zu/%zu", walk_step_number(walk, walk->view->step),
                    walk->step_count);
    }
    write_variants(walk, &line);
    if (walk->is_held) {
        line_dot(&line);
        line_text(&line, STYLE_HELD, "held");
    }
    if (walk->is_shared && line_room(&line) >= FOLLOW_COLUMNS) {
        line_dot(&line);
        line_format(&line, STYLE_KEY, walk->followers == 1 ? "%zu follows" : "%zu follow", walk->followers);
    }
    line_text(&line, STYLE_PLAIN, " ");
}

static void write_panel_name(const struct walk *walk, struct line *line, enum panel panel, const char *name)
{
    bool focused = walk->focus == panel;
    line_text(line, STYLE_PLAIN, " ");
    if (focused)
        line_glyph(line, STYLE_SELECTED, GLYPH_POINTER);
    line_text(line, focused ? STYLE_SELECTED : STYLE_DIM, name);
    line_text(line, STYLE_PLAIN, " ");
}

static void draw_rules(const struct walk *walk, struct canvas *canvas, const struct layout *layout)
{
    struct rectangle screen = {0, 0, canvas->rows, canvas->columns};
    struct rectangle divider = layout->divider, left = layout->left_rule, right = layout->right_rule;
    for (int row = 0; row < divider.rows; row++)
        canvas_glyph(canvas, divider, row, 0, STYLE_FRAME, GLYPH_VERTICAL);
    canvas_glyphs(canvas, left, 0, 0, left.columns, STYLE_FRAME, GLYPH_HORIZONTAL);
    canvas_glyphs(canvas, right, 0, 0, right.columns, STYLE_FRAME, GLYPH_HORIZONTAL);
    if (left.columns > 0)
        canvas_glyph(canvas, screen, left.row, divider.column, STYLE_FRAME, GLYPH_TEE_RIGHT);
    canvas_glyph(canvas, screen, right.row, divider.column, STYLE_FRAME,
                 left.columns > 0 && left.row == right.row ? GLYPH_CROSS : GLYPH_TEE_LEFT);
    struct line line = {canvas, left, 0, 1};
    write_panel_name(walk, &line, PANEL_PROGRAM, walk->code.is_shown ? "program in C" : "program");
    line = (struct line){canvas, right, 0, 1};
    write_panel_name(walk, &line, PANEL_TIMELINE, "timeline");
}

/* The first operation of the stream that is not done, else the last one; NONE. */
static uint32_t stream_call(const struct walk *walk, const struct track *track)
{
    const struct rank *rank = &walk->program->ranks[track->rank];
    uint32_t last = NONE;
    for (uint32_t call = rank->first_call; call < rank->first_call + rank->call_count; call++) {
        if (!operation_is_in(walk->view, call, track->stream))
            continue;
        last = call;
        if (walk->view->calls[call].done == TIME_NONE)
            break;
    }
    return last;
}

static enum operation_state host_state(const struct walk *walk, uint32_t call)
{
    const struct view_call *times = &walk->view->calls[call];
    if (times->returned != TIME_NONE)
        return OPERATION_DONE;
    return times->waiting ? OPERATION_WAITING : OPERATION_RUNNING;
}

/* What the chosen track is at, in full. */
static void write_track(const struct walk *walk, struct line *line)
{
    const struct track *track = walk_chosen_track(walk);
    if (!track)
        return;
    bool is_host = track->stream == NONE;
    line_glyph(line, STYLE_SELECTED, GLYPH_POINTER);
    line_format(line, STYLE_SELECTED, " rank %u %s", (unsigned)track->rank,
                is_host ? "host" : walk->program->streams[track->stream].name);
    uint32_t call = is_host ? walk->view->ranks[track->rank].current_call : stream_call(walk, track);
    if (call == NONE)
        return;
    struct text text = {0};
    enum operation_state state = is_host ? host_state(walk, call) : view_operation(walk->view, call);
    call_describe(walk->program, call, &text);
    line_format(line, STYLE_PLAIN, ": %s ", text_string(&text));
    line_glyph(line, operation_style(state), operation_glyph(state));
    text_clear(&text);
    if (state != OPERATION_DONE)
        view_explain_wait(walk->view, call, &text);
    line_text(line, STYLE_PLAIN, " ");
    line_text(line, STYLE_WAITING, text_string(&text));
    text_free(&text);
}

/* The first error that was told; NULL for none. */
static const struct view_message *first_error(const struct view *view)
{
    for (size_t i = 0; i < view->message_count; i++)
        if (view->messages[i].is_error)
            return &view->messages[i];
    return NULL;
}

static void write_error(struct line *line, const char *what, const struct view_message *error)
{
    struct text time = {0};
    format_time(error->time, &time);
    line_format(line, STYLE_ERROR, "%s%s: %s", what, text_string(&time), error->text);
    text_free(&time);
}

static void write_outcome(const struct walk *walk, struct line *line)
{
    const struct view *view = walk->view;
    const struct view_message *error = first_error(view);
    if (view->outcome == OUTCOME_FINISHED)
        line_text(line, STYLE_DONE, "Finished: every call returned, every operation is done.");
    else if (view->outcome == OUTCOME_STUCK)
        line_text(line, STYLE_ERROR, "Stuck: nothing can go on. What waits, and for what, stands above.");
    else if (view->outcome == OUTCOME_FAILED && !error)
        line_text(line, STYLE_ERROR, "Failed. m shows the messages.");
    else if (error)
        write_error(line, view->outcome == OUTCOME_FAILED ? "Failed at " : "At ", error);
}

static void format_place(const struct walk *walk, char *where, size_t size)
{
    if (walk_is_live(walk))
        snprintf(where, size, " under way ");
    else
        snprintf(where, size, " %s %zu of %zu%s ",
                 walk->is_paced ? "showing"
                 : walk->is_led ? "the presenter looks back:"
                                : "looking back:",
                 walk->position, walk->log->count, walk->is_led ? "" : ", End: on");
}

static void draw_status(const struct walk *walk, struct canvas *canvas, struct rectangle area)
{
    struct line line = {canvas, area, 0, 1};
    if (!walk_has_arrived(walk)) {
        char where[96];
        format_place(walk, where, sizeof where);
        int columns = canvas_text_width(canvas, where);
        line.area.columns -= columns + 1;
        canvas_text(canvas, area, 0, area.columns - columns, STYLE_HELD, where);
    }
    if (walk->notice.length > 0)
        line_text(&line, walk->notice_is_error ? STYLE_ERROR : STYLE_STRONG, text_string(&walk->notice));
    else if (walk->view->outcome != OUTCOME_NONE || first_error(walk->view))
        write_outcome(walk, &line);
    else if (walk->focus == PANEL_TIMELINE)
        moment_write(walk, &line);
    else
        write_track(walk, &line);
}

/* At the right end of the rule below a text. */
static void say_more(struct canvas *canvas, struct rectangle rule)
{
    static const char more[] = " PgDn: more ";
    canvas_text(canvas, rule, 0, rule.columns - (int)sizeof more, STYLE_KEY, more);
}

/* AREA without the column on its left. */
static struct rectangle inset(struct rectangle area)
{
    return area.columns > 0 ? (struct rectangle){area.row, area.column + 1, area.rows, area.columns - 1}
                            : area;
}

void frame_draw(const struct walk *walk, struct canvas *canvas)
{
    struct layout_content content;
    struct layout layout;
    canvas_clear(canvas);
    if (canvas->rows < LAYOUT_MIN_ROWS || canvas->columns < LAYOUT_MIN_COLUMNS) {
        draw_too_small(canvas);
        return;
    }
    measure(walk, canvas->columns, canvas->ascii, &content);
    layout_make(&layout, canvas->rows, canvas->columns, &content);
    draw_title(walk, canvas, layout.title, layout.divider.column);
    draw_rules(walk, canvas, &layout);
    if (prose_panel_draw(walk, canvas, inset(layout.prose)) > 0)
        say_more(canvas, layout.left_rule);
    if (walk->code.is_shown)
        code_panel_draw(walk, canvas, layout.program);
    else
        program_panel_draw(walk, canvas, layout.program);
    for (uint32_t rank = 0; rank < walk->program->rank_count; rank++)
        rank_panel_draw(walk, rank, layout.detail, canvas, inset(layout.rank[rank]));
    timeline_panel_draw(walk, canvas, inset(layout.timeline));
    draw_status(walk, canvas, layout.status);
    walk_bar_draw(walk, canvas, layout.keys);
    struct rectangle body = {1, 0, canvas->rows - 3, canvas->columns};
    overlay_draw(walk, canvas, body);
}
