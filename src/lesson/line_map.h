/* From an offset within a text to its line and column. */
#ifndef HANDOFF_LESSON_LINE_MAP_H
#define HANDOFF_LESSON_LINE_MAP_H

#include "schedule/diagnostic.h"

struct line_map {
    const char *text; /* the caller's */
    size_t length;
    size_t *starts; /* offset of each line's first byte */
    size_t count;
};

void line_map_open(struct line_map *map, const char *text, size_t length);
void line_map_free(struct line_map *map);

struct place line_map_place(const struct line_map *map, size_t offset);

/* Index of the line that holds OFFSET, from 0, and the offset of a line's first byte; the text's length for a
 * line behind the last. */
size_t line_map_line(const struct line_map *map, size_t offset);
size_t line_map_start(const struct line_map *map, size_t line);

bool line_map_is_blank(const struct line_map *map, size_t line);

#endif
