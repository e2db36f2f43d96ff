/* Reading and writing descriptors whole, with EINTR, EAGAIN and short counts seen to. */
#ifndef HANDOFF_PROCESS_DESCRIPTOR_H
#define HANDOFF_PROCESS_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>

/* Close the descriptor, if there is one, and leave -1. */
void descriptor_close(int *descriptor);

/* All of it, or false: the other end has closed, or errno says what failed. They sleep where the descriptor
 * is not ready, also where it does not block. SIGPIPE is never raised; send needs a socket. */
bool socket_send_all(int descriptor, const void *bytes, size_t length);
bool socket_receive_all(int descriptor, void *bytes, size_t length);

/* Sleeps until the descriptor can be read. */
void descriptor_await(int descriptor);

#endif
