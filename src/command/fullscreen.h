/* The loop of every full screen over a walk: keys, drawing, and showing the log moment by moment. It sleeps
 * in poll; a timer runs only while moments are being shown. */
#ifndef HANDOFF_COMMAND_FULLSCREEN_H
#define HANDOFF_COMMAND_FULLSCREEN_H

#include <poll.h>
#include <sys/types.h>

#include "process/session.h"
#include "screen/walk.h"

enum news {
    NEWS_NONE,
    NEWS_SOME, /* the walk is to be drawn anew */
    NEWS_END,  /* there is nothing to walk through: leave */
};

/* What stands behind the walk. */
struct steering {
    void *context;
    /* Does what an action asks for, where the walk itself cannot. */
    void (*obey)(void *context, enum action action);
    /* Both NULL where nothing moves by itself (a saved log). */
    int (*descriptors)(void *context, struct pollfd *fds, int *timeout_ms); /* as session_descriptors() */
    enum news (*pump)(void *context); /* called whenever the loop goes round */
    void (*shown)(void *context);     /* the walk as it is now is on the screen; may be NULL */
};

/* The room that the descriptors have. */
enum { FULLSCREEN_DESCRIPTORS = SESSION_MAX_DESCRIPTORS };

/* Something that is seen to in every loop, also in one that lies over another. */
struct service {
    void *context;
    int (*descriptor)(const void *context, int *timeout_ms); /* lowers the timeout where need be */
    void (*pump)(void *context,
                 bool is_covered); /* whether the loop lies over the one that gave the service */
};
/* One at a time, from before fullscreen_run(); NULL ends it. SERVICE must stay until then. */
void fullscreen_serve(const struct service *service);

/* The terminal has to be open. Returns when the reader leaves, or the terminal is gone: then it is the
 * signal, or SIGHUP. 0 for a reader's leaving, and after NEWS_END. */
int fullscreen_run(struct walk *walk, const struct steering *steering);

/* Waits for a child that has the terminal meanwhile, and sees to the service: the child's status as waitpid()
 * gives it, or -1. */
int fullscreen_await(pid_t child);

/* The time by which the loop goes; only differences mean anything. */
int64_t fullscreen_clock_ms(void);

/* Shows the log from where the walk stands up to POSITION, moment by moment. */
void fullscreen_play(struct walk *walk, size_t position);

/* Opens the terminal for COMMAND; where that fails, says why and to use INSTEAD ("run") and ARGUMENT. */
bool fullscreen_open(const char *command, const char *instead, const char *argument, bool ascii);

#endif
