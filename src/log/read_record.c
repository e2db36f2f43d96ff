#include "log/log.h"

#include <string.h>

#include "log/fields.h"
#include "log/format.h"

static bool read_kind(const json_t *object, struct record *record, struct error *error)
{
    const json_t *kind = json_object_get(object, "kind");
    if (!json_is_string(kind))
        return error_set(error, "\"kind\" %s", kind ? "is not a string" : "is missing");
    for (int k = 0; k < RECORD_KIND_COUNT; k++) {
        if (strcmp(record_formats[k].name, json_string_value(kind)) == 0) {
            record->kind = (uint8_t)k;
            return true;
        }
    }
    return error_set(error, "\"kind\" is \"%s\", which is no kind of record", json_string_value(kind));
}

static bool read_call(const json_t *object, const struct program *program, struct record *record,
                      struct error *error)
{
    if (!index_field(object, "call", program->call_count, &record->call, error))
        return false;
    uint16_t owner = call_statement(program, record->call)->rank;
    if (record->rank != owner)
        return error_set(error, "\"call\" is rank %u's, not rank %u's", owner, record->rank);
    return true;
}

static bool read_wait(const json_t *object, const struct program *program, struct record *record,
                      struct error *error)
{
    int64_t rule;
    if (!integer_field(object, "rule", 0, 12, &rule, error))
        return false;
    record->rule = (uint8_t)rule;
    const json_t *point = json_object_get(object, "for");
    if (json_is_null(point))
        return true;
    if (!json_is_object(point))
        return error_set(error, "\"for\" %s", point ? "is neither an object nor null" : "is missing");
    uint32_t call;
    if (!index_field(point, "call", program->call_count, &call, error))
        return false;
    const char *phase = json_string_value(json_object_get(point, "phase"));
    for (unsigned p = 0; phase && p < PHASE_COUNT; p++) {
        if (strcmp(phase, phase_name((enum phase)p)) == 0) {
            record->point = point_of(call, (enum phase)p);
            return true;
        }
    }
    return error_set(error, "\"phase\" is none of entered, returned, started, done");
}

static bool read_memory(const json_t *object, const struct program *program, struct record *record,
                        struct error *error)
{
    if (!index_field(object, "memory", program->memory_count, &record->memory, error))
        return false;
    uint16_t owner = program->memories[record->memory].rank;
    if (record->rank != owner)
        return error_set(error, "\"memory\" is rank %u's, not rank %u's", owner, record->rank);
    return true;
}

static bool read_values(const json_t *object, const struct program *program, struct record *record,
                        struct text *storage, struct error *error)
{
    const struct memory *memory = &program->memories[record->memory];
    int64_t count;
    if (!index_field(object, "first", memory->count, &record->first, error) ||
        !integer_field(object, "count", 1, (int64_t)memory->count - record->first, &count, error) ||
        !hexadecimal_field(object, "bytes", storage, error))
        return false;
    record->count = (uint32_t)count;
    uint64_t size = element_size((enum element_type)memory->type);
    uint64_t kept = kept_count(record->first, record->count);
    if (storage->length != kept * size)
        return error_set(error, "\"bytes\" has %zu bytes where the elements take %llu", storage->length,
                         (unsigned long long)(kept * size));
    return true;
}

static bool read_number(const json_t *object, struct record *record, struct error *error)
{
    const struct record_format *format = &record_formats[record->kind];
    if (record->kind != RECORD_OUTCOME)
        return integer_field(object, format->number, format->smallest, format->largest, &record->number,
                             error);
    const char *name = json_string_value(json_object_get(object, format->number));
    for (int64_t o = format->smallest; name && o <= format->largest; o++) {
        if (strcmp(name, outcome_name((enum outcome)o)) == 0) {
            record->number = o;
            return true;
        }
    }
    return error_set(error, "\"outcome\" is none of finished, stuck, failed");
}

static bool read_fields(const json_t *object, const struct program *program, struct record *record,
                        struct text *storage, struct error *error)
{
    const struct record_format *format = &record_formats[record->kind];
    unsigned fields = format->required;
    if ((format->optional & FIELD_RANK) && json_object_get(object, "rank"))
        fields |= FIELD_RANK;
    if ((format->optional & FIELD_CALL) && json_object_get(object, "call"))
        fields |= FIELD_CALL;
    if ((fields & FIELD_RANK) && !index_field(object, "rank", program->rank_count, &record->rank, error))
        return false;
    if ((fields & FIELD_CALL) && !read_call(object, program, record, error))
        return false;
    if ((fields & FIELD_COMMUNICATOR) &&
        !index_field(object, "comm", program->communicator_count, &record->communicator, error))
        return false;
    if ((fields & FIELD_WAIT) && !read_wait(object, program, record, error))
        return false;
    if ((fields & FIELD_MEMORY) && !read_memory(object, program, record, error))
        return false;
    if ((fields & FIELD_VALUES) && !read_values(object, program, record, storage, error))
        return false;
    if ((fields & FIELD_TEXT) && !text_field(object, "text", storage, error))
        return false;
    return !(fields & FIELD_NUMBER) || read_number(object, record, error);
}

/* A step can begin before anything has happened. */
static bool read_time(const json_t *object, struct record *record, struct error *error)
{
    record->time = TIME_NONE;
    if (record->kind == RECORD_STEP && json_is_null(json_object_get(object, "t")))
        return true;
    return integer_field(object, "t", -TIME_FURTHEST, TIME_FURTHEST, &record->time, error);
}

bool log_record_from_json(const struct program *program, struct record *record, struct text *storage,
                          const char *line, size_t length, struct error *error)
{
    *record = (struct record){.rank = NONE, .call = NONE, .point = NONE};
    text_clear(storage);
    json_t *object = object_from_line(line, length, error);
    if (!object)
        return false;
    bool fine = read_kind(object, record, error) && read_time(object, record, error) &&
                read_fields(object, program, record, storage, error);
    json_decref(object);
    record->bytes = storage->bytes;
    record->length = storage->length;
    return fine;
}
