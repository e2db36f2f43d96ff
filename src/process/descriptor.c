#include "process/descriptor.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

void descriptor_close(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

static void await_events(int descriptor, short events)
{
    struct pollfd ready = {.fd = descriptor, .events = events};
    while (poll(&ready, 1, -1) < 0 && errno == EINTR)
        continue;
}

void descriptor_await(int descriptor)
{
    await_events(descriptor, POLLIN);
}

static bool is_worth_a_retry(int descriptor, short events)
{
    if (errno == EINTR)
        return true;
    if (errno != EAGAIN && errno != EWOULDBLOCK)
        return false;
    await_events(descriptor, events);
    return true;
}

bool socket_send_all(int descriptor, const void *bytes, size_t length)
{
    for (size_t sent = 0; sent < length;) {
        ssize_t count = send(descriptor, (const char *)bytes + sent, length - sent, MSG_NOSIGNAL);
        if (count >= 0)
            sent += (size_t)count;
        else if (!is_worth_a_retry(descriptor, POLLOUT))
            return false;
    }
    return true;
}

bool socket_receive_all(int descriptor, void *bytes, size_t length)
{
    for (size_t received = 0; received < length;) {
        ssize_t count = recv(descriptor, (char *)bytes + received, length - received, 0);
        if (count == 0) {
            errno = EPIPE;
            return false;
        }
        if (count > 0)
            received += (size_t)count;
        else if (!is_worth_a_retry(descriptor, POLLIN))
            return false;
    }
    return true;
}
