/* Single events of a trace. */
#include <stdio.h>

#include "export/perfetto_inside.h"

static int append_to_text(const char *bytes, size_t length, void *text)
{
    text_append_bytes(text, bytes, length);
    return 0;
}

void trace_write(struct trace *trace, json_t *event)
{
    text_append(trace->out, trace->is_first ? "\n" : ",\n");
    trace->is_first = false;
    json_dump_callback(event, append_to_text, trace->out, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(event);
}

json_t *trace_event(const struct trace *trace, const char *phase, const char *name, int process, int track,
                    int64_t time)
{
    return json_pack("{s:s, s:s, s:i, s:i, s:f}", "ph", phase, "name", name, "pid", process, "tid", track,
                     "ts", (double)(time - trace->zero) / 1000);
}

static json_t *metadata(const char *of, const char *what, int process, int track, const char *key,
                        json_t *value)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%s", of, what);
    return json_pack("{s:s, s:s, s:i, s:i, s:{s:o}}", "ph", "M", "name", name, "pid", process, "tid", track,
                     "args", key, value);
}

void trace_name(struct trace *trace, const char *of, int process, int track, const char *name, int place)
{
    trace_write(trace, metadata(of, "name", process, track, "name", json_string(name)));
    trace_write(trace, metadata(of, "sort_index", process, track, "sort_index", json_integer(place)));
}
