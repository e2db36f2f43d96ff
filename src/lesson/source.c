#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "lesson/library.h"

static const struct lesson_entry *find_entry(const struct lesson_library *library, const char *argument)
{
    char *end;
    unsigned long number = argument[0] >= '1' && argument[0] <= '9' ? strtoul(argument, &end, 10) : 0;
    if (number > 0 && *end != '\0')
        number = 0;
    for (size_t i = 0; i < library->count; i++) {
        const struct lesson_entry *entry = &library->entries[i];
        if (strcmp(entry->name, argument) == 0 || (number > 0 && entry->number == number))
            return entry;
    }
    return NULL;
}

static bool looks_like_a_path(const char *argument)
{
    return strchr(argument, '/') || strchr(argument, '.');
}

static bool no_such_lesson(const struct lesson_library *library, const char *argument, struct error *error)
{
    const char **names = memory_zeroed(library->count, sizeof *names);
    for (size_t i = 0; i < library->count; i++)
        names[i] = library->entries[i].name;
    const char *nearest = nearest_name(argument, names, library->count);
    if (nearest)
        error_set(error, "no lesson and no file `%s`; did you mean `%s`?", argument, nearest);
    else
        error_set(error, "no lesson and no file `%s`; `handoff list` shows the lessons", argument);
    free(names);
    return false;
}

/* The path of what the argument names; NULL and ERROR where there is nothing. */
static char *find_path(const char *argument, struct error *error)
{
    struct lesson_library library;
    char *path = NULL;
    bool have_lessons = library_open(&library, error);
    const struct lesson_entry *entry = have_lessons ? find_entry(&library, argument) : NULL;
    if (entry)
        path = memory_copy_string(entry->path);
    else if (looks_like_a_path(argument) || access(argument, F_OK) == 0)
        path = memory_copy_string(argument);
    else if (have_lessons)
        no_such_lesson(&library, argument, error);
    library_free(&library);
    return path;
}

static bool is_lesson(const char *path)
{
    size_t length = strlen(path);
    return length >= 3 && strcmp(path + length - 3, ".md") == 0;
}

bool source_is_standard_input(const char *argument)
{
    return strcmp(argument, "-") == 0 || strcmp(argument, "/dev/stdin") == 0;
}

static bool read_source(const struct source *source, const char *argument, struct text *text,
                        struct error *error)
{
    size_t limit = is_lesson(source->file) ? LESSON_MAX_BYTES : SOURCE_MAX_BYTES;
    return source_is_standard_input(argument) ? text_read_standard_input(text, source->file, limit, error)
                                              : text_read_input(text, source->file, limit, error);
}

bool source_open(struct source *source, const char *argument, struct diagnostics *diagnostics,
                 struct error *error)
{
    *source = (struct source){.file = source_is_standard_input(argument) ? memory_copy_string("<stdin>")
                                                                         : find_path(argument, error)};
    if (!source->file)
        return false;
    *error = (struct error){0};
    struct text text = {0};
    bool read = read_source(source, argument, &text, error);
    if (read && is_lesson(source->file)) {
        source->lesson = lesson_parse(source->file, text_string(&text), text.length, diagnostics);
        source->schedule = source->lesson ? source->lesson->schedule : NULL;
    } else if (read) {
        source->own = schedule_parse(text_string(&text), text.length, 1, diagnostics);
        source->schedule = source->own;
    }
    text_free(&text);
    return source->schedule != NULL;
}

void source_free(struct source *source)
{
    lesson_free(source->lesson);
    if (source->own)
        schedule_free(source->own);
    free(source->file);
    *source = (struct source){0};
}
