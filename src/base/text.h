/* A string that grows, and the one place where untrusted bytes become fit for a terminal. */
#ifndef HANDOFF_BASE_TEXT_H
#define HANDOFF_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* BYTES is NUL-terminated once anything was appended; zero-initialise before use. Owned by whoever declares
 * it. */
struct text {
    char *bytes;
    size_t length, capacity;
};

void text_free(struct text *text);
void text_clear(struct text *text);
void text_append(struct text *text, const char *string);
void text_append_bytes(struct text *text, const char *bytes, size_t length);
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The bytes so far, never NULL. */
const char *text_string(const struct text *text);

/* Appends untrusted bytes so that a terminal shows them and obeys none: control characters, C1 controls,
 * invisible and direction-changing code points and broken UTF-8 become \xNN or \u{NNNN}. A newline or tab
 * becomes \n or \t, written out. */
void text_append_visible(struct text *text, const char *bytes, size_t length);

/* Decodes the code point at BYTES. Returns its length in bytes (1 to 4), or 0 where the UTF-8 is broken
 * (overlong forms, surrogates and values over U+10FFFF are). LENGTH is what is left, at least 1. */
size_t text_decode(const char *bytes, size_t length, uint32_t *code_point);

/* Reads a whole regular file of at most LIMIT bytes. What is read may hold any byte. */
bool text_read_file(struct text *text, const char *path, size_t limit, struct error *error);

/* The same for what a user names to be read once: a pipe is read to its end, too. One that nobody writes to
 * is an error. */
bool text_read_input(struct text *text, const char *path, size_t limit, struct error *error);

/* The same for standard input, whatever that is, but no directory; messages call it NAME. */
bool text_read_standard_input(struct text *text, const char *name, size_t limit, struct error *error);

#endif
