/* A module in the place of the CUDA backend, for tests on machines without a GPU: a thread for each stream
 * takes what is submitted, waits until it is let go, and reports it as the observer of the real one does. It
 * holds no data. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "device/cuda/module.h"

enum { QUEUE_LIMIT = 4096 };

struct queue {
    struct device *device;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t calls[QUEUE_LIMIT];
    size_t submitted, done;
    bool is_open, ends;
};

struct device {
    struct device_setup setup;
    struct queue *queues; /* by stream of the program */
    uint32_t members[QUEUE_LIMIT];
    size_t member_count, depth;
};

static int64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void report_text(struct device *device, uint8_t kind, uint32_t call, const char *text)
{
    const struct record record = {.kind = kind,
                                  .time = clock_ns(),
                                  .rank = device->setup.rank,
                                  .call = call,
                                  .point = NONE,
                                  .memory = NONE,
                                  .bytes = text,
                                  .length = strlen(text)};
    device->setup.report(device->setup.context, &record);
}

static void report(struct device *device, enum record_kind kind, uint32_t call)
{
    report_text(device, (uint8_t)kind, call, "");
}

static bool is_over(const struct device *device)
{
    return atomic_load(&device->setup.board->interrupted);
}

static void nap(long ns)
{
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

/* The other side of a transfer has started. */
static bool has_partner(const struct device *device, uint32_t call)
{
    uint32_t match = device->setup.order->match[call];
    return match != NONE && atomic_load(&device->setup.board->calls[match].started_clock);
}

static void execute(struct device *device, uint32_t call)
{
    struct board_call *board = &device->setup.board->calls[call];
    const struct statement *statement = call_statement(device->setup.program, call);
    while (device->setup.watch == WATCH_GATES && !atomic_load(&board->go) && !is_over(device))
        nap(50000);
    atomic_store(&board->started_clock, (uint64_t)clock_ns());
    report(device, RECORD_STARTED, call);
    device->setup.flush(device->setup.context);
    while (call_is_communication(statement) && !has_partner(device, call) && !is_over(device))
        nap(50000);
    if (is_over(device))
        return;
    nap((long)(statement->takes_ns % 1000000000));
    report(device, RECORD_DONE, call);
    device->setup.flush(device->setup.context);
}

static void *run_stream(void *context)
{
    struct queue *queue = context;
    pthread_mutex_lock(&queue->lock);
    while (!queue->ends) {
        if (queue->done == queue->submitted) {
            pthread_cond_wait(&queue->changed, &queue->lock);
            continue;
        }
        uint32_t call = queue->calls[queue->done];
        pthread_mutex_unlock(&queue->lock);
        execute(queue->device, call);
        pthread_mutex_lock(&queue->lock);
        queue->done++;
        pthread_cond_broadcast(&queue->changed);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

static void open_queue(struct device *device, uint32_t stream)
{
    struct queue *queue = &device->queues[stream];
    queue->device = device;
    queue->is_open = true;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    pthread_create(&queue->thread, NULL, run_stream, queue);
}

static struct device *open_device(const struct device_setup *setup, struct error *error)
{
    if (getenv("FAKE_GPU_IS_BUSY")) {
        error_set(error, "the GPU is busy");
        return NULL;
    }
    struct device *device = memory_zeroed(1, sizeof *device);
    device->setup = *setup;
    device->queues = memory_zeroed(setup->program->stream_count + 1, sizeof *device->queues);
    for (uint32_t stream = 0; stream < setup->program->stream_count; stream++)
        if (setup->program->streams[stream].rank == setup->rank)
            open_queue(device, stream);
    if (setup->rank == 0) {
        report_text(device, REPORT_MACHINE, NONE, "threads");
        report_text(device, RECORD_NOTE, NONE, "by the way");
    }
    return device;
}

static void close_device(struct device *device)
{
    for (uint32_t stream = 0; stream < device->setup.program->stream_count; stream++) {
        struct queue *queue = &device->queues[stream];
        if (!queue->is_open)
            continue;
        pthread_mutex_lock(&queue->lock);
        queue->ends = true;
        pthread_cond_broadcast(&queue->changed);
        pthread_mutex_unlock(&queue->lock);
        pthread_join(queue->thread, NULL);
    }
    free(device->queues);
    free(device);
}

static bool make_id(struct device *device, unsigned char *id, struct error *error)
{
    (void)device, (void)error;
    for (int i = 0; i < COMMUNICATOR_ID_BYTES; i++)
        id[i] = (unsigned char)i;
    return true;
}

static bool connect_communicator(struct device *device, uint32_t number, const unsigned char *id,
                                 struct error *error)
{
    (void)device, (void)number;
    return id[COMMUNICATOR_ID_BYTES - 1] == COMMUNICATOR_ID_BYTES - 1 || error_set(error, "another id");
}

static bool accept_number(struct device *device, uint32_t number, struct error *error)
{
    (void)device, (void)number, (void)error;
    return true;
}

/* NCCL's takes half a second, and more where the machine is busy. */
static bool use_gpu(struct device *device, uint32_t gpu, struct error *error)
{
    return gpu < SCHEDULE_MAX_GPUS - 1 ? accept_number(device, gpu, error) : error_set(error, "no such GPU");
}

static bool take_long(struct device *device, uint32_t number, struct error *error)
{
    nap(500000000);
    nap(900000000);
    nap(900000000);
    return accept_number(device, number, error);
}

static void submit_one(struct device *device, uint32_t call)
{
    struct queue *queue = &device->queues[call_statement(device->setup.program, call)->stream];
    report(device, RECORD_SUBMITTED, call);
    pthread_mutex_lock(&queue->lock);
    queue->calls[queue->submitted++] = call;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

static bool submit(struct device *device, uint32_t call, struct error *error)
{
    (void)error;
    const struct statement *statement = call_statement(device->setup.program, call);
    if (statement->in_group && call_is_communication(statement))
        device->members[device->member_count++] = call;
    else
        submit_one(device, call);
    return true;
}

static bool start_group(struct device *device, uint32_t call, struct error *error)
{
    (void)call, (void)error;
    device->depth++;
    return true;
}

static bool end_group(struct device *device, uint32_t call, struct error *error)
{
    (void)call, (void)error;
    if (--device->depth == 0)
        for (; device->member_count > 0; device->member_count--)
            submit_one(device, device->members[device->member_count - 1]);
    return true;
}

static void drain(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->done < queue->submitted)
        pthread_cond_wait(&queue->changed, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

static bool synchronize(struct device *device, uint32_t call, struct error *error)
{
    (void)error;
    const struct statement *statement = call_statement(device->setup.program, call);
    for (uint32_t stream = 0; stream < device->setup.program->stream_count; stream++)
        if (device->queues[stream].is_open &&
            (statement->kind == CALL_SYNC_DEVICE || statement->stream == stream))
            drain(&device->queues[stream]);
    return true;
}

static void report_contents(struct device *device)
{
    (void)device;
}

static const struct device_backend backend = {
    .name = "fake",
    .open = open_device,
    .close = close_device,
    .make_id = make_id,
    .connect = connect_communicator,
    .destroy = accept_number,
    .abort = take_long,
    .use_gpu = use_gpu,
    .allocate = accept_number,
    .release = accept_number,
    .create_stream = accept_number,
    .launch = submit,
    .copy = submit,
    .set = submit,
    .communicate = submit,
    .group_start = start_group,
    .group_end = end_group,
    .record = submit,
    .wait = submit,
    .synchronize = synchronize,
    .host_access = accept_number,
    .report_contents = report_contents,
    .clock = clock_ns,
};

/* GPU 1 alone has gates. */
static bool hold_gates(struct board *board, unsigned gpu, struct error *error)
{
    if (gpu != 1)
        return error_set(error, "GPU %u holds no gates", gpu);
    atomic_store(&board->calls[0].started_clock, 1);
    for (uint32_t i = 0; i < board->call_count; i++) {
        while (!atomic_load(&board->calls[i].go))
            nap(1000);
        atomic_store(&board->calls[i].done_clock, 1);
    }
    return true;
}

extern const struct cuda_module handoff_cuda_module;
const struct cuda_module handoff_cuda_module = {
    .contract = CUDA_MODULE_CONTRACT, .backend = &backend, .hold_gates = hold_gates};
