/* NCCL: communicators, sends, receives and collectives. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "device/cuda/cuda_device.h"
#include "kernels/kernels.h"

_Static_assert(sizeof(ncclUniqueId) == COMMUNICATOR_ID_BYTES, "an id is 128 bytes");

static const ncclDataType_t nccl_types[TYPE_COUNT] = {
    [TYPE_INT8] = ncclInt8,       [TYPE_UINT8] = ncclUint8,       [TYPE_INT32] = ncclInt32,
    [TYPE_UINT32] = ncclUint32,   [TYPE_INT64] = ncclInt64,       [TYPE_UINT64] = ncclUint64,
    [TYPE_FLOAT16] = ncclFloat16, [TYPE_BFLOAT16] = ncclBfloat16, [TYPE_FLOAT32] = ncclFloat32,
    [TYPE_FLOAT64] = ncclFloat64,
};

bool device_make_id(struct device *device, unsigned char *id, struct error *error)
{
    (void)device;
    ncclUniqueId made;
    if (!nccl_check(ncclGetUniqueId(&made), NULL, error, "ncclGetUniqueId")) {
        return false;
    }
    memcpy(id, &made, sizeof made);
    return true;
}

/* A byte to and from every peer that the schedule has this rank talk to on the communicator. */
static bool greet_peers(struct device *device, uint32_t number, uint8_t *scratch, cudaStream_t stream,
                        struct error *error)
{
    const struct program *program = device->program;
    ncclComm_t communicator = device->communicators[number];
    bool talks[SCHEDULE_MAX_RANKS] = {0};
    for (uint32_t i = 0; i < program->statement_count; i++) {
        const struct statement *statement = &program->statements[i];
        if (call_is_transfer(statement) && statement->communicator == number) {
            talks[statement->peer] |= statement->rank == device->setup.rank;
            talks[statement->rank] |= statement->peer == device->setup.rank;
        }
    }
    bool fine = nccl_check(ncclGroupStart(), communicator, error, "ncclGroupStart");
    for (uint32_t peer = 0; fine && peer < program->rank_count; peer++) {
        fine = !talks[peer] ||
               (nccl_check(ncclSend(scratch, 1, ncclInt8, (int)peer, communicator, stream), communicator,
                           error, "ncclSend") &&
                nccl_check(ncclRecv(scratch + 1 + peer, 1, ncclInt8, (int)peer, communicator, stream),
                           communicator, error, "ncclRecv"));
    }
    return nccl_check(ncclGroupEnd(), communicator, fine ? error : &(struct error){0}, "ncclGroupEnd") &&
           fine;
}

static bool collect(struct device *device, const struct statement *statement, void *buffer,
                    cudaStream_t stream, struct error *error)
{
    const struct span *span = &device->program->spans[statement->first_span];
    ncclDataType_t type = nccl_types[device->program->memories[span->memory].type];
    ncclComm_t communicator = device->communicators[statement->communicator];
    if (statement->kind == CALL_ALLREDUCE) {
        return nccl_check(ncclAllReduce(buffer, buffer, span->count, type, ncclSum, communicator, stream),
                          communicator, error, "ncclAllReduce");
    }
    return nccl_check(ncclBroadcast(buffer, buffer, span->count, type, statement->peer, communicator, stream),
                      communicator, error, "ncclBroadcast");
}

static bool is_collective_of(const struct statement *statement, uint32_t communicator)
{
    return call_is_collective(statement) && statement->communicator == communicator;
}

/* NCCL connects a communicator when an algorithm is used first, and an algorithm is chosen by size. So every
 * rank makes every collective of the schedule once, whichever rank it stands in. */
static bool rehearse_collectives(struct device *device, uint32_t number, void *scratch, cudaStream_t stream,
                                 struct error *error)
{
    const struct program *program = device->program;
    for (uint32_t i = 0; i < program->statement_count; i++) {
        const struct statement *statement = &program->statements[i];
        if (is_collective_of(statement, number) && !collect(device, statement, scratch, stream, error)) {
            return false;
        }
    }
    return true;
}

static size_t rehearsal_bytes(const struct program *program, uint32_t communicator)
{
    size_t most = SCHEDULE_MAX_RANKS + 1;
    for (uint32_t i = 0; i < program->statement_count; i++) {
        const struct statement *statement = &program->statements[i];
        if (is_collective_of(statement, communicator)) {
            size_t bytes = (size_t)span_bytes(program, &program->spans[statement->first_span]);
            most = bytes > most ? bytes : most;
        }
    }
    return most;
}

/* Connects whatever the schedule will use, while nothing is held: NCCL connects at the first use, and then
 * blocks the host until the peer does too (facts in docs/measured.md). What the greetings went to is freed in
 * the end: to free it now would wait for all that runs on the GPU. */
static bool warm_up(struct device *device, uint32_t number, struct error *error)
{
    size_t bytes = rehearsal_bytes(device->program, number);
    cudaStream_t stream =
        device->gpus[communicator_gpu(device->program, number, device->setup.rank)].observer;
    pthread_mutex_lock(&device->quiet);
    bool fine = cuda_check(cudaMalloc(&device->greetings[number], bytes), error, "cudaMalloc");
    pthread_mutex_unlock(&device->quiet);
    void *scratch = device->greetings[number];
    return fine && cuda_check(cudaMemsetAsync(scratch, 0, bytes, stream), error, "cudaMemsetAsync") &&
           greet_peers(device, number, scratch, stream, error) &&
           rehearse_collectives(device, number, scratch, stream, error) &&
           cuda_check(cudaStreamSynchronize(stream), error, "cudaStreamSynchronize");
}

bool device_connect(struct device *device, uint32_t number, const unsigned char *id, struct error *error)
{
    ncclUniqueId received;
    memcpy(&received, id, sizeof received);
    ncclComm_t communicator = NULL;
    if (!nccl_check(ncclCommInitRank(&communicator, (int)device->program->rank_count, received,
                                     (int)device->setup.rank),
                    communicator, error, "ncclCommInitRank")) {
        return false;
    }
    device->communicators[number] = communicator;
    return warm_up(device, number, error);
}

/* Interrupting waits for a submission to be over, but not for ever. */
enum { PATIENCE_SECONDS = 1 };

static ncclComm_t take_communicator(struct device *device, uint32_t number)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += PATIENCE_SECONDS;
    bool locked = pthread_mutex_timedlock(&device->communicators_lock, &deadline) == 0;
    ncclComm_t communicator = device->communicators[number];
    device->communicators[number] = NULL;
    if (locked) {
        pthread_mutex_unlock(&device->communicators_lock);
    }
    return communicator;
}

bool device_destroy(struct device *device, uint32_t number, struct error *error)
{
    ncclComm_t communicator = take_communicator(device, number);
    if (!communicator) {
        return error_set(error, "ncclCommDestroy: the communicator is not there any more");
    }
    return nccl_check(ncclCommDestroy(communicator), NULL, error, "ncclCommDestroy");
}

bool device_abort(struct device *device, uint32_t number, struct error *error)
{
    ncclComm_t communicator = take_communicator(device, number);
    if (!communicator) {
        return error_set(error, "ncclCommAbort: the communicator is not there any more");
    }
    return nccl_check(ncclCommAbort(communicator), NULL, error, "ncclCommAbort");
}

static void end_communicators(struct device *device, ncclResult_t (*end)(ncclComm_t))
{
    for (uint32_t i = 0; i < device->program->communicator_count; i++) {
        ncclComm_t communicator = take_communicator(device, i);
        if (communicator)
            end(communicator);
    }
}

void abort_communicators(struct device *device)
{
    end_communicators(device, ncclCommAbort);
}

void destroy_communicators(struct device *device)
{
    end_communicators(device, ncclCommDestroy);
}

static bool submit(struct device *device, uint32_t call, struct error *error)
{
    const struct statement *statement = call_statement(device->program, call);
    const struct span *span = &device->program->spans[statement->first_span];
    void *buffer = span_address(device, span);
    ncclDataType_t type = nccl_types[device->program->memories[span->memory].type];
    ncclComm_t communicator = device->communicators[statement->communicator];
    cudaStream_t stream = device->streams[statement->stream];
    if (!communicator) {
        return error_set(error, "the communicator is not there any more");
    }
    switch (statement->kind) {
    case CALL_SEND:
        return nccl_check(ncclSend(buffer, span->count, type, statement->peer, communicator, stream),
                          communicator, error, "ncclSend");
    case CALL_RECV:
        return nccl_check(ncclRecv(buffer, span->count, type, statement->peer, communicator, stream),
                          communicator, error, "ncclRecv");
    default:
        return collect(device, statement, buffer, stream, error);
    }
}

static bool submit_locked(struct device *device, uint32_t call, struct error *error)
{
    pthread_mutex_lock(&device->communicators_lock);
    bool fine = submit(device, call, error);
    pthread_mutex_unlock(&device->communicators_lock);
    return fine;
}

/* A send that `takes` T is on its way for T at least, as in the simulator. */
static bool begin_transfer(struct device *device, uint32_t call, struct error *error)
{
    const struct statement *statement = call_statement(device->program, call);
    return mark_begin(device, call, error) &&
           (statement->takes_ns == 0 ||
            cuda_check(kernel_delay(statement->takes_ns, device->streams[statement->stream]), error,
                       "launch of a delay"));
}

/* A member is kept for the outermost end, which is when NCCL submits it: so no group is open while the host
 * program is held between its calls. */
bool device_communicate(struct device *device, uint32_t call, struct error *error)
{
    if (call_statement(device->program, call)->in_group) {
        ARRAY_RESERVE(device->members, device->member_count, device->member_capacity);
        device->members[device->member_count++] = call;
        return true;
    }
    return begin_transfer(device, call, error) && submit_locked(device, call, error) &&
           mark_end(device, call, error);
}

bool device_group_start(struct device *device, uint32_t call, struct error *error)
{
    (void)call;
    (void)error;
    device->group_depth++;
    return true;
}

static bool for_each_member(struct device *device, bool (*act)(struct device *, uint32_t, struct error *),
                            struct error *error)
{
    for (uint32_t i = 0; i < device->member_count; i++) {
        if (!act(device, device->members[i], error)) {
            return false;
        }
    }
    return true;
}

static bool submit_group(struct device *device, struct error *error)
{
    pthread_mutex_lock(&device->communicators_lock);
    bool fine = nccl_check(ncclGroupStart(), NULL, error, "ncclGroupStart");
    fine = fine && for_each_member(device, submit, error);
    fine = nccl_check(ncclGroupEnd(), NULL, fine ? error : &(struct error){0}, "ncclGroupEnd") && fine;
    pthread_mutex_unlock(&device->communicators_lock);
    return fine;
}

/* Every member has its gate and marks on its own stream. NCCL starts a group when all its streams are ready,
 * so a group goes when the last of its gates opens. */
bool device_group_end(struct device *device, uint32_t call, struct error *error)
{
    (void)call;
    if (--device->group_depth > 0) {
        return true;
    }
    bool fine = for_each_member(device, begin_transfer, error) && submit_group(device, error) &&
                for_each_member(device, mark_end, error);
    device->member_count = 0;
    return fine;
}
