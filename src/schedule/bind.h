/* Turns lines into statements: what resolve.c keeps while it walks one rank's lines after the other's. */
#ifndef HANDOFF_SCHEDULE_BIND_H
#define HANDOFF_SCHEDULE_BIND_H

#include "schedule/names.h"

/* A name that stood for nothing when it was used; judged when the whole rank was seen. */
struct unknown_use {
    struct word word;
    uint32_t name, line;
    bool line_is_on;
};

struct binder {
    const struct schedule *schedule;
    struct program *program;
    struct diagnostics *diagnostics;
    uint32_t variants;
    struct line line;    /* the one that is bound now */
    struct names shared; /* communicators and kernels */
    uint32_t call_capacity, statement_capacity, span_capacity, memory_capacity, stream_capacity,
        event_capacity, communicator_capacity, kernel_capacity;
    bool is_incomplete; /* a statement names what stands for nothing, whether that is told or not */

    /* Of the rank that is bound now. */
    uint16_t rank, gpu;
    struct names names;
    uint32_t default_streams[SCHEDULE_MAX_GPUS]; /* NONE: the rank has not used the device yet */
    uint32_t group_depth;
    struct unknown_use *unknown;
    size_t unknown_count, unknown_capacity;

    /* By line, while lines are bound for the second time: the latest statement of the line. NULL where the
     * schedule repeats nothing. */
    uint32_t *line_statements;
};

void binder_fault(struct binder *binder, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The name in the current rank; new where the rank had not used it. Valid until the next call. */
struct name *binder_name(struct binder *binder, enum sort sort, struct word word);

/* Whether a communicator of this name is there from the start. */
bool binder_is_from_start(struct binder *binder, struct word word);

/* The statement that the line became before, when a `repeat` binds it again; or NULL. */
const struct statement *binder_earlier_statement(const struct binder *binder);

/* Declare what the line declares, unless that is a fault, which is said. */
void bind_declared_memory(struct binder *binder, struct statement *statement);
void bind_declared_stream(struct binder *binder, struct statement *statement);
void bind_declared_communicator(struct binder *binder, struct statement *statement);

/* The communicator that is there from the start. */
void bind_world(struct binder *binder);
void bind_begin_rank(struct binder *binder, uint16_t rank);
/* Says which names the rank used without declaring them. */
void bind_end_rank(struct binder *binder);

/* Makes a device current; its default stream is there from then on. */
void bind_use_gpu(struct binder *binder, uint16_t gpu);

/* `comm NAME` before any rank. */
void bind_communicator_from_start(struct binder *binder);

/* The statement of the binder's line; NONE where it has a fault. */
uint32_t bind_line(struct binder *binder);

/* Looks only at the names of a line that is switched off. */
void bind_off_line(struct binder *binder);

/* A line whose keyword nobody knows may have been meant to declare the name that follows it. */
void bind_unknown_line(struct binder *binder);

void binder_free(struct binder *binder);

#endif
