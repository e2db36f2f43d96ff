#include "schedule/edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "schedule/source.h"

enum { CONTEXT = 3 }; /* lines around a change that a patch shows */

/* Edits in the order of the text. */
struct edits {
    const struct schedule *schedule;
    const struct edit **items;
    size_t count;
};

static int compare_edits(const void *left, const void *right)
{
    const struct edit *a = *(const struct edit *const *)left;
    const struct edit *b = *(const struct edit *const *)right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    bool a_inserts = a->kind == EDIT_INSERT, b_inserts = b->kind == EDIT_INSERT;
    if (a_inserts != b_inserts)
        return a_inserts ? -1 : 1;
    return a < b ? -1 : a > b;
}

static struct edits sort_edits(const struct schedule *schedule, const struct edit *edits, size_t count)
{
    struct edits sorted = {.schedule = schedule, .count = count};
    sorted.items = memory_resize(NULL, count, sizeof *sorted.items);
    for (size_t i = 0; i < count; i++)
        sorted.items[i] = &edits[i];
    qsort(sorted.items, count, sizeof *sorted.items, compare_edits);
    return sorted;
}

static bool begins_variants(struct lexer lexer, const struct token *token)
{
    struct token next;
    lexer_next(&lexer, &next);
    return token->kind == TOKEN_OPEN && next.kind == TOKEN_NAME &&
           (word_is(next.word, "only") || word_is(next.word, "not"));
}

/* Where a line's statement begins and ends: its indentation stands before, its variants and comment after it.
 */
static struct word find_statement(const char *line, size_t length)
{
    struct lexer lexer = {.at = line, .end = line + length};
    struct token token;
    lexer_next(&lexer, &token);
    struct word statement = {.at = token.word.at, .length = 0};
    while (token.kind != TOKEN_END && !begins_variants(lexer, &token)) {
        statement.length = (uint32_t)(lexer.at - statement.at);
        lexer_next(&lexer, &token);
    }
    return statement;
}

static void append_new_line(const struct schedule *schedule, const struct edit *edit, struct text *out)
{
    uint32_t line_count = schedule_line_count(schedule);
    uint32_t model = edit->like ? edit->like : edit->line <= line_count ? edit->line : line_count;
    size_t length = 0;
    const char *line = model > 0 ? schedule_line(schedule, model, &length) : "";
    struct word statement = find_statement(line, length);
    text_append_bytes(out, line, (size_t)(statement.at - line));
    text_append(out, edit->words);
    if (edit->kind == EDIT_REPLACE) {
        const char *rest = statement.at + statement.length;
        text_append_bytes(out, rest, length - (size_t)(rest - line));
    }
}

/* What ends the line on disk: "\n", "\r\n", or nothing at the end of the text. */
static struct word line_end(const struct schedule *schedule, uint32_t number)
{
    size_t length;
    const char *line = schedule_line(schedule, number, &length);
    const char *past = schedule->text + schedule->line_starts[number];
    return (struct word){.at = line + length, .length = (uint32_t)(past - (line + length))};
}

/* What ends lines in this text. */
static const char *usual_end(const struct schedule *schedule)
{
    return schedule_line_count(schedule) > 0 && line_end(schedule, 1).length == 2 ? "\r\n" : "\n";
}

/* The line as it is on disk. A byte order mark belongs to no line. */
static void append_whole_line(const struct schedule *schedule, uint32_t number, struct text *out)
{
    size_t length;
    const char *line = schedule_line(schedule, number, &length);
    struct word end = line_end(schedule, number);
    text_append_bytes(out, line, length);
    text_append_bytes(out, end.at, end.length);
}

/* Where the edit inserts at the end of a text whose last line has no end of its own. */
static bool needs_end_before(const struct schedule *schedule, const struct text *out)
{
    return schedule->length > 0 && out->length > 0 && out->bytes[out->length - 1] != '\n';
}

void schedule_edit(const struct schedule *schedule, const struct edit *edits, size_t count, struct text *out)
{
    struct edits sorted = sort_edits(schedule, edits, count);
    uint32_t line_count = schedule_line_count(schedule);
    size_t next = 0, length;
    if (line_count > 0)
        text_append_bytes(out, schedule->text,
                          (size_t)(schedule_line(schedule, 1, &length) - schedule->text));
    for (uint32_t number = 1; number <= line_count + 1; number++) {
        bool stays = number <= line_count;
        for (; next < sorted.count && sorted.items[next]->line == number; next++) {
            const struct edit *edit = sorted.items[next];
            if (edit->kind != EDIT_INSERT)
                stays = false;
            if (edit->kind == EDIT_REMOVE)
                continue;
            if (number > line_count && needs_end_before(schedule, out))
                text_append(out, usual_end(schedule));
            append_new_line(schedule, edit, out);
            if (edit->kind == EDIT_REPLACE) {
                struct word end = line_end(schedule, number);
                text_append_bytes(out, end.at, end.length);
            } else {
                text_append(out, usual_end(schedule));
            }
        }
        if (stays)
            append_whole_line(schedule, number, out);
    }
    free(sorted.items);
}

struct patch {
    const struct edits *edits;
    bool visible;
    struct text *out;
};

static const char no_newline[] = "\\ No newline at end of file\n";

/* END: what ends the line on disk; nothing where the file ends with it. */
static void append_patch_line(const struct patch *patch, char mark, const char *bytes, size_t length,
                              struct word end)
{
    text_append_bytes(patch->out, &mark, 1);
    if (patch->visible) {
        text_append_visible(patch->out, bytes, length);
    } else {
        text_append_bytes(patch->out, bytes, length);
        text_append_bytes(patch->out, end.at, end.length > 0 ? end.length - 1 : 0);
    }
    text_append(patch->out, "\n");
    if (end.length == 0)
        text_append(patch->out, no_newline);
}

/* A byte order mark belongs to no line of ours, but to the file's first one. */
static void append_old_line(const struct patch *patch, uint32_t number, char mark, struct word end)
{
    const struct schedule *schedule = patch->edits->schedule;
    size_t length;
    const char *line = schedule_line(schedule, number, &length);
    const char *from = number == 1 && !patch->visible ? schedule->text : line;
    append_patch_line(patch, mark, from, length + (size_t)(line - from), end);
}

static struct word word_of(const char *words)
{
    return (struct word){.at = words, .length = (uint32_t)strlen(words)};
}

/* The line stays; but where something is put behind the last one, and that has no end, it gets one. */
static void append_context(const struct patch *patch, uint32_t number, bool is_followed)
{
    struct word end = line_end(patch->edits->schedule, number);
    if (end.length == 0 && is_followed) {
        append_old_line(patch, number, '-', end);
        append_old_line(patch, number, '+', word_of(usual_end(patch->edits->schedule)));
    } else {
        append_old_line(patch, number, ' ', end);
    }
}

/* Appends line NUMBER with the edits at it, of which *NEXT is the first, and counts the lines before and
 * after. */
static void append_patched_line(const struct patch *patch, uint32_t number, size_t *next, uint32_t *before,
                                uint32_t *after)
{
    const struct edits *edits = patch->edits;
    const struct schedule *schedule = edits->schedule;
    bool is_there = number <= schedule_line_count(schedule), stays = is_there;
    struct text added = {0};
    for (; *next < edits->count && edits->items[*next]->line == number; ++*next) {
        const struct edit *edit = edits->items[*next];
        if (edit->kind != EDIT_INSERT) {
            append_old_line(patch, number, '-', line_end(schedule, number));
            stays = false;
        }
        if (edit->kind == EDIT_REMOVE)
            continue;
        text_clear(&added);
        append_new_line(schedule, edit, &added);
        append_patch_line(patch, '+', text_string(&added), added.length,
                          edit->kind == EDIT_REPLACE ? line_end(schedule, number)
                                                     : word_of(usual_end(schedule)));
        ++*after;
    }
    if (stays)
        append_context(patch, number, *next < edits->count && edits->items[*next]->line == number + 1);
    *before += is_there;
    *after += stays;
    text_free(&added);
}

/* A name that could be read otherwise stands in quotes, as in C (GNU patch reads them). */
static void append_patch_name(const char *file, struct text *out)
{
    bool is_plain = true;
    for (const char *c = file; *c; c++)
        is_plain &= *c > ' ' && *c < 0x7F && *c != '"' && *c != '\\';
    if (is_plain) {
        text_append(out, file);
        return;
    }
    text_append(out, "\"");
    for (const char *c = file; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_format(out, "\\%c", *c);
        else if (*c >= ' ' && *c < 0x7F)
            text_append_bytes(out, c, 1);
        else
            text_format(out, "\\%03o", (unsigned)(unsigned char)*c);
    }
    text_append(out, "\"");
}

/* The line at which the hunk that begins with edit FIRST ends, context included. */
static uint32_t hunk_end(const struct edits *edits, size_t first)
{
    size_t last = first;
    while (last + 1 < edits->count && edits->items[last + 1]->line <= edits->items[last]->line + 2 * CONTEXT)
        last++;
    uint32_t line_count = schedule_line_count(edits->schedule);
    uint32_t line = edits->items[last]->line;
    uint32_t context = edits->items[last]->kind == EDIT_INSERT ? CONTEXT - 1 : CONTEXT;
    if (line + context <= line_count)
        return line + context;
    return line > line_count ? line : line_count;
}

void schedule_patch(const struct schedule *schedule, const struct edit *edits, size_t count, const char *file,
                    bool visible, struct text *out)
{
    struct edits sorted = sort_edits(schedule, edits, count);
    struct text hunk = {0};
    const struct patch patch = {&sorted, visible, &hunk};
    uint32_t offset =
        schedule_first_line(schedule) - 1; /* a lesson's block begins further down in its file */
    int64_t grown = 0;
    for (size_t next = 0; next < count;) {
        for (int side = 0; next == 0 && side < 2; side++) {
            text_append(out, side == 0 ? "--- " : "+++ ");
            append_patch_name(file, out);
            text_append(out, "\n");
        }
        uint32_t line = sorted.items[next]->line, past = hunk_end(&sorted, next);
        uint32_t first = line > CONTEXT ? line - CONTEXT : 1, before = 0, after = 0;
        text_clear(&hunk);
        for (uint32_t number = first; number <= past; number++)
            append_patched_line(&patch, number, &next, &before, &after);
        /* A side without lines is named by the line before it. */
        text_format(out, "@@ -%u,%u +%lld,%u @@\n", offset + first - (before == 0), before,
                    (long long)offset + first + grown - (after == 0), after);
        text_append_bytes(out, text_string(&hunk), hunk.length);
        grown += (int64_t)after - before;
    }
    text_free(&hunk);
    free(sorted.items);
}
