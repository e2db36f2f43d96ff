#include "screen/program_panel.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/line.h"

/* A panel of so many columns shows lines as they stand; a narrower one without the blanks that align them. */
enum { ALIGNED_COLUMNS = 56 };

/* A line to be seen: where a rank's host program is, in a call on the line or back from it, or what a finding
 * is about. */
struct host_place {
    size_t line; /* index into the lines */
    bool is_inside, is_marked;
};

enum { MARKED_MAX = 16 };

struct host_places {
    struct host_place places[SCHEDULE_MAX_RANKS + MARKED_MAX];
    size_t count;
};

static bool find_line(const struct program_lines *list, uint32_t number, size_t *index)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->lines[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    *index = low;
    return low < list->count && list->lines[low].number == number;
}

static void find_places(const struct walk *walk, struct host_places *places)
{
    uint32_t marked[MARKED_MAX];
    uint32_t count = walk->finding ? finding_calls(walk->finding, marked, MARKED_MAX) : 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t line;
        if (find_line(&walk->lines, call_statement(walk->program, marked[i])->line, &line))
            places->places[places->count++] = (struct host_place){.line = line, .is_marked = true};
    }
    for (uint32_t rank = 0; rank < walk->program->rank_count && rank < SCHEDULE_MAX_RANKS; rank++) {
        uint32_t call = walk->view->ranks[rank].current_call;
        size_t line;
        if (call == NONE || !find_line(&walk->lines, call_statement(walk->program, call)->line, &line))
            continue;
        places->places[places->count++] =
            (struct host_place){.line = line, .is_inside = walk->view->calls[call].returned == TIME_NONE};
    }
}

/* Chooses the line, unless it is a comment or chosen. Returns whether it was. */
static bool choose(const struct program_lines *list, bool *shown, size_t line)
{
    if (line >= list->count || shown[line] || list->lines[line].is_comment)
        return false;
    shown[line] = true;
    return true;
}

/* Chooses the lines at DISTANCE from each place, up to ROWS in all. */
static size_t choose_at(const struct walk *walk, const struct host_places *places, bool *shown, size_t chosen,
                        size_t rows, size_t distance, bool within_block)
{
    const struct program_lines *list = &walk->lines;
    for (size_t i = 0; i < places->count; i++) {
        size_t place = places->places[i].line;
        /* What comes next tells more than what was. */
        const size_t near[] = {place + distance,
                               distance % 2 == 0 && place >= distance / 2 ? place - distance / 2 : place};
        for (size_t n = 0; n < 2 && chosen < rows; n++)
            if (near[n] < list->count &&
                (!within_block || list->lines[near[n]].block == list->lines[place].block))
                chosen += choose(list, shown, near[n]);
    }
    return chosen;
}

/* Chooses ROWS lines: where each rank is, then what is nearest to that, of the same rank before others; the
 * rest from the beginning. */
static void choose_lines(const struct walk *walk, const struct host_places *places, bool *shown, size_t rows)
{
    size_t chosen = 0;
    for (int within_block = 1; within_block >= 0; within_block--)
        for (size_t distance = 0; chosen < rows && distance <= 2 * rows; distance++)
            chosen = choose_at(walk, places, shown, chosen, rows, distance, within_block);
    for (size_t line = 0; chosen < rows && line < walk->lines.count; line++)
        chosen += choose(&walk->lines, shown, line);
}

/* The words of a line without what says when it is there; runs of blanks inside become one where TIGHT. */
static void line_words(const char *text, size_t length, bool tight, struct text *out)
{
    struct text raw = {0};
    size_t at = 0;
    for (; at < length && (text[at] == ' ' || text[at] == '\t'); at++)
        if (!tight || at < 2)
            text_append(&raw, " ");
    const char *comment = memchr(text, '#', length);
    size_t end = comment ? (size_t)(comment - text) : length;
    for (size_t i = end; i > at; i--)
        if (text[i - 1] == '[' && (end - i >= 5) &&
            (memcmp(text + i, "only ", 5) == 0 || memcmp(text + i, "not ", 4) == 0))
            length = i - 1;
    while (length > at && (text[length - 1] == ' ' || text[length - 1] == '\r'))
        length--;
    for (; at < length; at++)
        if (!tight || text[at] != ' ' || text[at - 1] != ' ')
            text_append_bytes(&raw, text[at] == '\t' ? " " : text + at, 1);
    text_append_visible(out, text_string(&raw), raw.length);
    text_free(&raw);
}

static const struct host_place *place_on(const struct host_places *places, size_t line)
{
    const struct host_place *found = NULL;
    for (size_t i = 0; i < places->count; i++)
        if (places->places[i].line == line && (!found || places->places[i].is_inside))
            found = &places->places[i];
    return found;
}

static enum style line_style(const struct program_line *known, bool is_inside)
{
    if (is_inside)
        return STYLE_CURRENT;
    if (known->removed)
        return STYLE_REMOVED;
    if (known->added)
        return STYLE_ADDED;
    return known->is_rank ? STYLE_STRONG : known->is_comment ? STYLE_DIM : STYLE_PLAIN;
}

static void write_mark(const struct program_line *known, const struct host_place *place, struct line *line)
{
    if (place && place->is_inside)
        line_glyph(line, STYLE_CURRENT, GLYPH_POINTER);
    else if (place && place->is_marked)
        line_text(line, STYLE_ERROR, "!");
    else if (place)
        line_glyph(line, STYLE_DONE, GLYPH_DONE);
    else if (known->added || known->removed)
        line_text(line, line_style(known, false), known->added ? "+" : "-");
    else
        line->column++;
}

static void draw_line(const struct walk *walk, size_t index, const struct host_places *places,
                      struct line *line)
{
    const struct program_line *known = &walk->lines.lines[index];
    const struct host_place *place = place_on(places, index);
    bool is_inside = place && place->is_inside;
    struct text words = {0};
    size_t length;
    const char *text = schedule_line(walk->schedule, known->number, &length);
    uint32_t last = walk->lines.lines[walk->lines.count - 1].number;
    line_words(text, length, line->area.columns < ALIGNED_COLUMNS, &words);
    line->column++; /* for the mark of lines left out */
    line_format(line, is_inside ? STYLE_CURRENT : STYLE_DIM, "%*u",
                last < 100     ? 2
                : last < 10000 ? 4
                               : 8,
                (unsigned)known->number);
    write_mark(known, place, line);
    line_text(line, line_style(known, is_inside), text_string(&words));
    canvas_target(line->canvas, line->area, line->row, 0, line->area.columns,
                  (struct target){TARGET_LINE, known->number});
    text_free(&words);
}

/* Draws the lines from FIRST on; only those that are SHOWN, where that is not NULL. */
static void draw_lines(const struct walk *walk, struct canvas *canvas, struct rectangle area,
                       const struct host_places *places, const bool *shown, size_t first)
{
    size_t before = first;
    int row = 0;
    for (size_t i = first; i < walk->lines.count && row < area.rows; i++) {
        if (shown && !shown[i])
            continue;
        struct line line = {canvas, area, row, 0};
        draw_line(walk, i, places, &line);
        if (shown && i > before)
            canvas_glyph(canvas, area, row, 0, STYLE_DIM, GLYPH_GAP);
        before = i + 1;
        row++;
    }
}

void program_panel_draw(const struct walk *walk, struct canvas *canvas, struct rectangle area)
{
    struct host_places places = {.count = 0};
    size_t count = walk->lines.count;
    if (area.rows <= 0 || count == 0)
        return;
    find_places(walk, &places);
    if (count <= (size_t)area.rows) {
        draw_lines(walk, canvas, area, &places, NULL, 0);
    } else if (walk->focus == PANEL_PROGRAM) {
        size_t last = count - (size_t)area.rows;
        size_t first = walk->scroll[PANEL_PROGRAM] > 0 ? (size_t)walk->scroll[PANEL_PROGRAM] : 0;
        draw_lines(walk, canvas, area, &places, NULL, first < last ? first : last);
    } else {
        bool *shown = memory_zeroed(count, sizeof *shown);
        choose_lines(walk, &places, shown, (size_t)area.rows);
        draw_lines(walk, canvas, area, &places, shown, 0);
        free(shown);
    }
}
