#include "log/fields.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"

json_t *object_from_line(const char *line, size_t length, struct error *error)
{
    json_error_t cause;
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &cause);
    if (!object) {
        error_set(error, "not JSON: %s", cause.text);
    } else if (!json_is_object(object)) {
        error_set(error, "not a JSON object");
        json_decref(object);
        object = NULL;
    }
    return object;
}

bool integer_field(const json_t *object, const char *key, int64_t smallest, int64_t largest, int64_t *value,
                   struct error *error)
{
    const json_t *field = json_object_get(object, key);
    if (!json_is_integer(field))
        return error_set(error, "\"%s\" %s", key, field ? "is not an integer" : "is missing");
    *value = json_integer_value(field);
    if (*value < smallest || *value > largest)
        return error_set(error, "\"%s\" is %" PRId64 ", not within %" PRId64 " to %" PRId64, key, *value,
                         smallest, largest);
    return true;
}

bool index_field(const json_t *object, const char *key, uint32_t count, uint32_t *value, struct error *error)
{
    int64_t integer = 0;
    if (count == 0)
        return error_set(error, "\"%s\" names what the schedule does not have", key);
    if (!integer_field(object, key, 0, (int64_t)count - 1, &integer, error))
        return false;
    *value = (uint32_t)integer;
    return true;
}

bool boolean_field(const json_t *object, const char *key, bool *value, struct error *error)
{
    const json_t *field = json_object_get(object, key);
    if (!json_is_boolean(field))
        return error_set(error, "\"%s\" %s", key, field ? "is not true or false" : "is missing");
    *value = json_is_true(field);
    return true;
}

static int digit_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    return -1;
}

bool hexadecimal_field(const json_t *object, const char *key, struct text *out, struct error *error)
{
    const json_t *field = json_object_get(object, key);
    if (!json_is_string(field))
        return error_set(error, "\"%s\" %s", key, field ? "is not a string" : "is missing");
    const char *digits = json_string_value(field);
    size_t length = json_string_length(field);
    for (size_t i = 0; i + 1 < length; i += 2) {
        int high = digit_value(digits[i]), low = digit_value(digits[i + 1]);
        if (high < 0 || low < 0)
            return error_set(error, "\"%s\" is not hexadecimal", key);
        char byte = (char)(high * 16 + low);
        text_append_bytes(out, &byte, 1);
    }
    if (length % 2 != 0)
        return error_set(error, "\"%s\" has half a byte", key);
    return true;
}

bool text_field(const json_t *object, const char *key, struct text *out, struct error *error)
{
    const json_t *field = json_object_get(object, key);
    if (json_is_object(field))
        return hexadecimal_field(field, "hex", out, error);
    if (!json_is_string(field))
        return error_set(error, "\"%s\" %s", key, field ? "is not a string" : "is missing");
    text_append_bytes(out, json_string_value(field), json_string_length(field));
    return true;
}

char *string_field(const json_t *object, const char *key, struct error *error)
{
    struct text text = {0};
    char *string = NULL;
    if (text_field(object, key, &text, error)) {
        if (memchr(text_string(&text), '\0', text.length))
            error_set(error, "\"%s\" holds a NUL byte", key);
        else
            string = memory_copy_string(text_string(&text));
    }
    text_free(&text);
    return string;
}
