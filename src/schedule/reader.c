#include "schedule/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum { QUOTED = 48 }; /* bytes of a word that a message shows */

struct place line_place(const struct schedule *schedule, const struct line *line, const char *at)
{
    uint32_t column = 1;
    for (const char *byte = line->start; byte < at; column++) {
        uint32_t code_point;
        size_t size = text_decode(byte, (size_t)(line->end - byte), &code_point);
        byte += size ? size : 1;
    }
    return (struct place){.line = schedule->first_line + line->number - 1, .column = column};
}

bool reader_fault(struct reader *reader, const char *at, const char *format, ...)
{
    char words[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    reader->line->faulty = true;
    if (reader->diagnostics)
        diagnostics_add(reader->diagnostics, line_place(reader->schedule, reader->line, at), "%s", words);
    return false;
}

bool reader_is_full(const struct reader *reader)
{
    return reader->diagnostics && reader->diagnostics->count == DIAGNOSTIC_LIMIT;
}

/* The word as a message quotes it: cut between code points where it is long. */
static void append_quoted(struct text *text, struct word word)
{
    uint32_t length = word.length;
    if (length > QUOTED) {
        length = QUOTED;
        while (length > QUOTED - 4 && ((unsigned char)word.at[length] & 0xC0) == 0x80)
            length--;
    }
    text_append(text, "`");
    text_append_visible(text, word.at, length);
    text_append(text, length < word.length ? "...`" : "`");
}

static void append_found(struct text *text, const struct token *token)
{
    text_append(text, "found ");
    if (token->kind == TOKEN_END)
        text_append(text, "the end of the line");
    else if (token->kind == TOKEN_STRING)
        text_append(text, "a string");
    else
        append_quoted(text, token->word);
}

bool reader_expected(struct reader *reader, const char *what)
{
    if (reader_is_full(reader))
        return reader_fault(reader, reader->now.word.at, "%s", what);
    struct text found = {0};
    append_found(&found, &reader->now);
    reader_fault(reader, reader->now.word.at, "%s, expected %s", text_string(&found), what);
    text_free(&found);
    return false;
}

void reader_take(struct reader *reader)
{
    lexer_next(&reader->lexer, &reader->now);
}

bool reader_accept(struct reader *reader, const char *word)
{
    if (reader->now.kind != TOKEN_NAME || !word_is(reader->now.word, word))
        return false;
    reader_take(reader);
    return true;
}

bool reader_expect(struct reader *reader, const char *word)
{
    if (reader_accept(reader, word))
        return true;
    struct word found = reader->now.word;
    bool near = reader->now.kind == TOKEN_NAME &&
                name_distance(found.at, found.length, word, strlen(word)) != NAMES_APART;
    char what[64];
    snprintf(what, sizeof what, near ? "`%s`, the nearest known word" : "`%s`", word);
    reader_expected(reader, what);
    if (near)
        reader_take(reader);
    return near;
}

bool reader_expect_token(struct reader *reader, enum token_kind kind, const char *what)
{
    if (reader->now.kind != kind)
        return reader_expected(reader, what);
    reader_take(reader);
    return true;
}

bool reader_name(struct reader *reader, struct word *name, const char *what)
{
    if (reader->now.kind != TOKEN_NAME) {
        char expected[128];
        bool almost = reader->now.kind == TOKEN_HYPHENATED || reader->now.kind == TOKEN_DURATION ||
                      reader->now.kind == TOKEN_OTHER;
        snprintf(expected, sizeof expected, almost ? "%s: letters, digits and `_`, no digit first" : "%s",
                 what);
        return reader_expected(reader, expected);
    }
    if (reader->now.word.length > SCHEDULE_MAX_NAME) {
        return reader_fault(reader, reader->now.word.at, "found a name of %u bytes, expected at most %d",
                            reader->now.word.length, SCHEDULE_MAX_NAME);
    }
    *name = reader->now.word;
    reader_take(reader);
    return true;
}

/* Digits to a number; UINT64_MAX where there are too many. */
static uint64_t digits_value(const char *digits, uint32_t count)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (value > (UINT64_MAX - 9) / 10)
            return UINT64_MAX;
        value = value * 10 + (uint64_t)(digits[i] - '0');
    }
    return value;
}

bool reader_number(struct reader *reader, uint32_t *value, uint32_t least, uint32_t most, const char *what)
{
    uint64_t number = UINT64_MAX;
    if (reader->now.kind == TOKEN_NUMBER)
        number = digits_value(reader->now.word.at, reader->now.word.length);
    if (number < least || number > most) {
        char expected[128];
        snprintf(expected, sizeof expected, "%s from %u to %u", what, least, most);
        return reader_expected(reader, expected);
    }
    *value = (uint32_t)number;
    reader_take(reader);
    return true;
}

bool reader_at_condition(const struct reader *reader)
{
    if (reader->now.kind != TOKEN_OPEN)
        return false;
    struct lexer ahead = reader->lexer;
    struct token next;
    lexer_next(&ahead, &next);
    return next.kind == TOKEN_NAME && (word_is(next.word, "only") || word_is(next.word, "not"));
}

/* The indices between the brackets of a part. */
static bool read_indices(struct reader *reader, struct part *part)
{
    struct word begin = reader->now.word;
    if (!reader_number(reader, &part->first, 0, UINT32_MAX - 1, "an index"))
        return false;
    part->count = 1;
    if (reader->now.kind != TOKEN_COLON)
        return reader_expect_token(reader, TOKEN_CLOSE, "`:` or `]`");
    reader_take(reader);
    uint32_t past_last = 0;
    if (!reader_number(reader, &past_last, 0, UINT32_MAX, "an index"))
        return false;
    if (past_last <= part->first) {
        return reader_fault(reader, begin.at,
                            "found the part %u:%u, expected at least one element: the second index is one "
                            "past the last element",
                            part->first, past_last);
    }
    part->count = past_last - part->first;
    return reader_expect_token(reader, TOKEN_CLOSE, "`]`");
}

bool reader_part(struct reader *reader, uint32_t access, const char *what)
{
    struct part part = {.access = access};
    if (!reader_name(reader, &part.name, what))
        return false;
    bool fine = true;
    if (reader->now.kind == TOKEN_OPEN && !reader_at_condition(reader)) {
        reader_take(reader);
        fine = read_indices(reader, &part);
        if (!fine)
            part.count = 0;
    }
    struct line *line = reader->line;
    ARRAY_RESERVE(line->parts, line->part_count, line->part_capacity);
    line->parts[line->part_count++] = part;
    return fine;
}

static bool read_type(struct reader *reader)
{
    const char *names[TYPE_COUNT];
    for (int type = 0; type < TYPE_COUNT; type++)
        names[type] = element_type_name((enum element_type)type);
    struct word word = reader->now.word;
    const char *nearest = NULL;
    unsigned least = NAMES_APART;
    for (int type = 0; type < TYPE_COUNT && reader->now.kind == TOKEN_NAME; type++) {
        unsigned distance = name_distance(word.at, word.length, names[type], strlen(names[type]));
        if (distance < least) {
            least = distance;
            nearest = names[type];
            reader->line->type = (uint8_t)type;
        }
    }
    if (!nearest || least > 0) {
        char what[160];
        snprintf(what, sizeof what,
                 "a type (int8 uint8 int32 uint32 int64 uint64 float16 bfloat16 float32 float64)%s%s%s",
                 nearest ? "; the nearest is `" : "", nearest ? nearest : "", nearest ? "`" : "");
        reader_expected(reader, what);
    }
    if (nearest)
        reader_take(reader);
    return nearest;
}

bool reader_shape(struct reader *reader)
{
    struct line *line = reader->line;
    if (!read_type(reader) || !reader_expect_token(reader, TOKEN_OPEN, "`[` and the number of elements"))
        return false;
    uint32_t size = element_size((enum element_type)line->type);
    line->quantity_word = reader->now.word;
    return reader_number(reader, &line->quantity, 1, SCHEDULE_MAX_BUFFER_BYTES / size,
                         "a number of elements") &&
           reader_expect_token(reader, TOKEN_CLOSE, "`]`");
}

bool reader_duration(struct reader *reader)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    static const char what[] = "a time such as `500us`, `5ms` or `1s`";
    struct word word = reader->now.word;
    uint32_t digits = 0;
    while (digits < word.length && word.at[digits] >= '0' && word.at[digits] <= '9')
        digits++;
    if (reader->now.kind != TOKEN_DURATION)
        return reader_expected(reader, what);
    struct word unit = {.at = word.at + digits, .length = word.length - digits};
    uint64_t number = digits_value(word.at, digits), limit = SCHEDULE_MAX_SECONDS * UINT64_C(1000000000);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!word_is(unit, units[i].name))
            continue;
        if (number == 0 || number > limit / units[i].ns) {
            return reader_fault(reader, word.at, "found `%.*s`, expected a time from 1ns to %ds",
                                word.length > QUOTED ? QUOTED : (int)word.length, word.at,
                                SCHEDULE_MAX_SECONDS);
        }
        reader->line->takes_ns = number * units[i].ns;
        reader_take(reader);
        return true;
    }
    return reader_expected(reader, what);
}

/* One name in a list of variants; adds it to SET. */
static bool read_variant(struct reader *reader, uint32_t *set)
{
    const struct schedule *schedule = reader->schedule;
    if (reader->now.kind != TOKEN_NAME && reader->now.kind != TOKEN_HYPHENATED)
        return reader_expected(reader, "the name of a variant");
    struct word word = reader->now.word;
    const char *nearest = NULL;
    unsigned least = NAMES_APART;
    for (size_t i = 0; i < schedule->variant_count; i++) {
        const char *name = schedule->variants[i].name;
        unsigned distance = name_distance(word.at, word.length, name, strlen(name));
        if (distance == 0 || word_is(word, name)) {
            *set |= UINT32_C(1) << i;
            reader_take(reader);
            return true;
        }
        if (distance < least) {
            least = distance;
            nearest = name;
        }
    }
    if (!schedule->too_many_variants) {
        char what[512];
        snprintf(what, sizeof what, "the name of a variant%s%s%s",
                 nearest                   ? "; the nearest is `"
                 : schedule->variant_count ? " that is declared"
                                           : ": the schedule declares none",
                 nearest ? nearest : "", nearest ? "`" : "");
        reader_expected(reader, what);
    }
    reader_take(reader);
    return true;
}

static bool read_condition(struct reader *reader)
{
    struct line *line = reader->line;
    const char *bracket = reader->now.word.at;
    reader_take(reader);
    bool is_only = word_is(reader->now.word, "only");
    if (is_only ? line->has_only : line->not != 0)
        return reader_fault(reader, bracket, "found a second `[%s ...]`, expected the end of the line",
                            is_only ? "only" : "not");
    line->has_only |= is_only;
    reader_take(reader);
    do {
        if (!read_variant(reader, is_only ? &line->only : &line->not ))
            return false;
    } while (reader->now.kind != TOKEN_CLOSE && reader->now.kind != TOKEN_END);
    return reader_expect_token(reader, TOKEN_CLOSE, "`]`");
}

bool reader_conditions(struct reader *reader)
{
    while (reader_at_condition(reader)) {
        if (!read_condition(reader))
            return false;
    }
    return reader->now.kind == TOKEN_END || reader_expected(reader, "the end of the line");
}
