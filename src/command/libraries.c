#include "command/libraries.h"

#include <dlfcn.h>
#include <string.h>

/* The few calls of the driver that say what is there (CUDA driver API). Zero is success for each. */
struct driver_calls {
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

static bool load_driver(struct driver_calls *driver, struct text *out)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        text_append(out, "driver: none (libcuda.so.1 is not found)\n");
        return false;
    }
    if (!find(library, "cuInit", &driver->initialise) ||
        !find(library, "cuDriverGetVersion", &driver->version) ||
        !find(library, "cuDeviceGetCount", &driver->gpu_count) ||
        !find(library, "cuDeviceGetName", &driver->gpu_name)) {
        text_append(out, "driver: libcuda.so.1 lacks what a CUDA driver has\n");
        return false;
    }
    return true;
}

static void describe_gpus(const struct driver_calls *driver, struct text *out)
{
    int version = 0, count = 0;
    int failure = driver->initialise(0);
    driver->version(&version);
    text_format(out, "driver: for CUDA %d.%d\n", version / 1000, version % 1000 / 10);
    if (failure == 0)
        failure = driver->gpu_count(&count);
    if (failure != 0)
        text_format(out, "GPUs: the driver does not start (CUDA error %d)\n", failure);
    else if (count == 0)
        text_append(out, "GPUs: none\n");
    for (int gpu = 0; gpu < count; gpu++) {
        char name[256] = "";
        driver->gpu_name(name, sizeof name - 1, gpu);
        text_format(out, "GPU %d: %s\n", gpu, name);
    }
}

/* NCCL user guide, api: the version is 10000 * major + 100 * minor + patch. */
static void describe_nccl(struct text *out)
{
    int (*get_version)(int *version);
    int version;
    void *library = dlopen("libnccl.so.2", RTLD_NOW);
    if (!library)
        text_append(out, "NCCL: none (libnccl.so.2 is not found)\n");
    else if (!find(library, "ncclGetVersion", &get_version) || get_version(&version) != 0)
        text_append(out, "NCCL: libnccl.so.2 does not tell its version\n");
    else
        text_format(out, "NCCL %d.%d.%d\n", version / 10000, version % 10000 / 100, version % 100);
}

void describe_libraries(struct text *out)
{
    struct driver_calls driver;
    if (load_driver(&driver, out))
        describe_gpus(&driver, out);
    describe_nccl(out);
}
