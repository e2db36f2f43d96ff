#include "screen/canvas.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/memory.h"

static const struct {
    uint32_t code_point;
    char ascii;
} glyphs[GLYPH_COUNT] = {
    [GLYPH_HORIZONTAL] = {0x2500, '-'},
    [GLYPH_VERTICAL] = {0x2502, '|'},
    [GLYPH_CROSS] = {0x253C, '+'},
    [GLYPH_TEE_LEFT] = {0x251C, '+'},
    [GLYPH_TEE_RIGHT] = {0x2524, '+'},
    [GLYPH_TEE_UP] = {0x2534, '+'},
    [GLYPH_TEE_DOWN] = {0x252C, '+'},
    [GLYPH_CORNER_TOP_LEFT] = {0x250C, '+'},
    [GLYPH_CORNER_TOP_RIGHT] = {0x2510, '+'},
    [GLYPH_CORNER_BOTTOM_LEFT] = {0x2514, '+'},
    [GLYPH_CORNER_BOTTOM_RIGHT] = {0x2518, '+'},
    [GLYPH_DONE] = {0x2714, '*'},
    [GLYPH_RUNNING] = {0x25B6, '>'},
    [GLYPH_WAITING] = {0x25D0, '~'},
    [GLYPH_HELD] = {0x2016, 'o'},
    [GLYPH_PENDING] = {0x00B7, '.'},
    [GLYPH_POINTER] = {0x25B8, '>'},
    [GLYPH_NEVER] = {0x00B7, '.'},
    [GLYPH_TORN] = {0x2260, '!'},
    [GLYPH_LEAVES] = {0x203A, '>'},
    [GLYPH_ARRIVES] = {0x2039, '<'},
    [GLYPH_BAR_FULL] = {0x2588, '#'},
    [GLYPH_BAR_WAIT] = {0x2591, ':'},
    [GLYPH_BAR_LIGHT] = {0x2592, '='},
    [GLYPH_ARROW] = {0x2192, '>'},
    [GLYPH_CUT] = {0x2026, '~'},
    [GLYPH_GAP] = {0x250A, '~'},
    [GLYPH_DOT] = {0x00B7, '-'},
};

/* What stands in an ASCII text for symbols that prose and glyphs use; everything else becomes '?'. */
static const struct {
    uint32_t code_point;
    const char *ascii;
} transliterations[] = {
    {0x00A0, " "},  {0x00B1, "+-"}, {0x00B5, "u"},   {0x00B7, "."},  {0x00D7, "x"},  {0x00F7, "/"},
    {0x2010, "-"},  {0x2011, "-"},  {0x2012, "-"},   {0x2013, "-"},  {0x2014, "--"}, {0x2015, "--"},
    {0x2016, "||"}, {0x2018, "'"},  {0x2019, "'"},   {0x201A, ","},  {0x201C, "\""}, {0x201D, "\""},
    {0x201E, "\""}, {0x2022, "*"},  {0x2026, "..."}, {0x202F, " "},  {0x2032, "'"},  {0x2033, "\""},
    {0x2080, "0"},  {0x2081, "1"},  {0x2082, "2"},   {0x2083, "3"},  {0x2084, "4"},  {0x2085, "5"},
    {0x2086, "6"},  {0x2087, "7"},  {0x2088, "8"},   {0x2089, "9"},  {0x2190, "<-"}, {0x2191, "^"},
    {0x2192, "->"}, {0x2193, "v"},  {0x2194, "<->"}, {0x21D0, "<="}, {0x21D2, "=>"}, {0x2212, "-"},
    {0x2248, "~"},  {0x2260, "!="}, {0x2264, "<="},  {0x2265, ">="}, {0x2500, "-"},  {0x2502, "|"},
    {0x25B6, ">"},  {0x25B8, ">"},  {0x25D0, "~"},   {0x2713, "*"},  {0x2714, "*"},  {0x2717, "x"},
    {0x2718, "x"},  {0x03BC, "u"},
};

void canvas_open(struct canvas *canvas, int rows, int columns, bool ascii)
{
    *canvas =
        (struct canvas){.rows = rows > 0 ? rows : 0, .columns = columns > 0 ? columns : 0, .ascii = ascii};
    canvas->cells = memory_zeroed((size_t)canvas->rows * (size_t)canvas->columns + 1, sizeof *canvas->cells);
    canvas_clear(canvas);
}

void canvas_free(struct canvas *canvas)
{
    free(canvas->cells);
    *canvas = (struct canvas){0};
}

void canvas_clear(struct canvas *canvas)
{
    for (size_t i = 0; i < (size_t)canvas->rows * (size_t)canvas->columns; i++)
        canvas->cells[i] = (struct cell){.code_point = ' '};
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

struct rectangle rectangle_within(struct rectangle outer, struct rectangle inner)
{
    int top = larger(inner.row, 0), left = larger(inner.column, 0);
    int bottom = smaller(inner.row + inner.rows, outer.rows);
    int right = smaller(inner.column + inner.columns, outer.columns);
    return (struct rectangle){outer.row + top, outer.column + left, larger(bottom - top, 0),
                              larger(right - left, 0)};
}

/* The cell at ROW, COLUMN of AREA; NULL outside of it or of the canvas. */
static struct cell *cell_at(struct canvas *canvas, struct rectangle area, int row, int column)
{
    if (row < 0 || column < 0 || row >= area.rows || column >= area.columns)
        return NULL;
    row += area.row;
    column += area.column;
    if (row < 0 || column < 0 || row >= canvas->rows || column >= canvas->columns)
        return NULL;
    return &canvas->cells[(size_t)row * (size_t)canvas->columns + (size_t)column];
}

/* Overwrites the cell at ROW, COLUMN; the half that is left of a wide character becomes a blank. */
static void put(struct canvas *canvas, struct rectangle area, int row, int column, struct cell value)
{
    struct cell *cell = cell_at(canvas, area, row, column);
    if (!cell)
        return;
    int at = area.column + column;
    if (cell->code_point == 0 && at > 0 && value.code_point != 0)
        cell[-1].code_point = ' ';
    if (at + 1 < canvas->columns && cell[1].code_point == 0)
        cell[1].code_point = ' ';
    *cell = value;
}

/* Where a text is being drawn, or only measured (CANVAS NULL). */
struct pen {
    struct canvas *canvas;
    struct rectangle area;
    int row, start, column, limit; /* LIMIT: the first column that must stay free */
    uint8_t style;
    bool cut;
};

static void pen_mark(struct pen *pen, uint32_t code_point)
{
    struct cell *cell = pen->canvas && pen->column > pen->start
                            ? cell_at(pen->canvas, pen->area, pen->row, pen->column - 1)
                            : NULL;
    if (cell && cell->code_point == 0)
        cell--;
    for (int i = 0; cell && i < CELL_MARKS; i++)
        if (cell->marks[i] == 0) {
            cell->marks[i] = code_point;
            return;
        }
}

static void pen_put(struct pen *pen, uint32_t code_point)
{
    int width = code_point < 0x80 ? 1 : wcwidth((wchar_t)code_point);
    if (width < 0) {
        code_point = 0xFFFD;
        width = 1;
    }
    if (pen->cut)
        return;
    if (width == 0) {
        pen_mark(pen, code_point);
        return;
    }
    if (pen->column + width > pen->limit) {
        pen->cut = true;
        return;
    }
    if (pen->canvas) {
        put(pen->canvas, pen->area, pen->row, pen->column,
            (struct cell){.code_point = code_point, .style = pen->style});
        if (width == 2)
            put(pen->canvas, pen->area, pen->row, pen->column + 1,
                (struct cell){.code_point = 0, .style = pen->style});
    }
    pen->column += width;
}

static void pen_put_ascii(struct pen *pen, uint32_t code_point)
{
    const char *ascii = "?";
    for (size_t i = 0; i < sizeof transliterations / sizeof *transliterations; i++)
        if (transliterations[i].code_point == code_point)
            ascii = transliterations[i].ascii;
    if (wcwidth((wchar_t)code_point) == 0)
        return;
    for (; *ascii; ascii++)
        pen_put(pen, (uint32_t)*ascii);
}

/* TEXT is visible already. */
static void pen_write(struct pen *pen, const char *text, bool ascii)
{
    size_t length = strlen(text);
    for (size_t at = 0; at < length && !pen->cut;) {
        uint32_t code_point = '?';
        size_t size = text_decode(text + at, length - at, &code_point);
        if (code_point >= 0x80 && ascii)
            pen_put_ascii(pen, code_point);
        else
            pen_put(pen, code_point);
        at += size ? size : 1;
    }
}

static bool is_visible(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || (unsigned char)*text > 0x7E)
            return false;
    return true;
}

int canvas_text(struct canvas *canvas, struct rectangle area, int row, int column, enum style style,
                const char *text)
{
    if (column < 0 || column >= area.columns || row < 0 || row >= area.rows)
        return 0;
    struct text visible = {0};
    if (!is_visible(text)) {
        text_append_visible(&visible, text, strlen(text));
        text = text_string(&visible);
    }
    struct pen pen = {canvas, area, row, column, column, area.columns, (uint8_t)style, false};
    pen_write(&pen, text, canvas->ascii);
    if (pen.cut) {
        int last = area.columns - 1;
        canvas_glyph(canvas, area, row, last, style, GLYPH_CUT);
        pen.column = area.columns;
    }
    text_free(&visible);
    return pen.column - column;
}

int canvas_text_width(const struct canvas *canvas, const char *text)
{
    struct text visible = {0};
    text_append_visible(&visible, text, strlen(text));
    struct pen pen = {.limit = INT32_MAX};
    pen_write(&pen, text_string(&visible), canvas->ascii);
    text_free(&visible);
    return pen.column;
}

void canvas_glyph(struct canvas *canvas, struct rectangle area, int row, int column, enum style style,
                  enum glyph glyph)
{
    uint32_t code_point = canvas->ascii ? (uint32_t)glyphs[glyph].ascii : glyphs[glyph].code_point;
    put(canvas, area, row, column, (struct cell){.code_point = code_point, .style = (uint8_t)style});
}

void canvas_glyphs(struct canvas *canvas, struct rectangle area, int row, int column, int length,
                   enum style style, enum glyph glyph)
{
    for (int i = 0; i < length; i++)
        canvas_glyph(canvas, area, row, column + i, style, glyph);
}

void canvas_target(struct canvas *canvas, struct rectangle area, int row, int column, int columns,
                   struct target target)
{
    for (int i = 0; i < columns; i++) {
        struct cell *cell = cell_at(canvas, area, row, column + i);
        if (cell)
            cell->target = target;
    }
}

void canvas_style(struct canvas *canvas, struct rectangle area, enum style style)
{
    for (int row = 0; row < area.rows; row++)
        for (int column = 0; column < area.columns; column++) {
            struct cell *cell = cell_at(canvas, area, row, column);
            if (cell)
                cell->style = (uint8_t)style;
        }
}

static void append_code_point(struct text *out, uint32_t code_point)
{
    char bytes[4];
    size_t length = 0;
    if (code_point < 0x80) {
        bytes[length++] = (char)code_point;
    } else if (code_point < 0x800) {
        bytes[length++] = (char)(0xC0 | code_point >> 6);
    } else if (code_point < 0x10000) {
        bytes[length++] = (char)(0xE0 | code_point >> 12);
        bytes[length++] = (char)(0x80 | (code_point >> 6 & 0x3F));
    } else {
        bytes[length++] = (char)(0xF0 | code_point >> 18);
        bytes[length++] = (char)(0x80 | (code_point >> 12 & 0x3F));
        bytes[length++] = (char)(0x80 | (code_point >> 6 & 0x3F));
    }
    if (code_point >= 0x80)
        bytes[length++] = (char)(0x80 | (code_point & 0x3F));
    text_append_bytes(out, bytes, length);
}

void canvas_to_text(const struct canvas *canvas, struct text *out)
{
    for (int row = 0; row < canvas->rows; row++) {
        const struct cell *cells = &canvas->cells[(size_t)row * (size_t)canvas->columns];
        int end = canvas->columns;
        while (end > 0 && cells[end - 1].code_point == ' ' && cells[end - 1].marks[0] == 0)
            end--;
        for (int column = 0; column < end; column++) {
            if (cells[column].code_point)
                append_code_point(out, cells[column].code_point);
            for (int i = 0; i < CELL_MARKS && cells[column].marks[i]; i++)
                append_code_point(out, cells[column].marks[i]);
        }
        text_append(out, "\n");
    }
}
