#include <jansson.h>
#include <string.h>

#include "command/explore_report.h"
#include "log/value.h"
#include "order/wording.h"

enum { VALUES_LISTED = 1024 };

static json_t *count_to_json(uint64_t count)
{
    return json_integer(count > INT64_MAX ? INT64_MAX : (json_int_t)count);
}

static json_t *memory_to_json(const struct exploration *exploration, const struct ending *ending,
                              uint32_t index)
{
    const struct memory *memory = &exploration->order->program->memories[index];
    enum element_type type = (enum element_type)memory->type;
    json_t *values = json_array();
    for (uint32_t element = 0; element < memory->count && element < VALUES_LISTED; element++) {
        const uint8_t *bytes =
            ending->bytes + exploration->first_byte[index] + (size_t)element * element_size(type);
        bool written = ending->written[exploration->first_element[index] + element];
        json_array_append_new(values, written ? element_to_json(type, bytes) : json_null());
    }
    return json_pack("{s:s, s:i, s:o}", "type", element_type_name(type), "count", (int)memory->count,
                     "values", values);
}

/* Of several buffers of one name, each freed before the next, the last one. */
static json_t *rank_to_json(const struct exploration *exploration, const struct ending *ending, uint32_t rank)
{
    const struct program *program = exploration->order->program;
    json_t *buffers = json_object();
    for (uint32_t m = 0; m < program->memory_count; m++)
        if (program->memories[m].rank == rank)
            json_object_set_new(buffers, program->memories[m].name, memory_to_json(exploration, ending, m));
    return json_pack("{s:i, s:o}", "rank", (int)rank, "buffers", buffers);
}

static json_t *place_to_json(const struct program *program, uint32_t call)
{
    return json_pack("{s:i, s:i}", "rank", (int)call_statement(program, call)->rank, "line",
                     (int)call_line(program, call));
}

static json_t *read_to_json(const struct exploration *exploration, const struct ending *ending, uint32_t read)
{
    const struct program *program = exploration->order->program;
    uint32_t call = exploration->reads[read].call;
    const struct span *span = &program->spans[exploration->reads[read].span];
    enum element_type type = (enum element_type)program->memories[span->memory].type;
    json_t *object = place_to_json(program, call), *values = json_array();
    for (uint32_t i = 0; i < span->count && i < VALUES_LISTED; i++)
        json_array_append_new(values, element_to_json(type, ending->found + exploration->reads[read].at +
                                                                (size_t)i * element_size(type)));
    json_object_set_new(object, "buffer", json_string(program->memories[span->memory].name));
    json_object_set_new(object, "values", ending->reached[read] ? values : json_null());
    if (!ending->reached[read])
        json_decref(values);
    return object;
}

struct waiting_list {
    const struct program *program;
    json_t *waiting;
};

static void add_stuck_point(void *context, uint32_t point, const struct wait *wait)
{
    const struct waiting_list *list = context;
    json_t *object = place_to_json(list->program, point_call(point));
    json_object_set_new(object, "rule", json_integer(wait->rule));
    json_object_set_new(object, "for",
                        wait->point == NONE ? json_null()
                                            : place_to_json(list->program, point_call(wait->point)));
    json_array_append_new(list->waiting, object);
}

static json_t *ending_to_json(const struct exploration *exploration, const struct ending *ending)
{
    const struct program *program = exploration->order->program;
    json_t *ranks = json_array(), *reads = json_array(), *waiting = json_array();
    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        json_array_append_new(ranks, rank_to_json(exploration, ending, rank));
    for (uint32_t read = 0; read < exploration->read_count; read++)
        json_array_append_new(reads, read_to_json(exploration, ending, read));
    if (ending->stuck)
        explore_stuck_points(exploration, ending, add_stuck_point, &(struct waiting_list){program, waiting});
    return json_pack("{s:s, s:b, s:o, s:o, s:o, s:o}", "outcome", ending->stuck ? "stuck" : "finished",
                     "strict", ending->strict, "executions", count_to_json(ending->executions), "ranks",
                     ranks, "reads", reads, "waiting", waiting);
}

static int append_bytes(const char *bytes, size_t length, void *text)
{
    text_append_bytes(text, bytes, length);
    return 0;
}

static void append_json(json_t *value, struct text *out)
{
    json_dump_callback(value, append_bytes, out, JSON_COMPACT | JSON_ENCODE_ANY);
    json_decref(value);
}

/* Outcome by outcome: as one tree, many would take much memory. */
void explore_append_json(const struct explore_report *report, struct text *out)
{
    static const char *const ends[] = {[EXPLORED_TO_LIMIT] = "limit",
                                       [EXPLORED_TO_MEMORY] = "memory",
                                       [EXPLORED_TO_INTERRUPT] = "interrupt"};
    const struct exploration *exploration = report->exploration;
    struct text file = {0};
    text_append_visible(&file, report->file, strlen(report->file));
    text_append(out, "{\"file\":");
    append_json(json_string(text_string(&file)), out);
    text_append(out, ",\"variant\":");
    append_json(report->variants ? json_string(report->variants) : json_null(), out);
    text_append(out, ",\"stopped\":");
    append_json(ends[exploration->end] ? json_string(ends[exploration->end]) : json_null(), out);
    text_append(out, ",\"executions\":");
    append_json(count_to_json(exploration->executions), out);
    text_append(out, ",\"states\":");
    append_json(count_to_json(exploration->states), out);
    text_append(out, ",\"stuck_unseen\":");
    append_json(json_boolean(exploration->strict_unseen), out);
    text_append(out, ",\"open\":");
    append_json(json_integer(exploration->choice_count), out);
    text_append(out, ",\"outcomes\":[");
    for (uint32_t i = 0; i < exploration->ending_count; i++) {
        text_append(out, i > 0 ? ",\n" : "\n");
        append_json(ending_to_json(exploration, &exploration->endings[i]), out);
    }
    text_append(out, "]}\n");
    text_free(&file);
}
