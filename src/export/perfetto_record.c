/* What a trace has of single moments: those of a rank's process, and how much each memory is used. */
#include <stdlib.h>

#include "base/memory.h"
#include "export/perfetto_inside.h"

static void write_moment(struct trace *trace, uint32_t rank, const char *name, int64_t time)
{
    int process = trace_process(rank);
    json_t *event = trace_event(trace, "i", name, process, process, time);
    json_object_set_new(event, "s", json_string("t"));
    trace_write(trace, event);
}

/* A rank's process before its calls, when it finds the others, and at its end. */
static void write_of_process(struct trace *trace, const struct record *record)
{
    switch (record->kind) {
    case RECORD_FORKED:
        write_moment(trace, record->rank, "forked", record->time);
        break;
    case RECORD_ID_MADE:
        write_moment(trace, record->rank, "made the id", record->time);
        break;
    case RECORD_ID_PASSED:
        write_moment(trace, record->rank, "got the id", record->time);
        break;
    case RECORD_INITIALISING:
        write_moment(trace, record->rank, "entered ncclCommInitRank", record->time);
        break;
    case RECORD_READY:
        write_moment(trace, record->rank, "communicator ready", record->time);
        break;
    case RECORD_EXITED:
        write_moment(trace, record->rank, "exited", record->time);
        break;
    default:
        break;
    }
}

/* How many calls and operations read and write a memory, as the log goes on. */
struct uses {
    int32_t reads, writes;
    bool is_read, is_written; /* at any time */
};

static bool writes(const struct span *span)
{
    return (span->access & ACCESS_CHANGE) != 0;
}

static struct uses *find_uses(const struct program *program)
{
    struct uses *uses = memory_zeroed(program->memory_count, sizeof *uses);
    for (uint32_t i = 0; i < program->span_count; i++) {
        const struct span *span = &program->spans[i];
        uses[span->memory].is_read |= (span->access & ACCESS_READ) != 0;
        uses[span->memory].is_written |= writes(span);
    }
    return uses;
}

static void write_use(struct trace *trace, struct uses *uses, const struct span *span, int change,
                      int64_t time)
{
    const struct memory *memory = &trace->program->memories[span->memory];
    struct uses *use = &uses[span->memory];
    if (span->access & ACCESS_READ)
        use->reads += change;
    if (writes(span))
        use->writes += change;
    struct text name = {0};
    text_format(&name, "use of %s", memory->name);
    int process = trace_process(memory->rank);
    json_t *event = trace_event(trace, "C", text_string(&name), process, process, time);
    json_t *values = json_object();
    if (use->is_read)
        json_object_set_new(values, "reads", json_integer(use->reads));
    if (use->is_written)
        json_object_set_new(values, "writes", json_integer(use->writes));
    json_object_set_new(event, "args", values);
    trace_write(trace, event);
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

static bool is_left_open(const struct trace *trace, uint32_t rank)
{
    const struct rank *calls = &trace->program->ranks[rank];
    for (uint32_t call = calls->first_call; call < calls->first_call + calls->call_count; call++) {
        const struct view_call *state = &trace->view->calls[call];
        if ((state->called != TIME_NONE && state->returned == TIME_NONE) ||
            (trace_has_run(trace, call) && state->done == TIME_NONE))
            return true;
    }
    return false;
}

/* Viewers draw what has not ended to the trace's end, and what a run gets stuck in has just begun: this
 * moment, which is behind the log's end, makes room for it. */
static void write_end(struct trace *trace)
{
    static const char *const names[] = {[OUTCOME_NONE] = "the log has ended",
                                        [OUTCOME_FINISHED] = "finished",
                                        [OUTCOME_STUCK] = "still stuck",
                                        [OUTCOME_FAILED] = "failed"};
    int64_t room = (trace->end - trace->zero) / 3 + 1000;
    for (uint32_t rank = 0; rank < trace->program->rank_count; rank++)
        if (is_left_open(trace, rank))
            write_moment(trace, rank, names[trace->view->outcome], trace->end + room);
}

void trace_write_records(struct trace *trace)
{
    struct uses *uses = find_uses(trace->program);
    const struct log *log = trace->run->log;
    for (size_t i = 0; i < log->count; i++) {
        const struct record *record = &log->records[i];
        if (record->time == TIME_NONE || record->time < trace->zero)
            continue;
        write_of_process(trace, record);
        if (record->kind == RECORD_CALLED || record->kind == RECORD_RETURNED ||
            record->kind == RECORD_STARTED || record->kind == RECORD_DONE)
            write_uses(trace, uses, record);
    }
    free(uses);
    write_end(trace);
}
