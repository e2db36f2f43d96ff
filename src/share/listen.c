#include "share/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 128 };

static bool write_address(struct sockaddr_un *address, const char *folder, const char *name,
                          const char *ending)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(address->sun_path, sizeof address->sun_path, "%s/%s%s", folder, name, ending);
    if (length > 0 && (size_t)length < sizeof address->sun_path)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

static int open_socket(void)
{
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (descriptor >= 0) {
        fcntl(descriptor, F_SETFD, FD_CLOEXEC);
        fcntl(descriptor, F_SETFL, O_NONBLOCK);
    }
    return descriptor;
}

static int connect_to(const struct sockaddr_un *address)
{
    int descriptor = open_socket();
    if (descriptor < 0 || connect(descriptor, (const struct sockaddr *)address, sizeof *address) == 0)
        return descriptor;
    int cause = errno;
    close(descriptor);
    errno = cause;
    return -1;
}

/* The process that made the socket has gone, whoever that was. Anything else (a queue that is full, a server
 * that is stopped) counts as alive. */
static bool is_stale(const struct sockaddr_un *address)
{
    int descriptor = connect_to(address);
    int cause = errno;
    if (descriptor >= 0)
        close(descriptor);
    return descriptor < 0 && cause == ECONNREFUSED;
}

/* The socket is there for its owner alone until it has its group. */
static bool bind_socket(int descriptor, const struct folder *folder, const struct sockaddr_un *address)
{
    mode_t before = umask(S_IRWXG | S_IRWXO | S_IXUSR);
    int status = bind(descriptor, (const struct sockaddr *)address, sizeof *address);
    int cause = errno;
    umask(before);
    errno = cause;
    if (status < 0)
        return false;
    return folder->group == NO_GROUP ||
           (lchown(address->sun_path, (uid_t)-1, folder->group) == 0 &&
            chmod(address->sun_path, S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP) == 0);
}

/* Called with the folder locked, so that nobody takes a socket for a stale one that does not listen yet. */
static bool bind_and_listen(int descriptor, const struct folder *folder, const struct sockaddr_un *address)
{
    if (bind_socket(descriptor, folder, address))
        return listen(descriptor, BACKLOG) == 0;
    if (errno != EADDRINUSE)
        return false;
    if (!is_stale(address)) {
        errno = EADDRINUSE;
        return false;
    }
    return unlink(address->sun_path) == 0 && bind_socket(descriptor, folder, address) &&
           listen(descriptor, BACKLOG) == 0;
}

int socket_listen(const struct folder *folder, const char *name, const char *ending, struct error *error)
{
    struct sockaddr_un address;
    int descriptor = -1;
    bool fine = write_address(&address, folder->path, name, ending);
    if (fine)
        fine = (descriptor = open_socket()) >= 0;
    if (fine) {
        flock(folder->lock, LOCK_EX);
        fine = bind_and_listen(descriptor, folder, &address);
        int cause = errno;
        flock(folder->lock, LOCK_UN);
        errno = cause;
    }
    if (fine)
        return descriptor;
    if (errno == EADDRINUSE)
        error_set(error, "there is a session called %s already", name);
    else
        error_set_errno(error, "%s/%s%s: no socket can be made", folder->path, name, ending);
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

void socket_remove(const struct folder *folder, const char *name, const char *ending)
{
    struct sockaddr_un address;
    if (write_address(&address, folder->path, name, ending))
        unlink(address.sun_path);
}

bool socket_is_alive(const struct folder *folder, const char *name, const char *ending)
{
    struct sockaddr_un address;
    if (!write_address(&address, folder->path, name, ending))
        return false;
    flock(folder->lock, LOCK_EX);
    bool stale = is_stale(&address);
    if (stale)
        unlink(address.sun_path);
    flock(folder->lock, LOCK_UN);
    return !stale;
}

int socket_connect(const char *folder, const char *name, const char *ending)
{
    struct sockaddr_un address;
    return write_address(&address, folder, name, ending) ? connect_to(&address) : -1;
}
