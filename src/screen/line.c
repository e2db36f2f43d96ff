#include "screen/line.h"

#include <stdarg.h>
#include <stdio.h>

void line_text(struct line *line, enum style style, const char *text)
{
    line->column += canvas_text(line->canvas, line->area, line->row, line->column, style, text);
}

void line_format(struct line *line, enum style style, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    line_text(line, style, text);
}

void line_glyph(struct line *line, enum style style, enum glyph glyph)
{
    canvas_glyph(line->canvas, line->area, line->row, line->column++, style, glyph);
}

void line_dot(struct line *line)
{
    line_text(line, STYLE_DIM, " ");
    line_glyph(line, STYLE_DIM, GLYPH_DOT);
    line_text(line, STYLE_DIM, " ");
}

void line_to(struct line *line, int column)
{
    if (line->column < column)
        line->column = column;
}

int line_room(const struct line *line)
{
    return line->area.columns > line->column ? line->area.columns - line->column : 0;
}
