#include "screen/code_panel.h"

#include "screen/line.h"

enum { NUMBER_COLUMNS = 4, FEWEST_ROWS = 3 };

/* Whether a rank's host program is in the call that begins on the line, or came back from it last. */
static bool is_place(const struct walk *walk, size_t number, bool *is_inside)
{
    bool found = false;
    *is_inside = false;
    for (uint32_t rank = 0; rank < walk->program->rank_count; rank++) {
        uint32_t call = walk->view->ranks[rank].current_call;
        if (call == NONE || walk->code.lines_of_calls[call] != number)
            continue;
        found = true;
        *is_inside |= walk->view->calls[call].returned == TIME_NONE;
    }
    return found;
}

static void draw_line(const struct walk *walk, size_t number, struct line *line)
{
    bool is_inside, is_current = is_place(walk, number, &is_inside);
    enum style style = is_inside ? STYLE_CURRENT : STYLE_PLAIN;
    line_format(line, is_inside ? STYLE_CURRENT : STYLE_DIM, "%*zu", NUMBER_COLUMNS, number + 1);
    if (is_inside)
        line_glyph(line, STYLE_CURRENT, GLYPH_POINTER);
    else if (is_current)
        line_glyph(line, STYLE_DONE, GLYPH_DONE);
    else
        line->column++;
    line_text(line, style, walk->code.lines[number]);
}

static void draw_lines(const struct walk *walk, struct canvas *canvas, struct rectangle area, size_t first)
{
    for (int row = 0; row < area.rows && first + (size_t)row < walk->code.line_count; row++)
        draw_line(walk, first + (size_t)row, &(struct line){canvas, area, row, 0});
}

/* Where the rank's host program is: its current call, or the first one that has a line. */
static size_t place_of(const struct walk *walk, uint32_t rank)
{
    const struct rank *calls = &walk->program->ranks[rank];
    uint32_t current = walk->view->ranks[rank].current_call, last = calls->first_call + calls->call_count;
    uint32_t call = current == NONE ? calls->first_call : current;
    while (call < last && walk->code.lines_of_calls[call] == NONE)
        call++;
    for (; call == last && call > calls->first_call; call--)
        if (walk->code.lines_of_calls[call - 1] != NONE)
            return walk->code.lines_of_calls[call - 1];
    return call < last ? walk->code.lines_of_calls[call] : 0;
}

void code_panel_draw(const struct walk *walk, struct canvas *canvas, struct rectangle area)
{
    uint32_t ranks = walk->program->rank_count;
    const struct track *track = walk_chosen_track(walk);
    uint32_t chosen = track ? track->rank : 0;
    if (area.rows <= 0)
        return;
    if (walk->focus == PANEL_PROGRAM) {
        draw_lines(walk, canvas, area, place_of(walk, chosen) + (size_t)walk->scroll[PANEL_PROGRAM]);
        return;
    }
    uint32_t shown = (uint32_t)area.rows / FEWEST_ROWS;
    shown = shown > ranks ? ranks : shown == 0 ? 1 : shown;
    uint32_t first = chosen + shown <= ranks ? chosen : ranks - shown;
    for (uint32_t i = 0; i < shown; i++) {
        int top = area.rows * (int)i / (int)shown, bottom = area.rows * (int)(i + 1) / (int)shown;
        struct rectangle part =
            rectangle_within(area, (struct rectangle){top, 0, bottom - top, area.columns});
        size_t place = place_of(walk, first + i), before = (size_t)(part.rows - 1) / 2;
        draw_lines(walk, canvas, part, place > before ? place - before : 0);
    }
}
