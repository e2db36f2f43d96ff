#include "command/copies.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "progress/folder.h"

static const char ending[] = ".schedule";

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

bool copy_make(const char *name, const struct text *content, struct text *path, struct error *error)
{
    if (!state_folder("schedules", path))
        return error_set(error,
                         "there is no folder for schedules of your own: $XDG_STATE_HOME and HOME name none "
                         "that can be written");
    text_append(path, "/");
    for (const char *at = name; *at; at++)
        text_append_bytes(path, is_plain(*at) ? at : "_", 1);
    text_append(path, ending);
    return access(text_string(path), F_OK) == 0 ||
           file_replace(text_string(path), text_string(content), content->length, error);
}

bool copy_is_own(const char *path)
{
    struct text folder = {0};
    bool is_own = state_folder("schedules", &folder) && strncmp(path, folder.bytes, folder.length) == 0 &&
                  path[folder.length] == '/';
    text_free(&folder);
    return is_own;
}

static void add_copy(struct lesson_library *copies, const char *file)
{
    size_t length = strlen(file), tail = strlen(ending);
    if (file[0] == '.' || length <= tail || strcmp(file + length - tail, ending) != 0)
        return;
    struct text path = {0};
    text_format(&path, "%s/%s", copies->folder, file);
    copies->entries = memory_resize(copies->entries, copies->count + 1, sizeof *copies->entries);
    struct lesson_entry *entry = &copies->entries[copies->count++];
    *entry = (struct lesson_entry){.name = memory_copy_string(file),
                                   .path = memory_copy_string(text_string(&path)),
                                   .title = memory_copy_string("a schedule of yours")};
    entry->name[length - tail] = '\0';
    text_free(&path);
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct lesson_entry *)a)->name, ((const struct lesson_entry *)b)->name);
}

void copies_open(struct lesson_library *copies)
{
    struct text folder = {0};
    *copies = (struct lesson_library){0};
    if (!state_folder("schedules", &folder))
        return;
    copies->folder = memory_copy_string(text_string(&folder));
    text_free(&folder);
    DIR *open = opendir(copies->folder);
    for (const struct dirent *file; open && (file = readdir(open)) != NULL;)
        add_copy(copies, file->d_name);
    if (open)
        closedir(open);
    if (copies->count > 0)
        qsort(copies->entries, copies->count, sizeof *copies->entries, compare);
}

/* A line without the lists that say with which variants it is there. */
static size_t bare_length(const char *line, size_t length)
{
    const char *comment = memchr(line, '#', length);
    size_t end = comment ? (size_t)(comment - line) : length;
    for (size_t i = 0; i + 5 < end; i++)
        if (line[i] == '[' &&
            (memcmp(line + i + 1, "only ", 5) == 0 || memcmp(line + i + 1, "not ", 4) == 0)) {
            while (i > 0 && (line[i - 1] == ' ' || line[i - 1] == '\t'))
                i--;
            return i;
        }
    return length;
}

static bool is_variant_line(const char *line, size_t length)
{
    static const char word[] = "variant";
    size_t at = 0;
    while (at < length && (line[at] == ' ' || line[at] == '\t'))
        at++;
    return length - at > strlen(word) && memcmp(line + at, word, strlen(word)) == 0 &&
           strchr(" \t", line[at + strlen(word)]);
}

void copy_flatten(const struct schedule *schedule, uint32_t variants, struct text *out)
{
    size_t length;
    const char *text = schedule_text(schedule, &length);
    if (variants == 0) {
        text_append_bytes(out, text, length);
        return;
    }
    for (uint32_t number = 1; number <= schedule_line_count(schedule); number++) {
        const char *line = schedule_line(schedule, number, &length);
        if (!schedule_line_is_on(schedule, number, variants) || is_variant_line(line, length))
            continue;
        text_append_bytes(out, line, bare_length(line, length));
        text_append(out, "\n");
    }
}
