/* A session of another terminal as a walk of this one. */
#ifndef HANDOFF_COMMAND_WATCH_H
#define HANDOFF_COMMAND_WATCH_H

#include "command/join.h"
#include "screen/walk.h"

struct watch {
    struct join join;
    struct walk walk; /* of the session's present run */
    struct lesson *lesson;
    bool has_walk;
    size_t led_to; /* where the presenter led the walk last */
};

/* As join_open(). WATCH must stay where it is until watch_close(), which is called in every case. */
bool watch_open(struct watch *watch, const char *command, const char *name, const char *ending);
void watch_close(struct watch *watch);

/* Takes in what has come, and leads the walk to where the presenter is, unless its reader has gone elsewhere:
 * whoever comes to the end of what has happened is led again. Returns whether there is anything new. */
bool watch_pump(struct watch *watch);

#endif
