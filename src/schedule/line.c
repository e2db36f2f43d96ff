#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/reader.h"

static bool read_to_stream(struct reader *reader)
{
    return reader_expect(reader, "on") && reader_name(reader, &reader->line->stream, "the name of a stream");
}

static bool read_via(struct reader *reader)
{
    return !reader_accept(reader, "via") ||
           reader_name(reader, &reader->line->communicator, "the name of a communicator");
}

static bool read_rank_number(struct reader *reader, const char *what)
{
    reader->line->quantity_word = reader->now.word;
    return reader_number(reader, &reader->line->quantity, 0, SCHEDULE_MAX_RANKS - 1, what);
}

static bool read_nothing(struct reader *reader)
{
    (void)reader;
    return true;
}

static bool read_variant(struct reader *reader)
{
    struct line *line = reader->line;
    if (reader->now.kind != TOKEN_NAME && reader->now.kind != TOKEN_HYPHENATED)
        return reader_expected(reader, "a name for the variant");
    if (reader->now.word.length > SCHEDULE_MAX_NAME) {
        return reader_fault(reader, reader->now.word.at, "found a name of %u bytes, expected at most %d",
                            reader->now.word.length, SCHEDULE_MAX_NAME);
    }
    line->name = reader->now.word;
    reader_take(reader);
    if (reader->now.kind == TOKEN_UNCLOSED)
        return reader_fault(reader, reader->now.word.at, "found no closing `\"`, expected it on this line");
    if (reader->now.kind != TOKEN_STRING)
        return reader_expected(reader, "what the variant changes, in one line between `\"` and `\"`");
    line->description = reader->now.word;
    reader_take(reader);
    if (reader_at_condition(reader))
        return reader_expected(reader, "the end of the line: a variant is always there");
    return true;
}

static bool read_ranks(struct reader *reader)
{
    reader->line->quantity_word = reader->now.word;
    return reader_number(reader, &reader->line->quantity, 1, SCHEDULE_MAX_RANKS, "a number of ranks");
}

static bool read_device(struct reader *reader, uint32_t *gpu)
{
    return reader_expect(reader, "gpu") &&
           reader_number(reader, gpu, 0, SCHEDULE_MAX_GPUS - 1, "a device number");
}

static bool read_rank(struct reader *reader)
{
    if (!read_rank_number(reader, "a rank"))
        return false;
    if (reader->now.kind == TOKEN_END || reader_at_condition(reader))
        return true;
    return reader_expect(reader, "on") && read_device(reader, &reader->line->gpu);
}

static bool read_use(struct reader *reader)
{
    return read_device(reader, &reader->line->quantity);
}

static bool read_communicator(struct reader *reader)
{
    return reader_name(reader, &reader->line->communicator, "the name of a communicator");
}

/* `launch` reads its operands up to `on`. */
static bool read_memory_name(struct reader *reader)
{
    if (reader->now.kind == TOKEN_NAME && word_is(reader->now.word, "on"))
        return reader_expected(reader, "another name: `on` begins a stream");
    return reader_name(reader, &reader->line->name, "a name for the memory");
}

static bool read_memory(struct reader *reader)
{
    struct line *line = reader->line;
    line->memory_kind = line->kind == CALL_BUFFER    ? MEMORY_DEVICE
                        : line->kind == CALL_MANAGED ? MEMORY_MANAGED
                                                     : MEMORY_PINNED;
    if (!read_memory_name(reader) || !reader_shape(reader))
        return false;
    if (line->kind == CALL_HOST && reader->now.kind != TOKEN_END && !reader_at_condition(reader)) {
        line->memory_kind = MEMORY_PAGEABLE;
        return reader_expect(reader, "pageable");
    }
    return true;
}

static bool read_stream(struct reader *reader)
{
    static const char *const taken[] = {"default", "device", "event"};
    struct line *line = reader->line;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (reader->now.kind == TOKEN_NAME && word_is(reader->now.word, taken[i]))
            return reader_expected(reader, i == 0 ? "another name: `default` is there from the start"
                                                  : "another name: this one is a word of `sync`");
    }
    if (!reader_name(reader, &line->name, "a name for the stream"))
        return false;
    if (reader->now.kind == TOKEN_END || reader_at_condition(reader))
        return true;
    line->nonblocking = true;
    return reader_expect(reader, "nonblocking");
}

/* The parts from here to an arrow or `on`. */
static bool read_parts(struct reader *reader, uint32_t access, bool may_be_none)
{
    bool any = may_be_none;
    for (;; any = true) {
        if (reader->now.kind == TOKEN_WRITES || reader->now.kind == TOKEN_ACCUMULATES ||
            (reader->now.kind == TOKEN_NAME && word_is(reader->now.word, "on")))
            return any || reader_expected(reader, "the name of a buffer");
        if (reader->now.kind != TOKEN_NAME)
            return reader_expected(reader, "the name of a buffer, `->`, `~>` or `on`");
        if (!reader_part(reader, access, "the name of a buffer"))
            return false;
    }
}

/* `takes T`, where nothing else may follow. */
static bool read_maybe_duration(struct reader *reader)
{
    if (reader->now.kind == TOKEN_END || reader_at_condition(reader))
        return true;
    return reader_expect(reader, "takes") && reader_duration(reader);
}

static bool read_launch(struct reader *reader)
{
    if (!reader_name(reader, &reader->line->name, "the name of a kernel") ||
        !read_parts(reader, ACCESS_READ, true))
        return false;
    if (reader->now.kind == TOKEN_WRITES) {
        reader_take(reader);
        if (!read_parts(reader, ACCESS_WRITE, false))
            return false;
    }
    if (reader->now.kind == TOKEN_ACCUMULATES) {
        reader_take(reader);
        if (!read_parts(reader, ACCESS_ACCUMULATE, false))
            return false;
    }
    if (!read_to_stream(reader))
        return false;
    return read_maybe_duration(reader);
}

static bool read_send(struct reader *reader)
{
    return reader_part(reader, ACCESS_READ, "the name of a buffer") && reader_expect(reader, "to") &&
           read_rank_number(reader, "a rank") && read_to_stream(reader) && read_via(reader) &&
           read_maybe_duration(reader);
}

static bool read_recv(struct reader *reader)
{
    return reader_part(reader, ACCESS_WRITE, "the name of a buffer") && reader_expect(reader, "from") &&
           read_rank_number(reader, "a rank") && read_to_stream(reader) && read_via(reader);
}

static bool read_allreduce(struct reader *reader)
{
    return reader_part(reader, ACCESS_READ | ACCESS_WRITE, "the name of a buffer") &&
           read_to_stream(reader) && read_via(reader);
}

static bool read_broadcast(struct reader *reader)
{
    return reader_part(reader, ACCESS_READ | ACCESS_WRITE, "the name of a buffer") &&
           reader_expect(reader, "root") && read_rank_number(reader, "a rank") && read_to_stream(reader) &&
           read_via(reader);
}

static bool read_event(struct reader *reader)
{
    return reader_name(reader, &reader->line->name, "the name of an event") && read_to_stream(reader);
}

/* `on S`, where the statement can do without. */
static bool read_maybe_stream(struct reader *reader)
{
    return reader->now.kind == TOKEN_END || reader_at_condition(reader) || read_to_stream(reader);
}

static bool read_copy(struct reader *reader)
{
    return reader_part(reader, ACCESS_READ, "the memory to copy from") && reader_expect(reader, "to") &&
           reader_part(reader, ACCESS_WRITE, "the memory to copy to") && read_maybe_stream(reader);
}

static bool read_set(struct reader *reader)
{
    return reader_part(reader, ACCESS_WRITE, "the name of a buffer") && reader_expect(reader, "to") &&
           reader_number(reader, &reader->line->quantity, 0, 255, "a byte") && read_maybe_stream(reader);
}

/* sync, poll and query: KIND is that for a stream, the next one that for an event, and for sync the one after
 * that for the device. */
static bool read_awaited(struct reader *reader)
{
    struct line *line = reader->line;
    if (reader_accept(reader, "event")) {
        line->kind++;
        return reader_name(reader, &line->name, "the name of an event");
    }
    if (line->kind == CALL_SYNC_STREAM && reader_accept(reader, "device")) {
        line->kind = CALL_SYNC_DEVICE;
        return true;
    }
    return reader_name(reader, &line->stream,
                       line->kind == CALL_SYNC_STREAM ? "the name of a stream, `event` or `device`"
                                                      : "the name of a stream or `event`");
}

static bool read_host_read(struct reader *reader)
{
    return reader_part(reader, ACCESS_READ, "the name of host or managed memory");
}

static bool read_host_write(struct reader *reader)
{
    return reader_part(reader, ACCESS_WRITE, "the name of host or managed memory");
}

static bool read_free(struct reader *reader)
{
    return reader_name(reader, &reader->line->name, "the name of a buffer");
}

static bool read_repeat(struct reader *reader)
{
    reader->line->quantity = 1;
    reader->line->quantity_word = reader->now.word;
    return reader_number(reader, &reader->line->quantity, 1, SCHEDULE_MAX_CALLS, "a number of times");
}

#define KEYWORD(word) .keyword = (word), .length = sizeof(word) - 1
static const struct {
    const char *keyword;
    uint32_t length;
    int kind;
    bool (*read)(struct reader *reader);
} forms[] = {
    {KEYWORD("send"), .kind = CALL_SEND, .read = read_send},
    {KEYWORD("recv"), .kind = CALL_RECV, .read = read_recv},
    {KEYWORD("launch"), .kind = CALL_LAUNCH, .read = read_launch},
    {KEYWORD("record"), .kind = CALL_RECORD, .read = read_event},
    {KEYWORD("wait"), .kind = CALL_WAIT, .read = read_event},
    {KEYWORD("copy"), .kind = CALL_COPY, .read = read_copy},
    {KEYWORD("set"), .kind = CALL_SET, .read = read_set},
    {KEYWORD("sync"), .kind = CALL_SYNC_STREAM, .read = read_awaited},
    {KEYWORD("poll"), .kind = CALL_POLL_STREAM, .read = read_awaited},
    {KEYWORD("query"), .kind = CALL_QUERY_STREAM, .read = read_awaited},
    {KEYWORD("group"), .kind = CALL_GROUP, .read = read_nothing},
    {KEYWORD("end"), .kind = CALL_GROUP_END, .read = read_nothing},
    {KEYWORD("allreduce"), .kind = CALL_ALLREDUCE, .read = read_allreduce},
    {KEYWORD("broadcast"), .kind = CALL_BROADCAST, .read = read_broadcast},
    {KEYWORD("buffer"), .kind = CALL_BUFFER, .read = read_memory},
    {KEYWORD("host"), .kind = CALL_HOST, .read = read_memory},
    {KEYWORD("managed"), .kind = CALL_MANAGED, .read = read_memory},
    {KEYWORD("stream"), .kind = CALL_STREAM, .read = read_stream},
    {KEYWORD("read"), .kind = CALL_READ, .read = read_host_read},
    {KEYWORD("write"), .kind = CALL_WRITE, .read = read_host_write},
    {KEYWORD("barrier"), .kind = CALL_BARRIER, .read = read_nothing},
    {KEYWORD("free"), .kind = CALL_FREE, .read = read_free},
    {KEYWORD("repeat"), .kind = LINE_REPEAT, .read = read_repeat},
    {KEYWORD("use"), .kind = CALL_USE_GPU, .read = read_use},
    {KEYWORD("comm"), .kind = CALL_COMM, .read = read_communicator},
    {KEYWORD("destroy"), .kind = CALL_DESTROY, .read = read_communicator},
    {KEYWORD("abort"), .kind = CALL_ABORT, .read = read_communicator},
    {KEYWORD("rank"), .kind = LINE_RANK, .read = read_rank},
    {KEYWORD("ranks"), .kind = LINE_RANKS, .read = read_ranks},
    {KEYWORD("variant"), .kind = LINE_VARIANT, .read = read_variant},
};
enum { FORM_COUNT = sizeof forms / sizeof *forms };

/* The form of a keyword, or of the nearest one where it was misspelt and that was said; FORM_COUNT where
 * nothing is near. */
static size_t find_form(struct reader *reader)
{
    struct word word = reader->now.word;
    if (reader->now.kind == TOKEN_NAME) {
        for (size_t i = 0; i < FORM_COUNT; i++) {
            if (word.length == forms[i].length && memcmp(word.at, forms[i].keyword, word.length) == 0)
                return i;
        }
    }
    size_t nearest = FORM_COUNT;
    unsigned least = NAMES_APART;
    bool compares = reader->now.kind == TOKEN_NAME && !reader_is_full(reader);
    for (size_t i = 0; i < FORM_COUNT && compares; i++) {
        unsigned distance = name_distance(word.at, word.length, forms[i].keyword, forms[i].length);
        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    char what[64] = "a statement";
    if (nearest < FORM_COUNT)
        snprintf(what, sizeof what, "a statement; the nearest is `%s`", forms[nearest].keyword);
    reader_expected(reader, what);
    return nearest;
}

/* After a fault: a list of variants is still worth reading, for it says whether the line is there. */
static void skip_to_conditions(struct reader *reader)
{
    while (reader->now.kind != TOKEN_END && !reader_at_condition(reader))
        reader_take(reader);
    if (reader->now.kind != TOKEN_END)
        reader_conditions(reader);
}

static void read_words(struct reader *reader)
{
    size_t form = find_form(reader);
    if (form == FORM_COUNT) {
        reader_take(reader);
        if (reader->now.kind == TOKEN_NAME)
            reader->line->name = reader->now.word;
        skip_to_conditions(reader);
        return;
    }
    reader->line->kind = forms[form].kind;
    reader_take(reader);
    if (forms[form].read(reader))
        reader_conditions(reader);
    else
        skip_to_conditions(reader);
}

/* The first byte from AT on that is no ASCII, or END. */
static const char *skip_ascii(const char *at, const char *end)
{
    for (uint64_t eight; end - at >= (ptrdiff_t)sizeof eight; at += sizeof eight) {
        memcpy(&eight, at, sizeof eight);
        if (eight & UINT64_C(0x8080808080808080))
            break;
    }
    while (at < end && (unsigned char)*at < 0x80)
        at++;
    return at;
}

/* Whether the bytes are UTF-8; else says so at the first that is not. */
static bool check_encoding(struct reader *reader)
{
    const struct line *line = reader->line;
    const char *at = line->start;
    while ((at = skip_ascii(at, line->end)) < line->end) {
        uint32_t code_point;
        size_t size = text_decode(at, (size_t)(line->end - at), &code_point);
        if (size == 0)
            return reader_fault(reader, at, "found the byte \\x%02X, expected UTF-8", (unsigned char)*at);
        at += size;
    }
    return true;
}

void line_read(const struct schedule *schedule, uint32_t number, struct line *line,
               struct diagnostics *diagnostics)
{
    size_t length;
    const char *start = schedule_line(schedule, number, &length);
    *line = (struct line){.number = number,
                          .start = start,
                          .end = start + length,
                          .kind = LINE_UNKNOWN,
                          .quantity = NONE,
                          .gpu = NONE,
                          .parts = line->parts,
                          .part_capacity = line->part_capacity};
    struct reader reader = {.schedule = schedule,
                            .diagnostics = diagnostics,
                            .line = line,
                            .lexer = {.at = start, .end = line->end}};
    if (length > SCHEDULE_MAX_LINE) {
        reader_fault(&reader, start, "found a line of %zu bytes, expected at most %d", length,
                     SCHEDULE_MAX_LINE);
        return;
    }
    if (!check_encoding(&reader))
        reader.diagnostics = NULL; /* what else is wrong may come from it */
    reader_take(&reader);
    line->keyword = reader.now.word;
    if (reader.now.kind == TOKEN_END)
        line->kind = LINE_BLANK;
    else
        read_words(&reader);
}

void line_free(struct line *line)
{
    free(line->parts);
    line->parts = NULL;
}
