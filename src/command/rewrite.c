#include "command/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* Where the line with the NUMBER begins. */
static size_t line_offset(const struct text *text, uint32_t number)
{
    size_t at = 0;
    for (uint32_t line = 1; line < number; line++) {
        const char *newline = memchr(text->bytes + at, '\n', text->length - at);
        if (!newline)
            return text->length;
        at = (size_t)(newline - text->bytes) + 1;
    }
    return at;
}

/* The whole file as it is to be: for a lesson the text around its block stays. */
static bool append_file(const struct source *source, const struct edit *edits, size_t count, struct text *out,
                        struct error *error)
{
    struct text old = {0};
    size_t length;
    if (!source->lesson) {
        schedule_edit(source->schedule, edits, count, out);
        return true;
    }
    const char *block = schedule_text(source->schedule, &length);
    bool fine = text_read_file(&old, source->file, SOURCE_MAX_BYTES, error);
    size_t begin = fine ? line_offset(&old, schedule_first_line(source->schedule)) : 0;
    if (fine && (begin + length > old.length || memcmp(old.bytes + begin, block, length) != 0))
        fine = error_set(error, "%s has changed since it was read", source->file);
    if (fine) {
        text_append_bytes(out, old.bytes, begin);
        schedule_edit(source->schedule, edits, count, out);
        text_append_bytes(out, old.bytes + begin + length, old.length - begin - length);
    }
    text_free(&old);
    return fine;
}

static bool write_all(int descriptor, const struct text *text)
{
    for (size_t done = 0; done < text->length;) {
        ssize_t count = write(descriptor, text->bytes + done, text->length - done);
        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

/* Writes beside the file, with its permissions, and then takes its name. */
static bool replace_file(const char *path, const struct text *content, struct error *error)
{
    struct text name = {0};
    struct stat old;
    text_format(&name, "%s.XXXXXX", path);
    char *beside = memory_copy_string(text_string(&name));
    text_free(&name);
    int descriptor = stat(path, &old) == 0 ? mkstemp(beside) : -1;
    bool made = descriptor >= 0;
    bool fine = made && write_all(descriptor, content) && fchmod(descriptor, old.st_mode & 07777) == 0 &&
                fsync(descriptor) == 0;
    if (!fine)
        error_set_errno(error, "%s", path);
    if (made && close(descriptor) != 0 && fine)
        fine = error_set_errno(error, "%s", path);
    if (fine && rename(beside, path) != 0)
        fine = error_set_errno(error, "%s", path);
    if (!fine && made)
        unlink(beside);
    free(beside);
    return fine;
}

bool rewrite_schedule(const struct source *source, const struct edit *edits, size_t count,
                      struct error *error)
{
    struct text content = {0};
    char *path = realpath(source->file, NULL); /* a link stays one */
    if (!path)
        return error_set_errno(error, "%s", source->file);
    bool fine = append_file(source, edits, count, &content, error) && replace_file(path, &content, error);
    free(path);
    text_free(&content);
    return fine;
}
