/* Events, and what holds the host program back. */
#include <time.h>

#include "device/cuda/cuda_device.h"

static bool make_event(struct device *device, uint32_t event, struct error *error)
{
    if (device->events[event]) {
        return true;
    }
    int current = device->current;
    bool fine = gpu_make_current(device, &device->gpus[device->program->events[event].gpu], error) &&
                cuda_check(cudaEventCreateWithFlags(&device->events[event], cudaEventDisableTiming), error,
                           "cudaEventCreateWithFlags");
    return gpu_return_to(device, current, fine, error);
}

/* The mark stands before the event: nothing comes between them, and whoever waits for the event has its own
 * marks after this one. */
bool device_record(struct device *device, uint32_t call, struct error *error)
{
    const struct statement *statement = call_statement(device->program, call);
    return make_event(device, statement->event, error) && mark_instant(device, call, error) &&
           cuda_check(cudaEventRecord(device->events[statement->event], device->streams[statement->stream]),
                      error, "cudaEventRecord");
}

bool device_wait(struct device *device, uint32_t call, struct error *error)
{
    const struct statement *statement = call_statement(device->program, call);
    return make_event(device, statement->event, error) && mark_begin(device, call, error) &&
           cuda_check(
               cudaStreamWaitEvent(device->streams[statement->stream], device->events[statement->event], 0),
               error, "cudaStreamWaitEvent") &&
           mark_end(device, call, error);
}

static cudaError_t query(struct device *device, const struct statement *statement)
{
    bool is_event = statement->kind == CALL_POLL_EVENT || statement->kind == CALL_QUERY_EVENT;
    return is_event ? cudaEventQuery(device->events[statement->event])
                    : cudaStreamQuery(device->streams[statement->stream]);
}

/* As a host program polls: ask, do a little of something else, ask again. */
static bool poll_until_done(struct device *device, const struct statement *statement, struct error *error)
{
    cudaError_t answer;
    while ((answer = query(device, statement)) == cudaErrorNotReady) {
        if (device->interrupted) {
            return error_set(error, "the run was ended while the host program polled");
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
    }
    return cuda_check(answer, error, "cudaStreamQuery, cudaEventQuery");
}

static bool synchronize(struct device *device, const struct statement *statement, struct error *error)
{
    switch (statement->kind) {
    case CALL_SYNC_STREAM:
        return cuda_check(cudaStreamSynchronize(device->streams[statement->stream]), error,
                          "cudaStreamSynchronize");
    case CALL_SYNC_EVENT:
        return make_event(device, statement->event, error) &&
               cuda_check(cudaEventSynchronize(device->events[statement->event]), error,
                          "cudaEventSynchronize");
    case CALL_SYNC_DEVICE:
        return cuda_check(cudaDeviceSynchronize(), error, "cudaDeviceSynchronize");
    case CALL_POLL_EVENT:
        return make_event(device, statement->event, error) && poll_until_done(device, statement, error);
    case CALL_POLL_STREAM:
        return poll_until_done(device, statement, error);
    case CALL_QUERY_EVENT:
        if (!make_event(device, statement->event, error)) {
            return false;
        }
        break;
    default:
        break;
    }
    cudaError_t answer = query(device, statement);
    return answer == cudaErrorNotReady || cuda_check(answer, error, "cudaStreamQuery, cudaEventQuery");
}

bool device_synchronize(struct device *device, uint32_t call, struct error *error)
{
    const struct statement *statement = call_statement(device->program, call);
    bool fine = synchronize(device, statement, error);
    observer_look(device);
    return fine;
}
