/* The sessions that this user may follow. */
#ifndef HANDOFF_SHARE_CONNECT_H
#define HANDOFF_SHARE_CONNECT_H

#include <stddef.h>

#include "share/folder.h"

struct found_session {
    char name[SESSION_MAX_NAME + 1];
    char folder[FOLDER_MAX_PATH];
    uid_t owner;
};
struct found_sessions {
    struct found_session *items;
    size_t count, capacity;
};

/* What there is with the socket ENDING: one's own (the sockets of dead processes are removed), and those of
 * others that are open to a group of this user's. Sorted by owner, one's own first, then by name. */
bool sessions_find(struct found_sessions *found, const char *ending, struct error *error);
void sessions_free(struct found_sessions *found);

/* "NAME", or "USER/NAME" for another's. */
void session_title(const struct found_session *session, char *title, size_t size);
void session_title_for_others(uid_t owner, const char *name, char *title, size_t size);

/* A connection that does not block, to a process of the session's owner; -1 and ERROR where there is none. */
int session_connect(const struct found_session *session, const char *ending, struct error *error);

#endif
