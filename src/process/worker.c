#include "process/worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "device/device.h"
#include "process/call.h"
#include "process/descriptor.h"

enum { GRANTS_AT_ONCE = 1024, UNSENT_BYTES = 1 << 14 };

struct worker {
    const struct worker_setup *setup;
    const struct device_backend *backend;
    const struct worker_place *place;
    const struct program *program;
    struct device *device;
    unsigned char (*ids)[COMMUNICATOR_ID_BYTES]; /* by communicator */
    uint32_t ids_had; /* before it has all, what comes from rank 0 is ids, not the device's to take in */
    pthread_mutex_t reporting;
    struct text unsent;      /* reports; where time is real a few are sent together: that costs little */
    pthread_mutex_t sending; /* held while SENT is used; taken before REPORTING */
    struct text sent;        /* the other buffer, empty between two times of sending */
    struct grant grants[GRANTS_AT_ONCE];
    size_t received; /* bytes of GRANTS */
    bool failed;     /* a call did: the host program ends there */
};

static _Noreturn void leave(int status)
{
    fflush(stdout);
    _exit(status);
}

/* Whether the host program comes back from the call without waiting for anything. */
static bool only_submits(const struct worker *worker, uint32_t call)
{
    const struct statement *statement = call_statement(worker->program, call);
    switch (statement->kind) {
    case CALL_COPY:
    case CALL_SET:
        return statement->has_stream;
    case CALL_GROUP:
        return true;
    default:
        return call_is_operation(statement);
    }
}

static bool may_be_kept(const struct worker *worker, const struct record *record)
{
    if (!worker->backend || !worker->backend->clock || worker->unsent.length > UNSENT_BYTES)
        return false;
    switch (record->kind) {
    case RECORD_CALLED:
        return only_submits(worker, record->call);
    case RECORD_SUBMITTED:
    case RECORD_STARTED:
    case RECORD_DONE:
    case RECORD_WRITTEN:
    case RECORD_RETURNED:
        return true;
    default:
        return false;
    }
}

/* Sends what is unsent; reports are taken meanwhile. Without a launcher there is nothing left to do. */
static void flush(void *context)
{
    struct worker *worker = context;
    pthread_mutex_lock(&worker->sending);
    pthread_mutex_lock(&worker->reporting);
    struct text unsent = worker->unsent;
    worker->unsent = worker->sent;
    pthread_mutex_unlock(&worker->reporting);
    if (!socket_send_all(worker->place->channel, text_string(&unsent), unsent.length))
        _exit(1);
    text_clear(&unsent);
    worker->sent = unsent;
    pthread_mutex_unlock(&worker->sending);
}

/* A device's own threads may report as well. */
static void report(void *context, const struct record *record)
{
    struct worker *worker = context;
    pthread_mutex_lock(&worker->reporting);
    text_append_bytes(&worker->unsent, (const char *)record, sizeof *record);
    if (record->length > 0)
        text_append_bytes(&worker->unsent, record->bytes, record->length);
    bool is_kept = may_be_kept(worker, record);
    pthread_mutex_unlock(&worker->reporting);
    if (!is_kept)
        flush(worker);
}

/* Where time is real, the worker says itself when it makes a call. */
static void report_moment(struct worker *worker, enum record_kind kind, uint32_t call)
{
    if (worker->backend->clock)
        report(worker, &(struct record){.kind = (uint8_t)kind,
                                        .time = worker->backend->clock(),
                                        .rank = worker->place->rank,
                                        .call = call,
                                        .point = NONE,
                                        .communicator = NONE,
                                        .memory = NONE});
}

static void report_error(struct worker *worker, uint32_t call, const struct error *error)
{
    const struct record record = {.kind = RECORD_ERROR,
                                  .rank = worker->place->rank,
                                  .call = call,
                                  .point = NONE,
                                  .bytes = error->message,
                                  .length = strlen(error->message)};
    report(worker, &record);
}

static bool make_id(struct worker *worker, uint32_t communicator, struct error *error)
{
    unsigned char *id = worker->ids[communicator];
    if (!worker->backend->make_id(worker->device, id, error))
        return false;
    for (uint32_t rank = 1; rank < worker->program->rank_count; rank++)
        if (!socket_send_all(worker->place->peers[rank], id, COMMUNICATOR_ID_BYTES))
            return error_set_errno(error, "cannot pass the id on to rank %u", rank);
    return true;
}

static bool obtain_id(struct worker *worker, uint32_t communicator, struct error *error)
{
    worker->ids_had++;
    if (worker->place->rank == 0)
        return make_id(worker, communicator, error);
    return socket_receive_all(worker->place->peers[0], worker->ids[communicator], COMMUNICATOR_ID_BYTES) ||
           error_set_errno(error, "no id came from rank 0");
}

static _Noreturn void finish(struct worker *worker, const struct grant *grant)
{
    const struct device_backend *backend = worker->backend;
    backend->report_contents(worker->device);
    if (grant->answer)
        report(worker, &(struct record){.kind = REPORT_ANSWERED, .rank = worker->place->rank});
    backend->close(worker->device);
    leave(0);
}

static void obey(struct worker *worker, const struct grant *grant)
{
    const struct device_backend *backend = worker->backend;
    struct error error = {0};
    bool fine = true;
    switch ((enum grant_kind)grant->kind) {
    case GRANT_ID:
        fine = obtain_id(worker, grant->index, &error);
        break;
    case GRANT_CONNECT:
        fine = backend->connect(worker->device, grant->index, worker->ids[grant->index], &error);
        break;
    case GRANT_CALL:
        if (worker->failed)
            break;
        report_moment(worker, RECORD_CALLED, grant->index);
        fine = call_make(backend, worker->device, worker->program,
                         (const unsigned char(*)[COMMUNICATOR_ID_BYTES])worker->ids, grant->index, &error);
        worker->failed = !fine;
        if (fine)
            report_moment(worker, RECORD_RETURNED, grant->index);
        break;
    case GRANT_LEAVE:
        finish(worker, grant);
    case GRANT_START:
    case GRANT_DONE:
    case GRANT_GIVE:
    case GRANT_TAKE:
    case GRANT_COPY:
        fine = backend->obey(worker->device, grant, &error);
        break;
    }
    bool names_call = grant->kind != GRANT_ID && grant->kind != GRANT_CONNECT;
    if (!fine)
        report_error(worker, names_call ? grant->index : NONE, &error);
    if (grant->answer)
        report(worker, &(struct record){.kind = REPORT_ANSWERED, .rank = worker->place->rank});
}

/* Fills GRANTS with what has come, at least one whole grant. */
static void await_grants(struct worker *worker)
{
    int channel = worker->place->channel;
    while (worker->received < sizeof *worker->grants) {
        ssize_t count = recv(channel, (char *)worker->grants + worker->received,
                             sizeof worker->grants - worker->received, MSG_DONTWAIT);
        if (count > 0)
            worker->received += (size_t)count;
        else if (count == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK))
            leave(0); /* the launcher has gone */
        else if (errno != EINTR && worker->backend->await &&
                 worker->ids_had == worker->program->communicator_count)
            worker->backend->await(worker->device, channel);
        else if (errno != EINTR) {
            flush(worker);
            descriptor_await(channel);
        }
    }
}

void worker_run(void *setup, const struct worker_place *place)
{
    memory_before_exit(NULL); /* the terminal is the launcher's */
    static struct worker worker = {.reporting = PTHREAD_MUTEX_INITIALIZER,
                                   .sending = PTHREAD_MUTEX_INITIALIZER};
    worker.setup = setup;
    worker.place = place;
    worker.program = worker.setup->order->program;
    worker.ids = memory_zeroed(worker.program->communicator_count, sizeof *worker.ids);
    const struct device_setup device = {
        .program = worker.program,
        .order = worker.setup->order,
        .board = worker.setup->board,
        .rank = place->rank,
        .gpu_list = worker.setup->gpu_list,
        .peers = place->peers,
        .report_values = worker.setup->report_values,
        .watch = worker.setup->watch,
        .report = report,
        .flush = flush,
        .context = &worker,
    };
    struct error error = {0};
    worker.backend = worker.setup->load(&error);
    worker.device = worker.backend ? worker.backend->open(&device, &error) : NULL;
    if (!worker.device) {
        report_error(&worker, NONE, &error);
        leave(1);
    }
    while (true) {
        await_grants(&worker);
        size_t count = worker.received / sizeof *worker.grants;
        for (size_t i = 0; i < count; i++)
            obey(&worker, &worker.grants[i]);
        worker.received %= sizeof *worker.grants;
        memmove(worker.grants, worker.grants + count, worker.received);
    }
}
