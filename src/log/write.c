#include "log/log.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "log/format.h"

enum { WRITE_AT_ONCE = 1 << 16 };

struct log_writer {
    char *path;
    int descriptor;
    struct text pending;  /* whole lines that are not written yet */
    struct error failure; /* the first one: nothing is written after it */
};

static bool is_utf8(const char *bytes, size_t length)
{
    uint32_t code_point;
    for (size_t at = 0; at < length;) {
        size_t size = text_decode(bytes + at, length - at, &code_point);
        if (size == 0)
            return false;
        at += size;
    }
    return true;
}

static json_t *hexadecimal(const char *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    char *hex = memory_resize(NULL, 2 * length, 1);
    for (size_t i = 0; i < length; i++) {
        hex[2 * i] = digits[(unsigned char)bytes[i] >> 4];
        hex[2 * i + 1] = digits[(unsigned char)bytes[i] & 15];
    }
    json_t *string = json_stringn_nocheck(hex, 2 * length);
    free(hex);
    return string;
}

static void put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new_nocheck(object, key, value);
}

/* Any bytes: what is no UTF-8 stands as {"hex": ...}. */
static void put_text(json_t *object, const char *key, const char *bytes, size_t length)
{
    if (is_utf8(bytes, length)) {
        put(object, key, json_stringn_nocheck(bytes, length));
        return;
    }
    json_t *wrapped = json_object();
    put(wrapped, "hex", hexadecimal(bytes, length));
    put(object, key, wrapped);
}

static void put_string(json_t *object, const char *key, const char *string)
{
    put_text(object, key, string, strlen(string));
}

static int append_to_text(const char *bytes, size_t length, void *text)
{
    text_append_bytes(text, bytes, length);
    return 0;
}

static void append_object(json_t *object, struct text *line)
{
    json_dump_callback(object, append_to_text, line, JSON_COMPACT);
    json_decref(object);
}

void log_header_to_json(const struct log_header *header, struct text *line)
{
    json_t *object = json_object();
    put(object, "handoff-log", json_integer(LOG_VERSION));
    put_string(object, "file", header->file);
    if (header->lesson)
        put_text(object, "lesson", header->lesson, header->lesson_length);
    put_text(object, "schedule", header->schedule, header->schedule_length);
    put(object, "first-line", json_integer(header->schedule_first_line));
    put_string(object, "variants", header->variants);
    put_string(object, "backend", header->backend);
    put(object, "eager", json_boolean(header->eager));
    json_t *gpus = json_array();
    for (size_t i = 0; i < header->gpu_count; i++)
        json_array_append_new(gpus, json_integer(header->gpus[i]));
    put(object, "gpus", gpus);
    append_object(object, line);
}

static void put_wait(json_t *object, const struct record *record)
{
    json_t *point = json_null();
    if (record->point != NONE) {
        point = json_object();
        put(point, "call", json_integer(point_call(record->point)));
        put(point, "phase", json_string_nocheck(phase_name(point_phase(record->point))));
    }
    put(object, "for", point);
    put(object, "rule", json_integer(record->rule));
}

static void put_values(json_t *object, const struct record *record)
{
    put(object, "first", json_integer(record->first));
    put(object, "count", json_integer(record->count));
    put(object, "bytes", hexadecimal(record->bytes, record->length));
}

static void put_number(json_t *object, const struct record *record)
{
    json_t *number = record->kind == RECORD_OUTCOME
                         ? json_string_nocheck(outcome_name((enum outcome)record->number))
                         : json_integer(record->number);
    put(object, record_formats[record->kind].number, number);
}

void log_record_to_json(const struct record *record, struct text *line)
{
    const struct record_format *format = &record_formats[record->kind];
    unsigned fields = format->required;
    if ((format->optional & FIELD_RANK) && record->rank != NONE)
        fields |= FIELD_RANK;
    if ((format->optional & FIELD_CALL) && record->call != NONE)
        fields |= FIELD_CALL;
    json_t *object = json_object();
    put(object, "t", record->time == TIME_NONE ? json_null() : json_integer(record->time));
    put(object, "kind", json_string_nocheck(format->name));
    if (fields & FIELD_RANK)
        put(object, "rank", json_integer(record->rank));
    if (fields & FIELD_CALL)
        put(object, "call", json_integer(record->call));
    if (fields & FIELD_COMMUNICATOR)
        put(object, "comm", json_integer(record->communicator));
    if (fields & FIELD_WAIT)
        put_wait(object, record);
    if (fields & FIELD_MEMORY)
        put(object, "memory", json_integer(record->memory));
    if (fields & FIELD_VALUES)
        put_values(object, record);
    if (fields & FIELD_TEXT)
        put_text(object, "text", record->bytes ? record->bytes : "", record->length);
    if (fields & FIELD_NUMBER)
        put_number(object, record);
    append_object(object, line);
}

static bool write_pending(struct log_writer *writer, struct error *error)
{
    if (writer->failure.message[0] != '\0') {
        *error = writer->failure;
        return false;
    }
    size_t written = 0;
    while (written < writer->pending.length) {
        ssize_t count =
            write(writer->descriptor, writer->pending.bytes + written, writer->pending.length - written);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            error_set_errno(&writer->failure, "%s: cannot be written", writer->path);
            *error = writer->failure;
            return false;
        }
        written += (size_t)count;
    }
    text_clear(&writer->pending);
    return true;
}

struct log_writer *log_writer_open(const char *path, struct error *error)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        error_set_errno(error, "%s: cannot be written", path);
        return NULL;
    }
    struct log_writer *writer = memory_zeroed(1, sizeof *writer);
    writer->path = memory_copy_string(path);
    writer->descriptor = descriptor;
    return writer;
}

bool log_writer_begin(struct log_writer *writer, const struct log_header *header, struct error *error)
{
    log_header_to_json(header, &writer->pending);
    text_append(&writer->pending, "\n");
    return write_pending(writer, error);
}

bool log_writer_write(struct log_writer *writer, const struct record *record, struct error *error)
{
    log_record_to_json(record, &writer->pending);
    text_append(&writer->pending, "\n");
    return writer->pending.length < WRITE_AT_ONCE || write_pending(writer, error);
}

bool log_writer_close(struct log_writer *writer, struct error *error)
{
    bool fine = write_pending(writer, error);
    if (close(writer->descriptor) < 0 && fine)
        fine = error_set_errno(error, "%s: cannot be written", writer->path);
    text_free(&writer->pending);
    free(writer->path);
    free(writer);
    return fine;
}
