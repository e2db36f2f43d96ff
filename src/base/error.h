/* Errors are values: what failed and why travels up in one of these, and only src/main.c's caller prints it.
 */
#ifndef HANDOFF_BASE_ERROR_H
#define HANDOFF_BASE_ERROR_H

#include <stdbool.h>

enum { ERROR_LENGTH = 1024 };

/* A cause in one line, without a newline. Empty means that nothing failed. May hold untrusted bytes (a file's
 * name, a peer's words): whoever prints it passes it through text_append_visible(). */
struct error {
    char message[ERROR_LENGTH];
};

/* Says what failed; a longer message is cut. Always returns false, so that `return error_set(...)` reads
 * well. */
bool error_set(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same, followed by ": " and the text of errno as it was at the call. */
bool error_set_errno(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
