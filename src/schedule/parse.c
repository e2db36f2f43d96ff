#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "schedule/source.h"

static const char byte_order_mark[] = "\xEF\xBB\xBF";

/* Faults of the text as a whole, after which its lines are not worth reading. */
static bool check_text(const char *text, size_t length, uint32_t first_line, struct diagnostics *diagnostics)
{
    struct place begin = {.line = first_line, .column = 1};
    if (length > SCHEDULE_MAX_BYTES) {
        diagnostics_add(diagnostics, begin, "found %zu bytes, expected at most %d", length,
                        SCHEDULE_MAX_BYTES);
        return false;
    }
    if (length > 0 && memchr(text, '\0', length)) {
        diagnostics_add(diagnostics, begin, "found a binary file (a zero byte is in it), expected text");
        return false;
    }
    return true;
}

static void find_lines(struct schedule *schedule)
{
    const char *text = schedule->text, *end = text + schedule->length;
    uint32_t count = 0;
    for (const char *at = text; at < end; count++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    schedule->line_starts = memory_resize(NULL, (size_t)count + 1, sizeof *schedule->line_starts);
    schedule->line_count = count;
    const char *at = text;
    for (uint32_t i = 0; i < count; i++) {
        schedule->line_starts[i] = (uint32_t)(at - text);
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    schedule->line_starts[count] = (uint32_t)schedule->length;
}

static char *copy_word(struct word word)
{
    char *copy = memory_resize(NULL, (size_t)word.length + 1, 1);
    memcpy(copy, word.at, word.length);
    copy[word.length] = '\0';
    return copy;
}

static void add_variant(struct schedule *schedule, const struct line *line, struct diagnostics *diagnostics)
{
    struct place place = line_place(schedule, line, line->name.at);
    for (size_t i = 0; i < schedule->variant_count; i++) {
        const struct variant *other = &schedule->variants[i];
        if (word_is(line->name, other->name)) {
            diagnostics_add(diagnostics, place,
                            "found a second variant `%s`, expected another name: the first is on line %u",
                            other->name, other->place.line);
            return;
        }
    }
    if (schedule->variant_count == SCHEDULE_MAX_VARIANTS) {
        if (!schedule->too_many_variants)
            diagnostics_add(diagnostics, place, "found one variant more than the %d that may be",
                            SCHEDULE_MAX_VARIANTS);
        schedule->too_many_variants = true;
        return;
    }
    struct word description = line->description.at ? line->description : (struct word){.at = "", .length = 0};
    ARRAY_RESERVE(schedule->variants, schedule->variant_count, schedule->variant_capacity);
    schedule->variants[schedule->variant_count++] = (struct variant){
        .name = copy_word(line->name), .description = copy_word(description), .place = place};
}

/* A cheap look at a line's first letter: variants are read before anything else, for any line may name them.
 */
static bool may_declare_variant(const struct schedule *schedule, uint32_t number)
{
    size_t length;
    const char *at = schedule_line(schedule, number, &length);
    while (length > 0 && (*at == ' ' || *at == '\t')) {
        at++;
        length--;
    }
    return length > 0 && (*at == 'v' || *at == 'V');
}

static void read_variants(struct schedule *schedule, struct line *line, struct diagnostics *diagnostics)
{
    for (uint32_t number = 1; number <= schedule->line_count; number++) {
        if (!may_declare_variant(schedule, number))
            continue;
        line_read(schedule, number, line, NULL);
        if (line->kind == LINE_VARIANT && line->name.at)
            add_variant(schedule, line, diagnostics);
    }
}

static void note_line(uint32_t **lines, size_t *count, size_t *capacity, uint32_t number)
{
    ARRAY_RESERVE(*lines, *count, *capacity);
    (*lines)[(*count)++] = number;
}

/* Reads every line for its faults, and notes the lines that divide the text. */
static void read_lines(struct schedule *schedule, struct line *line, struct diagnostics *diagnostics)
{
    for (uint32_t number = 1; number <= schedule->line_count; number++) {
        line_read(schedule, number, line, diagnostics);
        bool heads = line->kind == LINE_VARIANT || line->kind == LINE_RANKS;
        if (heads && schedule->rank_line_count > 0) {
            diagnostics_add(diagnostics, line_place(schedule, line, line->keyword.at),
                            "found `%.*s` after a `rank`, expected it before the first one",
                            (int)line->keyword.length, line->keyword.at);
        }
        if (line->kind == LINE_RANK)
            note_line(&schedule->rank_lines, &schedule->rank_line_count, &schedule->rank_line_capacity,
                      number);
        if (line->kind == LINE_RANKS)
            note_line(&schedule->count_lines, &schedule->count_line_count, &schedule->count_line_capacity,
                      number);
    }
}

static bool has_faults(const struct diagnostics *diagnostics, size_t before)
{
    return diagnostics->count + diagnostics->left_out > before;
}

struct schedule *schedule_parse(const char *text, size_t length, uint32_t first_line,
                                struct diagnostics *diagnostics)
{
    if (!check_text(text, length, first_line, diagnostics))
        return NULL;
    size_t before = diagnostics->count + diagnostics->left_out;
    struct schedule *schedule = memory_zeroed(1, sizeof *schedule);
    schedule->text = memory_resize(NULL, length + 1, 1);
    if (length > 0)
        memcpy(schedule->text, text, length);
    schedule->text[length] = '\0';
    schedule->length = length;
    schedule->first_line = first_line;
    find_lines(schedule);
    struct line line = {0};
    read_variants(schedule, &line, diagnostics);
    read_lines(schedule, &line, diagnostics);
    line_free(&line);
    /* A file with faults is bound as well, so that all of them are told in one go; unless no more fit. */
    if (has_faults(diagnostics, before) && diagnostics->left_out == 0)
        program_free(program_resolve(schedule, 0, diagnostics));
    if (!has_faults(diagnostics, before))
        return schedule;
    schedule_free(schedule);
    return NULL;
}

void schedule_free(struct schedule *schedule)
{
    if (!schedule)
        return;
    for (size_t i = 0; i < schedule->variant_count; i++) {
        free((char *)schedule->variants[i].name);
        free((char *)schedule->variants[i].description);
    }
    free(schedule->variants);
    free(schedule->rank_lines);
    free(schedule->count_lines);
    free(schedule->line_starts);
    free(schedule->text);
    free(schedule);
}

size_t schedule_variant_count(const struct schedule *schedule)
{
    return schedule->variant_count;
}

const struct variant *schedule_variant(const struct schedule *schedule, size_t index)
{
    return &schedule->variants[index];
}

const char *schedule_text(const struct schedule *schedule, size_t *length)
{
    *length = schedule->length;
    return schedule->text;
}

uint32_t schedule_line_count(const struct schedule *schedule)
{
    return schedule->line_count;
}

const char *schedule_line(const struct schedule *schedule, uint32_t line, size_t *length)
{
    const char *start = schedule->text + schedule->line_starts[line - 1];
    const char *end = schedule->text + schedule->line_starts[line];
    if (end > start && end[-1] == '\n')
        end--;
    if (end > start && end[-1] == '\r')
        end--;
    size_t mark = sizeof byte_order_mark - 1;
    if (line == 1 && (size_t)(end - start) >= mark && memcmp(start, byte_order_mark, mark) == 0)
        start += mark;
    *length = (size_t)(end - start);
    return start;
}

uint32_t schedule_first_line(const struct schedule *schedule)
{
    return schedule->first_line;
}

uint32_t schedule_rank_line(const struct schedule *schedule, uint32_t line)
{
    uint32_t found = 0;
    for (size_t i = 0; i < schedule->rank_line_count && schedule->rank_lines[i] < line; i++)
        found = schedule->rank_lines[i];
    return found;
}

bool schedule_line_is_on(const struct schedule *schedule, uint32_t line, uint32_t variants)
{
    struct line read = {0};
    line_read(schedule, line, &read, NULL);
    bool is_on = line_is_on(&read, variants);
    line_free(&read);
    return is_on;
}

static bool choose_variant(const struct schedule *schedule, struct word word, uint32_t *variants,
                           struct error *error)
{
    for (size_t i = 0; i < schedule->variant_count; i++) {
        if (word_is(word, schedule->variants[i].name)) {
            *variants |= UINT32_C(1) << i;
            return true;
        }
    }
    const char *known[SCHEDULE_MAX_VARIANTS];
    for (size_t i = 0; i < schedule->variant_count; i++)
        known[i] = schedule->variants[i].name;
    char *name = copy_word(word);
    const char *nearest = nearest_name(name, known, schedule->variant_count);
    if (nearest)
        error_set(error, "there is no variant `%s`; the nearest is `%s`", name, nearest);
    else if (schedule->variant_count == 0)
        error_set(error, "there is no variant `%s`: the schedule declares none", name);
    else
        error_set(error, "there is no variant `%s`", name);
    free(name);
    return false;
}

bool schedule_choose_variants(const struct schedule *schedule, const char *names, uint32_t *variants,
                              struct error *error)
{
    *variants = 0;
    for (const char *at = names; *at;) {
        size_t length = strcspn(at, ",");
        struct word word = {.at = at, .length = (uint32_t)length};
        if (!choose_variant(schedule, word, variants, error))
            return false;
        at += length;
        if (*at == ',' && at[1] == '\0')
            return error_set(error, "found nothing after the last `,`, expected the name of a variant");
        if (*at == ',')
            at++;
    }
    return true;
}
