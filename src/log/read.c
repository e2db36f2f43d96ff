#include "log/log.h"

#include <stdlib.h>
#include <string.h>

#include "log/fields.h"
#include "log/format.h"

enum { LOG_FILE_LIMIT = 1 << 30 };

static bool read_version(const json_t *object, struct error *error)
{
    const json_t *version = json_object_get(object, "handoff-log");
    if (!version)
        return error_set(error, "not a handoff log: its first line has no \"handoff-log\"");
    if (!json_is_integer(version))
        return error_set(error, "\"handoff-log\" is not a version number");
    if (json_integer_value(version) != LOG_VERSION)
        return error_set(error, "the log has format %lld, and this program reads format %d",
                         (long long)json_integer_value(version), LOG_VERSION);
    return true;
}

static bool read_gpus(const json_t *object, struct log_header *header, struct error *error)
{
    const json_t *gpus = json_object_get(object, "gpus");
    if (!json_is_array(gpus) || json_array_size(gpus) > SCHEDULE_MAX_GPUS)
        return error_set(error, "\"gpus\" is not an array of at most %d numbers", SCHEDULE_MAX_GPUS);
    header->gpu_count = json_array_size(gpus);
    for (size_t i = 0; i < header->gpu_count; i++) {
        const json_t *gpu = json_array_get(gpus, i);
        if (!json_is_integer(gpu) || json_integer_value(gpu) < 0 || json_integer_value(gpu) > UINT16_MAX)
            return error_set(error, "\"gpus\" holds what is no GPU number");
        header->gpus[i] = (uint16_t)json_integer_value(gpu);
    }
    return true;
}

/* The text's bytes become the caller's. */
static bool take_text(const json_t *object, const char *key, char **bytes, size_t *length,
                      struct error *error)
{
    struct text text = {0};
    text_append(&text, "");
    if (!text_field(object, key, &text, error)) {
        text_free(&text);
        return false;
    }
    *bytes = text.bytes;
    *length = text.length;
    return true;
}

static bool read_header(const json_t *object, struct log_header *header, struct error *error)
{
    int64_t first_line;
    if (!read_version(object, error) || !(header->file = string_field(object, "file", error)) ||
        !(header->variants = string_field(object, "variants", error)) ||
        !(header->backend = string_field(object, "backend", error)) ||
        !take_text(object, "schedule", &header->schedule, &header->schedule_length, error) ||
        !integer_field(object, "first-line", 1, INT32_MAX, &first_line, error) ||
        !boolean_field(object, "eager", &header->eager, error) || !read_gpus(object, header, error))
        return false;
    header->schedule_first_line = (uint32_t)first_line;
    if (json_object_get(object, "lesson"))
        return take_text(object, "lesson", &header->lesson, &header->lesson_length, error);
    return true;
}

bool log_header_from_json(struct log_header *header, const char *line, size_t length, struct error *error)
{
    *header = (struct log_header){0};
    struct error cause;
    json_t *object = object_from_line(line, length, &cause);
    if (!object)
        return error_set(error, "not a handoff log: its first line is %s", cause.message);
    bool fine = read_header(object, header, error);
    json_decref(object);
    return fine;
}

/* Makes the program that the header's schedule stands for. */
static bool resolve(struct log_input *input, uint32_t call_limit, struct error *error)
{
    const struct log_header *header = &input->log.header;
    struct diagnostics faults = {0};
    uint32_t variants = 0;
    struct error cause = {0};
    input->schedule =
        schedule_parse(header->schedule, header->schedule_length, header->schedule_first_line, &faults);
    if (input->schedule && schedule_choose_variants(input->schedule, header->variants, &variants, &cause))
        input->program = program_resolve(input->schedule, variants, &faults);
    if (faults.count > 0)
        error_set(error, "the log's schedule has an error: line %u: %s", faults.items[0].place.line,
                  faults.items[0].text);
    else if (!input->program)
        error_set(error, "the log's variants do not fit its schedule: %s", cause.message);
    diagnostics_free(&faults);
    if (!input->program)
        return false;
    if (input->program->call_count > call_limit)
        return error_set(error, "the schedule has %u calls; at most %u are taken here",
                         input->program->call_count, call_limit);
    input->order = order_build(input->program);
    return true;
}

bool log_read_header(struct log_input *input, const char *line, size_t length, uint32_t call_limit,
                     struct error *error)
{
    *input = (struct log_input){0};
    if (log_header_from_json(&input->log.header, line, length, error) && resolve(input, call_limit, error))
        return true;
    log_input_free(input);
    return false;
}

struct lines {
    const char *next, *end;
    unsigned long number;
};

/* Cuts off the next line. WHOLE: it has its newline. */
static bool next_line(struct lines *lines, const char **line, size_t *length, bool *whole)
{
    if (lines->next == lines->end)
        return false;
    const char *newline = memchr(lines->next, '\n', (size_t)(lines->end - lines->next));
    *whole = newline != NULL;
    *line = lines->next;
    *length = (size_t)((newline ? newline : lines->end) - lines->next);
    lines->next = newline ? newline + 1 : lines->end;
    lines->number++;
    return true;
}

/* PATH and the line's number before what is wrong with it. */
static bool line_error(struct error *error, const char *path, unsigned long number, const struct error *cause)
{
    return error_set(error, "%s: line %lu: %s", path, number, cause->message);
}

static bool read_records(struct log_input *input, const char *path, struct lines *lines, struct error *error)
{
    struct text storage = {0};
    struct record record;
    struct error cause;
    const char *line;
    size_t length;
    bool whole, fine = true, ended = false;
    while (fine && next_line(lines, &line, &length, &whole)) {
        if (log_record_from_json(input->program, &record, &storage, line, length, &cause)) {
            if (ended)
                fine = error_set(error, "%s: line %lu: a record after the outcome", path, lines->number);
            ended = record.kind == RECORD_OUTCOME;
            log_append(&input->log, &record);
        } else if (!whole) {
            error_set(&input->warning, "%s: line %lu: the last line is cut short", path, lines->number);
        } else {
            fine = line_error(error, path, lines->number, &cause);
        }
    }
    if (fine && !ended && input->warning.message[0] == '\0')
        error_set(&input->warning, "%s: the log ends before the run's outcome", path);
    text_free(&storage);
    return fine;
}

bool log_read_bytes(struct log_input *input, const char *name, const char *bytes, size_t length,
                    struct error *error)
{
    *input = (struct log_input){0};
    struct lines lines = {bytes, bytes + length, 0};
    struct error cause = {0};
    const char *line;
    size_t line_length;
    bool whole, fine = true;
    if (!next_line(&lines, &line, &line_length, &whole))
        return error_set(error, "%s: the file is empty", name);
    if (!log_header_from_json(&input->log.header, line, line_length, &cause) ||
        !resolve(input, SCHEDULE_MAX_CALLS, &cause))
        fine = line_error(error, name, lines.number, &cause);
    fine = fine && read_records(input, name, &lines, error);
    if (!fine)
        log_input_free(input);
    return fine;
}

bool log_read(struct log_input *input, const char *path, struct error *error)
{
    *input = (struct log_input){0};
    struct text file = {0};
    struct error cause = {0};
    const char *line = NULL;
    size_t length = 0;
    bool whole = false;
    bool fine = text_read_file(&file, path, LOG_FILE_LIMIT, error);
    struct lines lines = {text_string(&file), text_string(&file) + file.length, 0};
    if (fine && !next_line(&lines, &line, &length, &whole))
        fine = error_set(error, "%s: the file is empty", path);
    if (fine && (!log_header_from_json(&input->log.header, line, length, &cause) ||
                 !resolve(input, SCHEDULE_MAX_CALLS, &cause)))
        fine = line_error(error, path, lines.number, &cause);
    fine = fine && read_records(input, path, &lines, error);
    text_free(&file);
    if (!fine)
        log_input_free(input);
    return fine;
}

void log_input_free(struct log_input *input)
{
    order_free(input->order);
    program_free(input->program);
    schedule_free(input->schedule);
    log_free(&input->log);
    *input = (struct log_input){0};
}
