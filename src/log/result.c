#include "log/result.h"

#include <jansson.h>

#include "log/format.h"
#include "log/value.h"

static int append_to_text(const char *bytes, size_t length, void *text)
{
    text_append_bytes(text, bytes, length);
    return 0;
}

static void append_value(json_t *value, struct text *out)
{
    json_dump_callback(value, append_to_text, out, JSON_COMPACT | JSON_ENCODE_ANY);
    json_decref(value);
}

static json_t *element_value(const struct view *view, uint32_t memory, uint32_t element)
{
    enum element_type type = (enum element_type)view->program->memories[memory].type;
    const struct view_memory *state = &view->memories[memory];
    if (state->cells[element] == CELL_NEVER_WRITTEN)
        return json_null();
    return element_to_json(type, state->bytes + (size_t)element * element_size(type));
}

static json_t *buffer_value(const struct view *view, uint32_t memory)
{
    const struct memory *declared = &view->program->memories[memory];
    json_t *values = json_array(), *torn = json_array();
    for (uint32_t e = 0; e < view->memories[memory].kept; e++) {
        json_array_append_new(values, element_value(view, memory, e));
        if (view->memories[memory].cells[e] == CELL_TORN)
            json_array_append_new(torn, json_integer(e));
    }
    json_t *buffer = json_object();
    json_object_set_new(buffer, "type", json_string(element_type_name((enum element_type)declared->type)));
    json_object_set_new(buffer, "count", json_integer(declared->count));
    json_object_set_new(buffer, "values", values);
    json_object_set_new(buffer, "torn", torn);
    return buffer;
}

/* Of several buffers of one name, each freed before the next, the last one that was made. */
static json_t *buffers_value(const struct view *view, uint32_t rank)
{
    json_t *buffers = json_object();
    for (uint32_t m = 0; m < view->program->memory_count; m++) {
        const struct memory *declared = &view->program->memories[m];
        if (declared->rank != rank)
            continue;
        if (view->memories[m].allocated || !json_object_get(buffers, declared->name))
            json_object_set_new(buffers, declared->name, buffer_value(view, m));
    }
    return buffers;
}

static json_t *rank_value(const struct view *view, const struct log_header *header, uint32_t rank)
{
    uint16_t gpu = view->program->ranks[rank].gpu;
    json_t *value = json_object();
    json_object_set_new(value, "rank", json_integer(rank));
    json_object_set_new(value, "gpu", json_integer(gpu < header->gpu_count ? header->gpus[gpu] : gpu));
    json_object_set_new(value, "pid",
                        view->ranks[rank].forked ? json_integer(view->ranks[rank].pid) : json_null());
    json_object_set_new(value, "buffers", buffers_value(view, rank));
    return value;
}

static json_t *time_value(int64_t time)
{
    return time == TIME_NONE ? json_null() : json_integer(time);
}

static json_t *operation_value(const struct view *view, uint32_t call)
{
    const struct statement *statement = call_statement(view->program, call);
    const struct view_call *state = &view->calls[call];
    uint32_t line = statement->line + schedule_first_line(view->program->schedule) - 1;
    json_t *value = json_object();
    json_object_set_new(value, "rank", json_integer(statement->rank));
    json_object_set_new(value, "line", json_integer(line));
    json_object_set_new(value, "kind", json_string(call_kind_name((enum call_kind)statement->kind)));
    json_object_set_new(value, "stream", json_string(view->program->streams[statement->stream].name));
    json_object_set_new(value, "submitted", time_value(state->submitted));
    json_object_set_new(value, "returned", time_value(state->returned));
    json_object_set_new(value, "started", time_value(state->started));
    json_object_set_new(value, "done", time_value(state->done));
    return value;
}

/* Rank by rank and operation by operation: as one tree, a large run would take gigabytes. */
void result_to_json(const struct view *view, const struct log_header *header, struct text *out)
{
    const struct program *program = view->program;
    text_append(out, "{\"outcome\":");
    append_value(json_string(outcome_name(view->outcome)), out);
    text_append(out, ",\"backend\":");
    append_value(json_string(header->backend), out);
    text_append(out, ",\n\"ranks\":[");
    for (uint32_t r = 0; r < program->rank_count; r++) {
        text_append(out, r ? ",\n" : "\n");
        append_value(rank_value(view, header, r), out);
    }
    text_append(out, "],\n\"operations\":[");
    bool first = true;
    for (uint32_t c = 0; c < program->call_count; c++) {
        if (!call_is_operation(call_statement(program, c)))
            continue;
        text_append(out, first ? "\n" : ",\n");
        first = false;
        append_value(operation_value(view, c), out);
    }
    text_append(out, "]}\n");
}
