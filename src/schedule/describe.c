#include "schedule/program.h"

#include <inttypes.h>

static const struct {
    const char *name;
    uint32_t size;
} types[TYPE_COUNT] = {
    [TYPE_INT8] = {"int8", 1},       [TYPE_UINT8] = {"uint8", 1},       [TYPE_INT32] = {"int32", 4},
    [TYPE_UINT32] = {"uint32", 4},   [TYPE_INT64] = {"int64", 8},       [TYPE_UINT64] = {"uint64", 8},
    [TYPE_FLOAT16] = {"float16", 2}, [TYPE_BFLOAT16] = {"bfloat16", 2}, [TYPE_FLOAT32] = {"float32", 4},
    [TYPE_FLOAT64] = {"float64", 8},
};

static const char *const kind_names[CALL_KIND_COUNT] = {
    [CALL_USE_GPU] = "use",
    [CALL_COMM] = "comm",
    [CALL_BUFFER] = "buffer",
    [CALL_HOST] = "host",
    [CALL_MANAGED] = "managed",
    [CALL_STREAM] = "stream",
    [CALL_LAUNCH] = "launch",
    [CALL_SEND] = "send",
    [CALL_RECV] = "recv",
    [CALL_ALLREDUCE] = "allreduce",
    [CALL_BROADCAST] = "broadcast",
    [CALL_GROUP] = "group",
    [CALL_GROUP_END] = "end",
    [CALL_RECORD] = "record",
    [CALL_WAIT] = "wait",
    [CALL_COPY] = "copy",
    [CALL_SET] = "set",
    [CALL_SYNC_STREAM] = "sync",
    [CALL_SYNC_EVENT] = "sync",
    [CALL_SYNC_DEVICE] = "sync",
    [CALL_POLL_STREAM] = "poll",
    [CALL_POLL_EVENT] = "poll",
    [CALL_QUERY_STREAM] = "query",
    [CALL_QUERY_EVENT] = "query",
    [CALL_READ] = "read",
    [CALL_WRITE] = "write",
    [CALL_BARRIER] = "barrier",
    [CALL_FREE] = "free",
    [CALL_DESTROY] = "destroy",
    [CALL_ABORT] = "abort",
};

const char *call_kind_name(enum call_kind kind)
{
    return kind_names[kind];
}

const char *element_type_name(enum element_type type)
{
    return types[type].name;
}

uint32_t element_size(enum element_type type)
{
    return types[type].size;
}

uint64_t span_bytes(const struct program *program, const struct span *span)
{
    return (uint64_t)span->count * element_size((enum element_type)program->memories[span->memory].type);
}

bool call_is_transfer(const struct statement *statement)
{
    return statement->kind == CALL_SEND || statement->kind == CALL_RECV;
}

bool call_is_collective(const struct statement *statement)
{
    return statement->kind == CALL_ALLREDUCE || statement->kind == CALL_BROADCAST;
}

bool call_is_communication(const struct statement *statement)
{
    return call_is_transfer(statement) || call_is_collective(statement);
}

bool call_is_operation(const struct statement *statement)
{
    return call_is_communication(statement) || statement->kind == CALL_LAUNCH ||
           statement->kind == CALL_RECORD || statement->kind == CALL_WAIT || statement->kind == CALL_COPY ||
           statement->kind == CALL_SET;
}

uint32_t group_start(const struct program *program, uint32_t end)
{
    uint32_t call = end, depth = 1;
    while (depth > 0) {
        uint8_t kind = call_statement(program, --call)->kind;
        depth += kind == CALL_GROUP_END ? 1 : 0;
        depth -= kind == CALL_GROUP ? 1 : 0;
    }
    return call;
}

enum copy_direction copy_direction(const struct program *program, const struct statement *copy)
{
    const struct span *spans = &program->spans[copy->first_span];
    enum memory_kind from = program->memories[spans[0].memory].kind;
    enum memory_kind to = program->memories[spans[1].memory].kind;
    bool from_host = from == MEMORY_PINNED || from == MEMORY_PAGEABLE;
    bool to_host = to == MEMORY_PINNED || to == MEMORY_PAGEABLE;
    if (from_host)
        return to_host ? COPY_HOST_TO_HOST : COPY_HOST_TO_DEVICE;
    return to_host ? COPY_DEVICE_TO_HOST : COPY_DEVICE_TO_DEVICE;
}

static void describe_span(const struct program *program, const struct span *span, struct text *out)
{
    const struct memory *memory = &program->memories[span->memory];
    text_append(out, memory->name);
    if (span->first == 0 && span->count == memory->count)
        return;
    if (span->count == 1)
        text_format(out, "[%u]", span->first);
    else
        text_format(out, "[%u:%u]", span->first, span->first + span->count);
}

/* The span with the NUMBER of the statement, behind a blank. */
static void append_span(const struct program *program, const struct statement *statement, uint32_t number,
                        struct text *out)
{
    text_append(out, " ");
    describe_span(program, &program->spans[statement->first_span + number], out);
}

static void describe_launch(const struct program *program, const struct statement *statement,
                            struct text *out)
{
    text_format(out, " %s", program->kernels[statement->kernel]);
    uint32_t before = ACCESS_READ;
    for (uint32_t i = 0; i < statement->span_count; i++) {
        uint32_t access = program->spans[statement->first_span + i].access;
        if (access != before)
            text_append(out, access == ACCESS_WRITE ? " ->" : " ~>");
        before = access;
        append_span(program, statement, i, out);
    }
}

static void describe_duration(uint64_t ns, struct text *out)
{
    static const struct {
        uint64_t ns;
        const char *name;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
    size_t unit = 0;
    while (ns % units[unit].ns != 0)
        unit++;
    text_format(out, " takes %" PRIu64 "%s", ns / units[unit].ns, units[unit].name);
}

static void describe_memory(const struct program *program, const struct statement *statement,
                            struct text *out)
{
    const struct memory *memory = &program->memories[statement->memory];
    text_format(out, " %s %s[%u]%s", memory->name, element_type_name((enum element_type)memory->type),
                memory->count, memory->kind == MEMORY_PAGEABLE ? " pageable" : "");
}

/* What stands between the keyword and `on S`. */
static void describe_operands(const struct program *program, const struct statement *statement,
                              struct text *out)
{
    switch (statement->kind) {
    case CALL_USE_GPU:
        text_format(out, " gpu %u", statement->gpu);
        break;
    case CALL_COMM:
    case CALL_DESTROY:
    case CALL_ABORT:
        text_format(out, " %s", program->communicators[statement->communicator].name);
        break;
    case CALL_BUFFER:
    case CALL_HOST:
    case CALL_MANAGED:
        describe_memory(program, statement, out);
        break;
    case CALL_FREE:
        text_format(out, " %s", program->memories[statement->memory].name);
        break;
    case CALL_LAUNCH:
        describe_launch(program, statement, out);
        break;
    case CALL_SYNC_EVENT:
    case CALL_POLL_EVENT:
    case CALL_QUERY_EVENT:
        text_format(out, " event %s", program->events[statement->event].name);
        break;
    case CALL_RECORD:
    case CALL_WAIT:
        text_format(out, " %s", program->events[statement->event].name);
        break;
    case CALL_SYNC_DEVICE:
        text_append(out, " device");
        break;
    case CALL_COPY:
        append_span(program, statement, 0, out);
        text_append(out, " to");
        append_span(program, statement, 1, out);
        break;
    default:
        if (statement->span_count > 0)
            append_span(program, statement, 0, out);
        break;
    }
    if (call_is_transfer(statement) || statement->kind == CALL_BROADCAST) {
        text_format(out, " %s %u",
                    statement->kind == CALL_SEND   ? "to"
                    : statement->kind == CALL_RECV ? "from"
                                                   : "root",
                    statement->peer);
    }
    if (statement->kind == CALL_SET)
        text_format(out, " to %u", statement->value);
}

static void describe_stream(const struct program *program, const struct statement *statement,
                            struct text *out)
{
    const struct stream *stream = &program->streams[statement->stream];
    switch (statement->kind) {
    case CALL_STREAM:
        text_format(out, " %s%s", stream->name, stream->nonblocking ? " nonblocking" : "");
        break;
    case CALL_SYNC_STREAM:
    case CALL_POLL_STREAM:
    case CALL_QUERY_STREAM:
        text_format(out, " %s", stream->name);
        break;
    case CALL_COPY:
    case CALL_SET:
        if (statement->has_stream)
            text_format(out, " on %s", stream->name);
        break;
    default:
        text_format(out, " on %s", stream->name);
        break;
    }
}

void call_describe(const struct program *program, uint32_t call, struct text *out)
{
    const struct statement *statement = call_statement(program, call);
    text_append(out, call_kind_name((enum call_kind)statement->kind));
    describe_operands(program, statement, out);
    if (statement->stream != NONE)
        describe_stream(program, statement, out);
    if (call_is_communication(statement) && statement->communicator != 0)
        text_format(out, " via %s", program->communicators[statement->communicator].name);
    if (statement->takes_ns > 0)
        describe_duration(statement->takes_ns, out);
}
