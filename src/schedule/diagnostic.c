#include "schedule/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void diagnostics_add(struct diagnostics *diagnostics, struct place place, const char *format, ...)
{
    char words[2048];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    if (diagnostics->count == DIAGNOSTIC_LIMIT) {
        diagnostics->left_out++;
        return;
    }
    struct text visible = {0};
    size_t kept = length < 0 ? 0 : (size_t)length < sizeof words ? (size_t)length : sizeof words - 1;
    text_append_visible(&visible, words, kept);
    ARRAY_RESERVE(diagnostics->items, diagnostics->count, diagnostics->capacity);
    diagnostics->items[diagnostics->count++] =
        (struct diagnostic){.place = place, .text = memory_copy_string(text_string(&visible))};
    text_free(&visible);
}

void diagnostics_free(struct diagnostics *diagnostics)
{
    for (size_t i = 0; i < diagnostics->count; i++)
        free(diagnostics->items[i].text);
    free(diagnostics->items);
    *diagnostics = (struct diagnostics){0};
}

static int compare_places(const void *left, const void *right)
{
    const struct diagnostic *a = *(const struct diagnostic *const *)left;
    const struct diagnostic *b = *(const struct diagnostic *const *)right;
    if (a->place.line != b->place.line)
        return a->place.line < b->place.line ? -1 : 1;
    if (a->place.column != b->place.column)
        return a->place.column < b->place.column ? -1 : 1;
    return a < b ? -1 : a > b;
}

void diagnostics_print(const struct diagnostics *diagnostics, const char *file, struct text *out)
{
    const struct diagnostic *sorted[DIAGNOSTIC_LIMIT];
    for (size_t i = 0; i < diagnostics->count; i++)
        sorted[i] = &diagnostics->items[i];
    qsort(sorted, diagnostics->count, sizeof *sorted, compare_places);
    for (size_t i = 0; i < diagnostics->count; i++) {
        text_append_visible(out, file, strlen(file));
        text_format(out, ":%u:%u: error: %s\n", sorted[i]->place.line, sorted[i]->place.column,
                    sorted[i]->text);
    }
    if (diagnostics->left_out) {
        text_append_visible(out, file, strlen(file));
        text_format(out, ": %zu more errors are not shown\n", diagnostics->left_out);
    }
}
