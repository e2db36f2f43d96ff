/* NOLINTNEXTLINE(bugprone-reserved-identifier): struct ucred */
#define _GNU_SOURCE
#include "share/connect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "share/listen.h"

enum { SESSIONS_MAX = 1024 }; /* of what others put there, no more is looked at */

/* Cuts the ending off; false for any other file. */
static bool read_name(const char *file, const char *ending, char name[SESSION_MAX_NAME + 1])
{
    size_t length = strlen(file), tail = strlen(ending);
    if (length <= tail || length - tail > SESSION_MAX_NAME || strcmp(file + length - tail, ending) != 0)
        return false;
    memcpy(name, file, length - tail);
    name[length - tail] = '\0';
    return session_name_is_fit(name);
}

static void add_session(struct found_sessions *found, const char *name, const char *folder, uid_t owner)
{
    ARRAY_RESERVE(found->items, found->count, found->capacity);
    struct found_session *session = &found->items[found->count++];
    *session = (struct found_session){.owner = owner};
    snprintf(session->name, sizeof session->name, "%s", name);
    snprintf(session->folder, sizeof session->folder, "%s", folder);
}

/* Removes the session's socket if its process has gone. */
static void clear_away(const struct folder *folder, const char *file)
{
    static const char *const endings[] = {ENDING_FOLLOW, ENDING_CONTROL};
    char name[SESSION_MAX_NAME + 1];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (read_name(file, endings[i], name))
            socket_is_alive(folder, name, endings[i]);
}

/* OWN: the folder is this user's, and what is dead in it is removed. */
static void look_into(struct found_sessions *found, const struct folder *folder, uid_t owner,
                      const char *ending, bool own)
{
    int descriptor = dup(folder->descriptor);
    DIR *entries = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    const struct dirent *entry;
    char name[SESSION_MAX_NAME + 1];
    while (own && entries && (entry = readdir(entries)))
        clear_away(folder, entry->d_name);
    if (entries)
        rewinddir(entries);
    while (entries && found->count < SESSIONS_MAX && (entry = readdir(entries)))
        if (read_name(entry->d_name, ending, name))
            add_session(found, name, folder->path, owner);
    if (entries)
        closedir(entries);
}

/* Opens what is named as a user's shared folder, if it is that: nobody but the user can write to it. */
static bool open_shared_folder(struct folder *folder, const char *name, uid_t *owner)
{
    static const char beginning[] = "handoff-shared-";
    struct stat status;
    char *end;
    if (strncmp(name, beginning, sizeof beginning - 1) != 0 || strlen(name) >= FOLDER_MAX_PATH / 2)
        return false;
    unsigned long user = strtoul(name + sizeof beginning - 1, &end, 10);
    unsigned long group = *end == '-' ? strtoul(end + 1, &end, 10) : 0;
    if (*end != '\0')
        return false;
    *folder = (struct folder){.lock = -1, .group = (gid_t)group};
    *owner = (uid_t)user;
    snprintf(folder->path, sizeof folder->path, "/tmp/%.*s", FOLDER_MAX_PATH / 2, name);
    folder->descriptor = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder->descriptor < 0)
        return false;
    if (fstat(folder->descriptor, &status) == 0 && status.st_uid == *owner &&
        (status.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return true;
    folder_close(folder);
    return false;
}

static void look_for_shared(struct found_sessions *found, const struct folder *private, const char *ending)
{
    DIR *entries = opendir("/tmp");
    const struct dirent *entry;
    struct folder folder;
    uid_t owner;
    while (entries && (entry = readdir(entries))) {
        if (!open_shared_folder(&folder, entry->d_name, &owner))
            continue;
        folder.lock = private->lock;
        look_into(found, &folder, owner, ending, owner == geteuid());
        folder_close(&folder);
    }
    if (entries)
        closedir(entries);
}

static int compare(const void *a, const void *b)
{
    const struct found_session *left = a, *right = b;
    uid_t own = geteuid();
    if (left->owner != right->owner)
        return left->owner == own ? -1 : right->owner == own ? 1 : left->owner < right->owner ? -1 : 1;
    return strcmp(left->name, right->name);
}

bool sessions_find(struct found_sessions *found, const char *ending, struct error *error)
{
    struct folder private;
    *found = (struct found_sessions){0};
    if (!folder_open_private(&private, error))
        return false;
    look_into(found, &private, geteuid(), ending, true);
    look_for_shared(found, &private, ending);
    folder_close(&private);
    if (found->count > 0)
        qsort(found->items, found->count, sizeof *found->items, compare);
    return true;
}

void sessions_free(struct found_sessions *found)
{
    free(found->items);
    *found = (struct found_sessions){0};
}

void session_title_for_others(uid_t owner, const char *name, char *title, size_t size)
{
    const struct passwd *user = getpwuid(owner);
    if (user)
        snprintf(title, size, "%s/%s", user->pw_name, name);
    else
        snprintf(title, size, "%u/%s", (unsigned)owner, name);
}

void session_title(const struct found_session *session, char *title, size_t size)
{
    if (session->owner == geteuid())
        snprintf(title, size, "%s", session->name);
    else
        session_title_for_others(session->owner, session->name, title, size);
}

int session_connect(const struct found_session *session, const char *ending, struct error *error)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    int descriptor = socket_connect(session->folder, session->name, ending);
    if (descriptor < 0) {
        if (errno == ECONNREFUSED || errno == ENOENT)
            error_set(error, "the session %s has ended", session->name);
        else
            error_set_errno(error, "the session %s cannot be reached", session->name);
        return -1;
    }
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == session->owner)
        return descriptor;
    error_set(error, "the session %s is kept by another user than its folder", session->name);
    close(descriptor);
    return -1;
}
