#include "process/call.h"

bool call_make(const struct device_backend *backend, struct device *device, const struct program *program,
               const unsigned char (*ids)[COMMUNICATOR_ID_BYTES], uint32_t call, struct error *error)
{
    const struct statement *statement = call_statement(program, call);
    switch ((enum call_kind)statement->kind) {
    case CALL_USE_GPU:
        return backend->use_gpu(device, statement->gpu, error);
    case CALL_COMM:
        return backend->connect(device, statement->communicator, ids[statement->communicator], error);
    case CALL_BUFFER:
    case CALL_HOST:
    case CALL_MANAGED:
        return backend->allocate(device, statement->memory, error);
    case CALL_STREAM:
        return backend->create_stream(device, statement->stream, error);
    case CALL_LAUNCH:
        return backend->launch(device, call, error);
    case CALL_SEND:
    case CALL_RECV:
    case CALL_ALLREDUCE:
    case CALL_BROADCAST:
        return backend->communicate(device, call, error);
    case CALL_GROUP:
        return backend->group_start(device, call, error);
    case CALL_GROUP_END:
        return backend->group_end(device, call, error);
    case CALL_RECORD:
        return backend->record(device, call, error);
    case CALL_WAIT:
        return backend->wait(device, call, error);
    case CALL_COPY:
        return backend->copy(device, call, error);
    case CALL_SET:
        return backend->set(device, call, error);
    case CALL_SYNC_STREAM:
    case CALL_SYNC_EVENT:
    case CALL_SYNC_DEVICE:
    case CALL_POLL_STREAM:
    case CALL_POLL_EVENT:
    case CALL_QUERY_STREAM:
    case CALL_QUERY_EVENT:
        return backend->synchronize(device, call, error);
    case CALL_READ:
    case CALL_WRITE:
        return backend->host_access(device, call, error);
    case CALL_BARRIER:
        return true; /* the launcher's gates make it: a host program comes back when all have entered */
    case CALL_FREE:
        return backend->release(device, statement->memory, error);
    case CALL_DESTROY:
        return backend->destroy(device, statement->communicator, error);
    case CALL_ABORT:
        return backend->abort(device, statement->communicator, error);
    case CALL_KIND_COUNT:
        break;
    }
    return error_set(error, "a call of unknown kind %u", statement->kind);
}
