/* NOLINTNEXTLINE(bugprone-reserved-identifier): struct ucred, accept4 */
#define _GNU_SOURCE
#include "share/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "share/line.h"
#include "share/listen.h"

enum { SEND_AT_ONCE = 1 << 18, KEYS_MAX = 64, FAREWELL_MS = 200, EVENTS_AT_ONCE = 32 };

struct follower {
    int descriptor;
    bool is_presenter;   /* the notes: may ask for keys */
    bool awaits_room;    /* epoll tells when it can take more */
    struct text rest;    /* goes before the history: a greeting, or the end of a line of an earlier run */
    size_t rest_sent;    /* bytes of REST */
    size_t history_sent; /* bytes of the history */
    int64_t since;       /* when it last took something, while it has not taken all */
};

struct share {
    char *name;
    struct folder private, shared; /* SHARED is open where a group was named */
    int epoll, follow, control;    /* the listening sockets */
    struct follower *followers[SHARE_MAX_FOLLOWERS];
    size_t follower_count;
    int64_t began; /* seconds since 1970 */

    /* The present run from its header on, as whole lines: every follower gets all of it. */
    struct text history;
    size_t records_told, position, answered;
    bool has_run;

    char keys[KEYS_MAX];
    size_t key_count;
};

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool watch(const struct share *share, int descriptor, uint32_t events, void *what, int operation)
{
    struct epoll_event event = {.events = events, .data.ptr = what};
    return epoll_ctl(share->epoll, operation, descriptor, &event) == 0;
}

static void drop(struct share *share, size_t index)
{
    struct follower *follower = share->followers[index];
    close(follower->descriptor);
    text_free(&follower->rest);
    free(follower);
    share->followers[index] = share->followers[--share->follower_count];
}

static bool has_more(const struct share *share, const struct follower *follower)
{
    return follower->rest_sent < follower->rest.length || follower->history_sent < share->history.length;
}

/* Sends what fits of what the follower has not had. False where its connection is broken. */
static bool send_some(const struct share *share, struct follower *follower)
{
    for (size_t budget = SEND_AT_ONCE; has_more(share, follower) && budget > 0;) {
        bool in_rest = follower->rest_sent < follower->rest.length;
        size_t *sent = in_rest ? &follower->rest_sent : &follower->history_sent;
        const struct text *from = in_rest ? &follower->rest : &share->history;
        size_t left = from->length - *sent;
        ssize_t count = send(follower->descriptor, from->bytes + *sent, left < budget ? left : budget,
                             MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK;
        *sent += (size_t)count;
        budget -= (size_t)count;
        follower->since = clock_ms();
        if (follower->rest.length > 0 && follower->rest_sent == follower->rest.length) {
            text_free(&follower->rest);
            follower->rest_sent = 0;
        }
    }
    return true;
}

/* False where the follower is gone, or has stood still for too long. */
static bool keep_up(const struct share *share, struct follower *follower)
{
    bool was_behind = follower->awaits_room;
    if (!was_behind)
        follower->since = clock_ms();
    if (!send_some(share, follower))
        return false;
    follower->awaits_room = has_more(share, follower);
    if (follower->awaits_room != was_behind)
        watch(share, follower->descriptor, EPOLLIN | EPOLLRDHUP | (follower->awaits_room ? EPOLLOUT : 0),
              follower, EPOLL_CTL_MOD);
    return !follower->awaits_room || clock_ms() - follower->since < SHARE_PATIENCE_MS;
}

static void send_to_all(struct share *share)
{
    for (size_t i = share->follower_count; i > 0; i--)
        if (!keep_up(share, share->followers[i - 1]))
            drop(share, i - 1);
}

static bool is_of_group(int descriptor, gid_t group, const struct ucred *peer)
{
    gid_t groups[256];
    socklen_t size = sizeof groups;
    if (group == NO_GROUP)
        return false;
    if (peer->gid == group)
        return true;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0)
        return false;
    for (size_t i = 0; i < size / sizeof *groups; i++)
        if (groups[i] == group)
            return true;
    return false;
}

/* The modes of folder and socket have decided already; this does not rely on them. */
static bool is_welcome(const struct share *share, int descriptor, bool is_presenter)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return false;
    return peer.uid == geteuid() || (!is_presenter && is_of_group(descriptor, share->shared.group, &peer));
}

static void admit(struct share *share, int listening)
{
    int descriptor = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0)
        return;
    bool is_presenter = listening == share->control;
    if (!is_welcome(share, descriptor, is_presenter) || share->follower_count == SHARE_MAX_FOLLOWERS) {
        struct text line = {0};
        line_of_end(&line, share->follower_count == SHARE_MAX_FOLLOWERS ? "full" : "refused");
        ssize_t sent = send(descriptor, line.bytes, line.length, MSG_NOSIGNAL | MSG_DONTWAIT);
        (void)sent; /* whoever it is learns it from the end of the connection else */
        text_free(&line);
        close(descriptor);
        return;
    }
    struct follower *follower = memory_zeroed(1, sizeof *follower);
    follower->descriptor = descriptor;
    follower->is_presenter = is_presenter;
    line_of_session(&follower->rest, share->name, share->began);
    watch(share, descriptor, EPOLLIN | EPOLLRDHUP, follower, EPOLL_CTL_ADD);
    share->followers[share->follower_count++] = follower;
    if (!keep_up(share, follower))
        drop(share, share->follower_count - 1);
}

/* A follower has nothing to say: whatever comes from it, its end included, is the end. The notes ask for
 * keys. */
static bool hear(struct share *share, const struct follower *follower)
{
    char bytes[KEYS_MAX];
    ssize_t count = recv(follower->descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0)
        return errno == EAGAIN || errno == EINTR;
    if (count == 0 || !follower->is_presenter)
        return false;
    for (ssize_t i = 0; i < count; i++) {
        if (bytes[i] == '\0' || !strchr(SHARE_KEYS, bytes[i]))
            return false;
        if (share->key_count < KEYS_MAX)
            share->keys[share->key_count++] = bytes[i];
    }
    return true;
}

static size_t index_of(const struct share *share, const struct follower *follower)
{
    size_t index = 0;
    while (index < share->follower_count && share->followers[index] != follower)
        index++;
    return index;
}

static void take_event(struct share *share, const struct epoll_event *event)
{
    if (event->data.ptr == &share->follow || event->data.ptr == &share->control) {
        admit(share, *(const int *)event->data.ptr);
        return;
    }
    size_t index = index_of(share, event->data.ptr);
    if (index == share->follower_count)
        return; /* dropped for an earlier event of the same batch */
    bool stays = !(event->events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) ||
                 hear(share, share->followers[index]);
    if (!stays || !keep_up(share, share->followers[index]))
        drop(share, index);
}

void share_pump(struct share *share)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    int count = epoll_wait(share->epoll, events, EVENTS_AT_ONCE, 0);
    for (int i = 0; i < count; i++)
        take_event(share, &events[i]);
    int64_t now = clock_ms();
    for (size_t i = share->follower_count; i > 0; i--) {
        const struct follower *follower = share->followers[i - 1];
        if (follower->awaits_room && now - follower->since >= SHARE_PATIENCE_MS)
            drop(share, i - 1);
    }
}

int share_timeout_ms(const struct share *share)
{
    int64_t now = clock_ms(), soonest = -1;
    for (size_t i = 0; i < share->follower_count; i++) {
        const struct follower *follower = share->followers[i];
        int64_t left = follower->since + SHARE_PATIENCE_MS - now;
        if (follower->awaits_room && (soonest < 0 || left < soonest))
            soonest = left > 0 ? left : 0;
    }
    return (int)soonest;
}

int share_descriptor(const struct share *share)
{
    return share->epoll;
}

const char *share_name(const struct share *share)
{
    return share->name;
}

size_t share_follower_count(const struct share *share)
{
    size_t count = 0;
    for (size_t i = 0; i < share->follower_count; i++)
        count += !share->followers[i]->is_presenter;
    return count;
}

char share_key(struct share *share)
{
    if (share->key_count == 0)
        return 0;
    char key = share->keys[0];
    memmove(share->keys, share->keys + 1, --share->key_count);
    return key;
}

/* Of the run that ends, a follower that is behind only gets the rest of the line that it is in. */
static void finish_line(const struct share *share, struct follower *follower)
{
    const struct text *history = &share->history;
    size_t sent = follower->history_sent;
    bool within = sent > 0 && sent < history->length && history->bytes[sent - 1] != '\n';
    follower->history_sent = 0;
    if (!within)
        return;
    const char *end = memchr(history->bytes + sent, '\n', history->length - sent);
    text_append_bytes(&follower->rest, history->bytes + sent, (size_t)(end + 1 - history->bytes) - sent);
}

void share_begin(struct share *share, const struct log_header *header)
{
    for (size_t i = 0; i < share->follower_count; i++)
        finish_line(share, share->followers[i]);
    text_clear(&share->history);
    log_header_to_json(header, &share->history);
    text_append(&share->history, "\n");
    share->records_told = share->position = share->answered = 0;
    share->has_run = true;
    send_to_all(share);
}

void share_show(struct share *share, const struct log *log, size_t position, size_t answered)
{
    if (!share->has_run || (position == share->position && answered == share->answered))
        return;
    for (; share->records_told < position; share->records_told++) {
        log_record_to_json(&log->records[share->records_told], &share->history);
        text_append(&share->history, "\n");
    }
    line_of_look(&share->history, position, answered);
    share->position = position;
    share->answered = answered;
    send_to_all(share);
}

static bool open_folders(struct share *share, const char *group, struct error *error)
{
    gid_t number;
    share->shared = (struct folder){.descriptor = -1, .group = NO_GROUP};
    if (!folder_open_private(&share->private, error))
        return false;
    return !group || (folder_find_group(group, &number, error) &&
                      folder_open_shared(&share->shared, &share->private, number, error));
}

static const struct folder *follow_folder(const struct share *share)
{
    return share->shared.group == NO_GROUP ? &share->private : &share->shared;
}

/* The control socket comes first: it is where two sessions of one name meet. */
static bool open_sockets(struct share *share, struct error *error)
{
    share->control = socket_listen(&share->private, share->name, ENDING_CONTROL, error);
    if (share->control < 0)
        return false;
    share->follow = socket_listen(follow_folder(share), share->name, ENDING_FOLLOW, error);
    if (share->follow < 0)
        return false;
    share->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (share->epoll < 0 || !watch(share, share->control, EPOLLIN, &share->control, EPOLL_CTL_ADD) ||
        !watch(share, share->follow, EPOLLIN, &share->follow, EPOLL_CTL_ADD))
        return error_set_errno(error, "the session's sockets cannot be watched");
    return true;
}

static void close_sockets(struct share *share)
{
    if (share->follow >= 0) {
        socket_remove(follow_folder(share), share->name, ENDING_FOLLOW);
        close(share->follow);
    }
    if (share->control >= 0) {
        socket_remove(&share->private, share->name, ENDING_CONTROL);
        close(share->control);
    }
    if (share->epoll >= 0)
        close(share->epoll);
    folder_close(&share->shared);
    folder_close(&share->private);
}

static void release(struct share *share)
{
    close_sockets(share);
    text_free(&share->history);
    free(share->name);
    free(share);
}

struct share *share_open(const char *name, const char *group, struct error *error)
{
    struct share *share = memory_zeroed(1, sizeof *share);
    share->name = memory_copy_string(name);
    share->follow = share->control = share->epoll = -1;
    share->began = time(NULL);
    if (open_folders(share, group, error) && open_sockets(share, error))
        return share;
    release(share);
    return NULL;
}

static bool anybody_behind(const struct share *share)
{
    for (size_t i = 0; i < share->follower_count; i++)
        if (has_more(share, share->followers[i]))
            return true;
    return false;
}

void share_close(struct share *share)
{
    if (!share)
        return;
    line_of_end(&share->history, "over");
    epoll_ctl(share->epoll, EPOLL_CTL_DEL, share->follow, NULL);
    epoll_ctl(share->epoll, EPOLL_CTL_DEL, share->control, NULL);
    int64_t until = clock_ms() + FAREWELL_MS;
    for (send_to_all(share); anybody_behind(share) && clock_ms() < until;) {
        struct epoll_event events[EVENTS_AT_ONCE];
        int count = epoll_wait(share->epoll, events, EVENTS_AT_ONCE, (int)(until - clock_ms()));
        for (int i = 0; i < count; i++)
            take_event(share, &events[i]);
    }
    while (share->follower_count > 0)
        drop(share, share->follower_count - 1);
    release(share);
}
