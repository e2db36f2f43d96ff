/* The sockets between simulated devices: streams of bytes, each with a key that both ends know, in any
 * interleaving.
 *
 * No worker ever sleeps on one socket alone. Whoever has to wait, for room in a socket, for bytes or for its
 * next grant, takes in what any other worker sends meanwhile and keeps it in memory. So a send whose receive
 * does not exist yet cannot block the sender for good, and no cycle of full sockets can form. */
#ifndef HANDOFF_DEVICE_SIM_LINK_H
#define HANDOFF_DEVICE_SIM_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINKS_MAX = 64, LINK_BLOCK = 65536 };

struct stash;

/* One other worker. */
struct link {
    bool own;       /* oneself: a stream is kept from its sending to its receiving */
    int descriptor; /* -1: one's own, or the other has gone */
    uint8_t *out;   /* LINK_BLOCK bytes to be sent */
    size_t out_length;
    uint8_t *in; /* what was read and not looked at: from IN_START to IN_END */
    size_t in_start, in_end;
    uint32_t in_key, in_left;               /* the message at IN_START, where its head was read */
    struct stash *first_stash, *last_stash; /* streams that came before they were asked for */
};

struct links {
    struct link *items; /* by rank */
    uint32_t count;
};

/* DESCRIPTORS: connected stream sockets by rank, -1 for none. They stay the caller's. */
void links_open(struct links *links, const int *descriptors, uint32_t count);
void links_close(struct links *links);

/* Sends LENGTH bytes of the stream KEY, at the latest when this worker next waits for something. What a
 * worker that has gone does not take is lost. */
void links_send(struct links *links, uint32_t rank, uint32_t key, const uint8_t *bytes, size_t length);
void links_flush(struct links *links);

/* The next LENGTH bytes of the stream KEY. False where the other worker has gone without sending them. */
bool links_receive(struct links *links, uint32_t rank, uint32_t key, uint8_t *bytes, size_t length);

/* Sleeps until CHANNEL can be read. */
void links_await(struct links *links, int channel);

#endif
