/* Where everything stands: a pure function of the screen's size and of what there is to show. Rectangles
 * never overlap or leave the screen; one with no rows or columns is not shown. */
#ifndef HANDOFF_SCREEN_LAYOUT_H
#define HANDOFF_SCREEN_LAYOUT_H

#include <stdbool.h>

#include "screen/canvas.h"

/* How much of its own a rank's panel shows, where there is room. */
enum detail {
    DETAIL_FLOWING, /* buffers beside one another */
    DETAIL_LINES,   /* a row for each stream and each buffer */
    DETAIL_WAITS,   /* a second row for each stream: what it waits for */
    DETAIL_COUNT
};

enum { LAYOUT_MIN_ROWS = 24, LAYOUT_MIN_COLUMNS = 80, LAYOUT_MAX_RANKS = 64 };

struct layout_content {
    bool has_prose;
    int prose_rows; /* that the text takes: the program makes room for it; 0: it does not */
    int program_lines, timeline_rows;
    int rank_count, chosen_rank;
    int rank_rows[DETAIL_COUNT][LAYOUT_MAX_RANKS]; /* what each rank's panel needs; more with more detail */
};

struct layout {
    bool too_small;
    enum detail detail;
    struct rectangle title, status, keys;
    struct rectangle prose, program, ranks, timeline;
    struct rectangle rank[LAYOUT_MAX_RANKS]; /* within RANKS; one row: folded */
    struct rectangle divider;                /* the column between left and right */
    struct rectangle left_rule, right_rule;  /* the rows between upper and lower panels */
};

void layout_make(struct layout *layout, int rows, int columns, const struct layout_content *content);

/* The columns of the panels on the left (prose, program) and on the right (ranks, timeline). */
int layout_left_columns(int columns);
int layout_right_columns(int columns);

#endif
