#include "screen/program_lines.h"

#include <string.h>

#include "base/memory.h"

static size_t skip_blanks(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r'))
        at++;
    return at;
}

static bool starts_with_word(const char *text, size_t length, const char *word)
{
    size_t size = strlen(word), at = skip_blanks(text, length);
    return length - at > size && memcmp(text + at, word, size) == 0 &&
           (text[at + size] == ' ' || text[at + size] == '\t');
}

void program_lines_find(struct program_lines *list, const struct schedule *schedule, uint32_t variants)
{
    list->count = 0;
    uint32_t count = schedule_line_count(schedule), block = 0;
    for (uint32_t number = 1; number <= count; number++) {
        size_t length;
        const char *text = schedule_line(schedule, number, &length);
        bool on = schedule_line_is_on(schedule, number, variants);
        bool base = schedule_line_is_on(schedule, number, 0);
        size_t words = skip_blanks(text, length);
        if ((!on && !base) || words == length || starts_with_word(text, length, "variant"))
            continue;
        bool is_rank = starts_with_word(text, length, "rank");
        block += is_rank;
        ARRAY_RESERVE(list->lines, list->count, list->capacity);
        list->lines[list->count++] = (struct program_line){.number = number,
                                                           .block = block,
                                                           .added = on && !base,
                                                           .removed = base && !on,
                                                           .is_rank = is_rank,
                                                           .is_comment = text[words] == '#'};
    }
}
