/* What a call or an operation waits for or does, as slices within its own. */
#include <stdlib.h>

#include "base/memory.h"
#include "export/perfetto_inside.h"

static int64_t later_of(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

/* Takes NAME over. */
static struct part *add_part(struct trace *trace, uint32_t call, enum side side, struct interval when,
                             char *name)
{
    ARRAY_RESERVE(trace->parts, trace->part_count, trace->part_capacity);
    struct part *part = &trace->parts[trace->part_count];
    *part = (struct part){.call = call,
                          .side = side,
                          .number = (uint32_t)trace->part_count++,
                          .when = when,
                          .name = name,
                          .point = NONE};
    return part;
}

static char *explain(const struct view *view, uint32_t call)
{
    struct text why = {0};
    view_explain_wait(view, call, &why);
    if (why.length == 0)
        text_append(&why, "waits");
    return why.bytes;
}

/* What the log says that a call or an operation waits for. VIEW is at the record. What waits in its stream
 * for its turn has no slice yet. */
static void add_wait(struct trace *trace, const struct view *view, const struct record *record)
{
    const struct view_call *state = &view->calls[record->call];
    bool for_itself = record->point != NONE && point_call(record->point) == record->call;
    bool of_operation = call_is_operation(call_statement(view->program, record->call)) &&
                        state->started != TIME_NONE && !for_itself;
    if (of_operation ? state->done != TIME_NONE : state->called == TIME_NONE || state->returned != TIME_NONE)
        return;
    int64_t end = record->point == NONE ? TIME_NONE : view_point_time(trace->view, record->point);
    struct part *part = add_part(trace, record->call, of_operation ? SIDE_STREAM : SIDE_HOST,
                                 (struct interval){record->time, end}, explain(view, record->call));
    part->is_wait = true;
    part->point = record->point;
    part->rule = record->rule;
}

/* What was true when the wait began may not be why it never ended. */
static void explain_again(const struct trace *trace, struct part *part)
{
    const struct view_call *state = &trace->view->calls[part->call];
    if (!part->is_wait || !state->waiting || state->waiting_for != part->point)
        return;
    free(part->name);
    part->name = explain(trace->view, part->call);
}

static void add_waits(struct trace *trace)
{
    const struct log *log = trace->run->log;
    struct view *view = view_open(trace->run->order);
    for (size_t i = 0; i < log->count; i++) {
        view_apply(view, &log->records[i]);
        if (log->records[i].kind == RECORD_WAITING)
            add_wait(trace, view, &log->records[i]);
    }
    view_close(view);
}

/* A call that is not over when its operation starts: what it does until that is submitted. */
static void add_submission(struct trace *trace, uint32_t call)
{
    const struct view_call *state = &trace->view->calls[call];
    bool goes_on =
        state->returned == TIME_NONE || (state->started != TIME_NONE && state->started < state->returned);
    if (!call_is_operation(call_statement(trace->program, call)) || state->submitted == TIME_NONE || !goes_on)
        return;
    add_part(trace, call, SIDE_HOST, (struct interval){state->called, state->submitted},
             memory_copy_string("submits"));
}

int64_t trace_moves_from(const struct trace *trace, uint32_t recv)
{
    uint32_t send = trace->run->order->match[recv];
    if (send == NONE || !trace_has_run(trace, send) || !trace_has_run(trace, recv))
        return TIME_NONE;
    struct interval from = trace_interval(trace, send, SIDE_STREAM);
    struct interval to = trace_interval(trace, recv, SIDE_STREAM);
    int64_t both = later_of(from.begin, to.begin);
    bool is_late = (from.end != TIME_NONE && both >= from.end) || (to.end != TIME_NONE && both >= to.end);
    return is_late ? TIME_NONE : both;
}

static void add_move(struct trace *trace, uint32_t call, int64_t begin, const char *does, uint64_t bytes)
{
    struct text name = {0};
    text_format(&name, "%s %llu bytes", does, (unsigned long long)bytes);
    add_part(trace, call, SIDE_STREAM, (struct interval){begin, TIME_NONE}, name.bytes);
}

/* Both sides of a transfer begin to move the bytes at the same time: viewers draw an arrow from the slice
 * that begins first. */
static void add_transfer(struct trace *trace, uint32_t recv)
{
    int64_t both = trace_moves_from(trace, recv);
    if (both == TIME_NONE)
        return;
    const struct program *program = trace->program;
    uint32_t send = trace->run->order->match[recv];
    uint64_t sent = span_bytes(program, &program->spans[call_statement(program, send)->first_span]);
    uint64_t bytes = span_bytes(program, &program->spans[call_statement(program, recv)->first_span]);
    if (sent < bytes)
        bytes = sent;
    add_move(trace, send, both, "sends", bytes);
    add_move(trace, recv, both, "receives", bytes);
}

int64_t trace_released(const struct trace *trace, uint32_t wait)
{
    uint32_t record = trace->run->order->bound[wait];
    if (record == NONE || !trace_has_run(trace, record) || !trace_has_run(trace, wait))
        return TIME_NONE;
    int64_t complete = trace->view->calls[record].done;
    struct interval when = trace_interval(trace, wait, SIDE_STREAM);
    if (complete == TIME_NONE || complete <= when.begin)
        return complete == TIME_NONE ? TIME_NONE : when.begin;
    return when.end != TIME_NONE && complete >= when.end ? when.end - 1 : complete;
}

/* What is left of the wait from there on; the arrow from the record leads there. */
static void add_release(struct trace *trace, uint32_t wait)
{
    int64_t released = trace_released(trace, wait);
    if (released == TIME_NONE || released == trace_interval(trace, wait, SIDE_STREAM).begin)
        return;
    const struct statement *statement = call_statement(trace->program, wait);
    struct text name = {0};
    text_format(&name, "event %s is complete", trace->program->events[statement->event].name);
    add_part(trace, wait, SIDE_STREAM, (struct interval){released, TIME_NONE}, name.bytes);
}

static int compare_parts(const void *one, const void *other)
{
    const struct part *a = one, *b = other;
    if (a->call != b->call)
        return a->call > b->call ? 1 : -1;
    if (a->side != b->side)
        return a->side > b->side ? 1 : -1;
    if (a->when.begin != b->when.begin)
        return a->when.begin > b->when.begin ? 1 : -1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Ends the part with its slice, and where the next part begins. */
static void settle_part(const struct trace *trace, struct part *part, const struct part *next)
{
    struct interval whole = trace_interval(trace, part->call, part->side);
    part->when.begin = later_of(part->when.begin, whole.begin);
    int64_t limit = whole.end;
    if (next && next->call == part->call && next->side == part->side &&
        (limit == TIME_NONE || next->when.begin < limit))
        limit = later_of(next->when.begin, whole.begin);
    if (part->when.end == TIME_NONE || (limit != TIME_NONE && part->when.end > limit))
        part->when.end = limit;
}

void trace_find_parts(struct trace *trace)
{
    const struct program *program = trace->program;
    add_waits(trace);
    for (uint32_t call = 0; call < program->call_count; call++) {
        uint8_t kind = call_statement(program, call)->kind;
        if (trace->view->calls[call].called != TIME_NONE)
            add_submission(trace, call);
        if (kind == CALL_RECV)
            add_transfer(trace, call);
        if (kind == CALL_WAIT)
            add_release(trace, call);
    }
    if (trace->part_count > 0)
        qsort(trace->parts, trace->part_count, sizeof *trace->parts, compare_parts);
    for (size_t i = 0; i < trace->part_count; i++)
        settle_part(trace, &trace->parts[i], i + 1 < trace->part_count ? &trace->parts[i + 1] : NULL);
    for (size_t i = 0; i < trace->part_count; i++)
        if (trace->parts[i].when.end == TIME_NONE)
            explain_again(trace, &trace->parts[i]);
}

/* The line of what is waited for, and why. */
static json_t *wait_arguments(const struct trace *trace, const struct part *part)
{
    json_t *arguments = json_object();
    if (part->point != NONE) {
        const struct statement *awaited = call_statement(trace->program, point_call(part->point));
        json_object_set_new(arguments, "for rank", json_integer(awaited->rank));
        json_object_set_new(arguments, "for line", json_integer(trace_line(trace, awaited)));
    }
    if (part->rule > 0) {
        json_object_set_new(arguments, "rule", json_integer(part->rule));
        json_object_set_new(arguments, "because", json_string(rule_sentence(part->rule)));
    }
    return arguments;
}

/* With a begin and an end: viewers sort complete events before others of the same time, and what is bound to
 * the outer slice has to come before the inner one. */
static void write_part(struct trace *trace, const struct part *part)
{
    int process = trace_process(call_statement(trace->program, part->call)->rank);
    int track = trace_track(trace, part->call, part->side);
    json_t *begin = trace_event(trace, "B", part->name, process, track, part->when.begin);
    json_object_set_new(begin, "cat", json_string(part->is_wait ? "wait" : "part"));
    if (part->is_wait)
        json_object_set_new(begin, "args", wait_arguments(trace, part));
    trace_write(trace, begin);
    if (part->when.end == TIME_NONE)
        return;
    json_t *end = trace_event(trace, "E", part->name, process, track, part->when.end);
    json_object_set_new(end, "cat", json_string(part->is_wait ? "wait" : "part"));
    trace_write(trace, end);
}

void trace_write_parts(struct trace *trace, uint32_t call, enum side side)
{
    for (; trace->next_part < trace->part_count; trace->next_part++) {
        const struct part *part = &trace->parts[trace->next_part];
        if (part->call > call || (part->call == call && part->side > side))
            return;
        bool is_here = part->call == call && part->side == side;
        if (is_here && (part->when.end == TIME_NONE || part->when.end > part->when.begin))
            write_part(trace, part);
    }
}
