/* The processes and tracks of a trace. */
#include <stdlib.h>

#include "base/memory.h"
#include "export/perfetto_inside.h"

static int compare_starts(const void *one, const void *other)
{
    const int64_t *a = one, *b = other;
    return a[0] != b[0] ? (a[0] > b[0] ? 1 : -1) : (a[1] > b[1]) - (a[1] < b[1]);
}

static uint32_t find_track(struct trace *trace, uint32_t stream, int64_t begin)
{
    uint32_t lane = 0;
    for (uint32_t i = 0; i < trace->track_count; i++) {
        if (trace->tracks[i].stream != stream)
            continue;
        if (trace->tracks[i].busy_to <= begin)
            return i;
        lane++;
    }
    ARRAY_RESERVE(trace->tracks, trace->track_count, trace->track_capacity);
    trace->tracks[trace->track_count] = (struct track){.stream = stream, .lane = lane};
    return trace->track_count++;
}

static int compare_tracks(const void *one, const void *other)
{
    const struct track *a = one, *b = other;
    if (a->stream != b->stream)
        return a->stream > b->stream ? 1 : -1;
    return (a->lane > b->lane) - (a->lane < b->lane);
}

/* Puts the tracks into the order in which the streams were declared: some viewers know no other. */
static void sort_tracks(struct trace *trace)
{
    uint32_t *places = memory_zeroed(trace->track_count, sizeof *places);
    for (uint32_t i = 0; i < trace->track_count; i++)
        for (uint32_t k = 0; k < trace->track_count; k++)
            places[i] += compare_tracks(&trace->tracks[k], &trace->tracks[i]) < 0;
    for (uint32_t call = 0; call < trace->program->call_count; call++)
        if (trace->track_of[call] != NONE)
            trace->track_of[call] = places[trace->track_of[call]];
    if (trace->track_count > 0)
        qsort(trace->tracks, trace->track_count, sizeof *trace->tracks, compare_tracks);
    free(places);
}

/* In the order in which they start, each operation takes the first track of its stream that is free. */
void trace_place_operations(struct trace *trace)
{
    const struct program *program = trace->program;
    int64_t(*starts)[2] = memory_zeroed(program->call_count, sizeof *starts);
    size_t count = 0;
    for (uint32_t call = 0; call < program->call_count; call++)
        if (trace_has_run(trace, call)) {
            starts[count][0] = trace->view->calls[call].started;
            starts[count++][1] = call;
        }
    qsort(starts, count, sizeof *starts, compare_starts);
    for (size_t i = 0; i < count; i++) {
        uint32_t call = (uint32_t)starts[i][1];
        uint32_t track = find_track(trace, call_statement(program, call)->stream, starts[i][0]);
        int64_t end = trace_interval(trace, call, SIDE_STREAM).end;
        trace->tracks[track].busy_to = end == TIME_NONE ? INT64_MAX : end;
        trace->track_of[call] = track;
    }
    free(starts);
    sort_tracks(trace);
}

static void name_stream(struct trace *trace, uint32_t number)
{
    const struct track *track = &trace->tracks[number];
    const struct stream *stream = &trace->program->streams[track->stream];
    struct text name = {0};
    text_format(&name, "stream %s", stream->name);
    if (track->lane > 0)
        text_format(&name, ", lane %u", track->lane + 1);
    text_format(&name, " (GPU %u)", stream->gpu);
    int thread = trace_process(trace->program->rank_count) + (int)number;
    trace_name(trace, "thread", trace_process(stream->rank), thread, text_string(&name), (int)number + 1);
    text_free(&name);
}

void trace_name_tracks(struct trace *trace)
{
    const struct program *program = trace->program;
    struct text name = {0};
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        int process = trace_process(rank);
        text_clear(&name);
        text_format(&name, "rank %u (GPU %u)", rank, program->ranks[rank].gpu);
        trace_name(trace, "process", process, process, text_string(&name), process);
        trace_name(trace, "thread", process, process, "host program", 0);
    }
    text_free(&name);
    for (uint32_t i = 0; i < trace->track_count; i++)
        name_stream(trace, i);
}
