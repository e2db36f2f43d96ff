/* Kernels, copies and sets. */
#include "device/cuda/cuda_device.h"
#include "kernels/kernels.h"
#include "schedule/element.h"

#include <string.h>

static struct progression produced(const struct program *program, uint32_t call, uint32_t count)
{
    return (struct progression){.first = produced_value(program, call, count, 0),
                                .period = produced_period(program, call)};
}

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

static cudaError_t launch_output(struct device *device, uint32_t call, const struct inputs *inputs,
                                 const struct span *out)
{
    const struct program *program = device->program;
    const struct statement *statement = call_statement(program, call);
    cudaStream_t stream = device->streams[statement->stream];
    int type = program->memories[out->memory].type;
    void *address = span_address(device, out);
    if (out->access & ACCESS_ACCUMULATE) {
        return kernel_accumulate(address, type, out->count, produced(program, call, out->count), stream);
    }
    if (strcmp(program->kernels[statement->kernel], "B") == 0) {
        return kernel_twice(inputs, address, type, out->count, stream);
    }
    return kernel_produce(address, type, out->count, produced(program, call, out->count), stream);
}

static bool launch_outputs(struct device *device, uint32_t call, struct error *error)
{
    const struct program *program = device->program;
    const struct statement *statement = call_statement(program, call);
    struct inputs inputs;
    if (!gather_inputs(device, statement, &inputs, error)) {
        return false;
    }
    for (uint32_t i = 0; i < statement->span_count; i++) {
        const struct span *span = &program->spans[statement->first_span + i];
        if ((span->access & (ACCESS_WRITE | ACCESS_ACCUMULATE)) &&
            !cuda_check(launch_output(device, call, &inputs, span), error, "cudaLaunchKernel")) {
            return false;
        }
    }
    return true;
}

bool device_launch(struct device *device, uint32_t call, struct error *error)
{
    const struct statement *statement = call_statement(device->program, call);
    return mark_begin(device, call, error) &&
           (statement->takes_ns == 0 ||
            cuda_check(kernel_delay(statement->takes_ns, device->streams[statement->stream]), error,
                       "cudaLaunchKernel")) &&
           launch_outputs(device, call, error) && mark_end(device, call, error);
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
    fine = fine && mark_end(device, call, error);
    observer_look(device);
    return fine;
}

bool device_set(struct device *device, uint32_t call, struct error *error)
{
    const struct program *program = device->program;
    const struct statement *statement = call_statement(program, call);
    const struct span *span = &program->spans[statement->first_span];
    void *address = span_address(device, span);
    size_t bytes = (size_t)span_bytes(program, span);
    return mark_begin(device, call, error) &&
           (statement->has_stream
                ? cuda_check(
                      cudaMemsetAsync(address, statement->value, bytes, device->streams[statement->stream]),
                      error, "cudaMemsetAsync")
                : cuda_check(cudaMemset(address, statement->value, bytes), error, "cudaMemset")) &&
           mark_end(device, call, error);
}
