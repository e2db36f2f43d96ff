/* What the files of the trace share; not for others. */
#ifndef HANDOFF_EXPORT_PERFETTO_INSIDE_H
#define HANDOFF_EXPORT_PERFETTO_INSIDE_H

#include <jansson.h>

#include "export/perfetto.h"

/* A call is a slice on its host program's track, and its operation one on a stream's. */
enum side { SIDE_HOST, SIDE_STREAM };

/* END is TIME_NONE where it never ended; else it is behind BEGIN, also of what took no time. */
struct interval {
    int64_t begin, end;
};

/* A slice within that of a call or an operation: what it waits for, or does, for a while. Those of one slice
 * follow one another. */
struct part {
    uint32_t call;
    enum side side;
    uint32_t number; /* in the order in which they were added */
    struct interval when;
    char *name; /* its own */
    bool is_wait;
    uint32_t point; /* of a wait: what for; NONE */
    uint8_t rule;
};

/* Where operations are drawn: those of one track may not overlap, and the members of a group do. */
struct track {
    uint32_t stream, lane;
    int64_t busy_to;
};

struct trace {
    const struct export_run *run;
    const struct program *program;
    struct view *view; /* after the whole log */
    int64_t zero;      /* what the trace's times count from; what was before is left out */
    int64_t end;       /* of the log */
    struct text *out;
    bool is_first;
    struct track *tracks; /* by stream and lane, once every operation has its own */
    uint32_t track_count, track_capacity;
    uint32_t *track_of; /* by call: the track of its operation; NONE */
    struct part *parts; /* by call, side and time */
    size_t part_count, part_capacity;
    size_t next_part; /* the first that is not written */
    uint32_t arrow;   /* the number of the last one */
};

/* perfetto.c */
bool trace_has_run(const struct trace *trace, uint32_t call);
struct interval trace_interval(const struct trace *trace, uint32_t call, enum side side);
/* The number of a rank's process, and of its host program's track; 0 means something else to some viewers. */
int trace_process(uint32_t rank);
int trace_track(const struct trace *trace, uint32_t call, enum side side);
/* The line of the file. */
int trace_line(const struct trace *trace, const struct statement *statement);

/* perfetto_track.c */
void trace_place_operations(struct trace *trace);
void trace_name_tracks(struct trace *trace);

/* perfetto_event.c: events are written one by one. As one tree, a large run would take gigabytes. */
json_t *trace_event(const struct trace *trace, const char *phase, const char *name, int process, int track,
                    int64_t time);
/* Takes the event over. */
void trace_write(struct trace *trace, json_t *event);
/* Names a "process" or a "thread", and says where it stands among its like. */
void trace_name(struct trace *trace, const char *of, int process, int track, const char *name, int place);

/* perfetto_part.c */
void trace_find_parts(struct trace *trace);
/* In the order of the calls, and of each call the host's side first. */
void trace_write_parts(struct trace *trace, uint32_t call, enum side side);
/* When the bytes of the receive, and of its send, begin to move; TIME_NONE where they never do. */
int64_t trace_moves_from(const struct trace *trace, uint32_t recv);
/* From when on the wait's event does not hold it; TIME_NONE where that is not known. */
int64_t trace_released(const struct trace *trace, uint32_t wait);

/* perfetto_arrow.c: which slice of its track the end of an arrow is in goes by the time, and at one time by
 * the place in the file: viewers take the innermost one that was begun. */
void trace_write_arrow_end(struct trace *trace, const char *phase, const char *name, uint32_t call,
                           enum side side, int64_t time);
/* The arrows between operations, behind all slices. */
void trace_write_arrows(struct trace *trace);

/* perfetto_record.c: moments and counters. */
void trace_write_records(struct trace *trace);

#endif
