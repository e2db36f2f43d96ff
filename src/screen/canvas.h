/* A grid of cells to draw on, without a terminal: every panel is a pure function of a view onto a canvas. The
 * terminal (terminal.h), text output and tests read the same grid. */
#ifndef HANDOFF_SCREEN_CANVAS_H
#define HANDOFF_SCREEN_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* What a cell means, not how it looks; theme.c gives each a colour and attributes. Colour never carries
 * meaning alone: a mark or a word beside it says the same. */
enum style {
    STYLE_PLAIN,
    STYLE_DIM,
    STYLE_STRONG,
    STYLE_EMPHASIS,
    STYLE_TITLE,
    STYLE_FRAME,
    STYLE_KEY,
    STYLE_CURRENT,
    STYLE_RUNNING,
    STYLE_WAITING,
    STYLE_HELD,
    STYLE_DONE,
    STYLE_ERROR,
    STYLE_NEVER_WRITTEN,
    STYLE_BEING_WRITTEN,
    STYLE_READ,
    STYLE_TORN,
    STYLE_ADDED,
    STYLE_REMOVED,
    STYLE_SELECTED,
    STYLE_CODE,
    STYLE_ON_RUNNING, /* words within a full bar of STYLE_RUNNING, of STYLE_DONE */
    STYLE_ON_DONE,
    STYLE_COUNT
};

/* Marks with an ASCII form for each. */
enum glyph {
    GLYPH_HORIZONTAL,
    GLYPH_VERTICAL,
    GLYPH_CROSS,
    GLYPH_TEE_LEFT,
    GLYPH_TEE_RIGHT,
    GLYPH_TEE_UP,
    GLYPH_TEE_DOWN,
    GLYPH_CORNER_TOP_LEFT,
    GLYPH_CORNER_TOP_RIGHT,
    GLYPH_CORNER_BOTTOM_LEFT,
    GLYPH_CORNER_BOTTOM_RIGHT,
    GLYPH_DONE,
    GLYPH_RUNNING,
    GLYPH_WAITING,
    GLYPH_HELD,
    GLYPH_PENDING,
    GLYPH_POINTER,
    GLYPH_NEVER,
    GLYPH_TORN,
    GLYPH_LEAVES,  /* an operation reads the cell */
    GLYPH_ARRIVES, /* an operation writes it */
    GLYPH_BAR_FULL,
    GLYPH_BAR_WAIT,
    GLYPH_BAR_LIGHT,
    GLYPH_ARROW,
    GLYPH_CUT,
    GLYPH_GAP, /* lines left out */
    GLYPH_DOT,
    GLYPH_COUNT
};

/* What a click on a cell means. */
enum target_kind {
    TARGET_NONE,
    TARGET_TRACK, /* VALUE: index into the walk's tracks */
    TARGET_CALL,  /* a call's number */
    TARGET_LINE,  /* of the schedule */
    TARGET_TIME,  /* ns */
};
struct target {
    enum target_kind kind;
    int64_t value;
};

enum { CELL_MARKS = 2 };
struct cell {
    uint32_t code_point;        /* 0 for the right half of a wide character */
    uint32_t marks[CELL_MARKS]; /* combining marks on it; 0 for none */
    uint8_t style;
    struct target target; /* what is drawn over a cell takes it away */
};

struct canvas {
    int rows, columns;
    bool ascii; /* glyphs and text outside ASCII are drawn in ASCII */
    struct cell *cells;
};

struct rectangle {
    int row, column, rows, columns;
};

void canvas_open(struct canvas *canvas, int rows, int columns, bool ascii);
void canvas_free(struct canvas *canvas);
void canvas_clear(struct canvas *canvas);

/* The part of INNER that lies within OUTER and on the canvas; INNER counts from OUTER's corner. */
struct rectangle rectangle_within(struct rectangle outer, struct rectangle inner);

/* Draws visible UTF-8 text (control characters are made visible here too) within AREA, from ROW, COLUMN of
 * the area; what does not fit is cut with a mark. Widths are wcwidth()'s, so the locale has to be set before.
 * Returns the columns used. */
int canvas_text(struct canvas *canvas, struct rectangle area, int row, int column, enum style style,
                const char *text);
void canvas_glyph(struct canvas *canvas, struct rectangle area, int row, int column, enum style style,
                  enum glyph glyph);

/* Gives every cell of AREA the style; the characters stay. */
void canvas_style(struct canvas *canvas, struct rectangle area, enum style style);
/* COLUMNS cells to the right of ROW, COLUMN, as they are drawn, stand for TARGET. */
void canvas_target(struct canvas *canvas, struct rectangle area, int row, int column, int columns,
                   struct target target);
/* LENGTH glyphs in a row to the right of ROW, COLUMN. */
void canvas_glyphs(struct canvas *canvas, struct rectangle area, int row, int column, int length,
                   enum style style, enum glyph glyph);

/* How many columns canvas_text() would use with room enough. */
int canvas_text_width(const struct canvas *canvas, const char *text);

/* The rows as lines of text, trailing blanks cut. */
void canvas_to_text(const struct canvas *canvas, struct text *out);

#endif
