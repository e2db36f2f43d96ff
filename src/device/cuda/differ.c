/* Large buffers are not shown whole: the GPU counts those of their elements that are not as expected, where
 * an operation is done, before its mark. */
#include "device/cuda/cuda_device.h"
#include "device/cuda/expect.h"

#include <string.h>

/* The counters are on the GPU on which the rank's host program begins: an operation of another one goes
 * uncounted. */
bool differences_open(struct device *device, struct error *error)
{
    const struct rank *rank = &device->program->ranks[device->setup.rank];
    size_t bytes = (rank->call_count + (size_t)1) * sizeof *device->differences.on_gpu;
    if (!device->setup.report_values || device->setup.watch == WATCH_NOTHING) {
        return true;
    }
    if (!cuda_check(cudaMalloc((void **)&device->differences.on_gpu, bytes), error, "cudaMalloc") ||
        !gpu_clear(&device->gpus[rank->gpu], device->differences.on_gpu, bytes, error) ||
        !cuda_check(cudaHostAlloc((void **)&device->differences.on_host, bytes, cudaHostAllocPortable), error,
                    "cudaHostAlloc")) {
        return false;
    }
    memset(device->differences.on_host, 0, bytes);
    return true;
}

void differences_close(struct device *device)
{
    cudaFree(device->differences.on_gpu);
    cudaFreeHost(device->differences.on_host);
}

/* The call's one written span, where it is large and on a GPU; NULL. */
static const struct span *large_span(const struct device *device, uint32_t call)
{
    const struct program *program = device->program;
    const struct statement *statement = call_statement(program, call);
    const struct span *found = NULL;
    for (uint32_t i = 0; i < statement->span_count; i++) {
        const struct span *span = &program->spans[statement->first_span + i];
        if (!(span->access & ACCESS_CHANGE))
            continue;
        if (found)
            return NULL;
        found = span;
    }
    if (!found || found->count <= VIEW_ELEMENTS) {
        return NULL;
    }
    uint32_t gpu = program->ranks[device->setup.rank].gpu;
    const struct memory *memory = &program->memories[found->memory];
    bool is_here =
        memory->kind == MEMORY_DEVICE && memory->gpu == gpu && program->streams[statement->stream].gpu == gpu;
    return is_here ? found : NULL;
}

static size_t place_of(const struct device *device, uint32_t call)
{
    return call - device->program->ranks[device->setup.rank].first_call;
}

/* The span whose elements are counted behind the call, and what they are to be; NULL. */
static const struct span *counted_span(const struct device *device, uint32_t call,
                                       struct progression *expected)
{
    const struct span *span = device->differences.on_gpu ? large_span(device, call) : NULL;
    return span && expect_written(device->setup.order, call, span, expected) ? span : NULL;
}

bool differences_are_counted(const struct device *device, uint32_t call)
{
    struct progression expected;
    return counted_span(device, call, &expected) != NULL;
}

bool differences_count(struct device *device, uint32_t call, struct error *error)
{
    cudaStream_t stream = device->streams[call_statement(device->program, call)->stream];
    struct progression expected;
    const struct span *span = counted_span(device, call, &expected);
    if (!span)
        return true;
    unsigned long long *on_gpu = device->differences.on_gpu + place_of(device, call);
    return cuda_check(kernel_count_different(span_address(device, span),
                                             device->program->memories[span->memory].type, span->count,
                                             expected, on_gpu, stream),
                      error, "launch of a count") &&
           cuda_check(cudaMemcpyAsync(device->differences.on_host + place_of(device, call), on_gpu,
                                      sizeof *on_gpu, cudaMemcpyDeviceToHost, stream),
                      error, "cudaMemcpyAsync");
}

void differences_report(struct device *device, uint32_t call, int64_t time)
{
    const struct span *span = device->differences.on_host ? large_span(device, call) : NULL;
    unsigned long long different = span ? device->differences.on_host[place_of(device, call)] : 0;
    if (different == 0)
        return;
    struct text note = {0};
    call_describe(device->program, call, &note);
    text_format(&note, ": %llu of %u elements are not as expected", different, span->count);
    report_text(device, RECORD_NOTE, call, time, text_string(&note), note.length);
    text_free(&note);
}
