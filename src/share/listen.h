/* The sockets of a session. */
#ifndef HANDOFF_SHARE_LISTEN_H
#define HANDOFF_SHARE_LISTEN_H

#include <stddef.h>

#include "share/folder.h"

/* Endings of a socket's name: for anybody whom the folder lets in, and for the presenter's notes. */
#define ENDING_FOLLOW ".follow"
#define ENDING_CONTROL ".control"

/* A listening socket that does not block; -1 and ERROR where that fails. Mode 0600, or 0660 where the folder
 * is shared. One that is left of a process that has gone is replaced; a living one is an error. */
int socket_listen(const struct folder *folder, const char *name, const char *ending, struct error *error);

/* Removes a socket of one's own. */
void socket_remove(const struct folder *folder, const char *name, const char *ending);

/* Removes it if nobody listens any more. Returns whether somebody does. */
bool socket_is_alive(const struct folder *folder, const char *name, const char *ending);

/* A connection that does not block; -1 with errno. */
int socket_connect(const char *folder, const char *name, const char *ending);

#endif
