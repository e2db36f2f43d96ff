#include "progress/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "progress/folder.h"

enum { STORE_MAX_BYTES = 4 << 20, STORE_VERSION = 1, ASIDE_MAX = 99 };

void store_open(struct store *store)
{
    *store = (struct store){0};
    state_folder(NULL, &store->folder);
}

void store_close(struct store *store)
{
    text_free(&store->folder);
    text_free(&store->notice);
}

static void append_path(const struct store *store, const char *name, struct text *path)
{
    text_format(path, "%s/%s", text_string(&store->folder), name);
}

/* Gives a file that cannot be used another name, beside those that were put aside before. */
static void put_aside(struct store *store, const char *path)
{
    struct text aside = {0};
    struct stat status;
    unsigned number = 1;
    do {
        text_clear(&aside);
        text_format(&aside, "%s.damaged-%u", path, number);
    } while (lstat(text_string(&aside), &status) == 0 && number++ < ASIDE_MAX);
    text_clear(&store->notice);
    if (rename(path, text_string(&aside)) == 0)
        text_format(&store->notice, "Your progress could not be read and begins anew; the old file is %s",
                    text_string(&aside));
    else
        text_append(&store->notice, "Your progress could not be read.");
    text_free(&aside);
}

static json_t *use(struct store *store, const char *path, const struct text *content)
{
    json_t *object = json_loadb(text_string(content), content->length, 0, NULL);
    const json_t *version = json_object_get(object, "version");
    if (json_is_integer(version) && json_integer_value(version) > STORE_VERSION) {
        store->is_foreign = true;
        text_clear(&store->notice);
        text_append(&store->notice, "Your progress was written by a later handoff: it is left as it is.");
    } else if (json_is_integer(version) && json_integer_value(version) == STORE_VERSION) {
        return object;
    } else {
        put_aside(store, path);
    }
    json_decref(object);
    return json_object();
}

json_t *store_read(struct store *store)
{
    struct text path = {0}, content = {0};
    struct error error;
    struct stat status;
    json_t *object = NULL;
    append_path(store, "progress.json", &path);
    if (store->folder.length > 0 && stat(text_string(&path), &status) == 0) {
        if (text_read_file(&content, text_string(&path), STORE_MAX_BYTES, &error))
            object = use(store, text_string(&path), &content);
        else if (access(text_string(&path), R_OK) == 0)
            put_aside(store, text_string(&path));
    }
    text_free(&path);
    text_free(&content);
    return object ? object : json_object();
}

/* The lock's descriptor; negative where another session has it, or there can be none. */
static int take_lock(const struct store *store)
{
    struct text path = {0};
    append_path(store, "progress.lock", &path);
    int descriptor = open(text_string(&path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    text_free(&path);
    if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

static bool write_object(const struct store *store, const json_t *object, struct error *error)
{
    struct text path = {0}, content = {0};
    char *dump = json_dumps(object, JSON_INDENT(1) | JSON_SORT_KEYS);
    bool fine = dump != NULL;
    if (fine) {
        append_path(store, "progress.json", &path);
        text_format(&content, "%s\n", dump);
        fine = file_replace(text_string(&path), content.bytes, content.length, error);
    }
    free(dump);
    text_free(&path);
    text_free(&content);
    return fine;
}

static void forget_lesson(json_t *object, const char *lesson)
{
    const char *last = json_string_value(json_object_get(object, "last"));
    json_object_del(json_object_get(object, "lessons"), lesson);
    if (last && strcmp(last, lesson) == 0)
        json_object_del(object, "last");
}

json_t *store_merge(struct store *store, json_t *change, const char *forget, struct error *error)
{
    if (store->folder.length == 0 || store->is_foreign) {
        error_set(error, "there is no folder to keep progress in, or a later handoff keeps its own there");
        return NULL;
    }
    int lock = take_lock(store);
    if (lock < 0) {
        error_set_errno(error, "%s/progress.lock", text_string(&store->folder));
        return NULL;
    }
    json_t *object = store_read(store);
    bool fine = !store->is_foreign;
    if (fine) {
        if (forget)
            forget_lesson(object, forget);
        json_object_update_recursive(object, change);
        json_object_set_new(object, "version", json_integer(STORE_VERSION));
        fine = write_object(store, object, error);
    }
    close(lock);
    if (fine)
        return object;
    json_decref(object);
    return NULL;
}
