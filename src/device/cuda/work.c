/* Kernels, copies and sets. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/cuda/cuda_device.h"
#include "kernels/kernels.h"
#include "schedule/element.h"

struct progression produced_progression(const struct program *program, uint32_t call, uint32_t count)
{
    return (struct progression){.first = produced_value(program, call, count, 0),
                                .step = 1,
                                .period = produced_period(program, call)};
}

static const struct own_marks no_marks = {0};

static bool gather_inputs(const struct device *device, const struct statement *statement,
                          struct inputs *inputs, struct error *error)
{
    const struct program *program = device->program;
    *inputs = (struct inputs){0};
    for (uint32_t i = 0; i < statement->span_count; i++) {
        const struct span *span = &program->spans[statement->first_span + i];
        if (!(span->access & ACCESS_READ) || span->count == 0) {
            continue;
        }
        if (inputs->count == KERNEL_MAX_INPUTS) {
            return error_set(error, "B reads more than %d buffers", KERNEL_MAX_INPUTS);
        }
        inputs->elements[inputs->count] = span_address(device, span);
        inputs->counts[inputs->count] = span->count;
        inputs->types[inputs->count++] = program->memories[span->memory].type;
    }
    return true;
}

static bool is_doubling(const struct device *device, const struct statement *statement)
{
    return strcmp(device->program->kernels[statement->kernel], "B") == 0;
}

static bool is_written(const struct span *span)
{
    return span->access & ACCESS_CHANGE;
}

static cudaError_t launch_output(struct device *device, uint32_t call, const struct inputs *inputs,
                                 const struct span *out, void *address, const struct own_marks *marks)
{
    const struct program *program = device->program;
    const struct statement *statement = call_statement(program, call);
    cudaStream_t stream = device->streams[statement->stream];
    int type = program->memories[out->memory].type;
    if (out->access & ACCESS_ACCUMULATE) {
        return kernel_accumulate(address, type, out->count, produced_progression(program, call, out->count),
                                 marks, stream);
    }
    if (is_doubling(device, statement)) {
        return kernel_twice(inputs, address, type, out->count, marks, stream);
    }
    return kernel_produce(address, type, out->count, produced_progression(program, call, out->count), marks,
                          stream);
}

/* Launches what makes the outputs; into SCRATCH, one behind the other, unless that is NULL. */
static bool launch_outputs(struct device *device, uint32_t call, uint8_t *scratch,
                           const struct own_marks *marks, struct error *error)
{
    const struct program *program = device->program;
    const struct statement *statement = call_statement(program, call);
    struct inputs inputs;
    if (!gather_inputs(device, statement, &inputs, error)) {
        return false;
    }
    for (uint32_t i = 0; i < statement->span_count; i++) {
        const struct span *span = &program->spans[statement->first_span + i];
        if (!is_written(span)) {
            continue;
        }
        void *address = scratch ? scratch : span_address(device, span);
        if (!cuda_check(launch_output(device, call, &inputs, span, address, marks), error,
                        "cudaLaunchKernel")) {
            return false;
        }
        scratch += scratch ? span_bytes(program, span) : 0;
    }
    return true;
}

static size_t output_bytes(const struct program *program, const struct statement *statement)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < statement->span_count; i++) {
        const struct span *span = &program->spans[statement->first_span + i];
        bytes += is_written(span) ? (size_t)span_bytes(program, span) : 0;
    }
    return bytes;
}

static bool make_scratch(struct device *device, uint32_t stream, size_t bytes, struct error *error)
{
    struct scratch *scratch = &device->scratches[stream];
    if (scratch->bytes >= bytes) {
        return true;
    }
    if (scratch->address) {
        struct scratch *older = memory_zeroed(1, sizeof *older);
        *older = *scratch;
        scratch->older = older;
    }
    scratch->address = NULL;
    scratch->bytes = 0;
    if (!cuda_check(cudaMalloc(&scratch->address, bytes), error, "cudaMalloc")) {
        return false;
    }
    scratch->bytes = bytes;
    return true;
}

void scratches_close(struct device *device)
{
    for (uint32_t i = 0; i < device->program->stream_count; i++) {
        cudaFree(device->scratches[i].address);
        for (struct scratch *older = device->scratches[i].older, *next; older; older = next) {
            next = older->older;
            cudaFree(older->address);
            free(older);
        }
    }
    free(device->scratches);
}

static bool write_outputs(struct device *device, const struct statement *statement, const uint8_t *scratch,
                          struct error *error)
{
    const struct program *program = device->program;
    for (uint32_t i = 0; i < statement->span_count; i++) {
        const struct span *span = &program->spans[statement->first_span + i];
        if (!is_written(span)) {
            continue;
        }
        size_t bytes = (size_t)span_bytes(program, span);
        if (!cuda_check(cudaMemcpyAsync(span_address(device, span), scratch, bytes, cudaMemcpyDeviceToDevice,
                                        device->streams[statement->stream]),
                        error, "cudaMemcpyAsync")) {
            return false;
        }
        scratch += bytes;
    }
    return true;
}

/* A kernel reads when it starts and writes when it is done, so that a race with one that takes long shows as
 * it would in a real kernel of that length. */
static bool launch_with_delay(struct device *device, uint32_t call, struct error *error)
{
    const struct statement *statement = call_statement(device->program, call);
    cudaStream_t stream = device->streams[statement->stream];
    bool keeps = is_doubling(device, statement);
    if (keeps && !make_scratch(device, statement->stream, output_bytes(device->program, statement), error)) {
        return false;
    }
    uint8_t *scratch = device->scratches[statement->stream].address;
    return (!keeps || launch_outputs(device, call, scratch, &no_marks, error)) &&
           cuda_check(kernel_delay(statement->takes_ns, stream), error, "cudaLaunchKernel") &&
           (keeps ? write_outputs(device, statement, scratch, error)
                  : launch_outputs(device, call, NULL, &no_marks, error));
}

bool device_launch(struct device *device, uint32_t call, struct error *error)
{
    bool takes_time = call_statement(device->program, call)->takes_ns > 0;
    if (!takes_time && mark_can_be_own(device, call)) {
        struct own_marks marks;
        return mark_own(device, call, &marks, error) && launch_outputs(device, call, NULL, &marks, error);
    }
    return mark_begin(device, call, error) &&
           (takes_time ? launch_with_delay(device, call, error)
                       : launch_outputs(device, call, NULL, &no_marks, error)) &&
           mark_end(device, call, error);
}

/* What a call that may have waited for its own end waited for is reported before its return. */
static bool end_plain(struct device *device, uint32_t call, bool fine)
{
    if (fine) {
        mark_await(device, call);
    }
    observer_look(device);
    return fine;
}

bool device_copy(struct device *device, uint32_t call, struct error *error)
{
    const struct program *program = device->program;
    const struct statement *statement = call_statement(program, call);
    const struct span *source = &program->spans[statement->first_span], *destination = source + 1;
    void *from = span_address(device, source), *to = span_address(device, destination);
    size_t bytes = (size_t)span_bytes(program, destination);
    if (!mark_begin(device, call, error)) {
        return false;
    }
    bool fine = statement->has_stream
                    ? cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault,
                                                 device->streams[statement->stream]),
                                 error, "cudaMemcpyAsync")
                    : cuda_check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), error, "cudaMemcpy");
    return end_plain(device, call, fine && mark_end(device, call, error));
}

bool device_set(struct device *device, uint32_t call, struct error *error)
{
    const struct program *program = device->program;
    const struct statement *statement = call_statement(program, call);
    const struct span *span = &program->spans[statement->first_span];
    void *address = span_address(device, span);
    size_t bytes = (size_t)span_bytes(program, span);
    if (!mark_begin(device, call, error)) {
        return false;
    }
    bool fine = statement->has_stream
                    ? cuda_check(cudaMemsetAsync(address, statement->value, bytes,
                                                 device->streams[statement->stream]),
                                 error, "cudaMemsetAsync")
                    : cuda_check(cudaMemset(address, statement->value, bytes), error, "cudaMemset");
    return end_plain(device, call, fine && mark_end(device, call, error));
}
