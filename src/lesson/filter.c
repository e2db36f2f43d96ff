#include "lesson/filter.h"

#include <string.h>

bool variant_filter_passes(struct variant_filter filter, uint32_t variants)
{
    return (filter.only == 0 || (filter.only & variants) != 0) && (filter.except & variants) == 0;
}

void unknown_name(struct diagnostics *diagnostics, struct place place, const char *what, const char *word,
                  const char *const *known, size_t known_count)
{
    struct text text = {0};
    text_format(&text, "unknown %s `", what);
    text_append_visible(&text, word, strlen(word));
    text_append(&text, "`");
    const char *nearest = nearest_name(word, known, known_count);
    if (nearest)
        text_format(&text, "; did you mean `%s`?", nearest);
    diagnostics_add(diagnostics, place, "%s", text_string(&text));
    text_free(&text);
}

static uint32_t variant_bit(const char *name, struct place place, const struct schedule *schedule,
                            struct diagnostics *diagnostics)
{
    if (!schedule)
        return 0;
    const char *known[SCHEDULE_MAX_VARIANTS];
    size_t count = schedule_variant_count(schedule);
    for (size_t i = 0; i < count; i++) {
        known[i] = schedule_variant(schedule, i)->name;
        if (strcmp(known[i], name) == 0)
            return (uint32_t)1 << i;
    }
    unknown_name(diagnostics, place, "variant", name, known, count);
    return 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Copies the next word of LENGTH bytes at *AT; false at the end. Longer words are cut: no name is that long.
 */
static bool next_word(const char *text, size_t length, size_t *at, char *word, size_t size)
{
    while (*at < length && is_blank(text[*at]))
        (*at)++;
    size_t begin = *at;
    while (*at < length && !is_blank(text[*at]))
        (*at)++;
    size_t used = *at - begin < size ? *at - begin : size - 1;
    memcpy(word, text + begin, used);
    word[used] = '\0';
    return *at > begin;
}

/* Reads one list at the end of the text, adds to the filter and cuts the list off. False where none is there.
 */
static bool read_list(const char *text, size_t *length, struct place place, const struct schedule *schedule,
                      struct variant_filter *filter, struct diagnostics *diagnostics)
{
    size_t end = *length;
    while (end > 0 && is_blank(text[end - 1]))
        end--;
    if (end == 0 || text[end - 1] != ']')
        return false;
    size_t begin = end - 1;
    while (begin > 0 && text[begin] != '[')
        begin--;
    char word[256];
    size_t at = begin + 1;
    if (text[begin] != '[' || !next_word(text, end - 1, &at, word, sizeof word) ||
        (strcmp(word, "only") != 0 && strcmp(word, "not") != 0))
        return false;
    uint32_t *bits = word[0] == 'o' ? &filter->only : &filter->except;
    size_t names = 0;
    for (; next_word(text, end - 1, &at, word, sizeof word); names++)
        *bits |= variant_bit(word, place, schedule, diagnostics);
    if (names == 0)
        diagnostics_add(diagnostics, place, "the brackets name no variant; expected one or more names");
    while (begin > 0 && is_blank(text[begin - 1]))
        begin--;
    *length = begin;
    return true;
}

struct variant_filter filter_read(const char *text, size_t *length, struct place place,
                                  const struct schedule *schedule, struct diagnostics *diagnostics)
{
    struct variant_filter filter = {0};
    while (read_list(text, length, place, schedule, &filter, diagnostics))
        continue;
    return filter;
}
