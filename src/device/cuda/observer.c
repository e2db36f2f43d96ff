/* A thread that sleeps while nothing is pending, and else reads the marks that the GPU wrote and looks at the
 * buffers that are being written. The host program's thread may be blocked all the while. */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/memory.h"
#include "device/cuda/cuda_device.h"

static const long SHORTEST_SLEEP_NS = 20000, LONGEST_SLEEP_NS = 1000000;
static const int64_t LOOK_INTERVAL_NS = 50000000, COPY_LIMIT_NS = 1000000;
static const long INTERRUPT_INTERVAL_NS = 100000000;

static struct lane *call_lane(struct device *device, uint32_t call)
{
    return &device->observer.lanes[call_statement(device->program, call)->stream];
}

void observer_expect(struct device *device, uint32_t call)
{
    struct observer *observer = &device->observer;
    pthread_mutex_lock(&observer->incoming_lock);
    ARRAY_RESERVE(observer->incoming, observer->incoming_count, observer->incoming_capacity);
    observer->incoming[observer->incoming_count++] = call;
    if (observer->incoming_count == 1) {
        pthread_cond_signal(&observer->wake);
    }
    pthread_mutex_unlock(&observer->incoming_lock);
}

/* Caller holds the lock. */
static void take_incoming(struct device *device)
{
    struct observer *observer = &device->observer;
    pthread_mutex_lock(&observer->incoming_lock);
    for (size_t i = 0; i < observer->incoming_count; i++) {
        struct lane *lane = call_lane(device, observer->incoming[i]);
        if (lane->first == lane->count) {
            lane->first = lane->count = 0;
        }
        ARRAY_RESERVE(lane->items, lane->count, lane->capacity);
        lane->items[lane->count++] = (struct pending){.call = observer->incoming[i]};
    }
    if (observer->incoming_count > 0) {
        observer->any = true;
    }
    observer->pending_count += observer->incoming_count;
    observer->incoming_count = 0;
    pthread_mutex_unlock(&observer->incoming_lock);
}

static void sight(struct observer *observer, enum record_kind kind, uint32_t call, int64_t time)
{
    ARRAY_RESERVE(observer->sightings, observer->sighting_count, observer->sighting_capacity);
    observer->sightings[observer->sighting_count++] =
        (struct sighting){.time = time, .call = call, .kind = (uint8_t)kind};
}

static uint32_t group_of(const struct device *device, uint32_t call)
{
    return call_statement(device->program, call)->in_group ? device->setup.order->bound[call] : NONE;
}

static int64_t on_host_clock(struct device *device, uint32_t call, uint64_t stamp)
{
    uint32_t stream = call_statement(device->program, call)->stream;
    return time_line_on_host(&stream_gpu(device, stream)->clock.line, stamp);
}

/* When the call's mark was set, on the host's clock; TIME_NONE before. */
static int64_t start_mark(struct device *device, uint32_t call)
{
    uint64_t started = atomic_load(&device->setup.board->calls[call].started_clock);
    return started ? on_host_clock(device, call, started) : TIME_NONE;
}

/* A group starts when all streams that its members are on have come to it: with the last of their marks. Over
 * several communicators those of each do so by themselves. */
static int64_t start_of(struct device *device, uint32_t call)
{
    const struct program *program = device->program;
    uint32_t end = group_of(device, call), first = program->ranks[device->setup.rank].first_call;
    uint32_t communicator = call_statement(program, call)->communicator;
    int64_t latest = start_mark(device, call);
    for (uint32_t member = end; latest != TIME_NONE && end != NONE && member-- > first;) {
        const struct statement *statement = call_statement(program, member);
        if (!statement->in_group) {
            break;
        }
        if (group_of(device, member) == end && call_is_communication(statement) &&
            statement->communicator == communicator) {
            int64_t time = start_mark(device, member);
            latest = time == TIME_NONE || time > latest ? time : latest;
        }
    }
    return latest;
}

static void look_for_start(struct device *device, struct pending *pending)
{
    int64_t started_at = pending->started ? TIME_NONE : start_of(device, pending->call);
    if (started_at != TIME_NONE) {
        pending->started = true;
        pending->started_at = started_at;
        sight(&device->observer, RECORD_STARTED, pending->call, started_at);
    }
}

static bool look_for_end(struct device *device, struct pending *pending)
{
    uint32_t call = pending->call;
    look_for_start(device, pending);
    uint64_t done = atomic_load(&device->setup.board->calls[call].done_clock);
    if (!pending->started || !done) {
        return false;
    }
    /* The clocks may have been read again in between. */
    int64_t done_at = on_host_clock(device, call, done);
    sight(&device->observer, RECORD_DONE, call,
          done_at > pending->started_at ? done_at : pending->started_at);
    return true;
}

/* Operations of one stream go one after another, but members of one group together. */
static void look_along(struct device *device, struct lane *lane)
{
    while (lane->first < lane->count && look_for_end(device, &lane->items[lane->first])) {
        lane->first++;
        device->observer.pending_count--;
    }
    if (lane->first == lane->count) {
        return;
    }
    uint32_t group = group_of(device, lane->items[lane->first].call);
    for (size_t i = lane->first + 1;
         group != NONE && i < lane->count && group_of(device, lane->items[i].call) == group; i++) {
        look_for_start(device, &lane->items[i]);
    }
}

static int earlier(const void *a, const void *b)
{
    const struct sighting *left = a, *right = b;
    if (left->time != right->time) {
        return left->time < right->time ? -1 : 1;
    }
    if (left->call != right->call) {
        return left->call < right->call ? -1 : 1;
    }
    return left->kind < right->kind ? -1 : left->kind > right->kind;
}

/* Caller holds the lock, so that records go out in one order. Returns whether there was any. */
static bool report_sightings(struct device *device)
{
    struct observer *observer = &device->observer;
    qsort(observer->sightings, observer->sighting_count, sizeof *observer->sightings, earlier);
    for (size_t i = 0; i < observer->sighting_count; i++) {
        const struct sighting *sighting = &observer->sightings[i];
        if (sighting->kind == RECORD_DONE) {
            note_written(device, sighting->call);
        }
        if (sighting->kind == RECORD_DONE && device->setup.report_values) {
            report_snapshot(device, sighting->call, sighting->time);
            differences_report(device, sighting->call, sighting->time);
        }
        struct record record = {.kind = sighting->kind,
                                .time = sighting->time,
                                .rank = device->setup.rank,
                                .call = sighting->call};
        device->setup.report(device->setup.context, &record);
    }
    bool any = observer->sighting_count > 0;
    observer->sighting_count = 0;
    return any;
}

bool observer_look(struct device *device)
{
    struct observer *observer = &device->observer;
    pthread_mutex_lock(&observer->lock);
    take_incoming(device);
    for (uint32_t i = 0; i < device->program->stream_count; i++) {
        look_along(device, &observer->lanes[i]);
    }
    bool any = report_sightings(device);
    pthread_mutex_unlock(&observer->lock);
    return any;
}

/* Reports the elements that changed since they were last reported, run by run. */
static void report_changes(struct device *device, uint32_t call, const struct span *span,
                           const uint8_t *found)
{
    uint32_t size = element_size(device->program->memories[span->memory].type);
    uint32_t kept = kept_count(span->first, span->count);
    const uint8_t *seen = device->buffers[span->memory].seen + (size_t)span->first * size;
    int64_t now = host_clock();
    for (uint32_t i = 0; i < kept;) {
        uint32_t end = i;
        while (end < kept && memcmp(seen + (size_t)end * size, found + (size_t)end * size, size) != 0) {
            end++;
        }
        if (end > i) {
            struct span changed = {.memory = span->memory, .first = span->first + i, .count = end - i};
            report_elements(device, RECORD_WRITTEN, call, now, &changed, found + (size_t)i * size);
            memset(device->buffers[span->memory].written + span->first + i, 1, end - i);
        }
        i = end + 1;
    }
}

/* Copies to where the observer looks. It waits a moment and no longer: marks are not looked at meanwhile.
 * What comes too late is not looked at, and nothing else is copied there before it has come. */
static bool copy_out(struct device *device, cudaStream_t stream, const void *source, size_t bytes)
{
    int64_t deadline = host_clock() + COPY_LIMIT_NS;
    cudaError_t state = cudaStreamQuery(stream);
    if (state == cudaSuccess) {
        state = cudaMemcpyAsync(device->observer.staging, source, bytes, cudaMemcpyDefault, stream);
        do {
            state = state == cudaSuccess ? cudaStreamQuery(stream) : state;
        } while (state == cudaErrorNotReady && host_clock() < deadline);
    }
    return state == cudaSuccess;
}

/* Copies what is shown of the span on the observer's own stream, which waits for nothing of the schedule. */
static void look_at_span(struct device *device, uint32_t call, const struct span *span)
{
    const struct memory *memory = &device->program->memories[span->memory];
    uint32_t kept = kept_count(span->first, span->count);
    if (kept == 0 || !(span->access & ACCESS_CHANGE) || memory->kind == MEMORY_PAGEABLE) {
        return;
    }
    const void *source = span_address(device, span);
    if (source && copy_out(device, device->gpus[memory->gpu].observer, source,
                           (size_t)kept * element_size(memory->type))) {
        report_changes(device, call, span, device->observer.staging);
    }
}

/* Between things that are waited for, if only for a moment: marks are reported in good time. */
static void look_in_between(struct device *device)
{
    if (observer_look(device)) {
        device->setup.flush(device->setup.context);
    }
}

/* Looks into what running operations write. Caller holds quiet. */
static void look_at_buffers(struct device *device)
{
    struct observer *observer = &device->observer;
    for (uint32_t i = 0; i < device->program->stream_count; i++) {
        pthread_mutex_lock(&observer->lock);
        const struct lane *lane = &observer->lanes[i];
        bool runs = lane->first < lane->count && lane->items[lane->first].started;
        uint32_t call = runs ? lane->items[lane->first].call : NONE;
        pthread_mutex_unlock(&observer->lock);
        if (call == NONE) {
            continue;
        }
        pthread_mutex_lock(&device->buffers_lock);
        const struct statement *statement = call_statement(device->program, call);
        for (uint32_t s = 0; s < statement->span_count; s++) {
            look_at_span(device, call, &device->program->spans[statement->first_span + s]);
        }
        pthread_mutex_unlock(&device->buffers_lock);
        look_in_between(device);
    }
}

/* Caller holds quiet. */
static void keep_clocks(struct device *device)
{
    for (uint32_t i = 0; i < SCHEDULE_MAX_GPUS; i++) {
        struct gpu *gpu = &device->gpus[i];
        struct reading reading;
        if (!gpu->used || cudaSetDevice(gpu->physical) != cudaSuccess) {
            continue;
        }
        if (clock_read_again(&gpu->clock, &reading)) {
            pthread_mutex_lock(&device->observer.lock);
            clock_adopt(&gpu->clock, &reading);
            pthread_mutex_unlock(&device->observer.lock);
        }
        look_in_between(device);
    }
}

/* A kernel that fails says so to whoever asks next, and that may be nobody. Caller holds quiet. */
static void look_for_failure(struct device *device)
{
    struct error error = {0};
    for (uint32_t i = 0; i < SCHEDULE_MAX_GPUS; i++) {
        cudaError_t state = device->gpus[i].used ? cudaStreamQuery(device->gpus[i].observer) : cudaSuccess;
        if (state != cudaErrorNotReady && !cuda_check(state, &error, "the GPU failed")) {
            break;
        }
    }
    if (!error.message[0] || device->observer.failed || device->interrupted) {
        return;
    }
    device->observer.failed = true;
    report_text(device, RECORD_ERROR, NONE, host_clock(), error.message, strlen(error.message));
}

/* Calls of CUDA beside those of the host program's thread. Not while that sets up, and NCCL allocates and
 * waits. */
static void look_around(struct device *device)
{
    if (!device->observer.any || pthread_mutex_trylock(&device->quiet) != 0) {
        return;
    }
    if (device->observer.pending_count > 0) {
        look_for_failure(device);
    }
    if (device->setup.report_values) {
        look_at_buffers(device);
    }
    keep_clocks(device);
    pthread_mutex_unlock(&device->quiet);
}

/* Sleeps until an operation is pending, or a while. Returns false at the end. PENDING_COUNT goes down in the
 * host program's thread, too, but a stale one only has this thread look once more. */
static bool wait_for_work(struct observer *observer)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_nsec += INTERRUPT_INTERVAL_NS;
    deadline.tv_sec += deadline.tv_nsec / 1000000000;
    deadline.tv_nsec %= 1000000000;
    pthread_mutex_lock(&observer->incoming_lock);
    if (observer->pending_count == 0 && observer->incoming_count == 0 && !observer->ending) {
        pthread_cond_timedwait(&observer->wake, &observer->incoming_lock, &deadline);
    }
    bool goes_on = !observer->ending;
    pthread_mutex_unlock(&observer->incoming_lock);
    return goes_on;
}

/* The launcher says that the run is over: ends what the host program's thread and the streams wait for. */
static void obey_interruption(struct device *device)
{
    if (!device->interrupted && atomic_load(&device->setup.board->interrupted)) {
        device->interrupted = true;
        abort_communicators(device);
    }
}

static void *observe(void *context)
{
    struct device *device = context;
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    long sleep_ns = SHORTEST_SLEEP_NS;
    int64_t looked = 0;
    while (wait_for_work(&device->observer)) {
        obey_interruption(device);
        sleep_ns = observer_look(device)         ? SHORTEST_SLEEP_NS
                   : sleep_ns < LONGEST_SLEEP_NS ? sleep_ns * 5 / 4
                                                 : sleep_ns;
        if (host_clock() - looked > LOOK_INTERVAL_NS) {
            look_around(device);
            looked = host_clock();
        }
        device->setup.flush(device->setup.context);
        nanosleep(&(struct timespec){.tv_nsec = sleep_ns}, NULL);
    }
    return NULL;
}

bool observer_open(struct device *device, struct error *error)
{
    struct observer *observer = &device->observer;
    pthread_mutex_init(&observer->lock, NULL);
    pthread_mutex_init(&observer->incoming_lock, NULL);
    pthread_cond_init(&observer->wake, NULL);
    observer->lanes = memory_zeroed(device->program->stream_count + 1, sizeof *observer->lanes);
    if (!cuda_check(
            cudaHostAlloc((void **)&observer->staging, VIEW_ELEMENTS * sizeof(double), cudaHostAllocPortable),
            error, "cudaHostAlloc")) {
        return false;
    }
    if (pthread_create(&observer->thread, NULL, observe, device) != 0) {
        return error_set(error, "no thread could be started to watch the GPU");
    }
    observer->running = true;
    return true;
}

void observer_close(struct device *device)
{
    struct observer *observer = &device->observer;
    if (observer->running) {
        pthread_mutex_lock(&observer->incoming_lock);
        observer->ending = true;
        pthread_cond_signal(&observer->wake);
        pthread_mutex_unlock(&observer->incoming_lock);
        pthread_join(observer->thread, NULL);
        observer_look(device);
    }
    for (uint32_t i = 0; observer->lanes && i < device->program->stream_count; i++) {
        free(observer->lanes[i].items);
    }
    free(observer->lanes);
    free(observer->sightings);
    free(observer->incoming);
    cudaFreeHost(observer->staging);
}
