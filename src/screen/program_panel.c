#include "screen/program_panel.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/line.h"

/* A panel of so many columns shows lines as they stand; a narrower one without the blanks that align them. */
enum { ALIGNED_COLUMNS = 56 };

/* A line of the schedule that is shown. */
struct program_line {
    uint32_t number;
    bool added, removed;
    bool is_current;  /* a host program is in a call on it */
    bool is_returned; /* or came back from it last */
    uint32_t block;   /* lines of one `rank` block have one number */
};

struct listing {
    struct program_line *lines;
    size_t count, capacity;
    int number_columns;
};

static bool starts_with_word(const char *text, size_t length, const char *word)
{
    size_t size = strlen(word), at = 0;
    while (at < length && (text[at] == ' ' || text[at] == '\t'))
        at++;
    return length - at > size && memcmp(text + at, word, size) == 0 &&
           (text[at + size] == ' ' || text[at + size] == '\t');
}

static bool is_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r')
            return false;
    return true;
}

static void find_lines(const struct walk *walk, struct listing *listing)
{
    uint32_t count = schedule_line_count(walk->schedule), block = 0;
    for (uint32_t number = 1; number <= count; number++) {
        size_t length;
        const char *text = schedule_line(walk->schedule, number, &length);
        bool on = schedule_line_is_on(walk->schedule, number, walk->variants);
        bool base = schedule_line_is_on(walk->schedule, number, 0);
        if ((!on && !base) || is_blank(text, length) || starts_with_word(text, length, "variant"))
            continue;
        ARRAY_RESERVE(listing->lines, listing->count, listing->capacity);
        block += starts_with_word(text, length, "rank");
        listing->lines[listing->count++] = (struct program_line){
            .number = number, .added = on && !base, .removed = base && !on, .block = block};
    }
    listing->number_columns = count < 100 ? 2 : count < 10000 ? 4 : 8;
}

static void leave_comments_out(const struct walk *walk, struct listing *listing)
{
    size_t kept = 0;
    for (size_t i = 0; i < listing->count; i++) {
        size_t length, at = 0;
        const char *text = schedule_line(walk->schedule, listing->lines[i].number, &length);
        while (at < length && (text[at] == ' ' || text[at] == '\t'))
            at++;
        if (at < length && text[at] != '#')
            listing->lines[kept++] = listing->lines[i];
    }
    listing->count = kept;
}

static struct program_line *line_numbered(struct listing *listing, uint32_t number)
{
    size_t low = 0, high = listing->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (listing->lines[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < listing->count && listing->lines[low].number == number ? &listing->lines[low] : NULL;
}

static void mark_current_lines(const struct walk *walk, struct listing *listing)
{
    for (uint32_t rank = 0; rank < walk->program->rank_count; rank++) {
        uint32_t call = walk->view->ranks[rank].current_call;
        if (call == NONE)
            continue;
        struct program_line *line = line_numbered(listing, call_statement(walk->program, call)->line);
        if (!line)
            continue;
        if (walk->view->calls[call].returned == TIME_NONE)
            line->is_current = true;
        else
            line->is_returned = true;
    }
}

static bool is_place(const struct program_line *line)
{
    return line->is_current || line->is_returned;
}

/* Adds the lines at DISTANCE from each current one to those that are shown, up to ROWS in all. */
static size_t choose_at(const struct listing *listing, bool *shown, size_t chosen, size_t rows,
                        size_t distance, bool within_block)
{
    for (size_t i = 0; i < listing->count; i++) {
        if (!is_place(&listing->lines[i]))
            continue;
        /* What comes next tells more than what was. */
        const size_t near[] = {i + distance, distance % 2 == 0 && i >= distance / 2 ? i - distance / 2 : i};
        for (size_t n = 0; n < 2; n++) {
            if (near[n] >= listing->count || shown[near[n]] || chosen == rows ||
                (within_block && listing->lines[near[n]].block != listing->lines[i].block))
                continue;
            shown[near[n]] = true;
            chosen++;
        }
    }
    return chosen;
}

/* Chooses ROWS lines: the current ones, then those nearest to them, of the same rank before others. */
static void choose_lines(struct listing *listing, bool *shown, size_t rows)
{
    size_t chosen = 0;
    bool any = false;
    for (size_t i = 0; i < listing->count; i++)
        any |= is_place(&listing->lines[i]);
    if (!any)
        listing->lines[0].is_returned = true; /* nobody is anywhere: from the first line on */
    for (int within_block = 1; within_block >= 0; within_block--)
        for (size_t distance = 0; chosen < rows && distance <= 2 * rows; distance++)
            chosen = choose_at(listing, shown, chosen, rows, distance, within_block);
    if (!any)
        listing->lines[0].is_returned = false;
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

static void draw_line(const struct walk *walk, const struct program_line *known, bool tight,
                      int number_columns, struct line *line)
{
    struct text words = {0};
    size_t length;
    const char *text = schedule_line(walk->schedule, known->number, &length);
    line_words(text, length, tight, &words);
    line->column++; /* for the mark of lines left out */
    line_format(line, known->is_current ? STYLE_CURRENT : STYLE_DIM, "%*u", number_columns,
                (unsigned)known->number);
    if (known->is_current)
        line_glyph(line, STYLE_CURRENT, GLYPH_POINTER);
    else if (known->is_returned)
        line_glyph(line, STYLE_DONE, GLYPH_DONE);
    else
        line_text(line, known->removed ? STYLE_REMOVED : STYLE_ADDED,
                  known->added     ? "+"
                  : known->removed ? "-"
                                   : " ");
    enum style style = known->is_current                        ? STYLE_CURRENT
                       : known->removed                         ? STYLE_REMOVED
                       : known->added                           ? STYLE_ADDED
                       : starts_with_word(text, length, "rank") ? STYLE_STRONG
                       : *text_string(&words) == '#'            ? STYLE_DIM
                                                                : STYLE_PLAIN;
    line_text(line, style, text_string(&words));
    text_free(&words);
}

static void draw_lines(const struct walk *walk, const struct listing *listing, struct canvas *canvas,
                       struct rectangle area, const bool *shown, size_t first)
{
    bool tight = area.columns < ALIGNED_COLUMNS;
    int row = 0;
    size_t before = first;
    for (size_t i = first; i < listing->count && row < area.rows; i++) {
        if (shown && !shown[i])
            continue;
        struct line line = {canvas, area, row, 0};
        draw_line(walk, &listing->lines[i], tight, listing->number_columns, &line);
        if (shown && i > before)
            canvas_glyph(canvas, area, row, 0, STYLE_DIM, GLYPH_GAP);
        before = i + 1;
        row++;
    }
}

int program_panel_rows(const struct walk *walk)
{
    struct listing listing = {0};
    find_lines(walk, &listing);
    free(listing.lines);
    return (int)listing.count;
}

void program_panel_draw(const struct walk *walk, struct canvas *canvas, struct rectangle area)
{
    struct listing listing = {0};
    if (area.rows <= 0)
        return;
    find_lines(walk, &listing);
    if (listing.count > (size_t)area.rows && walk->focus != PANEL_PROGRAM)
        leave_comments_out(walk, &listing);
    mark_current_lines(walk, &listing);
    if (listing.count <= (size_t)area.rows) {
        draw_lines(walk, &listing, canvas, area, NULL, 0);
    } else if (walk->focus == PANEL_PROGRAM) {
        size_t last = listing.count - (size_t)area.rows;
        size_t first = walk->scroll[PANEL_PROGRAM] > 0 ? (size_t)walk->scroll[PANEL_PROGRAM] : 0;
        draw_lines(walk, &listing, canvas, area, NULL, first < last ? first : last);
    } else {
        bool *shown = memory_zeroed(listing.count + 1, sizeof *shown);
        choose_lines(&listing, shown, (size_t)area.rows);
        draw_lines(walk, &listing, canvas, area, shown, 0);
        free(shown);
    }
    free(listing.lines);
}
