/* One event of a run. A log is a header and then records in the order in which they became known; it is the
 * only thing that screen, text, JSON, replay and followers read. The file format: docs/log-format.md. */
#ifndef HANDOFF_LOG_RECORD_H
#define HANDOFF_LOG_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "schedule/program.h"

enum record_kind {
    RECORD_FORKED,       /* rank, number: pid */
    RECORD_EXITED,       /* rank, number: exit status, or minus the signal that ended it */
    RECORD_ID_MADE,      /* rank 0: NCCL's 128-byte unique id */
    RECORD_ID_PASSED,    /* rank: who read it from the pipe */
    RECORD_INITIALISING, /* rank, communicator: entered ncclCommInitRank, which needs every rank */
    RECORD_READY,        /* rank, communicator */
    RECORD_CALLED,       /* rank, call: the host program entered it */
    RECORD_RETURNED,     /* rank, call */
    RECORD_SUBMITTED, /* rank, call: the operation stands in its stream; members of a group at the outermost
                         end */
    RECORD_STARTED,   /* rank, call */
    RECORD_WAITING,   /* rank, call, point: it started or was entered, and is held until POINT happens (NONE:
                         nothing   can make it happen); rule says by which rule */
    RECORD_DONE,      /* rank, call; for `record`, the event is complete */
    RECORD_WRITTEN, /* rank, call, memory, first, count, bytes: elements FIRST.. of the memory now hold BYTES
                     */
    RECORD_HOST_READ, /* the same fields: what the host program's `read` found. BYTES has 0 where nothing ever
                         wrote */
    RECORD_FREED,     /* rank, call, memory */
    RECORD_HELD,      /* rank, call: its gate is closed, it would go on otherwise */
    RECORD_RELEASED,  /* rank, call: a person opened its gate */
    RECORD_OUTPUT,    /* rank, text: a line that the worker or a library in it printed */
    RECORD_ERROR,     /* rank or NONE, call or NONE, text */
    RECORD_NOTE,      /* text: the launcher's own word, such as which backend was taken and why */
    RECORD_STEP,      /* number: the lesson's step (from 0) that is reached from here on */
    RECORD_OUTCOME,   /* number: enum outcome. The last record */
    RECORD_KIND_COUNT
};

enum outcome { OUTCOME_NONE, OUTCOME_FINISHED, OUTCOME_STUCK, OUTCOME_FAILED };

#define TIME_NONE INT64_MIN           /* it has not happened */
#define TIME_FURTHEST (INT64_MAX / 4) /* from 0, so that the difference of any two times fits */

struct record {
    int64_t time; /* ns. 0 is the moment when every rank's communicator is ready; setting up is before it */
    uint8_t kind;
    uint8_t rule;
    uint32_t rank, call, point, communicator;
    uint32_t memory, first, count;
    int64_t number;
    size_t length;
    const char *bytes; /* LENGTH bytes: elements as in memory, or text. Owned by whoever hands the record
                          over: copy what must outlive the call. Untrusted */
};

/* A log keeps the values of the first elements of each memory: BYTES of a record has those of its COUNT
 * elements that lie below this one, and no others. */
enum { VIEW_ELEMENTS = 1024 };

/* How many of the COUNT elements from FIRST on have their values in the log. */
static inline uint32_t kept_count(uint32_t first, uint32_t count)
{
    if (first >= VIEW_ELEMENTS)
        return 0;
    return count < VIEW_ELEMENTS - first ? count : VIEW_ELEMENTS - first;
}

/* What was run, once, at the head of a log. The texts are untrusted. */
struct log_header {
    char *file;   /* as the user named it */
    char *lesson; /* the whole text of the lesson; NULL for a bare schedule */
    size_t lesson_length;
    char *schedule; /* the text of the schedule */
    size_t schedule_length;
    uint32_t schedule_first_line;
    char *variants; /* "no-wait,one-stream"; "" for none */
    char *backend;  /* "simulated", or "cuda: NVIDIA H200 ..." */
    bool eager;
    uint16_t gpus[SCHEDULE_MAX_GPUS]; /* by the program's GPU number: which one of the machine it was */
    size_t gpu_count;
};

#endif
