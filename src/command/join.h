/* A session of another terminal: chosen, connected to, and read. */
#ifndef HANDOFF_COMMAND_JOIN_H
#define HANDOFF_COMMAND_JOIN_H

#include "share/connect.h"
#include "share/feed.h"

struct join {
    struct found_session session;
    const char *ending;               /* of its socket */
    char title[2 * SESSION_MAX_NAME]; /* "overlap-4101", "lina/overlap-4101" */
    int descriptor;                   /* -1 once nothing more comes */
    bool is_lost;                     /* the connection ended, and the session's end was not said */
    struct feed feed;
    struct error fault; /* what was wrong with what came; empty */
};

/* Finds the session that NAME (NULL: the only one) names and connects to its socket ENDING, until the feed
 * has its first run. False where there is none, or several to choose from: that was printed. FEED's listener
 * has to be set. */
bool join_open(struct join *join, const char *command, const char *name, const char *ending);
/* Prints the titles of all sessions that can be followed, a line each. */
bool join_list(const char *command);
void join_close(struct join *join);

/* Takes in what has come, and never waits. Returns whether anything has. */
bool join_pump(struct join *join);

/* Whether the session goes on: after a connection was lost. */
bool join_is_alive(const struct join *join);

/* How it ended, in a sentence; "" while it goes on. */
const char *join_end(const struct join *join);

#endif
