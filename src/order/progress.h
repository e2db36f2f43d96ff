/* How far a host program has come while its calls are gone through one after another: what stands last in
 * each stream, and which streams got work since something last waited for them. The rules read it. */
#ifndef HANDOFF_ORDER_PROGRESS_H
#define HANDOFF_ORDER_PROGRESS_H

#include "order/order.h"

/* What a stream may have got work since. Each list names a stream once, so that whoever waits for "all
 * earlier work" waits only for streams with work that it did not wait for before. */
enum fresh_list {
    FRESH_FOR_DEFAULT,      /* blocking streams: the last operation on the default stream */
    FRESH_FOR_DEFAULT_SYNC, /* blocking streams: that, or the last time the host waited for it */
    FRESH_FOR_DEVICE_SYNC,  /* any stream: the last `sync device` */
    FRESH_FOR_ALLOCATION,   /* any stream: the last `free` or `buffer` */
    FRESH_LIST_COUNT
};

struct stream_progress {
    uint32_t last;   /* the operation whose DONE ends the stream's work so far: for members of a group of one
                        communicator its end; NONE */
    uint32_t serial; /* when that was submitted */
    uint32_t next_fresh[FRESH_LIST_COUNT];
    bool fresh[FRESH_LIST_COUNT];
    bool in_group;        /* it is among the group's streams */
    uint32_t last_member; /* of the group, among those gone through so far; NONE */
};

struct device_progress {
    uint32_t first_fresh[FRESH_LIST_COUNT]; /* streams; NONE */
    uint32_t last_default, default_serial;  /* the last operation on the default stream; NONE */
    uint32_t last_communication;            /* the last group's end or communication outside one; NONE */
};

/* A stream's last work on a communicator. */
struct communicator_work {
    uint32_t operation, stream, next;
};

struct progress {
    const struct program *program;
    struct stream_progress *streams;
    struct device_progress devices[SCHEDULE_MAX_GPUS]; /* of the rank at hand */
    uint32_t *recorded;                                /* by event: its latest record; NONE */
    uint32_t *first_work;                              /* by communicator, of the rank at hand; NONE */
    struct communicator_work *work;
    uint32_t work_count, work_capacity;
    uint32_t *members; /* communication calls since the outermost `group` */
    uint32_t member_count, member_capacity;
    uint32_t *group_streams; /* that the members are on, each once */
    uint32_t group_stream_count, group_stream_capacity;
    uint32_t depth; /* of groups */
    uint32_t serial;
};

void progress_open(struct progress *progress, const struct program *program);
void progress_close(struct progress *progress);
void progress_begin_rank(struct progress *progress);

struct device_progress *progress_device(struct progress *progress, uint32_t stream);

/* STREAM's work now ends with OPERATION. */
void progress_submit(struct progress *progress, uint32_t stream, uint32_t operation);

/* The blocking STREAM's work counts as done before that of the default stream, if the latest of that is a
 * member of the group that ends with END. */
void progress_put_before_default(struct progress *progress, uint32_t stream, uint32_t end,
                                 const uint32_t *bound);

/* Takes all streams off a list. */
void progress_clear_fresh(struct progress *progress, struct device_progress *device, enum fresh_list list);

void progress_add_member(struct progress *progress, uint32_t call);
/* The group has ended: there are no members any more. */
void progress_clear_group(struct progress *progress);

/* OPERATION is the stream's latest work on the communicator. */
void progress_add_work(struct progress *progress, uint32_t communicator, uint32_t stream, uint32_t operation);

#endif
