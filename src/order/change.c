#include "order/change.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void add_edit(struct change *change, struct edit edit)
{
    ARRAY_RESERVE(change->edits, change->count, change->capacity);
    change->edits[change->count++] = edit;
}

/* A line from its first word on, without the blanks at its end. */
static void append_line(const struct schedule *schedule, uint32_t line, struct text *out)
{
    size_t length;
    const char *bytes = schedule_line(schedule, line, &length);
    while (length > 0 && strchr(" \t", *bytes)) {
        bytes++;
        length--;
    }
    while (length > 0 && strchr(" \t\r\n", bytes[length - 1]))
        length--;
    text_append_bytes(out, bytes, length);
}

/* Where the lists of variants at a line's end begin, and how long they are together; false where it has none.
 */
static bool find_condition(const struct text *line, size_t *begin, size_t *length)
{
    const char *bytes = text_string(line);
    size_t code = strcspn(bytes, "#");
    for (size_t at = 0; at < code; at++) {
        if (bytes[at] != '[' ||
            (strncmp(bytes + at + 1, "only ", 5) != 0 && strncmp(bytes + at + 1, "not ", 4) != 0))
            continue;
        while (code > at && bytes[code - 1] != ']')
            code--;
        *begin = at;
        *length = code - at;
        return code > at;
    }
    return false;
}

static void append_variants(const struct change *change, const char *word, struct text *out)
{
    if (change->variants == 0)
        return;
    text_format(out, " [%s", word);
    for (size_t v = 0; v < schedule_variant_count(change->schedule); v++)
        if (change->variants & UINT32_C(1) << v)
            text_format(out, " %s", schedule_variant(change->schedule, v)->name);
    text_append(out, "]");
}

static void append_condition(const struct change *change, struct text *out)
{
    struct text model = {0};
    bool found = change->variants != 0;
    size_t begin, length;
    append_variants(change, "only", out);
    for (size_t i = 0; i < 2 && !found; i++) {
        text_clear(&model);
        if (change->lines[i] > 0)
            append_line(change->schedule, change->lines[i], &model);
        found = find_condition(&model, &begin, &length);
        if (found) {
            text_append(out, " ");
            text_append_bytes(out, model.bytes + begin, length);
        }
    }
    text_free(&model);
}

static void format_words(struct text *out, const char *format, va_list arguments)
{
    char words[1024];
    vsnprintf(words, sizeof words, format, arguments);
    text_append(out, words);
}

static void add_text(struct change *change, enum edit_kind kind, uint32_t line, uint32_t like,
                     struct text *words)
{
    add_edit(change,
             (struct edit){
                 .kind = kind, .line = line, .words = memory_copy_string(text_string(words)), .like = like});
    text_free(words);
}

/* A line before AT, indented like LIKE and there under the same condition as what it serves. */
static void insert(struct change *change, uint32_t at, uint32_t like, const char *format, va_list arguments)
{
    struct text words = {0};
    format_words(&words, format, arguments);
    append_condition(change, &words);
    add_text(change, EDIT_INSERT, at, like, &words);
}

void change_insert_before(struct change *change, uint32_t line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    insert(change, line, line, format, arguments);
    va_end(arguments);
}

void change_insert_after(struct change *change, uint32_t line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    insert(change, line + 1, line, format, arguments);
    va_end(arguments);
}

void change_replace(struct change *change, uint32_t line, const char *format, ...)
{
    struct text words = {0};
    va_list arguments;
    va_start(arguments, format);
    format_words(&words, format, arguments);
    va_end(arguments);
    add_text(change, EDIT_REPLACE, line, 0, &words);
}

void change_remove(struct change *change, uint32_t line)
{
    struct text words = {0};
    size_t begin, length;
    append_line(change->schedule, line, &words);
    if (change->variants == 0 || find_condition(&words, &begin, &length)) {
        text_free(&words);
        add_edit(change, (struct edit){.kind = EDIT_REMOVE, .line = line});
        return;
    }
    words.length = strcspn(text_string(&words), "#");
    while (words.length > 0 && words.bytes[words.length - 1] == ' ')
        words.length--;
    words.bytes[words.length] = '\0';
    append_variants(change, "not", &words);
    add_text(change, EDIT_REPLACE, line, 0, &words);
}

static void move_line(struct change *change, uint32_t line, uint32_t before, uint32_t like)
{
    struct text words = {0};
    append_line(change->schedule, line, &words);
    add_edit(change, (struct edit){.kind = EDIT_REMOVE, .line = line});
    add_text(change, EDIT_INSERT, before, like, &words);
}

void change_move_before(struct change *change, uint32_t line, uint32_t to)
{
    move_line(change, line, to, to);
}

void change_move_after(struct change *change, uint32_t line, uint32_t to)
{
    move_line(change, line, to + 1, to);
}

void change_append(struct change *change, const struct change *other)
{
    for (size_t i = 0; i < other->count; i++) {
        struct edit edit = other->edits[i];
        if (edit.words)
            edit.words = memory_copy_string(edit.words);
        add_edit(change, edit);
    }
}

void change_clear(struct change *change)
{
    for (size_t i = 0; i < change->count; i++)
        free((void *)change->edits[i].words);
    change->count = 0;
}

void change_free(struct change *change)
{
    change_clear(change);
    free(change->edits);
    change->edits = NULL;
    change->capacity = 0;
}

bool change_has(const struct change *change, const char *words)
{
    for (size_t i = 0; i < change->count; i++)
        if (change->edits[i].words && strncmp(change->edits[i].words, words, strlen(words)) == 0)
            return true;
    return false;
}
