#include "export/cast_screen.h"

#include <string.h>

#include "screen/theme.h"

void cast_screen_open(struct cast_screen *screen, int rows, int columns, bool ascii)
{
    canvas_open(&screen->shown, rows, columns, ascii);
    canvas_open(&screen->next, rows, columns, ascii);
    screen->is_blank = true;
}

void cast_screen_close(struct cast_screen *screen)
{
    canvas_free(&screen->shown);
    canvas_free(&screen->next);
}

static void append_code_point(uint32_t code_point, struct text *out)
{
    char bytes[4];
    size_t length = 1;
    if (code_point < 0x80) {
        bytes[0] = (char)code_point;
    } else if (code_point < 0x800) {
        bytes[0] = (char)(0xC0 | code_point >> 6);
        length = 2;
    } else if (code_point < 0x10000) {
        bytes[0] = (char)(0xE0 | code_point >> 12);
        length = 3;
    } else {
        bytes[0] = (char)(0xF0 | code_point >> 18);
        length = 4;
    }
    for (size_t i = 1; i < length; i++)
        bytes[i] = (char)(0x80 | (code_point >> (6 * (length - 1 - i)) & 0x3F));
    text_append_bytes(out, bytes, length);
}

static void append_style(enum style style, struct text *out)
{
    const struct look look = theme_look(style, 256);
    static const struct {
        unsigned attribute;
        const char *code;
    } codes[] = {{LOOK_BOLD, ";1"}, {LOOK_DIM, ";2"}, {LOOK_UNDERLINE, ";4"}, {LOOK_REVERSE, ";7"}};
    text_append(out, "\x1b[0");
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (look.attributes & codes[i].attribute)
            text_append(out, codes[i].code);
    if (look.colour >= 0)
        text_format(out, ";38;5;%d", look.colour);
    text_append(out, "m");
}

static bool differs(const struct cast_screen *screen, size_t index)
{
    const struct cell *shown = &screen->shown.cells[index], *next = &screen->next.cells[index];
    return shown->code_point != next->code_point || shown->style != next->style ||
           memcmp(shown->marks, next->marks, sizeof shown->marks) != 0;
}

static void append_cell(const struct cell *cell, struct text *out)
{
    append_code_point(cell->code_point, out);
    for (int i = 0; i < CELL_MARKS && cell->marks[i]; i++)
        append_code_point(cell->marks[i], out);
}

/* The row from its first cell that differs to its last; a wide character as a whole. */
static void append_row(const struct cast_screen *screen, int row, struct text *out)
{
    const struct cell *cells = &screen->next.cells[(size_t)row * (size_t)screen->next.columns];
    size_t base = (size_t)row * (size_t)screen->next.columns;
    int first = -1, last = -1;
    for (int column = 0; column < screen->next.columns; column++)
        if (differs(screen, base + (size_t)column)) {
            first = first < 0 ? column : first;
            last = column;
        }
    if (first < 0)
        return;
    while (first > 0 && cells[first].code_point == 0)
        first--;
    text_format(out, "\x1b[%d;%dH", row + 1, first + 1);
    int style = -1;
    for (int column = first; column <= last; column++) {
        if (cells[column].code_point == 0)
            continue;
        if (cells[column].style != style)
            append_style((enum style)cells[column].style, out);
        style = cells[column].style;
        append_cell(&cells[column], out);
    }
}

bool cast_screen_show(struct cast_screen *screen, struct text *out)
{
    size_t before = out->length;
    if (screen->is_blank)
        text_append(out, "\x1b[?25l\x1b[0m\x1b[2J");
    screen->is_blank = false;
    for (int row = 0; row < screen->next.rows; row++)
        append_row(screen, row, out);
    size_t count = (size_t)screen->next.rows * (size_t)screen->next.columns;
    memcpy(screen->shown.cells, screen->next.cells, count * sizeof *screen->next.cells);
    return out->length > before;
}
