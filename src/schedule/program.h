/* A schedule under one choice of variants: names bound to things, `repeat` unrolled. This is what everything
 * else reads: each rank's host program is a list of calls, and a call has one number that names it everywhere
 * (in the order graph, on the board, in the log). Immutable; all of it is freed by program_free(). */
#ifndef HANDOFF_SCHEDULE_PROGRAM_H
#define HANDOFF_SCHEDULE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedule/schedule.h"

#define NONE UINT32_MAX

enum call_kind {
    CALL_USE_GPU,
    CALL_COMM,
    CALL_BUFFER,
    CALL_HOST,
    CALL_MANAGED,
    CALL_STREAM,
    CALL_LAUNCH,
    CALL_SEND,
    CALL_RECV,
    CALL_ALLREDUCE,
    CALL_BROADCAST,
    CALL_GROUP,
    CALL_GROUP_END,
    CALL_RECORD,
    CALL_WAIT,
    CALL_COPY,
    CALL_SET,
    CALL_SYNC_STREAM,
    CALL_SYNC_EVENT,
    CALL_SYNC_DEVICE,
    CALL_POLL_STREAM,
    CALL_POLL_EVENT,
    CALL_QUERY_STREAM,
    CALL_QUERY_EVENT,
    CALL_READ,
    CALL_WRITE,
    CALL_BARRIER,
    CALL_FREE,
    CALL_DESTROY,
    CALL_ABORT,
    CALL_KIND_COUNT
};

enum element_type {
    TYPE_INT8,
    TYPE_UINT8,
    TYPE_INT32,
    TYPE_UINT32,
    TYPE_INT64,
    TYPE_UINT64,
    TYPE_FLOAT16,
    TYPE_BFLOAT16,
    TYPE_FLOAT32,
    TYPE_FLOAT64,
    TYPE_COUNT
};

enum memory_kind { MEMORY_DEVICE, MEMORY_PINNED, MEMORY_PAGEABLE, MEMORY_MANAGED };

/* A buffer, host memory or managed memory of one rank: one for each declaration, also when a `repeat` makes
 * it again and again. */
struct memory {
    const char *name;
    uint32_t declared; /* statement */
    uint32_t count;    /* elements */
    uint16_t rank, gpu;
    uint8_t kind, type; /* enum memory_kind, enum element_type */
};

struct stream {
    const char *name; /* "default" for the legacy default stream, which each GPU a rank uses has */
    uint16_t rank, gpu;
    bool nonblocking, is_default;
};

struct event {
    const char *name;
    uint16_t rank;
    uint16_t
        gpu; /* it can be recorded on its streams alone: that of the first `record`, or the rank's first */
};

struct communicator {
    const char *name; /* [0] is "world" */
    bool from_start;  /* named before any `rank`, or world; else each rank makes it with a call of its own */
};

enum access { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_ACCUMULATE = 4, ACCESS_CHANGE = 2 | 4 };

/* COUNT elements of a memory from FIRST on, and what the call does with them. */
struct span {
    uint32_t memory, first, count;
    uint32_t access; /* bits of enum access; allreduce is READ | WRITE */
};

/* One line of the source with its names bound. Fields that the kind does not use are 0 or NONE. */
struct statement {
    uint8_t kind;  /* enum call_kind */
    uint8_t value; /* set */
    uint16_t rank;
    uint16_t gpu;          /* the device that is current at the call (after it, for use gpu) */
    uint16_t peer;         /* send, recv: the other rank; broadcast: the root */
    uint32_t line, column; /* within the schedule's text */
    uint32_t stream; /* index into streams. A copy or set without a stream has its device's default stream */
    uint32_t event, communicator, memory; /* memory: declared or freed */
    uint32_t first_span, span_count;      /* in the order of the line; a copy: source, then destination */
    uint32_t kernel;                      /* index into kernels */
    bool has_stream;                      /* copy, set: a stream was written */
    bool in_group;     /* between group and end: a communication call is submitted by the outermost end */
    uint64_t takes_ns; /* launch, send: 0 where none was given */
};

/* One call of one host program. TURN counts from 0 the calls of the rank before it that stand for the same
 * source of values: launches of the same kernel, host writes. */
struct call {
    uint32_t statement;
    uint32_t turn;
};

struct rank {
    uint32_t first_call, call_count; /* its calls are first_call .. first_call + call_count - 1, in order */
    uint16_t gpu;                    /* the device its host program starts on */
};

struct program {
    const struct schedule *schedule;
    uint32_t variants; /* the set that is on */
    uint32_t rank_count, call_count, statement_count, span_count, memory_count, stream_count, event_count,
        communicator_count, kernel_count;
    struct rank *ranks;
    struct call *calls;
    struct statement *statements;
    struct span *spans;
    struct memory *memories;
    struct stream *streams;
    struct event *events;
    struct communicator *communicators;
    uint16_t *communicator_gpus; /* communicator_gpu() reads it */
    const char **kernels;        /* names */
    void *storage;               /* resolve.c's */
};

/* Binds and unrolls. The schedule must outlive the program. NULL if DIAGNOSTICS got something. */
struct program *program_resolve(const struct schedule *schedule, uint32_t variants,
                                struct diagnostics *diagnostics);
void program_free(struct program *program);

static inline const struct statement *call_statement(const struct program *program, uint32_t call)
{
    return &program->statements[program->calls[call].statement];
}

/* A communicator belongs to one GPU of each rank: the one that is current where the rank makes it. Of one
 * that the rank leaves out, the one that the rank begins on. */
static inline uint16_t communicator_gpu(const struct program *program, uint32_t communicator, uint32_t rank)
{
    return program->communicator_gpus[(size_t)communicator * program->rank_count + rank];
}

/* Whether the call puts an operation on a stream, other than the host's own work. A `copy` between host
 * memories is an operation on its stream too. */
bool call_is_operation(const struct statement *statement);
bool call_is_transfer(const struct statement *statement);      /* send, recv */
bool call_is_collective(const struct statement *statement);    /* allreduce, broadcast */
bool call_is_communication(const struct statement *statement); /* either */

/* The call that opened the group that END closes. */
uint32_t group_start(const struct program *program, uint32_t end);

enum copy_direction { COPY_HOST_TO_HOST, COPY_HOST_TO_DEVICE, COPY_DEVICE_TO_HOST, COPY_DEVICE_TO_DEVICE };
/* Managed memory counts as the device's. */
enum copy_direction copy_direction(const struct program *program, const struct statement *copy);

const char *call_kind_name(enum call_kind kind); /* the statement's word: "send", "sync", ... */
const char *element_type_name(enum element_type type);
uint32_t element_size(enum element_type type); /* bytes */
uint64_t span_bytes(const struct program *program, const struct span *span);

/* The call in the words of the language, without the rank: "recv x from 0 on comm". Names are plain ASCII. */
void call_describe(const struct program *program, uint32_t call, struct text *out);

#endif
