#include "log/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/element.h"

/* The value of a C type, widened. */
#define LOAD(c_type)                                                                                         \
    do {                                                                                                     \
        c_type loaded;                                                                                       \
        memcpy(&loaded, bytes, sizeof loaded);                                                               \
        *value = (int64_t)loaded;                                                                            \
        return true;                                                                                         \
    } while (0)

bool load_integer(enum element_type type, const uint8_t *bytes, int64_t *value)
{
    uint64_t large;
    switch (type) {
    case TYPE_INT8:
        LOAD(int8_t);
    case TYPE_UINT8:
        LOAD(uint8_t);
    case TYPE_INT32:
        LOAD(int32_t);
    case TYPE_UINT32:
        LOAD(uint32_t);
    case TYPE_INT64:
        LOAD(int64_t);
    case TYPE_UINT64:
        memcpy(&large, bytes, sizeof large);
        *value = (int64_t)large;
        return large <= INT64_MAX;
    case TYPE_FLOAT16:
    case TYPE_BFLOAT16:
    case TYPE_FLOAT32:
    case TYPE_FLOAT64:
    case TYPE_COUNT:
        break;
    }
    return false;
}

static void format_float(enum element_type type, const uint8_t *bytes, struct text *out)
{
    double value = element_load(type, bytes);
    if (isnan(value)) {
        text_append(out, "nan");
        return;
    }
    if (fabs(value) < 1e9 && value == floor(value)) {
        text_format(out, "%.0f", value);
        return;
    }
    char digits[40];
    for (int precision = 1; precision <= 17; precision++) {
        uint8_t again[sizeof(double)];
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        element_store(type, again, strtod(digits, NULL));
        if (memcmp(again, bytes, element_size(type)) == 0)
            break;
    }
    text_append(out, digits);
}

void format_element(enum element_type type, const uint8_t *bytes, struct text *out)
{
    int64_t integer;
    uint64_t large;
    if (load_integer(type, bytes, &integer)) {
        text_format(out, "%" PRId64, integer);
    } else if (type == TYPE_UINT64) {
        memcpy(&large, bytes, sizeof large);
        text_format(out, "%" PRIu64, large);
    } else {
        format_float(type, bytes, out);
    }
}

json_t *element_to_json(enum element_type type, const uint8_t *bytes)
{
    int64_t integer;
    if (load_integer(type, bytes, &integer))
        return json_integer(integer);
    double real = element_load(type, bytes);
    if (isfinite(real))
        return json_real(real);
    return json_string(isnan(real) ? "NaN" : real < 0 ? "-inf" : "inf");
}
