#include "lesson/markdown.h"

#include <md4c.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lesson/line_map.h"

struct reader {
    struct markdown *markdown;
    struct diagnostics *diagnostics;
    struct line_map map;
    size_t cursor; /* behind the last text that md4c gave out */

    bool open;            /* the last block is still taking text */
    bool has_text;        /* it got some, so its place is known */
    bool item_has_ended;  /* the paragraph of the open item has */
    bool fenced;          /* the open code block has a fence */
    size_t lines;         /* of the open code block */
    unsigned list;        /* number of the last list */
    unsigned list_depth;  /* lists in lists */
    unsigned item_number; /* of the next item in a numbered list; 0 in others */
    unsigned skipping;    /* quotations and inner lists around here, whose content is passed over */
    unsigned emphasis, strong, code;

    struct text run; /* the text of the run that is being read */
    enum prose_style style;
    size_t run_capacity; /* of the open block */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static size_t skip_blanks(const struct line_map *map, size_t offset)
{
    while (offset < map->length && is_blank(map->text[offset]))
        offset++;
    return offset;
}

/* md4c says where text is but not where a block without text begins: that is on the first line behind the
 * last text that is not blank. */
static size_t next_line_with_content(const struct reader *reader)
{
    const struct line_map *map = &reader->map;
    size_t offset = skip_blanks(map, reader->cursor);
    while (offset < map->length && map->text[offset] == '\n')
        offset = skip_blanks(map, offset + 1);
    return offset < map->length ? offset : reader->cursor;
}

static void fault_at(struct reader *reader, size_t offset, const char *text)
{
    /* A place is worth its search only where it is kept. */
    struct place place = {0};
    if (reader->diagnostics->count < DIAGNOSTIC_LIMIT)
        place = line_map_place(&reader->map, offset);
    diagnostics_add(reader->diagnostics, place, "%s", text);
}

static void fault_here(struct reader *reader, const char *text)
{
    fault_at(reader, next_line_with_content(reader), text);
}

static bool offset_of(const struct reader *reader, const char *pointer, size_t *offset)
{
    uintptr_t start = (uintptr_t)reader->map.text, at = (uintptr_t)pointer;
    if (at < start || at >= start + reader->map.length)
        return false;
    *offset = at - start;
    return true;
}

static struct markdown_block *last_block(struct reader *reader)
{
    return &reader->markdown->blocks[reader->markdown->count - 1];
}

static struct markdown_block *open_block(struct reader *reader, enum markdown_kind kind)
{
    struct markdown *markdown = reader->markdown;
    ARRAY_RESERVE(markdown->blocks, markdown->count, markdown->capacity);
    struct markdown_block *block = &markdown->blocks[markdown->count++];
    *block = (struct markdown_block){.kind = kind};
    reader->open = true;
    reader->has_text = reader->item_has_ended = reader->fenced = false;
    reader->lines = reader->run_capacity = 0;
    return block;
}

/* Where the block begins, now that some of its text was seen at OFFSET: marks before it belong to it. */
static void set_place(struct reader *reader, size_t offset)
{
    struct markdown_block *block = last_block(reader);
    const struct line_map *map = &reader->map;
    size_t line_start = map->starts[line_map_line(map, offset)];
    reader->has_text = true;
    if (block->place.line > 0)
        return;
    if (block->kind == MARKDOWN_HEADING)
        offset = skip_blanks(map, line_start);
    while (offset > line_start && strchr("*_`[<\\", map->text[offset - 1]))
        offset--;
    block->place = line_map_place(map, offset);
}

static void end_run(struct reader *reader)
{
    if (reader->run.length == 0)
        return;
    struct prose_block *prose = &last_block(reader)->text;
    ARRAY_RESERVE(prose->runs, prose->run_count, reader->run_capacity);
    prose->runs[prose->run_count++] =
        (struct prose_run){.style = reader->style, .text = memory_copy_string(reader->run.bytes)};
    text_clear(&reader->run);
}

static void set_style(struct reader *reader)
{
    enum prose_style style = reader->code       ? PROSE_CODE
                             : reader->strong   ? PROSE_STRONG
                             : reader->emphasis ? PROSE_EMPHASIS
                                                : PROSE_PLAIN;
    if (style != reader->style)
        end_run(reader);
    reader->style = style;
}

static void close_block(struct reader *reader)
{
    if (!reader->open)
        return;
    end_run(reader);
    if (!reader->has_text && last_block(reader)->place.line == 0)
        last_block(reader)->place = line_map_place(&reader->map, next_line_with_content(reader));
    reader->open = false;
}

/* A fenced block's content is taken from the file as it stands, so that its lines and columns are the file's.
 */
static void open_code(struct reader *reader, const MD_BLOCK_CODE_DETAIL *detail)
{
    struct markdown_block *block = open_block(reader, MARKDOWN_CODE);
    block->text.kind = BLOCK_CODE;
    size_t language = 0;
    bool has_language = detail->lang.size > 0 && offset_of(reader, detail->lang.text, &language);
    struct text name = {0};
    if (has_language)
        text_append_bytes(&name, detail->lang.text, detail->lang.size);
    block->language = memory_copy_string(text_string(&name));
    text_free(&name);
    if (!detail->fence_char)
        return;
    reader->fenced = true;
    size_t line = line_map_line(&reader->map, has_language ? language : next_line_with_content(reader));
    block->place = line_map_place(&reader->map, skip_blanks(&reader->map, reader->map.starts[line]));
    block->content = line_map_start(&reader->map, line + 1);
}

static void close_code(struct reader *reader)
{
    struct markdown_block *block = last_block(reader);
    if (reader->fenced) {
        const struct line_map *map = &reader->map;
        size_t closing = line_map_line(map, block->content) + reader->lines;
        size_t end = line_map_start(map, closing);
        block->content_length = end > block->content ? end - block->content : 0;
        if (closing >= map->count || skip_blanks(map, end) >= map->length)
            diagnostics_add(reader->diagnostics, block->place,
                            "the block is not closed; a line ``` has to end it");
        reader->cursor = line_map_start(map, closing + 1);
        if (reader->cursor > 0)
            reader->cursor--;
    }
    close_block(reader);
}

/* A block of raw HTML: only a comment with nothing behind it will do. */
static void close_html(struct reader *reader)
{
    struct markdown_block *block = last_block(reader);
    const char *text = reader->map.text;
    size_t begin = skip_blanks(&reader->map, block->content), end = reader->cursor;
    while (end > begin && (is_blank(text[end - 1]) || text[end - 1] == '\n'))
        end--;
    if (end - begin < 4 || memcmp(text + begin, "<!--", 4) != 0) {
        diagnostics_add(reader->diagnostics, block->place,
                        "raw HTML is not shown; only a comment may stand here");
        block->content_length = 0;
    } else if (end - begin < 7 || memcmp(text + end - 3, "-->", 3) != 0) {
        diagnostics_add(reader->diagnostics, block->place,
                        "the comment has to end with --> and nothing behind it on the line");
        block->content_length = 0;
    } else {
        block->content = begin + 4;
        block->content_length = end - 3 - block->content;
    }
    close_block(reader);
}

static void enter_list(struct reader *reader, unsigned first_number)
{
    reader->list_depth++;
    if (reader->list_depth > 1) {
        fault_here(reader, "a list within a list is not shown");
        reader->skipping++;
        return;
    }
    reader->list++;
    reader->item_number = first_number;
}

static void enter_item(struct reader *reader, const MD_BLOCK_LI_DETAIL *detail)
{
    struct markdown_block *block = open_block(reader, detail->is_task ? MARKDOWN_TASK : MARKDOWN_ITEM);
    block->list = reader->list;
    block->text.kind = BLOCK_LIST_ITEM;
    if (detail->is_task) {
        block->checked = detail->task_mark != ' ';
        if (detail->task_mark_offset > 0 && detail->task_mark_offset < reader->map.length)
            block->place = line_map_place(&reader->map, detail->task_mark_offset - 1);
    } else if (reader->item_number > 0) {
        block->text.number = reader->item_number++;
    }
}

/* Whether a block may begin here: in an item only its one paragraph may. */
static bool may_begin(struct reader *reader, const char *what)
{
    if (reader->skipping)
        return false;
    if (reader->list_depth == 0)
        return true;
    fault_here(reader, what);
    return false;
}

static void enter_paragraph(struct reader *reader)
{
    if (reader->list_depth == 0)
        open_block(reader, MARKDOWN_PARAGRAPH);
    else if (reader->item_has_ended)
        fault_here(reader, "an item of a list is one paragraph");
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *context)
{
    struct reader *reader = context;
    switch (type) {
    case MD_BLOCK_QUOTE:
        fault_here(reader, "a quotation is not shown");
        reader->skipping++;
        break;
    case MD_BLOCK_UL:
        enter_list(reader, 0);
        break;
    case MD_BLOCK_OL:
        enter_list(reader, ((const MD_BLOCK_OL_DETAIL *)detail)->start);
        break;
    case MD_BLOCK_LI:
        if (!reader->skipping)
            enter_item(reader, detail);
        break;
    case MD_BLOCK_P:
        if (!reader->skipping)
            enter_paragraph(reader);
        break;
    case MD_BLOCK_H:
        if (may_begin(reader, "a heading cannot stand in a list"))
            open_block(reader, MARKDOWN_HEADING)->level = ((const MD_BLOCK_H_DETAIL *)detail)->level;
        break;
    case MD_BLOCK_CODE:
        if (may_begin(reader, "a block of code cannot stand in a list"))
            open_code(reader, detail);
        else
            reader->skipping++;
        break;
    case MD_BLOCK_HTML:
        if (may_begin(reader, "a comment or raw HTML cannot stand in a list"))
            open_block(reader, MARKDOWN_COMMENT);
        else
            reader->skipping++;
        break;
    case MD_BLOCK_HR:
        fault_here(reader, "a line across the page is not shown");
        break;
    default:
        break;
    }
    return 0;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *context)
{
    struct reader *reader = context;
    (void)detail;
    switch (type) {
    case MD_BLOCK_QUOTE:
        reader->skipping--;
        break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
        if (reader->list_depth-- > 1)
            reader->skipping--;
        break;
    case MD_BLOCK_P:
        if (reader->skipping)
            break;
        if (reader->list_depth)
            reader->item_has_ended = true;
        else
            close_block(reader);
        break;
    case MD_BLOCK_LI:
    case MD_BLOCK_H:
        if (!reader->skipping)
            close_block(reader);
        break;
    case MD_BLOCK_CODE:
        if (reader->skipping)
            reader->skipping--;
        else
            close_code(reader);
        break;
    case MD_BLOCK_HTML:
        if (reader->skipping)
            reader->skipping--;
        else
            close_html(reader);
        break;
    default:
        break;
    }
    return 0;
}

static int enter_span(MD_SPANTYPE type, void *detail, void *context)
{
    struct reader *reader = context;
    (void)detail;
    if (type == MD_SPAN_IMG && !reader->skipping)
        fault_at(reader, reader->cursor, "an image is not shown");
    reader->emphasis += type == MD_SPAN_EM;
    reader->strong += type == MD_SPAN_STRONG;
    reader->code += type == MD_SPAN_CODE;
    set_style(reader);
    return 0;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *context)
{
    struct reader *reader = context;
    (void)detail;
    reader->emphasis -= type == MD_SPAN_EM;
    reader->strong -= type == MD_SPAN_STRONG;
    reader->code -= type == MD_SPAN_CODE;
    set_style(reader);
    return 0;
}

static void append_code(struct reader *reader, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        const char *stop = text + at;
        while (stop < text + size && *stop != '\n' && *stop != '\t')
            stop++;
        text_append_visible(&reader->run, text + at, (size_t)(stop - text) - at);
        at = (size_t)(stop - text);
        if (at < size) {
            text_append(&reader->run, *stop == '\n' ? "\n" : "    ");
            reader->lines += *stop == '\n';
            at++;
        }
    }
}

static void append_entity(struct reader *reader, size_t offset, const char *text, size_t size)
{
    static const struct {
        const char *entity, *meaning;
    } known[] = {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&nbsp;", " "}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].entity) == size && memcmp(known[i].entity, text, size) == 0) {
            text_append(&reader->run, known[i].meaning);
            return;
        }
    fault_at(reader, offset, "of HTML's entities only &amp; &lt; &gt; &quot; &nbsp; are known");
}

static int take_text(MD_TEXTTYPE type, const char *text, unsigned size, void *context)
{
    struct reader *reader = context;
    size_t offset = reader->cursor;
    bool in_source = offset_of(reader, text, &offset);
    if (in_source)
        reader->cursor = offset + size;
    if (!reader->open || reader->skipping)
        return 0;
    struct markdown_block *block = last_block(reader);
    if (in_source && !reader->has_text) {
        if (block->kind == MARKDOWN_COMMENT)
            block->content = offset;
        set_place(reader, offset);
    }
    if (block->kind == MARKDOWN_COMMENT)
        return 0;
    if (block->kind == MARKDOWN_CODE) {
        append_code(reader, text, size);
        return 0;
    }
    switch (type) {
    case MD_TEXT_BR:
    case MD_TEXT_SOFTBR:
        text_append(&reader->run, " ");
        break;
    case MD_TEXT_ENTITY:
        append_entity(reader, offset, text, size);
        break;
    case MD_TEXT_HTML:
        if (in_source)
            fault_at(reader, offset,
                     "raw HTML within a line is not shown; a comment has to begin its own line");
        break;
    case MD_TEXT_NULLCHAR:
        text_append_visible(&reader->run, "", 1);
        break;
    default:
        text_append_visible(&reader->run, text, size);
        break;
    }
    return 0;
}

void markdown_read(struct markdown *markdown, const char *text, size_t length,
                   struct diagnostics *diagnostics)
{
    *markdown = (struct markdown){0};
    struct reader reader = {.markdown = markdown, .diagnostics = diagnostics};
    line_map_open(&reader.map, text, length);
    MD_PARSER parser = {
        .flags = MD_FLAG_TASKLISTS,
        .enter_block = enter_block,
        .leave_block = leave_block,
        .enter_span = enter_span,
        .leave_span = leave_span,
        .text = take_text,
    };
    if (md_parse(text, (unsigned)length, &parser, &reader) != 0)
        fault_at(&reader, 0, "the Markdown could not be read");
    text_free(&reader.run);
    line_map_free(&reader.map);
}

void prose_block_free(struct prose_block *block)
{
    for (size_t i = 0; i < block->run_count; i++)
        free(block->runs[i].text);
    free(block->runs);
    *block = (struct prose_block){0};
}

void markdown_free(struct markdown *markdown)
{
    for (size_t i = 0; i < markdown->count; i++) {
        free(markdown->blocks[i].language);
        prose_block_free(&markdown->blocks[i].text);
    }
    free(markdown->blocks);
    *markdown = (struct markdown){0};
}

void prose_move(struct prose_block **prose, size_t *count, struct markdown_block *block)
{
    if ((*count & (*count - 1)) == 0) /* the room doubles at each power of two */
        *prose = memory_resize(*prose, *count ? *count * 2 : 1, sizeof **prose);
    (*prose)[(*count)++] = block->text;
    block->text = (struct prose_block){0};
}
