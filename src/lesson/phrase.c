#include "lesson/phrase.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void phrase_free(struct phrase *phrase)
{
    for (size_t i = 0; i < phrase->count; i++)
        free(phrase->words[i]);
}

bool phrase_read(struct phrase *phrase, const char *text, size_t length, struct place place,
                 struct diagnostics *diagnostics)
{
    *phrase = (struct phrase){.end = place};
    for (size_t at = 0; at < length;) {
        uint32_t code_point;
        size_t begin = at;
        bool blank = strchr(" \t\r", text[at]) && text[at] != '\0';
        struct place start = phrase->end;
        while (at < length && (text[at] != '\0' && strchr(" \t\r", text[at]) != NULL) == blank) {
            size_t size = text_decode(text + at, length - at, &code_point);
            at += size ? size : 1;
            phrase->end.column++;
        }
        if (blank)
            continue;
        if (phrase->count == PHRASE_MAX_WORDS) {
            diagnostics_add(diagnostics, start, "more words than such a line has");
            return false;
        }
        struct text word = {0};
        text_append_visible(&word, text + begin, at - begin);
        phrase->places[phrase->count] = start;
        phrase->words[phrase->count++] = memory_copy_string(text_string(&word));
        text_free(&word);
    }
    return true;
}

const char *phrase_next(struct phrase *phrase)
{
    return phrase->used < phrase->count ? phrase->words[phrase->used++] : NULL;
}

struct place phrase_place(const struct phrase *phrase)
{
    return phrase->used < phrase->count ? phrase->places[phrase->used] : phrase->end;
}

bool phrase_expected(const struct phrase *phrase, const char *what, struct diagnostics *diagnostics)
{
    struct text text = {0};
    text_format(&text, "expected %s", what);
    if (phrase->used < phrase->count)
        text_format(&text, ", found `%s`", phrase->words[phrase->used]);
    diagnostics_add(diagnostics, phrase_place(phrase), "%s", text_string(&text));
    text_free(&text);
    return false;
}

bool phrase_number(struct phrase *phrase, const char *what, uint32_t most, uint32_t *number,
                   struct diagnostics *diagnostics)
{
    const char *word = phrase->used < phrase->count ? phrase->words[phrase->used] : "";
    uint32_t value = 0;
    size_t digits = 0;
    for (; word[digits] >= '0' && word[digits] <= '9' && value <= most; digits++)
        value = value * 10 + (uint32_t)(word[digits] - '0');
    if (digits == 0 || word[digits] != '\0' || value > most)
        return phrase_expected(phrase, what, diagnostics);
    *number = value;
    phrase->used++;
    return true;
}

void phrase_lines(const char *text, size_t length, uint32_t first_line,
                  void (*take)(void *context, const char *line, size_t length, struct place place),
                  void *context)
{
    uint32_t line = first_line;
    for (size_t at = 0; at < length; line++) {
        const char *newline = memchr(text + at, '\n', length - at);
        size_t end = newline ? (size_t)(newline - text) : length;
        take(context, text + at, end - at, (struct place){line, 1});
        at = end + 1;
    }
}
