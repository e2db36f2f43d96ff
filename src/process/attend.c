/* What comes from the workers: reports, printed lines, and their end. */
#include <stdio.h>
#include <string.h>

#include "process/inside.h"

static void take_report(void *context, uint32_t rank, const struct record *record)
{
    struct session *session = context;
    if (!session_hear(session, record))
        session->driving->reported(session->driver, rank, record);
}

struct speaker {
    struct session *session;
    uint32_t rank;
};

static void take_line(void *context, const char *line, size_t length)
{
    const struct speaker *speaker = context;
    struct session *session = speaker->session;
    /* Where time is real, a driver puts what comes from several places into one order. */
    if (session->chosen == BACKEND_CUDA && !session->leaving)
        session->driving->reported(session->driver, speaker->rank,
                                   &(struct record){.kind = RECORD_OUTPUT,
                                                    .rank = speaker->rank,
                                                    .call = NONE,
                                                    .point = NONE,
                                                    .memory = NONE,
                                                    .bytes = line,
                                                    .length = length});
    else
        session_say_text(session, RECORD_OUTPUT, speaker->rank, line, length);
}

void session_say_exited(struct session *session, uint32_t rank)
{
    session->exit_said[rank] = true;
    session_say(session, &(struct record){.time = session_moment(session),
                                          .kind = RECORD_EXITED,
                                          .rank = rank,
                                          .call = NONE,
                                          .point = NONE,
                                          .memory = NONE,
                                          .number = session->workers[rank].status});
}

static void say_lost(struct session *session, uint32_t rank, pid_t pid)
{
    int64_t status = session->workers[rank].status;
    char text[160];
    int length =
        status < 0
            ? snprintf(text, sizeof text, "the process of rank %u (pid %ld) was ended by signal %d (%s)",
                       rank, (long)pid, (int)-status, strsignal((int)-status))
            : snprintf(text, sizeof text, "the process of rank %u (pid %ld) ended with status %d", rank,
                       (long)pid, (int)status);
    session_say_text(session, RECORD_ERROR, rank, text, (size_t)length);
}

static const char not_leaving[] = "the process did not leave by itself, and was ended";

static bool attend_worker(struct session *session, uint32_t rank)
{
    struct attended *worker = &session->workers[rank];
    struct speaker speaker = {.session = session, .rank = rank};
    bool any = attended_receive(worker, session->order->program, rank, take_report, session);
    output_read(&worker->output, take_line, &speaker);
    pid_t pid = worker->process.pid;
    if (!attended_reap(worker))
        return any;
    output_end(&worker->output, take_line, &speaker);
    session_let_out(session);
    session_hear_lost(session, worker->status);
    if (session_must_fall_back(session))
        return true;
    if (session_is_unavailable(session)) {
        session->driving->lost(session->driver, rank);
        session_say_exited(session, rank);
        return true;
    }
    if (!session->told_to_leave[rank] || worker->status != 0) {
        session_say_exited(session, rank);
        if (session->pressed[rank])
            session_say_text(session, RECORD_NOTE, rank, not_leaving, sizeof not_leaving - 1);
        else
            say_lost(session, rank, pid);
    }
    session->driving->lost(session->driver, rank);
    return true;
}

void session_say_stopped(struct session *session)
{
    for (uint32_t rank = 0; rank < session->worker_count; rank++) {
        int number;
        char text[160];
        if (!attended_has_stopped(&session->workers[rank], &number))
            continue;
        int length =
            snprintf(text, sizeof text,
                     "the process of rank %u (pid %ld) was stopped by signal %d; SIGCONT lets it go on", rank,
                     (long)session->workers[rank].process.pid, number);
        session_say_text(session, RECORD_NOTE, rank, text, (size_t)length);
    }
}

bool session_attend(struct session *session)
{
    bool any = false;
    for (uint32_t rank = 0; rank < session->worker_count; rank++)
        any |= attend_worker(session, rank);
    return any;
}
