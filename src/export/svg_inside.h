/* Inside the figure: where things stand. Lengths are in the SVG's units (pixels at its natural size). */
#ifndef HANDOFF_EXPORT_SVG_INSIDE_H
#define HANDOFF_EXPORT_SVG_INSIDE_H

#include "export/svg.h"

/* An operation on a stream, or a call that reads or writes a buffer. */
struct svg_use {
    uint32_t call;
    int64_t from, to;
    unsigned access; /* to the buffer: enum access */
    uint32_t lane;   /* uses of one lane do not overlap */
};

/* A rank's calls (STREAM and MEMORY NONE), a stream, or a buffer. */
struct svg_row {
    uint32_t rank, stream, memory;
    double top;    /* of the row: labels that do not fit stand here */
    double middle; /* of its bars */
    double bottom;
    struct svg_use *uses; /* as they start */
    uint32_t use_count, lanes;
};

/* One run. */
struct svg_panel {
    const struct export_run *run;
    const struct program *program;
    struct view *view;
    int64_t from, to;   /* the time that is drawn */
    double left, width; /* of the plot; names stand to its left */
    double top, bottom; /* of the rows */
    double margin;      /* how wide the names are */
    struct svg_row *rows;
    uint32_t row_count;
    uint32_t *row_of_stream; /* NONE */
};

/* A text that belongs to a place, and where it can stand so that no two of a row meet. */
struct svg_label {
    struct text text;
    double anchor; /* what it belongs to */
    double left, width;
};

/* svg_rows.c */
void svg_panel_open(struct svg_panel *panel, const struct export_run *run);
void svg_panel_close(struct svg_panel *panel);
/* Gives every row its place below TOP. */
void svg_place_rows(struct svg_panel *panel, double top);
double svg_x(const struct svg_panel *panel, int64_t time);

/* svg_uses.c: fills the row's uses. */
void svg_find_uses(struct svg_panel *panel, struct svg_row *row);

/* svg_label.c */
void svg_escape(const char *bytes, struct text *out);
double svg_text_width(const char *text, double size);
/* Sets every LEFT, as near to the anchors as may be, between LEFT and RIGHT. False where there is no room.
 * Anchors ascend. */
bool svg_spread(struct svg_label *labels, size_t count, double left, double right);

/* svg_bars.c: what is in the rows. */
void svg_draw_rows(const struct svg_panel *panel, struct text *out);

enum {
    SVG_FONT = 12,
    SVG_SMALL_FONT = 10,
    SVG_BAR = 18,      /* height of an operation */
    SVG_USE = 10,      /* height of a lane of a buffer's uses */
    SVG_LABEL_ROW = 15 /* height of the labels above bars */
};

#endif
