#include <dlfcn.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "device/cuda/module.h"

/* $HANDOFF_CUDA_MODULE, else beside the program in the build tree, else where it was installed. */
static bool find_module(struct text *path, struct error *error)
{
    const char *named = getenv("HANDOFF_CUDA_MODULE");
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return error_set_errno(error, "the program's own place is unknown");
    program[length] = '\0';
    if (named)
        text_append(path, named);
    else
        text_format(path, "%s/src/device/cuda/%s", dirname(program), CUDA_MODULE_FILE);
    if (access(text_string(path), R_OK) == 0)
        return true;
    text_clear(path);
    text_format(path, "%s/%s", CUDA_MODULE_FOLDER, CUDA_MODULE_FILE);
    return access(text_string(path), R_OK) == 0 ||
           error_set(error, "this build has no CUDA backend (it was made without the CUDA toolkit or NCCL)");
}

/* What keeps the module from loading, in the user's words. FAILURE is the loader's. */
static bool explain(const char *failure, struct error *error)
{
    if (strstr(failure, "libcuda.so")) {
        return error_set(error, "no NVIDIA driver is installed (libcuda.so.1 was not found)");
    }
    if (strstr(failure, "libnccl.so")) {
        return error_set(error, "NCCL is not installed (libnccl.so.2 was not found)");
    }
    return error_set(error, "the CUDA backend does not load: %s", failure);
}

const struct cuda_module *cuda_module_load(struct error *error)
{
    struct text path = {0};
    const struct cuda_module *module = NULL;
    if (find_module(&path, error)) {
        void *library = dlopen(text_string(&path), RTLD_NOW | RTLD_LOCAL);
        if (library) {
            module = dlsym(library, CUDA_MODULE_SYMBOL);
        }
        if (!library || !module) {
            explain(dlerror(), error);
        } else if (module->contract != CUDA_MODULE_CONTRACT) {
            error_set(error, "the CUDA backend at %s belongs to another version of handoff",
                      text_string(&path));
            module = NULL;
        }
    }
    text_free(&path);
    return module;
}

bool cuda_module_is_likely(struct error *error)
{
    struct text path = {0};
    bool found = find_module(&path, error);
    text_free(&path);
    /* The driver's control device, and what takes its place under WSL and on Jetson boards. */
    bool has_control = access("/dev/nvidiactl", F_OK) == 0, is_named = getenv("HANDOFF_CUDA_MODULE") != NULL;
    if (found && !is_named && !has_control && access("/dev/dxg", F_OK) != 0 &&
        access("/dev/nvmap", F_OK) != 0)
        return error_set(error, "this machine has no NVIDIA GPU, or its driver is not loaded");
    if (found && has_control && access("/dev/nvidiactl", R_OK | W_OK) != 0)
        return error_set_errno(error, "the NVIDIA GPU may not be used (/dev/nvidiactl)");
    return found;
}
