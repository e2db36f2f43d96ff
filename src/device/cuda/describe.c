/* What of CUDA and NCCL this machine has, in words. */
#include "device/cuda/describe.h"

#include <dlfcn.h>

#include "device/cuda/cuda_device.h"

static void describe_version(struct text *out, const char *what, int version)
{
    text_format(out, "%s %d.%d\n", what, version / 1000, version % 1000 / 10);
}

static void describe_gpu(struct text *out, int gpu)
{
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, gpu) != cudaSuccess) {
        text_format(out, "GPU %d: it does not answer\n", gpu);
        return;
    }
    int mode = cudaComputeModeDefault;
    cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, gpu);
    text_format(out, "GPU %d: %s, %.0f GiB, compute capability %d.%d%s\n", gpu, properties.name,
                (double)properties.totalGlobalMem / (1 << 30), properties.major, properties.minor,
                mode == cudaComputeModeProhibited         ? ", closed to programs (compute mode prohibited)"
                : mode == cudaComputeModeExclusiveProcess ? ", one process at a time (exclusive mode)"
                                                          : "");
}

/* The few things asked of NVML, the driver's management library, which is loaded where it is there; its
 * header comes with no package that the rest needs (NVML API reference). */
typedef struct nvml_device *nvml_device;
enum { NVML_SUCCESS = 0, NVML_P2P_CAPS_NVLINK = 2, NVML_P2P_STATUS_OK = 0 };
struct nvml {
    int (*start)(void);
    int (*find)(const char *bus, nvml_device *device);
    int (*link)(nvml_device from, nvml_device to, int capability, int *status);
};

static bool nvml_load(struct nvml *nvml)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!library) {
        return false;
    }
    *(void **)&nvml->start = dlsym(library, "nvmlInit_v2");
    *(void **)&nvml->find = dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
    *(void **)&nvml->link = dlsym(library, "nvmlDeviceGetP2PStatus");
    return nvml->start && nvml->find && nvml->link && nvml->start() == NVML_SUCCESS;
}

static bool has_nvlink(int from, int to)
{
    struct nvml nvml;
    char from_bus[32], to_bus[32];
    nvml_device from_device, to_device;
    int status;
    return nvml_load(&nvml) && cudaDeviceGetPCIBusId(from_bus, sizeof from_bus, from) == cudaSuccess &&
           cudaDeviceGetPCIBusId(to_bus, sizeof to_bus, to) == cudaSuccess &&
           nvml.find(from_bus, &from_device) == NVML_SUCCESS &&
           nvml.find(to_bus, &to_device) == NVML_SUCCESS &&
           nvml.link(from_device, to_device, NVML_P2P_CAPS_NVLINK, &status) == NVML_SUCCESS &&
           status == NVML_P2P_STATUS_OK;
}

static void describe_link(struct text *out, int from, int to)
{
    int direct = 0;
    cudaDeviceCanAccessPeer(&direct, from, to);
    text_format(out, "GPU %d and GPU %d: %s\n", from, to,
                !direct                ? "no direct access, data goes through the host's memory"
                : has_nvlink(from, to) ? "direct access over NVLink"
                                       : "direct access over PCIe");
}

unsigned describe_machine(struct text *out, struct error *error)
{
    int count = 0, driver = 0, runtime = 0, nccl = 0;
    if (!cuda_check(cudaGetDeviceCount(&count), error, "looking for GPUs")) {
        return 0;
    }
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    ncclGetVersion(&nccl);
    describe_version(out, "driver for CUDA", driver);
    describe_version(out, "CUDA runtime", runtime);
    text_format(out, "NCCL %d.%d.%d\n", nccl / 10000, nccl / 100 % 100, nccl % 100);
    for (int i = 0; i < count; i++) {
        describe_gpu(out, i);
    }
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            describe_link(out, i, j);
        }
    }
    return (unsigned)count;
}
