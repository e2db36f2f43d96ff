#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static bool write_all(int descriptor, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

static bool write_in_place(const char *path, const char *bytes, size_t length, struct error *error)
{
    int descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return error_set_errno(error, "%s cannot be opened", path);
    bool fine = write_all(descriptor, bytes, length);
    fine = close(descriptor) == 0 && fine;
    return fine || error_set_errno(error, "%s cannot be written", path);
}

/* The permissions that a file made with open(..., 0666) would get. */
static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Writes the file NAME, which is a template for mkstemp(), and gives it TARGET's name. */
static bool write_and_rename(char *name, const char *target, mode_t mode, const char *bytes, size_t length)
{
    int descriptor = mkstemp(name);
    if (descriptor < 0)
        return false;
    bool fine = write_all(descriptor, bytes, length) && fchmod(descriptor, mode) == 0;
    int reason = errno;
    if (close(descriptor) != 0 && fine) {
        reason = errno;
        fine = false;
    }
    if (fine && rename(name, target) != 0) {
        reason = errno;
        fine = false;
    }
    if (!fine)
        unlink(name);
    errno = reason;
    return fine;
}

/* Signals that end the process wait meanwhile, so that none leaves a part of a file behind. */
static bool write_undisturbed(char *name, const char *target, mode_t mode, const char *bytes, size_t length)
{
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ends, &before);
    bool fine = write_and_rename(name, target, mode, bytes, length);
    int reason = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return fine;
}

bool file_replace(const char *path, const char *bytes, size_t length, struct error *error)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (exists && !S_ISREG(old.st_mode))
        return write_in_place(path, bytes, length, error);
    /* What a symbolic link names is replaced, not the link. */
    char *resolved = exists ? realpath(path, NULL) : NULL;
    const char *target = resolved ? resolved : path;
    struct text name = {0};
    text_format(&name, "%s.XXXXXX", target);
    mode_t mode = exists ? old.st_mode & 07777 : usual_mode();
    bool fine = write_undisturbed(name.bytes, target, mode, bytes, length) ||
                error_set_errno(error, "%s cannot be written", path);
    text_free(&name);
    free(resolved);
    return fine;
}
