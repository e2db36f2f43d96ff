/* A session as a follower receives it. Everything that comes is untrusted: each line is checked as a saved
 * log's are, and what is kept has bounds. */
#ifndef HANDOFF_SHARE_STREAM_H
#define HANDOFF_SHARE_STREAM_H

#include "log/log.h"

enum {
    FEED_MAX_LINE = 8 << 20,
    FEED_MAX_BYTES = 256 << 20, /* of one run */
    FEED_MAX_CALLS = 1 << 20,
};

struct feed {
    char *name;            /* visible already; NULL before the first line */
    int64_t began;         /* seconds since 1970 */
    struct log_input *run; /* what is shown; NULL before the first */
    size_t position;       /* how far into the log the presenter looks, at most its length */
    size_t answered;       /* of the step's questions */
    bool is_over;          /* the end was said */
    struct error refusal;  /* and it was said before anything else: why; else empty */

    /* Called when a run has begun, before the one before it is freed. */
    void (*begun)(void *context, struct log_input *run);
    void *context;

    struct text pending, storage; /* a line's beginning, a record's bytes */
    size_t run_bytes;
};

/* Zero-initialise and set BEGUN and CONTEXT; feed_free() gives it back. Takes in what was received; false
 * and ERROR where it is not what a session says: nothing more can be made of the feed then. */
bool feed_take(struct feed *feed, const char *bytes, size_t length, struct error *error);
void feed_free(struct feed *feed);

#endif
