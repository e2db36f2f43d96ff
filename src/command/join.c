#include "command/join.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "command/message.h"
#include "share/listen.h"

enum { READ_AT_ONCE = 1 << 16, READS_A_PUMP = 16, PATIENCE_MS = 5000 };

static void print_sessions(const struct found_sessions *found, const char *command)
{
    char title[2 * SESSION_MAX_NAME];
    fprintf(stderr, "handoff %s: several sessions are there; name one of them:\n", command);
    for (size_t i = 0; i < found->count; i++) {
        struct text line = {0};
        session_title(&found->items[i], title, sizeof title);
        text_append_visible(&line, title, strlen(title));
        fprintf(stderr, "  handoff %s %s\n", command, text_string(&line));
        text_free(&line);
    }
}

/* The session of that title, or the only one. */
static const struct found_session *choose(const struct found_sessions *found, const char *command,
                                          const char *name)
{
    char title[2 * SESSION_MAX_NAME];
    if (!name && found->count == 1)
        return &found->items[0];
    if (found->count == 0)
        complain(command, "there is no session here; `handoff present LESSON` begins one");
    else if (!name)
        print_sessions(found, command);
    for (size_t i = 0; name && i < found->count; i++) {
        session_title(&found->items[i], title, sizeof title);
        if (strcmp(title, name) == 0)
            return &found->items[i];
    }
    if (name && found->count > 0)
        complain(command, "there is no session %s; `handoff follow --list` lists them", name);
    return NULL;
}

static bool find(struct join *join, const char *command, const char *name, const char *ending)
{
    struct found_sessions found;
    struct error error;
    if (!sessions_find(&found, ending, &error)) {
        complain(command, "%s", error.message);
        return false;
    }
    const struct found_session *session = choose(&found, command, name);
    if (session) {
        join->session = *session;
        session_title(session, join->title, sizeof join->title);
    }
    sessions_free(&found);
    return session != NULL;
}

static void end_connection(struct join *join)
{
    if (join->descriptor >= 0)
        close(join->descriptor);
    join->descriptor = -1;
}

/* Waits for the first run; a session begins with one. */
static bool await_run(struct join *join)
{
    while (!join->feed.run && join->descriptor >= 0) {
        struct pollfd ready = {.fd = join->descriptor, .events = POLLIN};
        int count = poll(&ready, 1, PATIENCE_MS);
        if (count == 0)
            return error_set(&join->fault, "the session says nothing: its process may be stopped");
        if (count < 0 && errno != EINTR)
            return error_set_errno(&join->fault, "the session cannot be heard");
        join_pump(join);
    }
    return join->feed.run != NULL;
}

bool join_open(struct join *join, const char *command, const char *name, const char *ending)
{
    struct error error = {0};
    join->ending = ending;
    if (!find(join, command, name, ending))
        return false;
    join->descriptor = session_connect(&join->session, ending, &error);
    if (join->descriptor < 0) {
        complain(command, "%s", error.message);
        return false;
    }
    if (await_run(join))
        return true;
    complain(command, "%s", join_end(join)[0] != '\0' ? join_end(join) : join->fault.message);
    join_close(join);
    return false;
}

bool join_list(const char *command)
{
    struct found_sessions found;
    struct error error;
    char title[2 * SESSION_MAX_NAME];
    if (!sessions_find(&found, ENDING_FOLLOW, &error)) {
        complain(command, "%s", error.message);
        return false;
    }
    for (size_t i = 0; i < found.count; i++) {
        session_title(&found.items[i], title, sizeof title);
        puts(title);
    }
    sessions_free(&found);
    return true;
}

void join_close(struct join *join)
{
    end_connection(join);
    feed_free(&join->feed);
}

bool join_pump(struct join *join)
{
    char bytes[READ_AT_ONCE];
    bool any = false;
    for (int i = 0; i < READS_A_PUMP && join->descriptor >= 0; i++) {
        ssize_t count = recv(join->descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
            break;
        any = true;
        if (count <= 0) {
            join->is_lost = !join->feed.is_over;
            end_connection(join);
        } else if (!feed_take(&join->feed, bytes, (size_t)count, &join->fault)) {
            end_connection(join);
        }
    }
    return any;
}

/* A process that is just ending can still have its socket, and cuts the connection; one that lives greets, or
 * is busy. */
bool join_is_alive(const struct join *join)
{
    enum { GREETING_MS = 300 };
    char byte;
    int descriptor = socket_connect(join->session.folder, join->session.name, join->ending);
    if (descriptor < 0)
        return false;
    struct pollfd ready = {.fd = descriptor, .events = POLLIN};
    int said = poll(&ready, 1, GREETING_MS);
    bool is_alive = said == 0 || (said > 0 && recv(descriptor, &byte, 1, MSG_DONTWAIT) == 1);
    close(descriptor);
    return is_alive;
}

const char *join_end(const struct join *join)
{
    if (join->descriptor >= 0)
        return "";
    if (join->feed.refusal.message[0] != '\0')
        return join->feed.refusal.message;
    if (join->feed.is_over)
        return "The presenter has ended the session.";
    if (join->fault.message[0] != '\0')
        return join->fault.message;
    return join_is_alive(join) ? "This terminal did not keep up and was dropped: follow again."
                               : "The session's process has gone without a word.";
}
