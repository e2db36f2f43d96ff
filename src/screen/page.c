#include "screen/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void page_free(struct page *page)
{
    text_free(&page->text);
    free(page->styles);
    free(page->lines);
    *page = (struct page){0};
}

static void append(struct page *page, enum style style, const char *bytes, size_t length)
{
    while (page->text.length + length > page->style_capacity) {
        page->style_capacity = page->style_capacity ? page->style_capacity * 2 : 256;
        page->styles = memory_resize(page->styles, page->style_capacity, 1);
    }
    memset(page->styles + page->text.length, style, length);
    text_append_bytes(&page->text, bytes, length);
}

static void add_line(struct page *page, size_t start, size_t end, int indent)
{
    ARRAY_RESERVE(page->lines, page->line_count, page->line_capacity);
    page->lines[page->line_count++] = (struct page_line){start, end, indent};
}

void page_gap(struct page *page)
{
    if (page->line_count == 0)
        return;
    const struct page_line *last = &page->lines[page->line_count - 1];
    if (last->end > last->start)
        add_line(page, page->text.length, page->text.length, 0);
}

/* The columns that the bytes from START to END take. */
static int width_of(const struct page *page, size_t start, size_t end)
{
    struct text slice = {0};
    struct canvas measure = {.ascii = page->ascii};
    text_append_bytes(&slice, page->text.bytes + start, end - start);
    int width = canvas_text_width(&measure, text_string(&slice));
    text_free(&slice);
    return width;
}

/* The last byte, after START, at which a word too long for a line can be broken so that it fits ROOM. */
static size_t break_word(const struct page *page, size_t start, size_t end, int room)
{
    size_t at = start;
    while (at < end) {
        uint32_t code_point;
        size_t size = text_decode(page->text.bytes + at, end - at, &code_point);
        size_t next = at + (size ? size : 1);
        if (at > start && width_of(page, start, next) > room)
            return at;
        at = next;
    }
    return end;
}

static size_t skip_blanks(const struct page *page, size_t at, size_t end)
{
    while (at < end && page->text.bytes[at] == ' ')
        at++;
    return at;
}

/* Breaks the bytes from START on into lines. */
static void wrap(struct page *page, size_t start, int indent, int hanging)
{
    size_t end = page->text.length, line = start, line_end = start;
    int room = page->width - indent;
    for (size_t at = start; at < end;) {
        const char *blank = memchr(page->text.bytes + at, ' ', end - at);
        size_t word_end = blank ? (size_t)(blank - page->text.bytes) : end;
        if (width_of(page, line, word_end) <= room) {
            line_end = word_end;
            at = skip_blanks(page, word_end, end);
            continue;
        }
        if (line_end == line)
            line_end = break_word(page, line, word_end, room);
        add_line(page, line, line_end, indent);
        line = line_end = at = skip_blanks(page, line_end, end);
        if (room == page->width - indent && hanging)
            indent += hanging;
        hanging = 0;
        room = page->width - indent > 0 ? page->width - indent : 1;
    }
    add_line(page, line, line_end, indent);
}

void page_text(struct page *page, int indent, int hanging, enum style style, const char *text)
{
    size_t start = page->text.length;
    append(page, style, text, strlen(text));
    wrap(page, start, indent, hanging);
}

static enum style style_of(enum prose_style style)
{
    switch (style) {
    case PROSE_EMPHASIS:
        return STYLE_EMPHASIS;
    case PROSE_STRONG:
        return STYLE_STRONG;
    case PROSE_CODE:
        return STYLE_CODE;
    case PROSE_PLAIN:
        break;
    }
    return STYLE_PLAIN;
}

static void add_code(struct page *page, int indent, const struct prose_block *block)
{
    size_t start = page->text.length;
    for (size_t i = 0; i < block->run_count; i++)
        append(page, STYLE_CODE, block->runs[i].text, strlen(block->runs[i].text));
    for (size_t at = start; at < page->text.length;) {
        const char *newline = memchr(page->text.bytes + at, '\n', page->text.length - at);
        size_t end = newline ? (size_t)(newline - page->text.bytes) : page->text.length;
        add_line(page, at, end, indent);
        at = end + 1;
    }
}

void page_block(struct page *page, int indent, const char *marker, const struct prose_block *block)
{
    if (block->kind == BLOCK_CODE) {
        add_code(page, indent + 2, block);
        return;
    }
    struct canvas measure = {.ascii = page->ascii};
    size_t start = page->text.length;
    append(page, STYLE_STRONG, marker, strlen(marker));
    for (size_t i = 0; i < block->run_count; i++)
        append(page, style_of(block->runs[i].style), block->runs[i].text, strlen(block->runs[i].text));
    wrap(page, start, indent, canvas_text_width(&measure, marker));
}

void page_spread(struct page *page)
{
    size_t count = page->line_count;
    if (count < 2)
        return;
    page->lines = memory_resize(page->lines, 2 * count, sizeof *page->lines);
    page->line_capacity = 2 * count;
    page->line_count = 2 * count - 1;
    for (size_t i = count; i > 0; i--) {
        page->lines[2 * i - 1] = (struct page_line){0};
        page->lines[2 * i - 2] = page->lines[i - 1];
    }
}

int page_last_start(const struct page *page, int rows)
{
    int last = (int)page->line_count - (rows > 0 ? rows : 0);
    return last > 0 ? last : 0;
}

static void draw_line(const struct page *page, const struct page_line *line, struct canvas *canvas,
                      struct rectangle area, int row)
{
    struct text slice = {0};
    int column = line->indent;
    for (size_t at = line->start; at < line->end;) {
        size_t end = at + 1;
        while (end < line->end && page->styles[end] == page->styles[at])
            end++;
        text_clear(&slice);
        text_append_bytes(&slice, page->text.bytes + at, end - at);
        column += canvas_text(canvas, area, row, column, (enum style)page->styles[at], text_string(&slice));
        at = end;
    }
    text_free(&slice);
}

int page_draw(const struct page *page, struct canvas *canvas, struct rectangle area, int start)
{
    int last = page_last_start(page, area.rows);
    if (start > last)
        start = last;
    if (start < 0)
        start = 0;
    for (int row = 0; row < area.rows && start + row < (int)page->line_count; row++)
        draw_line(page, &page->lines[start + row], canvas, area, row);
    return last - start;
}
