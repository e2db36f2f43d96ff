#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

void text_free(struct text *text)
{
    free(text->bytes);
    *text = (struct text){0};
}

void text_clear(struct text *text)
{
    text->length = 0;
    if (text->bytes)
        text->bytes[0] = '\0';
}

static void text_reserve(struct text *text, size_t more)
{
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity)
        return;
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity < needed)
        capacity *= 2;
    text->bytes = memory_resize(text->bytes, capacity, 1);
    text->capacity = capacity;
}

void text_append_bytes(struct text *text, const char *bytes, size_t length)
{
    text_reserve(text, length);
    if (length)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void text_append(struct text *text, const char *string)
{
    text_append_bytes(text, string, strlen(string));
}

void text_format(struct text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length > 0) {
        text_reserve(text, (size_t)length);
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

const char *text_string(const struct text *text)
{
    return text->bytes ? text->bytes : "";
}

size_t text_decode(const char *bytes, size_t length, uint32_t *code_point)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)bytes[0];
    size_t size = first < 0x80   ? 1
                  : first < 0xC2 ? 0
                  : first < 0xE0 ? 2
                  : first < 0xF0 ? 3
                  : first < 0xF5 ? 4
                                 : 0;
    if (size == 0 || size > length)
        return 0;
    uint32_t value = size == 1 ? first : first & (0xFFu >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        unsigned char next = (unsigned char)bytes[i];
        if ((next & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (next & 0x3F);
    }
    if (value < smallest[size] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *code_point = value;
    return size;
}

/* Code points that a terminal obeys or hides instead of showing. */
static bool is_unshowable(uint32_t code_point)
{
    return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0) || code_point == 0xAD ||
           (code_point >= 0x200B && code_point <= 0x200F) || (code_point >= 0x2028 && code_point <= 0x202E) ||
           (code_point >= 0x2060 && code_point <= 0x206F) || code_point == 0x061C || code_point == 0xFEFF ||
           (code_point >= 0xFFF9 && code_point <= 0xFFFB) || (code_point >= 0xE0000 && code_point <= 0xE0FFF);
}

void text_append_visible(struct text *text, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        uint32_t code_point;
        size_t size = text_decode(bytes + at, length - at, &code_point);
        if (size == 0)
            text_format(text, "\\x%02X", (unsigned char)bytes[at]);
        else if (code_point == '\n' || code_point == '\t')
            text_append(text, code_point == '\n' ? "\\n" : "\\t");
        else if (is_unshowable(code_point))
            text_format(text, code_point < 0x100 ? "\\x%02X" : "\\u{%X}", (unsigned)code_point);
        else
            text_append_bytes(text, bytes + at, size);
        at += size ? size : 1;
    }
}

/* Reads to the end. What has nothing yet is waited for, without an end: a generator may take its time. */
static bool read_descriptor(struct text *text, int descriptor, const char *path, size_t limit,
                            struct error *error)
{
    char block[65536];
    for (;;) {
        ssize_t got = read(descriptor, block, sizeof block);
        if (got < 0 && errno == EAGAIN)
            poll(&(struct pollfd){.fd = descriptor, .events = POLLIN}, 1, -1);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got < 0)
            return error_set_errno(error, "%s: cannot be read", path);
        if (got == 0)
            return true;
        if (text->length + (size_t)got > limit)
            return error_set(error, "%s: larger than the limit of %zu bytes", path, limit);
        text_append_bytes(text, block, (size_t)got);
    }
}

static bool get_kind(int descriptor, const char *path, mode_t *mode, struct error *error)
{
    struct stat status;
    if (fstat(descriptor, &status) < 0)
        return error_set_errno(error, "%s: cannot be read", path);
    *mode = status.st_mode;
    return !S_ISDIR(status.st_mode) || error_set(error, "%s: is a directory, not a file", path);
}

/* So long a pipe's writer may take to come: it is often started at the same time. */
enum { WRITER_WAIT_MS = 2000 };

static bool read_pipe(struct text *text, int descriptor, const char *path, size_t limit, struct error *error)
{
    bool is_silent = poll(&(struct pollfd){.fd = descriptor, .events = POLLIN}, 1, WRITER_WAIT_MS) <= 0;
    if (!read_descriptor(text, descriptor, path, limit, error))
        return false;
    return !is_silent || text->length > 0 || error_set(error, "%s: nobody writes to this pipe", path);
}

/* O_NONBLOCK: to open a FIFO that nobody writes to must not hang the program. */
static int open_to_read(const char *path, struct error *error)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        error_set_errno(error, "%s: cannot be opened", path);
    return descriptor;
}

static bool read_path(struct text *text, const char *path, bool takes_pipes, size_t limit,
                      struct error *error)
{
    mode_t mode = 0;
    int descriptor = open_to_read(path, error);
    if (descriptor < 0)
        return false;
    bool fine = get_kind(descriptor, path, &mode, error);
    if (fine && takes_pipes && S_ISFIFO(mode))
        fine = read_pipe(text, descriptor, path, limit, error);
    else if (fine && S_ISREG(mode))
        fine = read_descriptor(text, descriptor, path, limit, error);
    else if (fine)
        fine = error_set(
            error, takes_pipes ? "%s: is neither a regular file nor a pipe" : "%s: is not a regular file",
            path);
    close(descriptor);
    return fine;
}

bool text_read_file(struct text *text, const char *path, size_t limit, struct error *error)
{
    return read_path(text, path, false, limit, error);
}

bool text_read_input(struct text *text, const char *path, size_t limit, struct error *error)
{
    return read_path(text, path, true, limit, error);
}

bool text_read_standard_input(struct text *text, const char *name, size_t limit, struct error *error)
{
    mode_t mode = 0;
    return get_kind(STDIN_FILENO, name, &mode, error) &&
           read_descriptor(text, STDIN_FILENO, name, limit, error);
}
