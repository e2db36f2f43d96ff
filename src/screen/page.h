/* Word-wrapped text: prose, questions, help. A page is made for one width and drawn from any line on. */
#ifndef HANDOFF_SCREEN_PAGE_H
#define HANDOFF_SCREEN_PAGE_H

#include "lesson/lesson.h"
#include "screen/canvas.h"

struct page_line {
    size_t start, end; /* bytes of the text */
    int indent;
};

/* Zero-initialise and set WIDTH and ASCII; page_free() gives it back. */
struct page {
    int width;
    bool ascii;
    struct text text;
    uint8_t *styles; /* enum style by byte of the text */
    size_t style_capacity;
    struct page_line *lines;
    size_t line_count, line_capacity;
};

void page_free(struct page *page);

/* A blank line, unless the page is empty or ends in one. */
void page_gap(struct page *page);
/* A paragraph of TEXT, wrapped; every line but the first is indented by HANGING columns more. */
void page_text(struct page *page, int indent, int hanging, enum style style, const char *text);
/* A block of a lesson; code keeps its lines. MARKER stands before the first line ("" for none). */
void page_block(struct page *page, int indent, const char *marker, const struct prose_block *block);

/* Puts a blank line between all lines. */
void page_spread(struct page *page);

/* How far the page can be scrolled in ROWS rows. */
int page_last_start(const struct page *page, int rows);
/* Draws from line START on. Returns how many lines are left below. */
int page_draw(const struct page *page, struct canvas *canvas, struct rectangle area, int start);

#endif
