#include "share/folder.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* RUNTIME is the user's own; NULL: the folder stands where others have theirs. */
static bool write_path(struct folder *folder, const char *runtime, struct error *error)
{
    const char *parent = runtime ? runtime : "/tmp";
    int length =
        runtime ? snprintf(folder->path, sizeof folder->path, "%s/handoff", parent)
                : snprintf(folder->path, sizeof folder->path, "%s/handoff-%u", parent, (unsigned)geteuid());
    if (length < 0 || (size_t)length >= sizeof folder->path)
        return error_set(error, "%s: the path is too long for a session's sockets", parent);
    return true;
}

/* Whether the folder is this user's and nobody else can put anything into it. */
static bool is_own_folder(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* What others may do in the folder: nothing, or look into it as members of the group. */
static bool check_folder(const struct folder *folder, struct error *error)
{
    struct stat status;
    if (fstat(folder->descriptor, &status) < 0)
        return error_set_errno(error, "%s", folder->path);
    if (status.st_uid != geteuid())
        return error_set(error, "%s belongs to another user: sessions cannot be kept there", folder->path);
    mode_t others = folder->group == NO_GROUP ? S_IRWXG | S_IRWXO : S_IWGRP | S_IRWXO;
    if (status.st_mode & others)
        return error_set(error, "%s is open to other users (mode %o): sessions cannot be kept there",
                         folder->path, (unsigned)status.st_mode & 07777);
    return true;
}

static bool open_folder(struct folder *folder, struct error *error)
{
    if (mkdir(folder->path, S_IRWXU) < 0 && errno != EEXIST)
        return error_set_errno(error, "%s cannot be made", folder->path);
    folder->descriptor = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder->descriptor < 0)
        return error_set_errno(error, "%s cannot be opened as a folder", folder->path);
    return true;
}

bool folder_open_private(struct folder *folder, struct error *error)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    *folder = (struct folder){.descriptor = -1, .group = NO_GROUP};
    bool is_own = runtime && runtime[0] == '/' && is_own_folder(runtime);
    bool fine = write_path(folder, is_own ? runtime : NULL, error) && open_folder(folder, error) &&
                check_folder(folder, error);
    if (!fine)
        folder_close(folder);
    folder->lock = folder->descriptor;
    return fine;
}

/* The owner is checked before anything is changed; the group gets its rights last. */
bool folder_open_shared(struct folder *folder, const struct folder *private, gid_t group, struct error *error)
{
    *folder = (struct folder){.descriptor = -1, .lock = private->lock, .group = group};
    snprintf(folder->path, sizeof folder->path, "/tmp/handoff-shared-%u-%u", (unsigned)geteuid(),
             (unsigned)group);
    bool fine = open_folder(folder, error) && check_folder(folder, error);
    if (fine && (fchown(folder->descriptor, (uid_t)-1, group) < 0 ||
                 fchmod(folder->descriptor, S_IRWXU | S_IRGRP | S_IXGRP) < 0))
        fine = error_set_errno(error, "%s cannot be opened to the group", folder->path);
    if (!fine)
        folder_close(folder);
    return fine;
}

void folder_close(struct folder *folder)
{
    if (folder->descriptor >= 0)
        close(folder->descriptor);
    folder->descriptor = -1;
}

static bool is_member(gid_t group)
{
    int count = getgroups(0, NULL);
    gid_t *groups = memory_zeroed((size_t)(count > 0 ? count : 0), sizeof *groups);
    count = getgroups(count > 0 ? count : 0, groups);
    bool found = getegid() == group || geteuid() == 0;
    for (int i = 0; i < count; i++)
        found = found || groups[i] == group;
    free(groups);
    return found;
}

bool folder_find_group(const char *name, gid_t *group, struct error *error)
{
    const struct group *found = getgrnam(name);
    if (!found)
        return error_set(error, "--share %s: there is no such group", name);
    *group = found->gr_gid;
    return is_member(*group) || error_set(error, "--share %s: you are not a member of that group", name);
}

bool session_name_is_fit(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length > SESSION_MAX_NAME || !isalnum((unsigned char)name[0]))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("._-", name[i]))
            return false;
    return true;
}
