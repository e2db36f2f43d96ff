/* "Measured" is on one NVIDIA H200 with NCCL 2.28.3, two processes and the socket transport
 * (docs/measured.md). What is chosen is for the eye: real kernels take from microseconds to seconds. */
#include "device/sim/cost.h"

#define MICROSECOND INT64_C(1000)
#define MILLISECOND (1000 * MICROSECOND)

static const int64_t call_costs[CALL_KIND_COUNT] = {
    [CALL_USE_GPU] = 1 * MICROSECOND,      /* chosen: it sets a variable of the thread */
    [CALL_COMM] = 1 * MILLISECOND,         /* chosen; what it waits for is more */
    [CALL_BUFFER] = 400 * MICROSECOND,     /* measured: cudaMalloc with work under way */
    [CALL_HOST] = 400 * MICROSECOND,       /* chosen, as cudaMalloc: page-locking takes as long */
    [CALL_MANAGED] = 400 * MICROSECOND,    /* chosen, as cudaMalloc */
    [CALL_STREAM] = 50 * MICROSECOND,      /* chosen */
    [CALL_LAUNCH] = 10 * MICROSECOND,      /* chosen: launches are known to take some microseconds */
    [CALL_SEND] = 90 * MICROSECOND,        /* measured: ncclSend returned after 0.09 ms */
    [CALL_RECV] = 50 * MICROSECOND,        /* measured: ncclRecv returned after 0.05 ms */
    [CALL_ALLREDUCE] = 90 * MICROSECOND,   /* chosen, as ncclSend */
    [CALL_BROADCAST] = 90 * MICROSECOND,   /* chosen, as ncclSend */
    [CALL_GROUP] = 1 * MICROSECOND,        /* chosen: it counts */
    [CALL_GROUP_END] = 50 * MICROSECOND,   /* chosen: it submits what the group holds */
    [CALL_RECORD] = 5 * MICROSECOND,       /* chosen */
    [CALL_WAIT] = 5 * MICROSECOND,         /* chosen */
    [CALL_COPY] = 10 * MICROSECOND,        /* chosen, as a launch */
    [CALL_SET] = 10 * MICROSECOND,         /* chosen, as a launch */
    [CALL_SYNC_STREAM] = 5 * MICROSECOND,  /* measured: from a mark on the board to whoever reads it */
    [CALL_SYNC_EVENT] = 5 * MICROSECOND,   /* the same */
    [CALL_SYNC_DEVICE] = 5 * MICROSECOND,  /* the same */
    [CALL_POLL_STREAM] = 5 * MICROSECOND,  /* the same */
    [CALL_POLL_EVENT] = 5 * MICROSECOND,   /* the same */
    [CALL_QUERY_STREAM] = 5 * MICROSECOND, /* the same */
    [CALL_QUERY_EVENT] = 5 * MICROSECOND,  /* the same */
    [CALL_READ] = 10 * MICROSECOND,        /* chosen: no time for so few elements, but to be seen */
    [CALL_WRITE] = 10 * MICROSECOND,       /* chosen, as read */
    [CALL_BARRIER] = 20 * MICROSECOND,     /* chosen: a message between processes */
    [CALL_FREE] = 200 * MICROSECOND,       /* chosen; what it waits for is more */
    [CALL_DESTROY] = 1 * MILLISECOND,      /* chosen */
    [CALL_ABORT] = 500 * MILLISECOND,      /* measured: ncclCommAbort took 0.5 s */
};

int64_t cost_of_fork(void)
{
    return 1 * MILLISECOND; /* chosen: below that on an idle machine */
}

int64_t cost_of_id(void)
{
    return 1 * MILLISECOND; /* chosen */
}

int64_t cost_of_connect(void)
{
    return 300 * MILLISECOND; /* measured: 0.3 to 0.4 s */
}

int64_t cost_of_call(const struct statement *statement)
{
    return call_costs[statement->kind];
}

int64_t cost_between_calls(void)
{
    return 1 * MICROSECOND; /* chosen: so that a call has returned before the next is entered */
}

int64_t cost_of_start(void)
{
    return 5 * MICROSECOND; /* measured: from opening a stream's gate to its mark */
}

int64_t cost_of_abort(void)
{
    return 1 * MICROSECOND; /* chosen: the abort itself takes the time */
}

/* NANOSECONDS plus BYTES at so many bytes a microsecond. */
static int64_t latency_and_bytes(int64_t nanoseconds, uint64_t bytes, int64_t bytes_a_microsecond)
{
    return nanoseconds + (int64_t)bytes * MICROSECOND / bytes_a_microsecond;
}

int64_t cost_of_operation(const struct program *program, const struct statement *statement, uint64_t bytes)
{
    if (statement->takes_ns)
        return (int64_t)statement->takes_ns;
    switch (statement->kind) {
    case CALL_LAUNCH:
        return 2 * MILLISECOND; /* chosen: longer than the calls, so that the two can be told apart */
    case CALL_SEND:
    case CALL_RECV:
        /* Measured: 16 bytes well under 1 ms, 64 MiB 26 to 30 ms. */
        return latency_and_bytes(500 * MICROSECOND, bytes, 2400);
    case CALL_BROADCAST:
        return latency_and_bytes(500 * MICROSECOND, bytes, 2400); /* as a send */
    case CALL_ALLREDUCE:
        /* Chosen: a ring carries nearly twice the bytes. */
        return latency_and_bytes(500 * MICROSECOND,
                                 2 * bytes * (program->rank_count - 1) / program->rank_count, 2400);
    case CALL_COPY:
        /* Measured: a small buffer came out in 0.05 ms. Chosen: 25 GB/s, as PCIe of the fourth generation. */
        return latency_and_bytes(50 * MICROSECOND, bytes, 25000);
    case CALL_SET:
        return latency_and_bytes(50 * MICROSECOND, bytes, 1000000); /* chosen: a GPU's own memory */
    default:
        return 2 * MICROSECOND; /* chosen: record and wait do no work */
    }
}
