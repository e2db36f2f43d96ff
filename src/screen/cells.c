#include "screen/cells.h"

#include "screen/operation.h"

enum {
    VALUE_COLUMNS = 2,
    VALUE_MAX_COLUMNS = 12,
    TOTAL_COLUMNS = 8,  /* for "... of 256" */
    FEW_ELEMENTS = 8,   /* they are all shown where they fit, words or not */
    WORDS_COLUMNS = 24, /* what is kept free of the cells of a long buffer */
};

/* What one cell says. */
struct cell_picture {
    enum style style;
    bool has_glyph, has_mark;
    enum glyph glyph; /* instead of a value */
    enum glyph mark;  /* after it */
};

static struct cell_picture picture_of(const struct view *view, uint32_t memory, uint32_t element)
{
    const struct view_memory *state = &view->memories[memory];
    uint32_t writer = view_writer(view, memory, element);
    bool is_arriving = writer != NONE && state->writers[element] == writer;
    switch (view_cell(view, memory, element)) {
    case CELL_NEVER_WRITTEN:
    case CELL_FREED:
        return (struct cell_picture){STYLE_NEVER_WRITTEN, true, false, GLYPH_NEVER, GLYPH_NEVER};
    case CELL_BEING_WRITTEN:
        return (struct cell_picture){STYLE_BEING_WRITTEN, true, true, GLYPH_BAR_WAIT, GLYPH_ARRIVES};
    case CELL_TORN:
        return (struct cell_picture){STYLE_TORN, false, true, GLYPH_NEVER, GLYPH_TORN};
    case CELL_VALUE:
        break;
    }
    if (is_arriving)
        return (struct cell_picture){STYLE_BEING_WRITTEN, false, true, GLYPH_NEVER, GLYPH_ARRIVES};
    uint32_t reader = view_reader(view, memory, element);
    if (reader != NONE && !view->calls[reader].waiting)
        return (struct cell_picture){STYLE_READ, false, true, GLYPH_NEVER, GLYPH_LEAVES};
    return (struct cell_picture){STYLE_PLAIN, false, false, GLYPH_NEVER, GLYPH_NEVER};
}

/* The columns of the longest value among the first COUNT. */
static int value_columns(const struct view *view, uint32_t memory, uint32_t count)
{
    size_t longest = VALUE_COLUMNS;
    struct text value = {0};
    for (uint32_t i = 0; i < count; i++) {
        text_clear(&value);
        if (view->memories[memory].cells[i] != CELL_NEVER_WRITTEN)
            view_format_value(view, memory, i, &value);
        if (value.length > longest)
            longest = value.length;
    }
    text_free(&value);
    return longest < VALUE_MAX_COLUMNS ? (int)longest : VALUE_MAX_COLUMNS;
}

static void write_cell(const struct view *view, uint32_t memory, uint32_t element, int columns,
                       struct line *line)
{
    struct cell_picture picture = picture_of(view, memory, element);
    struct text value = {0};
    int start = line->column;
    if (picture.has_glyph) {
        canvas_glyphs(line->canvas, line->area, line->row, start + columns - 1, 1, picture.style,
                      picture.glyph);
    } else {
        view_format_value(view, memory, element, &value);
        struct line cell = *line;
        if (start + columns < cell.area.columns)
            cell.area.columns = start + columns;
        if ((int)value.length < columns)
            cell.column = start + columns - (int)value.length;
        line_text(&cell, picture.style, text_string(&value));
    }
    if (picture.has_mark)
        canvas_glyph(line->canvas, line->area, line->row, start + columns, picture.style, picture.mark);
    line->column = start + columns + 1;
    line_glyph(line, STYLE_FRAME, GLYPH_VERTICAL);
    text_free(&value);
}

/* "read by send": the first operation that is at an element. */
static void write_users(const struct view *view, uint32_t memory, uint32_t count, struct line *line)
{
    uint32_t reader = NONE, writer = NONE;
    bool torn = false;
    for (uint32_t i = 0; i < count; i++) {
        if (reader == NONE)
            reader = view_reader(view, memory, i);
        if (writer == NONE)
            writer = view_writer(view, memory, i);
        torn |= view_cell(view, memory, i) == CELL_TORN;
    }
    struct text name = {0};
    if (torn)
        line_text(line, STYLE_ERROR, " torn");
    if (writer != NONE) {
        operation_name(view->program, writer, &name);
        line_text(line, STYLE_PLAIN, " ");
        line_format(line, STYLE_BEING_WRITTEN, "%s by %s",
                    view->calls[writer].waiting ? "awaited" : "written", text_string(&name));
    }
    if (reader != NONE) {
        text_clear(&name);
        operation_name(view->program, reader, &name);
        line_text(line, STYLE_PLAIN, " ");
        line_format(line, STYLE_READ, "read by %s", text_string(&name));
    }
    text_free(&name);
}

void memory_write_cells(const struct view *view, uint32_t memory, bool with_words, struct line *line)
{
    const struct view_memory *state = &view->memories[memory];
    if (state->freed || !state->allocated) {
        line_text(line, STYLE_DIM, state->freed ? "freed" : "not allocated yet");
        return;
    }
    uint32_t total = view->program->memories[memory].count;
    int room = line_room(line) - (with_words && total > FEW_ELEMENTS ? WORDS_COLUMNS : 0);
    uint32_t fit = room > 0 ? (uint32_t)room / (VALUE_COLUMNS + 2) : 0;
    uint32_t count = state->kept < fit ? state->kept : fit;
    int columns = value_columns(view, memory, count);
    bool all_fit = (columns + 2) * (int64_t)total <= room;
    int end = line->column + room - (all_fit ? 0 : TOTAL_COLUMNS);
    line_glyph(line, STYLE_FRAME, GLYPH_VERTICAL);
    for (uint32_t shown = 0; shown < count && line->column + columns + 2 <= end; shown++)
        write_cell(view, memory, shown, columns, line);
    if (!all_fit) {
        line_glyph(line, STYLE_DIM, GLYPH_CUT);
        line_format(line, STYLE_DIM, " of %u", (unsigned)total);
    }
    if (with_words)
        write_users(view, memory, count, line);
}
