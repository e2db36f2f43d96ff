#include "lesson/library.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "lesson/places.h"

/* More files than this in the folder are not lessons. */
enum { MAX_ENTRIES = 1000 };

/* The folder that the program runs from; false where /proc does not say. */
static bool program_folder(char *folder, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    if (length <= 0)
        return false;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

static bool is_there(const char *path)
{
    return access(path, R_OK) == 0;
}

/* Appends the path of the first folder of lessons that is there; false where none is. */
static bool find_folder(struct text *path)
{
    const char *chosen = getenv("HANDOFF_LESSONS");
    if (chosen && *chosen) {
        text_append(path, chosen);
        return true;
    }
    char program[PATH_MAX];
    if (!program_folder(program, sizeof program)) {
        text_append(path, SOURCE_LESSONS);
        return is_there(SOURCE_LESSONS);
    }
    text_format(path, "%s/build.ninja", program);
    bool in_build_tree = is_there(text_string(path));
    text_clear(path);
    if (in_build_tree) {
        /* First without the configured path: the source tree may have moved with a build folder inside it. */
        text_format(path, "%s/../lessons", program);
        if (is_there(text_string(path)))
            return true;
        text_clear(path);
        text_append(path, SOURCE_LESSONS);
        return is_there(SOURCE_LESSONS);
    }
    if (INSTALLED_LESSONS[0] != '/')
        text_format(path, "%s/", program);
    text_append(path, INSTALLED_LESSONS);
    return is_there(text_string(path));
}

/* The text of the first line "# ..."; the name where the file has none or cannot be read. */
static char *read_title(const struct lesson_entry *entry)
{
    struct text file = {0}, title = {0};
    struct error error;
    if (text_read_file(&file, entry->path, LESSON_MAX_BYTES, &error)) {
        const char *at = text_string(&file), *end = at + file.length;
        while (at < end && (end - at < 2 || memcmp(at, "# ", 2) != 0)) {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            at = newline ? newline + 1 : end;
        }
        if (end - at > 2) {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            text_append_visible(&title, at + 2, (size_t)((newline ? newline : end) - at) - 2);
        }
    }
    if (title.length == 0)
        text_append_visible(&title, entry->name, strlen(entry->name));
    char *copy = memory_copy_string(text_string(&title));
    text_free(&file);
    text_free(&title);
    return copy;
}

static void add_entry(struct lesson_library *library, size_t *capacity, const char *file)
{
    size_t length = strlen(file);
    if (file[0] == '.' || length < 4 || strcmp(file + length - 3, ".md") != 0)
        return;
    size_t digits = strspn(file, "0123456789");
    bool numbered = digits > 0 && digits < 7 && file[digits] == '-' && length > digits + 4;
    struct lesson_entry entry = {0};
    entry.number = numbered ? (unsigned)strtoul(file, NULL, 10) : 0;
    entry.name = memory_copy_string(file + (numbered ? digits + 1 : 0));
    entry.name[strlen(entry.name) - 3] = '\0';
    struct text path = {0};
    text_format(&path, "%s/%s", library->folder, file);
    entry.path = memory_copy_string(text_string(&path));
    text_free(&path);
    entry.title = read_title(&entry);
    ARRAY_RESERVE(library->entries, library->count, *capacity);
    library->entries[library->count++] = entry;
}

static int compare_entries(const void *left, const void *right)
{
    const struct lesson_entry *a = left, *b = right;
    unsigned first = a->number ? a->number : UINT_MAX, second = b->number ? b->number : UINT_MAX;
    return first != second ? (first < second ? -1 : 1) : strcmp(a->name, b->name);
}

bool library_open(struct lesson_library *library, struct error *error)
{
    *library = (struct lesson_library){0};
    struct text path = {0};
    bool found = find_folder(&path);
    char *resolved = realpath(text_string(&path), NULL); /* without the ".." on the way from the program */
    library->folder = memory_copy_string(resolved ? resolved : text_string(&path));
    free(resolved);
    text_free(&path);
    if (!found)
        return error_set(error, "no folder of lessons at %s; HANDOFF_LESSONS can name another",
                         library->folder);
    DIR *folder = opendir(library->folder);
    if (!folder)
        return error_set_errno(error, "cannot open the folder of lessons %s", library->folder);
    size_t capacity = 0;
    for (const struct dirent *file; library->count < MAX_ENTRIES && (file = readdir(folder));)
        add_entry(library, &capacity, file->d_name);
    closedir(folder);
    if (library->count == 0)
        return error_set(error, "no lessons in %s", library->folder);
    qsort(library->entries, library->count, sizeof *library->entries, compare_entries);
    return true;
}

void library_free(struct lesson_library *library)
{
    for (size_t i = 0; i < library->count; i++) {
        free(library->entries[i].name);
        free(library->entries[i].path);
        free(library->entries[i].title);
    }
    free(library->entries);
    free(library->folder);
    *library = (struct lesson_library){0};
}
