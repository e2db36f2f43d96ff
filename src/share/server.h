/* A session as others see it: the presenter's process gives what it shows to any number of followers. It
 * never waits for one. What travels, as lines of JSON: docs/log-format.md. */
#ifndef HANDOFF_SHARE_SERVER_H
#define HANDOFF_SHARE_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "log/log.h"

enum {
    SHARE_MAX_FOLLOWERS = 128, /* the presenter's notes included */
    SHARE_PATIENCE_MS = 3000,  /* a follower that takes nothing for so long is dropped */
};

struct share;

/* NAME: fit, as session_name_is_fit(). GROUP: NULL, or the group whose members may follow too. Nothing is
 * sent before the first share_begin(). */
struct share *share_open(const char *name, const char *group, struct error *error);
/* Says the end to all. One that does not take it at once is waited for a fifth of a second at most. */
void share_close(struct share *share);

const char *share_name(const struct share *share);
/* Without the presenter's notes. */
size_t share_follower_count(const struct share *share);

/* To poll for, and how long poll may sleep at most (-1: as long as it likes). */
int share_descriptor(const struct share *share);
int share_timeout_ms(const struct share *share);

/* Takes in who comes, who goes and what the presenter's notes ask for; sends what is left over. */
void share_pump(struct share *share);
/* The next key that the notes ask for: one of SHARE_KEYS; 0 for none. */
#define SHARE_KEYS "nbra"
char share_key(struct share *share);

/* A run begins: its records follow. The one before is no longer told to who comes later. */
void share_begin(struct share *share, const struct log_header *header);
/* The presenter's screen shows the log as far as POSITION, and ANSWERED of the step's questions with their
 * answers. */
void share_show(struct share *share, const struct log *log, size_t position, size_t answered);

#endif
