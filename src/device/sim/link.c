#include "device/sim/link.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/memory.h"

/* A message is a head and up to LINK_BLOCK bytes of one stream. */
struct head {
    uint32_t key, length;
};

enum { IN_CAPACITY = 2 * LINK_BLOCK };

/* A stream's bytes that nobody has asked for yet: from START to END. */
struct stash {
    struct stash *next;
    uint32_t key;
    uint8_t *bytes;
    size_t start, end, capacity;
};

void links_open(struct links *links, const int *descriptors, uint32_t count)
{
    links->count = count;
    links->items = memory_zeroed(count, sizeof *links->items);
    for (uint32_t rank = 0; rank < count; rank++) {
        struct link *link = &links->items[rank];
        link->descriptor = descriptors[rank];
        link->own = link->descriptor < 0;
        if (link->own)
            continue;
        link->out = memory_resize(NULL, LINK_BLOCK, 1);
        link->in = memory_resize(NULL, IN_CAPACITY, 1);
    }
}

void links_close(struct links *links)
{
    for (uint32_t rank = 0; rank < links->count; rank++) {
        struct link *link = &links->items[rank];
        free(link->out);
        free(link->in);
        for (struct stash *stash = link->first_stash, *next; stash; stash = next) {
            next = stash->next;
            free(stash->bytes);
            free(stash);
        }
    }
    free(links->items);
}

/* Streams that came unasked. */

static struct stash *find_stash(const struct link *link, uint32_t key)
{
    struct stash *stash = link->first_stash;
    while (stash && stash->key != key)
        stash = stash->next;
    return stash;
}

static struct stash *add_stash(struct link *link, uint32_t key)
{
    struct stash *stash = memory_zeroed(1, sizeof *stash);
    stash->key = key;
    if (link->last_stash)
        link->last_stash->next = stash;
    else
        link->first_stash = stash;
    link->last_stash = stash;
    return stash;
}

static void remove_stash(struct link *link, struct stash *stash)
{
    struct stash *before = NULL;
    for (struct stash *at = link->first_stash; at != stash; at = at->next)
        before = at;
    if (before)
        before->next = stash->next;
    else
        link->first_stash = stash->next;
    if (link->last_stash == stash)
        link->last_stash = before;
    free(stash->bytes);
    free(stash);
}

static void keep(struct link *link, uint32_t key, const uint8_t *bytes, size_t length)
{
    struct stash *stash = find_stash(link, key);
    if (!stash)
        stash = add_stash(link, key);
    if (stash->end + length > stash->capacity) {
        stash->capacity = (stash->end + length) * 2;
        stash->bytes = memory_resize(stash->bytes, stash->capacity, 1);
    }
    memcpy(stash->bytes + stash->end, bytes, length);
    stash->end += length;
}

static size_t take_kept(struct link *link, uint32_t key, uint8_t *bytes, size_t length)
{
    struct stash *stash = find_stash(link, key);
    if (!stash)
        return 0;
    size_t count = stash->end - stash->start < length ? stash->end - stash->start : length;
    memcpy(bytes, stash->bytes + stash->start, count);
    stash->start += count;
    if (stash->start == stash->end)
        remove_stash(link, stash);
    return count;
}

/* Reading. */

/* Whether a message's head and at least one byte of it are there. */
static bool has_message(struct link *link)
{
    if (link->in_left == 0 && link->in_end - link->in_start >= sizeof(struct head)) {
        struct head head;
        memcpy(&head, link->in + link->in_start, sizeof head);
        link->in_start += sizeof head;
        link->in_key = head.key;
        link->in_left = head.length;
    }
    return link->in_left > 0 && link->in_end > link->in_start;
}

static size_t message_bytes(const struct link *link)
{
    size_t there = link->in_end - link->in_start;
    return there < link->in_left ? there : link->in_left;
}

static void pass_message(struct link *link, size_t length)
{
    link->in_start += length;
    link->in_left -= (uint32_t)length;
}

static void keep_messages(struct link *link)
{
    while (has_message(link)) {
        size_t count = message_bytes(link);
        keep(link, link->in_key, link->in + link->in_start, count);
        pass_message(link, count);
    }
}

/* Reads what the socket has, without waiting. False where there was nothing, or nothing will come. */
static bool read_some(struct link *link)
{
    if (link->descriptor < 0)
        return false;
    if (link->in_start > 0) {
        memmove(link->in, link->in + link->in_start, link->in_end - link->in_start);
        link->in_end -= link->in_start;
        link->in_start = 0;
    }
    if (link->in_end == IN_CAPACITY) {
        keep_messages(link);
        return read_some(link);
    }
    ssize_t count;
    do
        count = recv(link->descriptor, link->in + link->in_end, IN_CAPACITY - link->in_end, MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK))
        link->descriptor = -1;
    if (count <= 0)
        return false;
    link->in_end += (size_t)count;
    return true;
}

/* Sleeps until DESCRIPTOR is ready for EVENTS or a worker has sent something, which is taken in. */
static bool await(struct links *links, int descriptor, short events)
{
    struct pollfd ready[LINKS_MAX + 1];
    for (uint32_t rank = 0; rank < links->count; rank++)
        ready[rank] = (struct pollfd){.fd = links->items[rank].descriptor, .events = POLLIN};
    ready[links->count] = (struct pollfd){.fd = descriptor, .events = events};
    while (poll(ready, links->count + 1, -1) < 0 && errno == EINTR)
        continue;
    for (uint32_t rank = 0; rank < links->count; rank++)
        if (ready[rank].revents)
            read_some(&links->items[rank]);
    return ready[links->count].revents != 0;
}

void links_await(struct links *links, int channel)
{
    links_flush(links);
    while (!await(links, channel, POLLIN))
        continue;
}

/* Writing. */

static void flush(struct links *links, struct link *link)
{
    for (size_t sent = 0; sent < link->out_length && link->descriptor >= 0;) {
        int descriptor = link->descriptor;
        ssize_t count =
            send(descriptor, link->out + sent, link->out_length - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count >= 0)
            sent += (size_t)count;
        else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS)
            await(links, descriptor, POLLOUT);
        else if (errno != EINTR)
            break; /* it has gone; what it sent before may still be read */
    }
    link->out_length = 0;
}

void links_flush(struct links *links)
{
    for (uint32_t rank = 0; rank < links->count; rank++)
        flush(links, &links->items[rank]);
}

void links_send(struct links *links, uint32_t rank, uint32_t key, const uint8_t *bytes, size_t length)
{
    struct link *link = &links->items[rank];
    if (link->own)
        keep(link, key, bytes, length);
    while (length > 0 && link->descriptor >= 0) {
        if (link->out_length + sizeof(struct head) >= LINK_BLOCK)
            flush(links, link);
        size_t room = LINK_BLOCK - link->out_length - sizeof(struct head);
        size_t count = length < room ? length : room;
        const struct head head = {.key = key, .length = (uint32_t)count};
        memcpy(link->out + link->out_length, &head, sizeof head);
        memcpy(link->out + link->out_length + sizeof head, bytes, count);
        link->out_length += sizeof head + count;
        bytes += count;
        length -= count;
    }
}

bool links_receive(struct links *links, uint32_t rank, uint32_t key, uint8_t *bytes, size_t length)
{
    struct link *link = &links->items[rank];
    size_t received = take_kept(link, key, bytes, length);
    while (received < length) {
        if (!has_message(link)) {
            if (read_some(link))
                continue;
            if (link->descriptor < 0)
                return false;
            links_flush(links);
            await(links, link->descriptor, POLLIN); /* what it takes in may be kept already */
            received += take_kept(link, key, bytes + received, length - received);
            continue;
        }
        size_t count = message_bytes(link);
        if (link->in_key == key) {
            count = count < length - received ? count : length - received;
            memcpy(bytes + received, link->in + link->in_start, count);
            received += count;
        } else {
            keep(link, link->in_key, link->in + link->in_start, count);
        }
        pass_message(link, count);
    }
    return true;
}
