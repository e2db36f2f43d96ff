#include "process/attended.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "process/descriptor.h"

enum { REPORT_LONGEST = 1 << 16, FLUSH_FROM = 1 << 15 };

void attended_grant(struct attended *worker, const struct grant *grant)
{
    if (worker->closed)
        return;
    text_append_bytes(&worker->grants, (const char *)grant, sizeof *grant);
    if (attended_backlog(worker) >= FLUSH_FROM)
        attended_flush(worker);
}

size_t attended_backlog(const struct attended *worker)
{
    return worker->grants.length - worker->sent;
}

/* Moves what is unsent to the front once that is the smaller part. */
static void compact(struct attended *worker)
{
    if (worker->sent * 2 < worker->grants.length)
        return;
    size_t left = attended_backlog(worker);
    if (left > 0)
        memmove(worker->grants.bytes, worker->grants.bytes + worker->sent, left);
    worker->grants.length = left;
    worker->sent = 0;
}

void attended_flush(struct attended *worker)
{
    while (!worker->closed && attended_backlog(worker) > 0) {
        ssize_t count = send(worker->process.channel, worker->grants.bytes + worker->sent,
                             attended_backlog(worker), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count > 0)
            worker->sent += (size_t)count;
        else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS)
            break;
        else if (errno != EINTR)
            worker->sent = worker->grants.length; /* nobody reads it: its end is noticed where reports come */
    }
    compact(worker);
}

static bool is_call_of(const struct program *program, uint32_t rank, uint32_t call)
{
    return call < program->call_count && call_statement(program, call)->rank == rank;
}

/* Elements of a memory of the rank, with the values of those that a log keeps. */
static bool has_values(const struct record *record, const struct program *program, uint32_t rank)
{
    if (record->memory >= program->memory_count || program->memories[record->memory].rank != rank)
        return false;
    const struct memory *memory = &program->memories[record->memory];
    if (record->first >= memory->count || record->count == 0 || record->count > memory->count - record->first)
        return false;
    return record->length ==
           (size_t)kept_count(record->first, record->count) * element_size((enum element_type)memory->type);
}

/* Whether a worker says such a thing at all, and each number in it stands for something of its rank: whoever
 * takes the record uses them as they are. */
static bool is_sensible(const struct record *record, const struct program *program, uint32_t rank)
{
    bool names_call = is_call_of(program, rank, record->call);
    if (record->length > REPORT_LONGEST || record->rank != rank || record->time < -TIME_FURTHEST ||
        record->time > TIME_FURTHEST)
        return false;
    switch (record->kind) {
    case RECORD_CALLED:
    case RECORD_RETURNED:
    case RECORD_SUBMITTED:
    case RECORD_STARTED:
    case RECORD_DONE:
        return names_call;
    case RECORD_HOST_READ:
        return names_call && has_values(record, program, rank);
    case RECORD_WRITTEN:
        return (names_call || record->call == NONE) && has_values(record, program, rank);
    case RECORD_ERROR:
    case RECORD_NOTE:
        return names_call || record->call == NONE;
    case REPORT_MACHINE:
        return rank == 0;
    case REPORT_GPUS:
        return record->length == SCHEDULE_MAX_GPUS * sizeof(uint16_t);
    default:
        return record->kind == REPORT_ANSWERED;
    }
}

/* Gives out the whole records at the front of REPORTS. */
static bool give_out(struct attended *worker, const struct program *program, uint32_t rank,
                     void (*sink)(void *context, uint32_t rank, const struct record *record), void *context)
{
    size_t at = 0;
    bool sensible = true;
    while (worker->reports.length - at >= sizeof(struct record)) {
        struct record record;
        memcpy(&record, worker->reports.bytes + at, sizeof record);
        sensible = is_sensible(&record, program, rank);
        if (!sensible || worker->reports.length - at - sizeof record < record.length)
            break;
        record.bytes = worker->reports.bytes + at + sizeof record;
        at += sizeof record + record.length;
        sink(context, rank, &record);
    }
    if (at > 0) {
        memmove(worker->reports.bytes, worker->reports.bytes + at, worker->reports.length - at);
        worker->reports.length -= at;
    }
    return sensible;
}

static void close_channel(struct attended *worker)
{
    descriptor_close(&worker->process.channel);
    worker->closed = true;
    text_free(&worker->grants);
    worker->sent = 0;
}

bool attended_receive(struct attended *worker, const struct program *program, uint32_t rank,
                      void (*sink)(void *context, uint32_t rank, const struct record *record), void *context)
{
    bool any = false;
    while (!worker->closed) {
        char bytes[65536];
        ssize_t count = recv(worker->process.channel, bytes, sizeof bytes, MSG_DONTWAIT);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        any = true;
        if (count > 0) {
            text_append_bytes(&worker->reports, bytes, (size_t)count);
            if (give_out(worker, program, rank, sink, context))
                continue;
            kill(worker->process.pid, SIGKILL);
        }
        close_channel(worker);
    }
    return any;
}

bool attended_reap(struct attended *worker)
{
    int status = 0;
    if (!worker->closed || worker->gone)
        return false;
    pid_t reaped = waitpid(worker->process.pid, &status, WNOHANG);
    if (reaped == 0 || (reaped < 0 && errno == EINTR))
        return false; /* it is on its way out; or, of a launcher that ignores SIGCHLD, ECHILD: it is out */
    worker->gone = true;
    worker->process.pid = 0;
    worker->status = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

bool attended_has_stopped(const struct attended *worker, int *signal)
{
    siginfo_t found = {0};
    if (worker->closed || worker->process.pid <= 0 ||
        waitid(P_PID, (id_t)worker->process.pid, &found, WSTOPPED | WNOHANG) < 0 || found.si_pid == 0)
        return false;
    *signal = found.si_status;
    return true;
}

void attended_close(struct attended *worker)
{
    spawned_kill(&worker->process);
    descriptor_close(&worker->process.channel);
    descriptor_close(&worker->output.descriptor);
    text_free(&worker->grants);
    text_free(&worker->reports);
}
