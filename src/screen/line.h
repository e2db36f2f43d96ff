/* A row that is written from left to right. */
#ifndef HANDOFF_SCREEN_LINE_H
#define HANDOFF_SCREEN_LINE_H

#include "screen/canvas.h"

struct line {
    struct canvas *canvas;
    struct rectangle area;
    int row, column;
};

void line_text(struct line *line, enum style style, const char *text);
void line_format(struct line *line, enum style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void line_glyph(struct line *line, enum style style, enum glyph glyph);
/* " · " */
void line_dot(struct line *line);
/* On to a column; back never. */
void line_to(struct line *line, int column);
/* The columns that are left. */
int line_room(const struct line *line);

#endif
