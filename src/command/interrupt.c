#include "command/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static int ends[2];

static void note(int number)
{
    int before = errno;
    caught = number;
    ssize_t written = write(ends[1], "", 1);
    (void)written; /* a full pipe is readable already */
    errno = before;
}

bool interrupt_catch(struct error *error)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    if (pipe(ends) < 0)
        return error_set_errno(error, "a pipe cannot be made");
    for (size_t i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
    struct sigaction action = {.sa_handler = note};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
    return true;
}

int interrupt_descriptor(void)
{
    return ends[0];
}

int interrupt_signal(void)
{
    return caught;
}
