/* What is wrong with a file, place by place: every fault of it in one go. */
#ifndef HANDOFF_SCHEDULE_DIAGNOSTIC_H
#define HANDOFF_SCHEDULE_DIAGNOSTIC_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* A place in the file as it stands on disk, counted from 1; columns count code points. */
struct place {
    uint32_t line, column;
};

struct diagnostic {
    struct place place;
    char *text; /* visible already: no raw bytes of the file are in it */
};

/* Owned by whoever declares it; at most DIAGNOSTIC_LIMIT are kept, the rest is counted. */
enum { DIAGNOSTIC_LIMIT = 100 };
struct diagnostics {
    struct diagnostic *items;
    size_t count, capacity, left_out;
};

/* The words may quote the file: whatever a terminal would obey is made visible here. */
void diagnostics_add(struct diagnostics *diagnostics, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diagnostics_free(struct diagnostics *diagnostics);

/* Appends "FILE:LINE:COLUMN: error: TEXT" lines in the order of the file, and how many were left out. */
void diagnostics_print(const struct diagnostics *diagnostics, const char *file, struct text *out);

/* The nearest of the known names to one that was misspelt, or NULL where none is near. */
const char *nearest_name(const char *name, const char *const *known, size_t known_count);

/* How many letters apart two names are (a swap of two counts one, another case counts one in all), or
 * NAMES_APART where that is too many for a misspelling of a name so long. */
enum { NAMES_APART = 255 };
unsigned name_distance(const char *name, size_t length, const char *known, size_t known_length);

#endif
