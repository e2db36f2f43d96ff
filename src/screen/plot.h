/* The inside of the timeline: its lanes and its scale. */
#ifndef HANDOFF_SCREEN_PLOT_H
#define HANDOFF_SCREEN_PLOT_H

#include "log/view.h"
#include "screen/canvas.h"

/* A row: a rank's calls (STREAM and MEMORY are NONE), the work of one stream, or the use of one buffer. */
struct lane {
    uint32_t rank, stream, memory;
    int row;         /* of the plot; -1 where there is no room for it */
    int free;        /* the first column after what was drawn last */
    int64_t busy_to; /* until when what was drawn last takes; TIME_NONE before that */
};

struct plot {
    const struct view *view;
    struct canvas *canvas;
    struct rectangle area; /* without the labels */
    int64_t from, to;
    struct lane *lanes; /* the ranks' calls first, then the streams, then the buffers */
    uint32_t lane_count;
    uint32_t *lane_of_stream; /* for those that something is put on */
    uint32_t *lane_of_memory; /* NONE for one without a lane */
};

/* The column of a time; -1 and the plot's width stand for what lies outside. */
int plot_column(const struct plot *plot, int64_t time);

/* When an operation that has started was done, or now. */
int64_t operation_end(const struct view *view, uint32_t call);
/* Until when it only waited: between its start and its end. */
int64_t operation_waited(const struct view *view, uint32_t call);

/* What the calls' row shows for a call: one letter. */
char call_letter(const struct program *program, const struct statement *statement);
/* Puts the longest of the call's names that fits, with a cell left on both sides, into a bar. */
void plot_label(const struct plot *plot, const struct lane *lane, int column, int length, enum style style,
                uint32_t call);
/* The style of words within a full bar. */
enum style plot_on_bar(enum style style);

/* bars.c and uses.c: what the lanes hold. */
void plot_bars(struct plot *plot);
void plot_uses(struct plot *plot);

#endif
