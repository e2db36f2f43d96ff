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

static bool is_sensible(const struct record *record, const struct program *program, uint32_t rank)
{
    return record->length <= REPORT_LONGEST && record->rank == rank &&
           (record->kind < RECORD_KIND_COUNT || record->kind == REPORT_ANSWERED ||
            record->kind == REPORT_GPUS) &&
           (record->call == NONE || record->call < program->call_count) &&
           (record->memory == NONE || record->memory < program->memory_count || record->memory == 0);
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
