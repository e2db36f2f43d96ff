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

static const struct {
    const char *keyword;
    int kind;
    bool (*read)(struct reader *reader);
} forms[] = {
    {"send", CALL_SEND, read_send},
    {"recv", CALL_RECV, read_recv},
    {"launch", CALL_LAUNCH, read_launch},
    {"record", CALL_RECORD, read_event},
    {"wait", CALL_WAIT, read_event},
    {"copy", CALL_COPY, read_copy},
    {"set", CALL_SET, read_set},
    {"sync", CALL_SYNC_STREAM, read_awaited},
    {"poll", CALL_POLL_STREAM, read_awaited},
    {"query", CALL_QUERY_STREAM, read_awaited},
    {"group", CALL_GROUP, read_nothing},
    {"end", CALL_GROUP_END, read_nothing},
    {"allreduce", CALL_ALLREDUCE, read_allreduce},
    {"broadcast", CALL_BROADCAST, read_broadcast},
    {"buffer", CALL_BUFFER, read_memory},
    {"host", CALL_HOST, read_memory},
    {"managed", CALL_MANAGED, read_memory},
    {"stream", CALL_STREAM, read_stream},
    {"read", CALL_READ, read_host_read},
    {"write", CALL_WRITE, read_host_write},
    {"barrier", CALL_BARRIER, read_nothing},
    {"free", CALL_FREE, read_free},
    {"repeat", LINE_REPEAT, read_repeat},
    {"use", CALL_USE_GPU, read_use},
    {"comm", CALL_COMM, read_communicator},
    {"destroy", CALL_DESTROY, read_communicator},
    {"abort", CALL_ABORT, read_communicator},
    {"rank", LINE_RANK, read_rank},
    {"ranks", LINE_RANKS, read_ranks},
    {"variant", LINE_VARIANT, read_variant},
};
enum { FORM_COUNT = sizeof forms / sizeof *forms };

/* The form of a keyword, or of the nearest one where it was misspelt and that was said; FORM_COUNT where
 * nothing is near. */
static size_t find_form(struct reader *reader)
{
    struct word word = reader->now.word;
    if (reader->now.kind == TOKEN_NAME) {
        for (size_t i = 0; i < FORM_COUNT; i++) {
            if (word.at[0] == forms[i].keyword[0] && word_is(word, forms[i].keyword))
                return i;
        }
    }
    size_t nearest = FORM_COUNT;
    unsigned least = NAMES_APART;
    for (size_t i = 0; i < FORM_COUNT && reader->now.kind == TOKEN_NAME; i++) {
        unsigned distance = name_distance(word.at, word.length, forms[i].keyword, strlen(forms[i].keyword));
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

/* Whether the bytes are UTF-8; else says so at the first that is not. */
static bool check_encoding(struct reader *reader)
{
    const struct line *line = reader->line;
    for (const char *at = line->start; at < line->end;) {
        uint32_t code_point;
        size_t size = 1;
        if ((unsigned char)*at >= 0x80)
            size = text_decode(at, (size_t)(line->end - at), &code_point);
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
