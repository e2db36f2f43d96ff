/* An element of a memory in figures. */
#ifndef HANDOFF_LOG_VALUE_H
#define HANDOFF_LOG_VALUE_H

#include <jansson.h>

#include "schedule/program.h"

/* The fewest digits that read back to the same element: "4", "0.1", "-inf", "nan". */
void format_element(enum element_type type, const uint8_t *bytes, struct text *out);

/* An integer element's value. False where the type is a float, or the value is over INT64_MAX. */
bool load_integer(enum element_type type, const uint8_t *bytes, int64_t *value);

/* As a JSON number; what JSON has no number for is one of the strings "NaN", "inf" and "-inf". */
json_t *element_to_json(enum element_type type, const uint8_t *bytes);

#endif
