#include "command/probe.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROBE_MS = 20000, PROBE_BYTES = 1 << 16 };

/* The few calls of the driver and of NCCL that say what is there (CUDA driver API; NCCL user guide, api).
 * Zero is success for each. */
struct cuda_driver {
    int (*initialise)(unsigned flags);
    int (*version)(int *version);
    int (*gpu_count)(int *count);
    int (*gpu_name)(char *name, int length, int gpu);
};

/* POSIX lets an object pointer from dlsym() stand for a function. */
static bool find(void *library, const char *symbol, void *function)
{
    void *address = dlsym(library, symbol);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static bool load_driver(struct cuda_driver *driver, struct text *found)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        text_append(found, "CUDA driver: none (libcuda.so.1 is not found)\n");
        return false;
    }
    if (!find(library, "cuInit", &driver->initialise) ||
        !find(library, "cuDriverGetVersion", &driver->version) ||
        !find(library, "cuDeviceGetCount", &driver->gpu_count) ||
        !find(library, "cuDeviceGetName", &driver->gpu_name)) {
        text_append(found, "CUDA driver: libcuda.so.1 is not the one this program knows\n");
        return false;
    }
    return true;
}

static void describe_gpus(const struct cuda_driver *driver, struct text *found)
{
    int version = 0, count = 0;
    int failure = driver->initialise(0);
    driver->version(&version);
    text_format(found, "CUDA driver: for CUDA %d.%d\n", version / 1000, version % 1000 / 10);
    if (failure != 0 || driver->gpu_count(&count) != 0)
        text_format(found, "GPUs: the driver does not start (CUDA error %d)\n", failure);
    else if (count == 0)
        text_append(found, "GPUs: none\n");
    for (int gpu = 0; gpu < count; gpu++) {
        char name[256] = "";
        driver->gpu_name(name, sizeof name - 1, gpu);
        text_format(found, "GPU %d: %s\n", gpu, name);
    }
}

static void describe_nccl(struct text *found)
{
    int (*get_version)(int *version);
    int version;
    void *library = dlopen("libnccl.so.2", RTLD_NOW);
    if (!library)
        text_append(found, "NCCL: none (libnccl.so.2 is not found)\n");
    else if (!find(library, "ncclGetVersion", &get_version) || get_version(&version) != 0)
        text_append(found, "NCCL: libnccl.so.2 does not tell its version\n");
    else
        text_format(found, "NCCL: %d.%d.%d\n", version / 10000, version % 10000 / 100, version % 100);
}

static _Noreturn void probe_in_child(int out)
{
    struct text found = {0};
    struct cuda_driver driver;
    if (load_driver(&driver, &found))
        describe_gpus(&driver, &found);
    describe_nccl(&found);
    ssize_t written = write(out, text_string(&found), found.length);
    _exit(written == (ssize_t)found.length ? 0 : 1);
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

bool probe_cuda(struct text *found, struct error *error)
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
    bool answered = read_answer(ends[0], found);
    close(ends[0]);
    kill(child, SIGKILL);
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return answered || error_set(error, "the CUDA driver did not answer within %d s", PROBE_MS / 1000);
}
