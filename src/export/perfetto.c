#include "export/perfetto.h"

#include <stdlib.h>

#include "base/memory.h"
#include "export/perfetto_inside.h"
#include "log/words.h"

int trace_process(uint32_t rank)
{
    return (int)rank + 1;
}

int trace_track(const struct trace *trace, uint32_t call, enum side side)
{
    if (side == SIDE_HOST)
        return trace_process(call_statement(trace->program, call)->rank);
    return trace_process(trace->program->rank_count) + (int)trace->track_of[call];
}

int trace_line(const struct trace *trace, const struct statement *statement)
{
    return (int)(schedule_first_line(trace->program->schedule) + statement->line - 1);
}

bool trace_has_run(const struct trace *trace, uint32_t call)
{
    return call_is_operation(call_statement(trace->program, call)) &&
           trace->view->calls[call].started != TIME_NONE;
}

struct interval trace_interval(const struct trace *trace, uint32_t call, enum side side)
{
    const struct view_call *state = &trace->view->calls[call];
    struct interval when = {state->called, state->returned};
    if (side == SIDE_STREAM)
        when = (struct interval){state->started, state->done};
    if (when.end != TIME_NONE && when.end <= when.begin)
        when.end = when.begin + 1;
    return when;
}

static json_t *arguments_of(const struct trace *trace, uint32_t call)
{
    const struct statement *statement = call_statement(trace->program, call);
    json_t *arguments = json_pack("{s:i, s:i}", "line", trace_line(trace, statement), "call", (int)call);
    if (call_is_communication(statement) || statement->kind == CALL_COPY) {
        uint64_t bytes = span_bytes(trace->program, &trace->program->spans[statement->first_span]);
        json_object_set_new(arguments, "bytes", json_integer((json_int_t)bytes));
    }
    return arguments;
}

/* Why the call's operation stands in its stream, or before it, and never started. */
static void add_fate(const struct trace *trace, uint32_t call, json_t *arguments)
{
    if (!call_is_operation(call_statement(trace->program, call)) || trace_has_run(trace, call))
        return;
    struct text why = {0};
    view_explain_wait(trace->view, call, &why);
    if (why.length > 0)
        json_object_set_new(arguments, "never started", json_string(text_string(&why)));
    text_free(&why);
}

/* What has not ended is begun only: viewers draw it to the trace's end, and say so. */
static void write_slice(struct trace *trace, const char *category, const char *name, uint32_t call,
                        enum side side)
{
    struct interval when = trace_interval(trace, call, side);
    bool ended = when.end != TIME_NONE;
    json_t *event =
        trace_event(trace, ended ? "X" : "B", name, trace_process(call_statement(trace->program, call)->rank),
                    trace_track(trace, call, side), when.begin);
    json_object_set_new(event, "cat", json_string(category));
    if (ended)
        json_object_set_new(event, "dur", json_real((double)(when.end - when.begin) / 1000));
    json_t *arguments = arguments_of(trace, call);
    if (side == SIDE_HOST)
        add_fate(trace, call, arguments);
    json_object_set_new(event, "args", arguments);
    trace_write(trace, event);
}

/* The order matters: see trace_write_arrow_end(). */
static void write_call(struct trace *trace, uint32_t call)
{
    const struct view_call *state = &trace->view->calls[call];
    bool was_called = state->called != TIME_NONE, has_run = trace_has_run(trace, call);
    bool has_arrow = was_called && has_run && state->called <= state->started; /* a GPU's clock may be off */
    struct text name = {0};
    describe_call_briefly(trace->program, call, &name);
    if (was_called) {
        write_slice(trace, "call", text_string(&name), call, SIDE_HOST);
        trace_write_parts(trace, call, SIDE_HOST);
    }
    if (has_arrow) {
        trace->arrow++;
        trace_write_arrow_end(trace, "s", "submits", call, SIDE_HOST, state->called);
    }
    if (has_run) {
        if (state->torn)
            text_append(&name, " (torn)");
        write_slice(trace, "operation", text_string(&name), call, SIDE_STREAM);
        if (has_arrow)
            trace_write_arrow_end(trace, "f", "submits", call, SIDE_STREAM, state->started);
        trace_write_parts(trace, call, SIDE_STREAM);
    }
    text_free(&name);
}

static int64_t earlier_of(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

/* The extent of the log, which may hold its records in another order, and steps without a time. Its time 0 is
 * when every rank is ready: setting up, which takes longer than most runs, is left out, except where it is
 * all that there is. */
static void find_extent(struct trace *trace)
{
    const struct log *log = trace->run->log;
    int64_t first = INT64_MAX, first_of_call = INT64_MAX, last = INT64_MIN;
    for (size_t i = 0; i < log->count; i++) {
        const struct record *record = &log->records[i];
        if (record->time == TIME_NONE)
            continue;
        first = earlier_of(first, record->time);
        last = record->time > last ? record->time : last;
        if (record->kind >= RECORD_CALLED && record->kind <= RECORD_DONE)
            first_of_call = earlier_of(first_of_call, record->time);
    }
    trace->zero = first_of_call == INT64_MAX ? first : earlier_of(first_of_call, 0);
    trace->end = last;
    if (last == INT64_MIN)
        trace->zero = trace->end = 0;
}

static void trace_free(struct trace *trace)
{
    for (size_t i = 0; i < trace->part_count; i++)
        free(trace->parts[i].name);
    free(trace->parts);
    free(trace->tracks);
    free(trace->track_of);
    view_close(trace->view);
}

void export_perfetto(const struct export_run *run, struct text *out)
{
    struct trace trace = {.run = run, .program = run->order->program, .out = out, .is_first = true};
    trace.view = export_run_view(run);
    trace.track_of = memory_all_ones(trace.program->call_count, sizeof *trace.track_of);
    find_extent(&trace);
    trace_place_operations(&trace);
    trace_find_parts(&trace);
    text_append(out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    trace_name_tracks(&trace);
    for (uint32_t call = 0; call < trace.program->call_count; call++)
        write_call(&trace, call);
    trace_write_arrows(&trace);
    trace_write_records(&trace);
    text_append(out, "\n]}\n");
    trace_free(&trace);
}
