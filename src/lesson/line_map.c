#include "lesson/line_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void line_map_open(struct line_map *map, const char *text, size_t length)
{
    size_t capacity = 0;
    *map = (struct line_map){.text = text, .length = length};
    for (const char *at = text, *end = text + length; at;) {
        ARRAY_RESERVE(map->starts, map->count, capacity);
        map->starts[map->count++] = (size_t)(at - text);
        const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        at = newline ? newline + 1 : NULL;
    }
}

void line_map_free(struct line_map *map)
{
    free(map->starts);
    *map = (struct line_map){0};
}

size_t line_map_line(const struct line_map *map, size_t offset)
{
    size_t low = 0, high = map->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (map->starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

size_t line_map_start(const struct line_map *map, size_t line)
{
    return line < map->count ? map->starts[line] : map->length;
}

bool line_map_is_blank(const struct line_map *map, size_t line)
{
    size_t at = line_map_start(map, line), end = line_map_start(map, line + 1);
    while (at < end && strchr(" \t\r\n", map->text[at]))
        at++;
    return at == end;
}

struct place line_map_place(const struct line_map *map, size_t offset)
{
    size_t line = line_map_line(map, offset);
    struct place place = {.line = (uint32_t)line + 1, .column = 1};
    for (size_t at = map->starts[line]; at < offset && at < map->length; place.column++) {
        uint32_t code_point;
        size_t size = text_decode(map->text + at, map->length - at, &code_point);
        at += size ? size : 1;
    }
    return place;
}
