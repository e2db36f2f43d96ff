#include "command/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/libraries.h"
#include "device/cuda/module.h"

enum { PROBE_MS = 20000, PROBE_BYTES = 1 << 16 };

/* What the libraries print must not mix with the answer's place, the doctor's own output. */
static void silence(void)
{
    int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
}

/* The child says how many GPUs a run can use in the first line, why it can use none in the second, and then
 * what it found. */
static _Noreturn void probe_in_child(int out)
{
    struct text found = {0}, answer = {0};
    struct error error = {0};
    silence();
    const struct cuda_module *module = cuda_module_load(&error);
    unsigned count = module ? module->describe(&found, &error) : 0;
    if (count == 0) {
        text_clear(&found);
        describe_libraries(&found);
    }
    text_format(&answer, "%u\n%s\n%s", count, error.message, text_string(&found));
    ssize_t written = write(out, text_string(&answer), answer.length);
    _exit(written == (ssize_t)answer.length ? 0 : 1);
}

/* Reads to the end of what the child writes. False where it takes too long or writes too much. */
static bool read_answer(int in, struct text *found)
{
    char block[4096];
    struct pollfd descriptor = {.fd = in, .events = POLLIN};
    while (found->length < PROBE_BYTES && poll(&descriptor, 1, PROBE_MS) == 1) {
        ssize_t count = read(in, block, sizeof block);
        if (count == 0)
            return true;
        if (count < 0)
            return false;
        text_append_bytes(found, block, (size_t)count);
    }
    return false;
}

/* Takes the answer apart. */
static unsigned understand(const struct text *answer, struct text *found, struct error *error)
{
    const char *reason = strchr(text_string(answer), '\n');
    const char *rest = reason ? strchr(reason + 1, '\n') : NULL;
    if (!rest) {
        error_set(error, "the CUDA libraries ended the process that asked them");
        return 0;
    }
    error_set(error, "%.*s", (int)(rest - reason - 1), reason + 1);
    text_append(found, rest + 1);
    return (unsigned)strtoul(text_string(answer), NULL, 10);
}

unsigned probe_cuda(struct text *found, struct error *error)
{
    int ends[2];
    if (pipe(ends) < 0)
        return error_set_errno(error, "a pipe cannot be made");
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return error_set_errno(error, "a process cannot be forked");
    }
    if (child == 0) {
        close(ends[0]);
        probe_in_child(ends[1]);
    }
    close(ends[1]);
    struct text answer = {0};
    bool answered = read_answer(ends[0], &answer);
    close(ends[0]);
    kill(child, SIGKILL);
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    unsigned count = 0;
    if (answered)
        count = understand(&answer, found, error);
    else
        error_set(error, "the CUDA driver did not answer within %d s", PROBE_MS / 1000);
    text_free(&answer);
    return count;
}
