#include "export/perfetto.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/memory.h"
#include "log/words.h"

/* Where a call's operation is drawn: operations of one track may not overlap, and the members of a group do.
 */
struct track {
    uint32_t stream;
    int64_t busy_to;
};

struct trace {
    const struct export_run *run;
    const struct program *program;
    struct view *view;
    struct text *out;
    int64_t zero; /* what the trace's times count from */
    bool is_first;
    struct track *tracks;
    uint32_t track_count, track_capacity;
    uint32_t *track_of; /* by call: the track of its operation; NONE */
    uint32_t flow;
};

/* The numbers by which a viewer knows processes and tracks; 0 means something else to some. */
static int process_number(uint32_t rank)
{
    return (int)rank + 1;
}

/* A rank's host program is its process's main thread. */
static int track_number(const struct trace *trace, uint32_t track)
{
    return (int)(trace->program->rank_count + track) + 1;
}

static int append_to_text(const char *bytes, size_t length, void *text)
{
    text_append_bytes(text, bytes, length);
    return 0;
}

/* Written one by one: as one tree, a large run would take gigabytes. Takes the event over. */
static void write_event(struct trace *trace, json_t *event)
{
    text_append(trace->out, trace->is_first ? "\n" : ",\n");
    trace->is_first = false;
    json_dump_callback(event, append_to_text, trace->out, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(event);
}

static double microseconds(const struct trace *trace, int64_t time)
{
    return (double)(time - trace->zero) / 1000;
}

static json_t *make_event(const struct trace *trace, const char *phase, const char *name, int process,
                          int track, int64_t time)
{
    return json_pack("{s:s, s:s, s:i, s:i, s:f}", "ph", phase, "name", name, "pid", process, "tid", track,
                     "ts", microseconds(trace, time));
}

static void write_name(struct trace *trace, const char *what, int process, int track, const char *name)
{
    write_event(trace, json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "ph", "M", "name", what, "pid", process,
                                 "tid", track, "args", "name", name));
}

static void write_order(struct trace *trace, const char *what, int process, int track, int place)
{
    write_event(trace, json_pack("{s:s, s:s, s:i, s:i, s:{s:i}}", "ph", "M", "name", what, "pid", process,
                                 "tid", track, "args", "sort_index", place));
}

static bool has_run(const struct trace *trace, uint32_t call)
{
    return call_is_operation(call_statement(trace->program, call)) &&
           trace->view->calls[call].started != TIME_NONE;
}

/* What never ended, or took no time, is drawn nevertheless. */
static int64_t end_of(const struct trace *trace, int64_t begin, int64_t end)
{
    if (end == TIME_NONE)
        end = trace->view->now;
    return end > begin ? end : begin + 1;
}

static int compare_starts(const void *one, const void *other)
{
    const int64_t *a = one, *b = other;
    return a[0] != b[0] ? (a[0] > b[0] ? 1 : -1) : (a[1] > b[1]) - (a[1] < b[1]);
}

static uint32_t find_track(struct trace *trace, uint32_t stream, int64_t begin)
{
    for (uint32_t i = 0; i < trace->track_count; i++)
        if (trace->tracks[i].stream == stream && trace->tracks[i].busy_to <= begin)
            return i;
    ARRAY_RESERVE(trace->tracks, trace->track_count, trace->track_capacity);
    trace->tracks[trace->track_count] = (struct track){.stream = stream};
    return trace->track_count++;
}

/* In the order in which they start, each operation takes the first track of its stream that is free. */
static void place_operations(struct trace *trace)
{
    const struct program *program = trace->program;
    int64_t(*starts)[2] = memory_zeroed(program->call_count, sizeof *starts);
    size_t count = 0;
    for (uint32_t call = 0; call < program->call_count; call++)
        if (has_run(trace, call)) {
            starts[count][0] = trace->view->calls[call].started;
            starts[count++][1] = call;
        }
    qsort(starts, count, sizeof *starts, compare_starts);
    for (size_t i = 0; i < count; i++) {
        uint32_t call = (uint32_t)starts[i][1];
        uint32_t track = find_track(trace, call_statement(program, call)->stream, starts[i][0]);
        trace->tracks[track].busy_to = end_of(trace, starts[i][0], trace->view->calls[call].done);
        trace->track_of[call] = track;
    }
    free(starts);
}

static void name_tracks(struct trace *trace)
{
    const struct program *program = trace->program;
    struct text name = {0};
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        int process = process_number(rank);
        text_clear(&name);
        text_format(&name, "rank %u (GPU %u)", rank, program->ranks[rank].gpu);
        write_name(trace, "process_name", process, process, text_string(&name));
        write_order(trace, "process_sort_index", process, process, process);
        write_name(trace, "thread_name", process, process, "host program");
        write_order(trace, "thread_sort_index", process, process, 0);
    }
    for (uint32_t i = 0; i < trace->track_count; i++) {
        const struct stream *stream = &program->streams[trace->tracks[i].stream];
        int process = process_number(stream->rank), track = track_number(trace, i);
        text_clear(&name);
        text_format(&name, "stream %s (GPU %u)", stream->name, stream->gpu);
        write_name(trace, "thread_name", process, track, text_string(&name));
        write_order(trace, "thread_sort_index", process, track, track);
    }
    text_free(&name);
}

static void write_slice(struct trace *trace, const char *category, const char *name, uint32_t call, int track,
                        int64_t begin, int64_t end)
{
    const struct statement *statement = call_statement(trace->program, call);
    json_t *event = make_event(trace, "X", name, process_number(statement->rank), track, begin);
    uint32_t line = schedule_first_line(trace->program->schedule) + statement->line - 1;
    json_object_set_new(event, "cat", json_string(category));
    json_object_set_new(event, "dur", json_real((double)(end_of(trace, begin, end) - begin) / 1000));
    json_object_set_new(event, "args", json_pack("{s:i, s:i}", "line", (int)line, "call", (int)call));
    write_event(trace, event);
}

static void write_calls(struct trace *trace)
{
    struct text name = {0};
    for (uint32_t call = 0; call < trace->program->call_count; call++) {
        const struct view_call *state = &trace->view->calls[call];
        if (state->called == TIME_NONE)
            continue;
        text_clear(&name);
        describe_call_briefly(trace->program, call, &name);
        int process = process_number(call_statement(trace->program, call)->rank);
        write_slice(trace, "call", text_string(&name), call, process, state->called, state->returned);
        if (has_run(trace, call))
            write_slice(trace, "operation", text_string(&name), call,
                        track_number(trace, trace->track_of[call]), state->started, state->done);
    }
    text_free(&name);
}

/* One end of an arrow. It belongs to the slice that is there at the time: the time is kept within the
 * operation, or within the call (TRACK NONE). */
static void write_arrow_end(struct trace *trace, const char *phase, const char *name, uint32_t call,
                            bool of_operation, int64_t time)
{
    const struct view_call *state = &trace->view->calls[call];
    int process = process_number(call_statement(trace->program, call)->rank);
    int track = of_operation ? track_number(trace, trace->track_of[call]) : process;
    int64_t begin = of_operation ? state->started : state->called;
    int64_t end = end_of(trace, begin, of_operation ? state->done : state->returned);
    if (time < begin)
        time = begin;
    if (time >= end)
        time = end - 1;
    json_t *event = make_event(trace, phase, name, process, track, time);
    json_object_set_new(event, "cat", json_string("order"));
    json_object_set_new(event, "id", json_integer(trace->flow));
    if (phase[0] == 'f')
        json_object_set_new(event, "bp", json_string("e"));
    write_event(trace, event);
}

static int64_t later_of(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

static void write_submission(struct trace *trace, uint32_t call)
{
    const struct view_call *state = &trace->view->calls[call];
    trace->flow++;
    write_arrow_end(trace, "s", "submits", call, false, state->called);
    write_arrow_end(trace, "f", "submits", call, true, state->started);
}

/* The bytes are on their way from when both have started; after an abort that may never be. */
static void write_transfer(struct trace *trace, uint32_t recv)
{
    uint32_t send = trace->run->order->match[recv];
    if (send == NONE || !has_run(trace, send))
        return;
    const struct view_call *from = &trace->view->calls[send], *to = &trace->view->calls[recv];
    int64_t both = later_of(from->started, to->started);
    if (both >= end_of(trace, from->started, from->done) || both >= end_of(trace, to->started, to->done))
        return;
    trace->flow++;
    write_arrow_end(trace, "s", "sends", send, true, both);
    write_arrow_end(trace, "f", "sends", recv, true, both);
}

static void write_event_wait(struct trace *trace, uint32_t wait)
{
    uint32_t record = trace->run->order->bound[wait];
    if (record == NONE || !has_run(trace, record) || trace->view->calls[record].done == TIME_NONE)
        return;
    int64_t complete = trace->view->calls[record].done;
    trace->flow++;
    write_arrow_end(trace, "s", "orders", record, true, complete);
    write_arrow_end(trace, "f", "orders", wait, true, later_of(complete, trace->view->calls[wait].started));
}

static void write_arrows(struct trace *trace)
{
    for (uint32_t call = 0; call < trace->program->call_count; call++) {
        const struct statement *statement = call_statement(trace->program, call);
        if (!has_run(trace, call))
            continue;
        if (trace->view->calls[call].called != TIME_NONE)
            write_submission(trace, call);
        if (statement->kind == CALL_RECV)
            write_transfer(trace, call);
        if (statement->kind == CALL_WAIT)
            write_event_wait(trace, call);
    }
}

/* A rank's program before its calls: it finds the others. */
static void write_setting_up(struct trace *trace, const struct record *record)
{
    int process = process_number(record->rank);
    const char *name = NULL;
    switch (record->kind) {
    case RECORD_FORKED:
        name = "forked";
        break;
    case RECORD_ID_MADE:
        name = "made the id";
        break;
    case RECORD_ID_PASSED:
        name = "got the id";
        break;
    case RECORD_INITIALISING:
        name = "entered ncclCommInitRank";
        break;
    case RECORD_READY:
        name = "communicator ready";
        break;
    case RECORD_EXITED:
        name = "exited";
        break;
    default:
        return;
    }
    json_t *event = make_event(trace, "i", name, process, process, record->time);
    json_object_set_new(event, "s", json_string("t"));
    write_event(trace, event);
}

/* How many operations read and write each memory, as the log goes on. */
struct uses {
    int32_t reads, writes;
};

static void write_use(struct trace *trace, struct uses *uses, const struct span *span, int change,
                      int64_t time)
{
    const struct memory *memory = &trace->program->memories[span->memory];
    if (span->access & ACCESS_READ)
        uses[span->memory].reads += change;
    if (span->access & (ACCESS_WRITE | ACCESS_ACCUMULATE))
        uses[span->memory].writes += change;
    struct text name = {0};
    text_format(&name, "use of %s", memory->name);
    int process = process_number(memory->rank);
    json_t *event = make_event(trace, "C", text_string(&name), process, process, time);
    json_object_set_new(
        event, "args",
        json_pack("{s:i, s:i}", "reads", uses[span->memory].reads, "writes", uses[span->memory].writes));
    write_event(trace, event);
    text_free(&name);
}

static void write_uses(struct trace *trace, struct uses *uses, const struct record *record)
{
    const struct statement *statement = call_statement(trace->program, record->call);
    bool is_operation = call_is_operation(statement);
    bool begins = record->kind == (is_operation ? RECORD_STARTED : RECORD_CALLED);
    bool ends = record->kind == (is_operation ? RECORD_DONE : RECORD_RETURNED);
    for (uint32_t i = 0; (begins || ends) && i < statement->span_count; i++)
        write_use(trace, uses, &trace->program->spans[statement->first_span + i], begins ? 1 : -1,
                  record->time);
}

static void write_records(struct trace *trace)
{
    struct uses *uses = memory_zeroed(trace->program->memory_count, sizeof *uses);
    const struct log *log = trace->run->log;
    for (size_t i = 0; i < log->count; i++) {
        const struct record *record = &log->records[i];
        write_setting_up(trace, record);
        if (record->kind == RECORD_CALLED || record->kind == RECORD_RETURNED ||
            record->kind == RECORD_STARTED || record->kind == RECORD_DONE)
            write_uses(trace, uses, record);
    }
    free(uses);
}

/* The first moment of the log, which may hold its records in another order, and steps without a time. */
static int64_t first_time(const struct log *log)
{
    int64_t first = TIME_NONE;
    for (size_t i = 0; i < log->count; i++)
        if (log->records[i].time != TIME_NONE && (first == TIME_NONE || log->records[i].time < first))
            first = log->records[i].time;
    return first == TIME_NONE ? 0 : first;
}

void export_perfetto(const struct export_run *run, struct text *out)
{
    struct trace trace = {.run = run, .program = run->order->program, .out = out, .is_first = true};
    trace.view = export_run_view(run);
    trace.zero = first_time(run->log);
    trace.track_of = memory_all_ones(trace.program->call_count, sizeof *trace.track_of);
    place_operations(&trace);
    text_append(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    name_tracks(&trace);
    write_calls(&trace);
    write_arrows(&trace);
    write_records(&trace);
    text_append(out, "\n]}\n");
    free(trace.tracks);
    free(trace.track_of);
    view_close(trace.view);
}
