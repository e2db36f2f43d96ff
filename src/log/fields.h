/* Reading the fields of an untrusted JSON object: each is there with its type and within its bounds, or the
 * error names it. */
#ifndef HANDOFF_LOG_FIELDS_H
#define HANDOFF_LOG_FIELDS_H

#include <jansson.h>

#include "base/text.h"

/* One object from a line; NULL and ERROR where it is none. Freed by json_decref(). */
json_t *object_from_line(const char *line, size_t length, struct error *error);

bool integer_field(const json_t *object, const char *key, int64_t smallest, int64_t largest, int64_t *value,
                   struct error *error);

/* An index below COUNT. */
bool index_field(const json_t *object, const char *key, uint32_t count, uint32_t *value, struct error *error);

bool boolean_field(const json_t *object, const char *key, bool *value, struct error *error);

/* A string, or {"hex": ...} for bytes that are no UTF-8; appended to OUT. */
bool text_field(const json_t *object, const char *key, struct text *out, struct error *error);

/* A string of two hexadecimal digits for each byte; appended to OUT. */
bool hexadecimal_field(const json_t *object, const char *key, struct text *out, struct error *error);

/* A string without NUL bytes. Freed by the caller; NULL and ERROR where it is missing. */
char *string_field(const json_t *object, const char *key, struct error *error);

#endif
