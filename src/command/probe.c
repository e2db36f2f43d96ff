#include "command/probe.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/cuda/module.h"

enum { PROBE_MS = 20000, PROBE_BYTES = 1 << 16 };

/* The child says how many GPUs there are in the first line, or 0, and then the reason. */
static _Noreturn void probe_in_child(int out)
{
    struct text found = {0}, answer = {0};
    struct error error = {0};
    const struct cuda_module *module = cuda_module_load(&error);
    unsigned count = module ? module->describe(&found, &error) : 0;
    text_format(&answer, "%u\n%s", count, count > 0 ? text_string(&found) : error.message);
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
    char *rest;
    unsigned long count = strtoul(text_string(answer), &rest, 10);
    rest += *rest == '\n';
    if (count > 0)
        text_append(found, rest);
    else
        error_set(error, "%s", *rest ? rest : "the CUDA libraries ended the process that asked them");
    return (unsigned)count;
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
