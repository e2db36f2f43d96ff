/* One call of a host program as lines of C. */
#include <string.h>

#include "export/c_inside.h"

enum { THREADS = 256, MAX_BLOCKS = 1024 };

static const char *stream_name(const struct c_export *export, const struct statement *statement)
{
    return export->names.streams[statement->stream];
}

/* "x", or "x + 2" for a part that does not begin at the first element. */
static void append_address(const struct c_export *export, const struct span *span, struct text *out)
{
    text_append(out, export->names.memories[span->memory]);
    if (span->first > 0)
        text_format(out, " + %u", span->first);
}

/* "4 * sizeof *x" */
static void append_size(const struct c_export *export, uint32_t memory, uint32_t count, struct text *out)
{
    text_format(out, "%u * sizeof *%s", count, export->names.memories[memory]);
}

static const struct span *first_span(const struct c_export *export, const struct statement *statement)
{
    return &export->program->spans[statement->first_span];
}

static void write_allocation(const struct c_export *export, const struct statement *statement,
                             struct text *out)
{
    static const char *const functions[] = {[MEMORY_DEVICE] = "cudaMalloc",
                                            [MEMORY_PINNED] = "cudaMallocHost",
                                            [MEMORY_MANAGED] = "cudaMallocManaged"};
    const struct memory *memory = &export->program->memories[statement->memory];
    const char *name = export->names.memories[statement->memory];
    if (memory->kind == MEMORY_PAGEABLE)
        text_format(out, "%s = (%s *)allocate(", name, c_type((enum element_type)memory->type));
    else
        text_format(out, "CUDA(%s(&%s, ", functions[memory->kind], name);
    append_size(export, statement->memory, memory->count, out);
    text_append(out, memory->kind == MEMORY_PAGEABLE ? ");\n" : "));\n");
}

/* Nobody uses it any more, or should: what it holds is final. */
static void write_last_look(const struct c_export *export, uint32_t memory, struct text *out)
{
    const struct memory *freed = &export->program->memories[memory];
    text_format(out, "print_buffer(\"%s\", %s, %u);\n", freed->name, export->names.memories[memory],
                freed->count);
}

void c_write_free(const struct c_export *export, uint32_t memory, struct text *out)
{
    const char *name = export->names.memories[memory];
    switch (export->program->memories[memory].kind) {
    case MEMORY_PAGEABLE:
        text_format(out, "free(%s);\n", name);
        break;
    case MEMORY_PINNED:
        text_format(out, "CUDA(cudaFreeHost(%s));\n", name);
        break;
    default:
        text_format(out, "CUDA(cudaFree(%s));\n", name);
        break;
    }
}

static void write_stream(const struct c_export *export, const struct statement *statement, struct text *out)
{
    bool nonblocking = export->program->streams[statement->stream].nonblocking;
    if (nonblocking)
        text_format(out, "CUDA(cudaStreamCreateWithFlags(&%s, cudaStreamNonBlocking));\n",
                    stream_name(export, statement));
    else
        text_format(out, "CUDA(cudaStreamCreate(&%s));\n", stream_name(export, statement));
}

/* 20000000 as 20'000'000. */
static void append_grouped(uint64_t number, struct text *out)
{
    if (number >= 1000) {
        append_grouped(number / 1000, out);
        text_format(out, "'%03u", (unsigned)(number % 1000));
    } else {
        text_format(out, "%u", (unsigned)number);
    }
}

void c_write_gpu(uint16_t gpu, struct text *out)
{
    text_format(out, "CUDA(cudaSetDevice(gpu(%u)));\n", gpu);
}

/* What launches, or may, does so on the current GPU. A stream of another one needs it current meanwhile. */
static void write_on_gpu_of_stream(const struct c_export *export, const struct statement *statement,
                                   const struct text *lines, struct text *out)
{
    uint16_t gpu = export->program->streams[statement->stream].gpu;
    if (gpu != statement->gpu)
        c_write_gpu(gpu, out);
    text_append(out, text_string(lines));
    if (gpu != statement->gpu)
        c_write_gpu(statement->gpu, out);
}

static void write_delay(const struct c_export *export, const struct statement *statement, struct text *out)
{
    if (statement->takes_ns == 0)
        return;
    struct text lines = {0};
    text_format(&lines, "keep_busy(%s, ", stream_name(export, statement));
    append_grouped(statement->takes_ns, &lines);
    text_append(&lines, ");\n");
    write_on_gpu_of_stream(export, statement, &lines, out);
    text_free(&lines);
}

/* The blocks that a launch needs for its largest output. */
static unsigned block_count(const struct c_export *export, const struct statement *statement)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < statement->span_count; i++) {
        const struct span *span = first_span(export, statement) + i;
        if (!(span->access & ACCESS_READ) && span->count > most)
            most = span->count;
    }
    uint32_t blocks = most / THREADS + (most % THREADS > 0);
    return blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS;
}

static void write_launch(const struct c_export *export, uint32_t number, struct text *out)
{
    const struct statement *statement = &export->program->statements[number];
    const struct c_kernel *kernel = &export->kernels[export->kernel_of[number]];
    write_delay(export, statement, out);
    text_format(out, "%s<<<%u, %d, 0, %s>>>(", kernel->name, block_count(export, statement), THREADS,
                stream_name(export, statement));
    for (uint32_t i = 0; i < statement->span_count; i++) {
        const struct span *span = first_span(export, statement) + i;
        text_append(out, i > 0 ? ", " : "");
        append_address(export, span, out);
        if (!(span->access & ACCESS_READ) || kernel->passes_input_counts)
            text_format(out, ", %u", span->count);
    }
    text_append(out, kernel->takes_turns ? ", " C_TURN ");\n" : ");\n");
    text_append(out, "CUDA(cudaGetLastError());\n");
}

static void write_transfer(const struct c_export *export, const struct statement *statement, struct text *out)
{
    static const char *const types[TYPE_COUNT] = {
        [TYPE_INT8] = "ncclInt8",       [TYPE_UINT8] = "ncclUint8",       [TYPE_INT32] = "ncclInt32",
        [TYPE_UINT32] = "ncclUint32",   [TYPE_INT64] = "ncclInt64",       [TYPE_UINT64] = "ncclUint64",
        [TYPE_FLOAT16] = "ncclFloat16", [TYPE_BFLOAT16] = "ncclBfloat16", [TYPE_FLOAT32] = "ncclFloat32",
        [TYPE_FLOAT64] = "ncclFloat64",
    };
    const struct span *span = first_span(export, statement);
    const char *type = types[export->program->memories[span->memory].type];
    struct text buffer = {0};
    append_address(export, span, &buffer);
    const char *address = text_string(&buffer);
    write_delay(export, statement, out);
    switch (statement->kind) {
    case CALL_SEND:
        text_format(out, "NCCL(ncclSend(%s, %u, %s, %u", address, span->count, type, statement->peer);
        break;
    case CALL_RECV:
        text_format(out, "NCCL(ncclRecv(%s, %u, %s, %u", address, span->count, type, statement->peer);
        break;
    case CALL_ALLREDUCE:
        text_format(out, "NCCL(ncclAllReduce(%s, %s, %u, %s, ncclSum", address, address, span->count, type);
        break;
    default:
        text_format(out, "NCCL(ncclBroadcast(%s, %s, %u, %s, %u", address, address, span->count, type,
                    statement->peer);
        break;
    }
    text_format(out, ", %s, %s));\n", export->names.communicators[statement->communicator],
                stream_name(export, statement));
    text_free(&buffer);
}

static const char *copy_kind(enum copy_direction direction)
{
    switch (direction) {
    case COPY_HOST_TO_HOST:
        return "cudaMemcpyHostToHost";
    case COPY_HOST_TO_DEVICE:
        return "cudaMemcpyHostToDevice";
    case COPY_DEVICE_TO_HOST:
        return "cudaMemcpyDeviceToHost";
    case COPY_DEVICE_TO_DEVICE:
        break;
    }
    return "cudaMemcpyDeviceToDevice";
}

/* The smaller of the two sides is what is copied. */
static void write_copy(const struct c_export *export, const struct statement *statement, struct text *out)
{
    const struct span *from = first_span(export, statement), *to = from + 1;
    const struct span *smaller =
        span_bytes(export->program, from) < span_bytes(export->program, to) ? from : to;
    text_append(out, statement->has_stream ? "CUDA(cudaMemcpyAsync(" : "CUDA(cudaMemcpy(");
    append_address(export, to, out);
    text_append(out, ", ");
    append_address(export, from, out);
    text_append(out, ", ");
    append_size(export, smaller->memory, smaller->count, out);
    text_format(out, ", %s", copy_kind(copy_direction(export->program, statement)));
    if (statement->has_stream)
        text_format(out, ", %s", stream_name(export, statement));
    text_append(out, "));\n");
}

static void write_set(const struct c_export *export, const struct statement *statement, struct text *out)
{
    const struct span *span = first_span(export, statement);
    struct text lines = {0};
    text_append(&lines, statement->has_stream ? "CUDA(cudaMemsetAsync(" : "CUDA(cudaMemset(");
    append_address(export, span, &lines);
    text_format(&lines, ", %u, ", statement->value);
    append_size(export, span->memory, span->count, &lines);
    if (statement->has_stream)
        text_format(&lines, ", %s", stream_name(export, statement));
    text_append(&lines, "));\n");
    write_on_gpu_of_stream(export, statement, &lines, out);
    text_free(&lines);
}

static void write_host_access(const struct c_export *export, const struct statement *statement,
                              struct text *out)
{
    const struct span *span = first_span(export, statement);
    if (statement->kind == CALL_READ)
        text_format(out, "print_values(\"reads %s\", ", export->program->memories[span->memory].name);
    else
        text_append(out, "write_input(");
    append_address(export, span, out);
    text_format(out, statement->kind == CALL_READ ? ", %u);\n" : ", %u, " C_TURN ");\n", span->count);
}

/* The expression for the communicator's id. */
static void append_id(const struct c_export *export, uint32_t communicator, struct text *out)
{
    unsigned number = 0;
    for (uint32_t i = 0; i < communicator; i++)
        number += c_uses_communicator(export, i);
    if (export->communicator_count == 1)
        text_append(out, "id");
    else
        text_format(out, "ids[%u]", number);
}

static bool has_transfers(const struct c_export *export, uint32_t communicator)
{
    const struct program *program = export->program;
    for (uint32_t i = 0; i < program->statement_count; i++) {
        const struct statement *statement = &program->statements[i];
        if (call_is_transfer(statement) && statement->communicator == communicator)
            return true;
    }
    return false;
}

void c_write_connection(const struct c_export *export, uint32_t communicator, uint32_t rank, struct text *out)
{
    const char *name = export->names.communicators[communicator];
    text_format(out, "NCCL(ncclCommInitRank(&%s, RANKS, ", name);
    append_id(export, communicator, out);
    text_format(out, ", %u));\n", rank);
    if (has_transfers(export, communicator))
        text_format(out, "connect_ranks(%s);\n", name);
}

/* Calls about an event, and those that wait for a stream, an event or the device. */
static void write_ordering(const struct c_export *export, const struct statement *statement, struct text *out)
{
    const char *stream = statement->stream == NONE ? NULL : stream_name(export, statement);
    const char *event = statement->event == NONE ? NULL : export->names.events[statement->event];
    switch (statement->kind) {
    case CALL_RECORD:
        text_format(out, "CUDA(cudaEventRecord(%s, %s));\n", event, stream);
        break;
    case CALL_WAIT:
        text_format(out, "CUDA(cudaStreamWaitEvent(%s, %s, 0));\n", stream, event);
        break;
    case CALL_SYNC_STREAM:
        text_format(out, "CUDA(cudaStreamSynchronize(%s));\n", stream);
        break;
    case CALL_SYNC_EVENT:
        text_format(out, "CUDA(cudaEventSynchronize(%s));\n", event);
        break;
    case CALL_SYNC_DEVICE:
        text_append(out, "CUDA(cudaDeviceSynchronize());\n");
        break;
    case CALL_POLL_STREAM:
        text_format(out, "while (!IS_DONE(cudaStreamQuery(%s)))\n    continue;\n", stream);
        break;
    case CALL_POLL_EVENT:
        text_format(out, "while (!IS_DONE(cudaEventQuery(%s)))\n    continue;\n", event);
        break;
    case CALL_QUERY_STREAM:
        text_format(out, "IS_DONE(cudaStreamQuery(%s));\n", stream);
        break;
    default:
        text_format(out, "IS_DONE(cudaEventQuery(%s));\n", event);
        break;
    }
}

void c_write_call(const struct c_export *export, uint32_t call, struct text *out)
{
    const struct statement *statement = call_statement(export->program, call);
    switch (statement->kind) {
    case CALL_USE_GPU:
        c_write_gpu(statement->gpu, out);
        break;
    case CALL_COMM:
        c_write_connection(export, statement->communicator, statement->rank, out);
        break;
    case CALL_BUFFER:
    case CALL_HOST:
    case CALL_MANAGED:
        write_allocation(export, statement, out);
        break;
    case CALL_STREAM:
        write_stream(export, statement, out);
        break;
    case CALL_LAUNCH:
        write_launch(export, export->program->calls[call].statement, out);
        break;
    case CALL_SEND:
    case CALL_RECV:
    case CALL_ALLREDUCE:
    case CALL_BROADCAST:
        write_transfer(export, statement, out);
        break;
    case CALL_GROUP:
        text_append(out, "NCCL(ncclGroupStart());\n");
        break;
    case CALL_GROUP_END:
        text_append(out, "NCCL(ncclGroupEnd());\n");
        break;
    case CALL_COPY:
        write_copy(export, statement, out);
        break;
    case CALL_SET:
        write_set(export, statement, out);
        break;
    case CALL_READ:
    case CALL_WRITE:
        write_host_access(export, statement, out);
        break;
    case CALL_BARRIER:
        text_append(out, "PTHREAD(pthread_barrier_wait(barrier));\n");
        break;
    case CALL_FREE:
        write_last_look(export, statement->memory, out);
        c_write_free(export, statement->memory, out);
        break;
    case CALL_DESTROY:
    case CALL_ABORT:
        text_format(out, "NCCL(%s(%s));\n",
                    statement->kind == CALL_DESTROY ? "ncclCommDestroy" : "ncclCommAbort",
                    export->names.communicators[statement->communicator]);
        break;
    default:
        write_ordering(export, statement, out);
        break;
    }
}
