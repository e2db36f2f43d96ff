#include "share/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log/fields.h"
#include "share/line.h"

static void free_run(struct log_input *run)
{
    if (run)
        log_input_free(run);
    free(run);
}

void feed_free(struct feed *feed)
{
    free_run(feed->run);
    free(feed->name);
    text_free(&feed->pending);
    text_free(&feed->storage);
    *feed = (struct feed){0};
}

/* Whether the line is an object whose first field is KEY, as those that a session says are. */
static bool begins_with(const char *line, size_t length, const char *key)
{
    size_t size = strlen(key);
    return length > size + 3 && memcmp(line, "{\"", 2) == 0 && memcmp(line + 2, key, size) == 0 &&
           line[2 + size] == '"';
}

static bool read_session(struct feed *feed, const json_t *object, struct error *error)
{
    int64_t version;
    char *name = NULL;
    bool fine = integer_field(object, "handoff-session", 1, INT32_MAX, &version, error);
    if (fine && version != SESSION_VERSION)
        fine = error_set(error, "the session speaks version %lld, and this program version %d",
                         (long long)version, SESSION_VERSION);
    fine = fine && integer_field(object, "began", 0, INT64_MAX, &feed->began, error) &&
           (name = string_field(object, "name", error));
    if (fine) {
        struct text visible = {0};
        text_append_visible(&visible, name, strlen(name));
        feed->name = memory_copy_string(text_string(&visible));
        text_free(&visible);
    }
    free(name);
    return fine;
}

static bool read_end(struct feed *feed, const json_t *object, struct error *error)
{
    char *why = string_field(object, "end", error);
    if (!why)
        return false;
    feed->is_over = true;
    if (strcmp(why, "full") == 0)
        error_set(&feed->refusal, "as many follow the session as can");
    else if (strcmp(why, "refused") == 0)
        error_set(&feed->refusal, "the session is not open to this user");
    free(why);
    return true;
}

static bool read_look(struct feed *feed, const json_t *object, struct error *error)
{
    int64_t position, answered;
    if (!feed->run)
        return error_set(error, "\"look\" before a run");
    if (!integer_field(object, "look", 0, (int64_t)feed->run->log.count, &position, error) ||
        !integer_field(object, "answered", 0, INT32_MAX, &answered, error))
        return false;
    feed->position = (size_t)position;
    feed->answered = (size_t)answered;
    return true;
}

static bool begin_run(struct feed *feed, const char *line, size_t length, struct error *error)
{
    struct log_input *run = memory_zeroed(1, sizeof *run), *before = feed->run;
    if (!log_read_header(run, line, length, FEED_MAX_CALLS, error)) {
        free(run);
        return false;
    }
    feed->run = run;
    feed->run_bytes = feed->position = feed->answered = 0;
    feed->begun(feed->context, run);
    free_run(before);
    return true;
}

static bool take_record(struct feed *feed, const char *line, size_t length, struct error *error)
{
    struct record record;
    struct log_input *run = feed->run;
    if (!run)
        return error_set(error, "a record before a run");
    if (run->log.count > 0 && run->log.records[run->log.count - 1].kind == RECORD_OUTCOME)
        return error_set(error, "a record after the outcome");
    feed->run_bytes += length + sizeof record;
    if (feed->run_bytes > FEED_MAX_BYTES)
        return error_set(error, "a run of more than %d bytes", FEED_MAX_BYTES);
    if (!log_record_from_json(run->program, &record, &feed->storage, line, length, error))
        return false;
    log_append(&run->log, &record);
    return true;
}

static bool take_other(struct feed *feed, const char *line, size_t length, struct error *error)
{
    json_t *object = object_from_line(line, length, error);
    bool fine = object != NULL;
    if (fine && begins_with(line, length, "end"))
        fine = read_end(feed, object, error);
    else if (fine && begins_with(line, length, "look"))
        fine = read_look(feed, object, error);
    else if (fine && begins_with(line, length, "handoff-session") && !feed->name)
        fine = read_session(feed, object, error);
    else if (fine)
        fine = error_set(error, "a line that no session says");
    json_decref(object);
    return fine;
}

static bool take_line(struct feed *feed, const char *line, size_t length, struct error *error)
{
    if (feed->is_over)
        return error_set(error, "a line after the end");
    if (!feed->name && !begins_with(line, length, "handoff-session") && !begins_with(line, length, "end"))
        return error_set(error, "not a session of handoff");
    if (begins_with(line, length, "t"))
        return take_record(feed, line, length, error);
    if (begins_with(line, length, "handoff-log"))
        return begin_run(feed, line, length, error);
    return take_other(feed, line, length, error);
}

bool feed_take(struct feed *feed, const char *bytes, size_t length, struct error *error)
{
    const char *end = bytes + length;
    while (bytes < end) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t size = (size_t)((newline ? newline : end) - bytes);
        if (feed->pending.length + size > FEED_MAX_LINE)
            return error_set(error, "a line of more than %d bytes", FEED_MAX_LINE);
        text_append_bytes(&feed->pending, bytes, size);
        bytes += size + (newline ? 1 : 0);
        if (!newline)
            break;
        bool fine = take_line(feed, text_string(&feed->pending), feed->pending.length, error);
        text_clear(&feed->pending);
        if (!fine)
            return false;
    }
    return true;
}
