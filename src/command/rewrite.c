#include "command/rewrite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

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

bool rewrite_is_possible(const char *argument)
{
    struct stat status;
    return !source_is_standard_input(argument) && (stat(argument, &status) != 0 || !S_ISFIFO(status.st_mode));
}

bool rewrite_schedule(const struct source *source, const struct edit *edits, size_t count,
                      struct error *error)
{
    struct text content = {0};
    char *path = realpath(source->file, NULL); /* a link stays one */
    if (!path)
        return error_set_errno(error, "%s", source->file);
    bool fine = append_file(source, edits, count, &content, error) &&
                file_replace(path, content.bytes, content.length, error);
    free(path);
    text_free(&content);
    return fine;
}
