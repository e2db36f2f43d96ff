/* The timeline: host calls above, execution of each stream below, on one scale. Pure. */
#ifndef HANDOFF_SCREEN_TIMELINE_H
#define HANDOFF_SCREEN_TIMELINE_H

#include "log/view.h"
#include "screen/canvas.h"

struct timeline_window {
    int64_t from, to; /* ns; from == to: everything that happened so far */
    int64_t cursor;   /* TIME_NONE for none */
    int first_track;  /* scrolled down by so many rows */
    uint32_t rank;    /* whose tracks come first where not all fit; NONE */
};

/* How many rows it needs to show every track. */
int timeline_rows(const struct view *view);
void timeline_draw(const struct view *view, const struct timeline_window *window, struct canvas *canvas,
                   struct rectangle area);

/* "6.20 ms", "12 us" as a person reads it. */
void format_time(int64_t time, struct text *out);

#endif
