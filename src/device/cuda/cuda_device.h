/* The inside of the CUDA backend, shared by its files. */
#ifndef HANDOFF_DEVICE_CUDA_CUDA_DEVICE_H
#define HANDOFF_DEVICE_CUDA_CUDA_DEVICE_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <pthread.h>

#include "device/cuda/time_line.h"
#include "device/device.h"
#include "kernels/kernels.h"

/* Reading a GPU's clock as the host's. */
struct clock {
    struct conversation *conversation; /* page-locked, and on a stream of its own */
    cudaStream_t stream;
    int64_t asked, interval; /* host clock: when it was read last, or tried to; ns until the next time */
    uint64_t tick;           /* ns */
    struct time_line line;
};

/* One physical GPU that the rank uses. */
struct gpu {
    int physical;
    bool used;
    struct board *board;   /* the board's address on this GPU */
    cudaStream_t observer; /* non-blocking: nothing of the schedule is ever on it */
    struct clock clock;
    uint32_t *finished_blocks; /* on the GPU, by stream of the program: a kernel's that marks its own end */
};

/* Where a kernel that takes its time keeps what it will write. Used by one operation of a stream at a time;
 * older ones that became too small stay to the end. */
struct scratch {
    void *address;
    size_t bytes;
    struct scratch *older;
};

struct buffer {
    void *address;
    uint8_t *seen;    /* its first elements as last reported */
    uint8_t *written; /* whether anything wrote them */
};

/* An operation that was submitted and whose marks were not both reported. */
struct pending {
    uint32_t call;
    bool started;
    int64_t started_at; /* host clock */
};

/* The operations of one stream that are pending, in the order of submission: items[first] .. items[count -
 * 1]. */
struct lane {
    struct pending *items;
    size_t first, count, capacity;
};

/* A mark that was found. */
struct sighting {
    int64_t time;
    uint32_t call;
    uint8_t kind; /* RECORD_STARTED, RECORD_DONE */
};

struct observer {
    pthread_t thread;
    pthread_mutex_t lock; /* held while marks are looked at and reported; taken before INCOMING_LOCK */
    pthread_mutex_t
        incoming_lock; /* held for a moment: the host program's thread takes it at each submission */
    pthread_cond_t wake;
    bool running, ending, failed; /* failed: an error of the GPU was reported */
    _Atomic bool any;             /* an operation was submitted */
    uint32_t *incoming;           /* calls that were submitted and are in no lane yet */
    size_t incoming_count, incoming_capacity;
    struct lane *lanes; /* by stream of the program */
    _Atomic size_t pending_count;
    struct sighting *sightings;
    size_t sighting_count, sighting_capacity;
    uint8_t *staging; /* page-locked, for copies of buffers */
};

struct device {
    struct device_setup setup;
    const struct program *program;
    struct gpu gpus[SCHEDULE_MAX_GPUS]; /* by the program's number */
    int current;                        /* the physical GPU that is current in the host program's thread */

    cudaStream_t *streams; /* by stream, event, communicator, memory of the program */
    cudaEvent_t *events;
    ncclComm_t *communicators;
    pthread_mutex_t communicators_lock; /* held while one is used or taken away */
    struct buffer *buffers;
    pthread_mutex_t buffers_lock; /* held while an address or what was seen is used or changed */
    /* Held by the host program's thread in calls that may wait for work that is held at a gate with CUDA's
     * own locks taken, and by the observer while it makes calls of its own: it does not begin any meanwhile.
     */
    pthread_mutex_t quiet;
    struct scratch *scratches; /* by stream of the program */
    void **greetings;          /* by communicator: what its first transfers went to and from */

    uint8_t *snapshots;    /* page-locked: what operations wrote, as their marks saw it; NULL: nothing is */
    bool values_at_end;    /* nothing else says what buffers hold: nobody looks, or there is too much */
    uint64_t *snapshot_of; /* by call, from the rank's first: its place in snapshots */

    /* By call, from the rank's first: how many elements are not as expected. NULL where nobody looks. */
    struct {
        unsigned long long *on_gpu, *on_host;
    } differences;

    uint32_t group_depth;
    uint32_t *members; /* communication calls of the open group */
    uint32_t member_count, member_capacity;

    _Atomic bool interrupted;
    struct observer observer;
};

/* failure.c: errors with CUDA's and NCCL's own words. */
bool cuda_check(cudaError_t result, struct error *error, const char *call);
bool driver_check(CUresult result, struct error *error, const char *call);
bool nccl_check(ncclResult_t result, ncclComm_t communicator, struct error *error, const char *call);

/* clock.c */
int64_t host_clock(void); /* CLOCK_MONOTONIC, ns: the same in all processes */
bool clock_open(struct clock *clock, struct error *error);
void clock_close(struct clock *clock);
/* Asks the GPU again, if it is time to; the clock's GPU is current. True where it answered soon enough. */
bool clock_read_again(struct clock *clock, struct reading *reading);
void clock_adopt(struct clock *clock, const struct reading *reading);

bool gpu_make_current(struct device *device, const struct gpu *gpu, struct error *error);
/* Makes PHYSICAL current again, and passes FINE on. */
bool gpu_return_to(struct device *device, int physical, bool fine, struct error *error);
struct gpu *stream_gpu(struct device *device, uint32_t stream);
struct gpu *call_gpu(struct device *device, uint32_t call); /* its stream's */
/* On the observer's stream, which waits for no gate, and done on return. */
bool gpu_clear(const struct gpu *gpu, void *address, size_t bytes, struct error *error);
/* CALL: the one it is about, or NONE. */
void report_text(const struct device *device, uint8_t kind, uint32_t call, int64_t time, const char *bytes,
                 size_t length);

/* mark.c: what stands before and after each operation on its stream. A kernel that makes an operation by
 * itself writes its own marks: two launches more would cost more than it does. */
bool marks_open(struct device *device, struct error *error);
void marks_close(struct device *device);
/* Fails where the GPU has no gates and the run needs them. */
bool mark_try_gate(struct device *device, struct gpu *gpu, struct error *error);
bool mark_begin(struct device *device, uint32_t call, struct error *error);
bool mark_end(struct device *device, uint32_t call, struct error *error);
/* For the operation that is one kernel: the gate, and what the kernel itself is to write. It has to be asked
 * before whether a kernel can do that. */
bool mark_can_be_own(struct device *device, uint32_t call);
bool mark_own(struct device *device, uint32_t call, struct own_marks *marks, struct error *error);
/* For operations that take no time of their own: both marks in one. */
bool mark_instant(struct device *device, uint32_t call, struct error *error);
/* Where the call's return says that its operation is done: waits until the mark says so, too. */
void mark_await(struct device *device, uint32_t call);
/* Reports what the operation wrote, as it was when it was done. */
void report_snapshot(struct device *device, uint32_t call, int64_t time);

/* differ.c */
bool differences_open(struct device *device, struct error *error);
void differences_close(struct device *device);
bool differences_are_counted(const struct device *device, uint32_t call);
/* Puts the count behind the operation on its stream. */
bool differences_count(struct device *device, uint32_t call, struct error *error);
void differences_report(struct device *device, uint32_t call, int64_t time);

/* memory.c */
void *span_address(const struct device *device, const struct span *span);
/* The operation is done: what it writes holds something from now on. */
void note_written(struct device *device, uint32_t call);
void device_report_contents(struct device *device);
bool device_allocate(struct device *device, uint32_t memory, struct error *error);
bool device_release(struct device *device, uint32_t memory, struct error *error);
bool device_host_access(struct device *device, uint32_t call, struct error *error);
/* BYTES: those of the kept ones; not read where there are none. Caller holds buffers_lock. */
void report_elements(struct device *device, enum record_kind kind, uint32_t call, int64_t time,
                     const struct span *span, const void *bytes);

/* work.c */
void scratches_close(struct device *device);
bool device_launch(struct device *device, uint32_t call, struct error *error);
bool device_copy(struct device *device, uint32_t call, struct error *error);
bool device_set(struct device *device, uint32_t call, struct error *error);

/* transfer.c */
bool device_make_id(struct device *device, unsigned char *id, struct error *error);
bool device_connect(struct device *device, uint32_t communicator, const unsigned char *id,
                    struct error *error);
bool device_destroy(struct device *device, uint32_t communicator, struct error *error);
bool device_abort(struct device *device, uint32_t communicator, struct error *error);
bool device_communicate(struct device *device, uint32_t call, struct error *error);
bool device_group_start(struct device *device, uint32_t call, struct error *error);
bool device_group_end(struct device *device, uint32_t call, struct error *error);
void abort_communicators(struct device *device);
/* Waits for the peers to do so, too: at the end of a run that went well. */
void destroy_communicators(struct device *device);

/* wait.c */
bool device_record(struct device *device, uint32_t call, struct error *error);
bool device_wait(struct device *device, uint32_t call, struct error *error);
bool device_synchronize(struct device *device, uint32_t call, struct error *error);

/* observer.c: the thread that reads marks and looks at buffers. */
bool observer_open(struct device *device, struct error *error);
void observer_close(struct device *device);
/* From now on the operation's marks are waited for. */
void observer_expect(struct device *device, uint32_t call);
/* Reports every mark that is there, so that what a blocking call waited for is reported before its return. */
/* Returns whether there was one. */
bool observer_look(struct device *device);

#endif
