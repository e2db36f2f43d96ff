/* Where sessions are found: folders of sockets that only their owner can write to.
 *
 * One's own are in $XDG_RUNTIME_DIR/handoff, or in /tmp/handoff-UID where there is no such folder of one's
 * own: mode 0700. What is shared with a group is in /tmp/handoff-shared-UID-GID: mode 0750, of that group. */
#ifndef HANDOFF_SHARE_FOLDER_H
#define HANDOFF_SHARE_FOLDER_H

#include <sys/types.h>

#include "base/error.h"

enum { SESSION_MAX_NAME = 64, FOLDER_MAX_PATH = 96 /* so that it fits a socket's address */ };

#define NO_GROUP ((gid_t)-1)

/* An open folder that was made, or found as it has to be: a folder and no link, this user's, and nobody else
 * can write to it. */
struct folder {
    char path[FOLDER_MAX_PATH];
    int descriptor;
    int lock;    /* locked while sockets are made or removed: the private folder, also for what is shared */
    gid_t group; /* NO_GROUP: private */
};

bool folder_open_private(struct folder *folder, struct error *error);
/* Beside the private one, which stays open as long. */
bool folder_open_shared(struct folder *folder, const struct folder *private, gid_t group,
                        struct error *error);
void folder_close(struct folder *folder);

/* The number of a group that exists, and that this user is a member of. */
bool folder_find_group(const char *name, gid_t *group, struct error *error);

/* Letters, digits, ".", "_" and "-", with a letter or digit first. */
bool session_name_is_fit(const char *name);

#endif
