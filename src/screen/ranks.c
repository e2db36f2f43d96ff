#include "screen/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/cells.h"
#include "screen/line.h"
#include "screen/operation.h"

enum { NAME_MAX_COLUMNS = 10, FLOWING_COLUMNS = 25, WAIT_COLUMN = 4 };

/* A panel being drawn, or only measured (CANVAS NULL). */
struct panel_draft {
    const struct walk *walk;
    const struct view *view;
    const struct program *program;
    uint32_t rank;
    enum detail detail;
    struct canvas *canvas;
    struct rectangle area;
    int first_row;    /* what is scrolled away above */
    int row;          /* the next one */
    int chosen_row;   /* of the chosen track; -1 */
    int name_columns; /* of streams and buffers */
};

static bool is_seen(const struct panel_draft *draft)
{
    int row = draft->row - draft->first_row;
    return draft->canvas && row >= 0 && row < draft->area.rows;
}

/* A line for the present row; only for one that is seen. */
static struct line begin_line(const struct panel_draft *draft)
{
    return (struct line){draft->canvas, draft->area, draft->row - draft->first_row, 0};
}

static bool is_chosen(const struct panel_draft *draft, uint32_t stream)
{
    const struct track *track = walk_chosen_track(draft->walk);
    return track && track->rank == draft->rank && track->stream == stream;
}

static void write_name(const struct panel_draft *draft, struct line *line, bool chosen, const char *name)
{
    if (chosen) {
        line_glyph(line, STYLE_SELECTED, GLYPH_POINTER);
        line_text(line, STYLE_SELECTED, " ");
    }
    line_to(line, 2);
    struct line column = *line;
    column.area.columns =
        2 + draft->name_columns < line->area.columns ? 2 + draft->name_columns : line->area.columns;
    line_text(&column, chosen ? STYLE_SELECTED : STYLE_DIM, name);
    line_to(line, 3 + draft->name_columns);
}

/* What was written of the line so far chooses the track. */
static void target_track(const struct panel_draft *draft, const struct line *line, uint32_t stream)
{
    for (size_t i = 0; i < draft->walk->track_count; i++)
        if (draft->walk->tracks[i].rank == draft->rank && draft->walk->tracks[i].stream == stream)
            canvas_target(line->canvas, line->area, line->row, 0, line->column,
                          (struct target){TARGET_TRACK, (int64_t)i});
}

static void write_process(const struct panel_draft *draft, struct line *line)
{
    const struct view_rank *state = &draft->view->ranks[draft->rank];
    line_format(line, STYLE_TITLE, "rank %u", (unsigned)draft->rank);
    line_dot(line);
    if (!state->forked)
        line_text(line, STYLE_DIM, "no process yet");
    else
        line_format(line, STYLE_PLAIN, "pid %lld", (long long)state->pid);
    if (!state->exited)
        return;
    line_dot(line);
    const struct rank *rank = &draft->program->ranks[draft->rank];
    bool is_at_its_end = rank->call_count == 0 ||
                         view_point_time(draft->view, point_of(rank->first_call + rank->call_count - 1,
                                                               RETURNED)) != TIME_NONE;
    if (state->exit_status == 0 && !is_at_its_end)
        line_text(line, STYLE_WAITING, "was ended");
    else if (state->exit_status < 0)
        line_format(line, STYLE_ERROR, "ended by signal %lld", (long long)-state->exit_status);
    else
        line_format(line, state->exit_status ? STYLE_ERROR : STYLE_DIM, "exited with %lld",
                    (long long)state->exit_status);
}

static void write_gpu(const struct panel_draft *draft, struct line *line)
{
    uint16_t gpu = draft->program->ranks[draft->rank].gpu;
    uint16_t really = draft->walk->log->header.gpus[gpu];
    line_dot(line);
    line_format(line, STYLE_PLAIN, "GPU %u", (unsigned)gpu);
    if (really != gpu)
        line_format(line, STYLE_DIM, " (device %u)", (unsigned)really);
}

static void write_communicator(const struct panel_draft *draft, struct line *line)
{
    const struct view_rank *state = &draft->view->ranks[draft->rank];
    if (state->exited)
        return;
    line_dot(line);
    if (state->ready)
        line_text(line, STYLE_PLAIN, "comm ready");
    else if (state->initialising)
        line_text(line, STYLE_WAITING, "init: waits for all");
    else
        line_text(line, STYLE_DIM, state->has_id ? "has the id" : "no id yet");
}

static void add_header(struct panel_draft *draft)
{
    if (is_seen(draft)) {
        struct line line = begin_line(draft);
        write_process(draft, &line);
        write_gpu(draft, &line);
        write_communicator(draft, &line);
    }
    draft->row++;
}

static void write_mark(struct line *line, enum operation_state state)
{
    line_glyph(line, operation_style(state), operation_glyph(state));
}

/* The host program: which call it is in, or returned from last. */
static void write_host(const struct panel_draft *draft, struct line *line, struct text *wait)
{
    const struct view *view = draft->view;
    uint32_t call = view->ranks[draft->rank].current_call;
    struct text text = {0};
    if (call == NONE) {
        line_text(line, STYLE_DIM, "before its first call");
        return;
    }
    const struct rank *calls = &draft->program->ranks[draft->rank];
    bool returned = view->calls[call].returned != TIME_NONE;
    bool blocked = !returned && (view->calls[call].waiting || view->ranks[draft->rank].exited);
    uint32_t next = call + 1;
    call_describe(draft->program, call, &text);
    if (returned && next == calls->first_call + calls->call_count) {
        line_glyph(line, STYLE_DONE, GLYPH_DONE);
        line_text(line, STYLE_DONE, " at its end");
    } else if (returned) {
        line_glyph(line, STYLE_DONE, GLYPH_DONE);
        line_text(line, STYLE_DIM, " returned from ");
        line_text(line, STYLE_PLAIN, text_string(&text));
        if (view->calls[next].held)
            text_append(wait, "held before its next call");
    } else {
        write_mark(line, blocked ? OPERATION_WAITING : OPERATION_RUNNING);
        line_text(line, STYLE_DIM, " in ");
        line_text(line, blocked ? STYLE_WAITING : STYLE_RUNNING, text_string(&text));
        if (blocked)
            view_explain_wait(view, call, wait);
    }
    text_free(&text);
}

/* What holds something up: after it, or on a row of its own. */
static void add_wait(struct panel_draft *draft, struct line *line, const struct text *wait)
{
    if (draft->detail == DETAIL_WAITS) {
        draft->row++;
        if (is_seen(draft) && wait->length > 0) {
            struct line below = begin_line(draft);
            line_to(&below, WAIT_COLUMN);
            line_text(&below, STYLE_WAITING, text_string(wait));
        }
    } else if (line && wait->length > 0) {
        line->column++;
        line_text(line, STYLE_WAITING, text_string(wait));
    }
}

static void add_host(struct panel_draft *draft)
{
    bool chosen = is_chosen(draft, NONE);
    struct text wait = {0};
    struct line line;
    bool seen = is_seen(draft);
    if (chosen)
        draft->chosen_row = draft->row;
    if (seen) {
        line = begin_line(draft);
        write_name(draft, &line, chosen, "host");
        target_track(draft, &line, NONE);
        write_host(draft, &line, &wait);
    }
    add_wait(draft, seen ? &line : NULL, &wait);
    draft->row++;
    text_free(&wait);
}

/* The submitted operations of a stream, and which of them is the first that is not done. */
struct queue {
    uint32_t *calls;
    size_t count, capacity, open;
};

static struct queue stream_queue(const struct panel_draft *draft, uint32_t stream)
{
    struct queue queue = {0};
    const struct rank *rank = &draft->program->ranks[draft->rank];
    for (uint32_t call = rank->first_call; call < rank->first_call + rank->call_count; call++) {
        if (!operation_is_in(draft->view, call, stream))
            continue;
        ARRAY_RESERVE(queue.calls, queue.count, queue.capacity);
        queue.calls[queue.count++] = call;
        if (draft->view->calls[call].done != TIME_NONE && queue.open == queue.count - 1)
            queue.open = queue.count;
    }
    return queue;
}

static int operation_columns(const struct panel_draft *draft, uint32_t call)
{
    struct text name = {0};
    operation_name(draft->program, call, &name);
    int columns =
        (int)name.length + 4 + draft->view->calls[call].overlapped + (walk_marks(draft->walk, call) ? 2 : 0);
    text_free(&name);
    return columns;
}

static void explain(const struct panel_draft *draft, uint32_t call, struct text *wait)
{
    enum operation_state state = view_operation(draft->view, call);
    if (state == OPERATION_WAITING || state == OPERATION_HELD ||
        (state != OPERATION_DONE && draft->view->ranks[draft->rank].exited))
        view_explain_wait(draft->view, call, wait);
}

/* The operations from the first open one on; before it as many done ones as there is room for. */
static void write_queue(const struct panel_draft *draft, struct line *line, const struct queue *queue,
                        struct text *wait)
{
    size_t first = queue->open < queue->count ? queue->open : queue->count - 1;
    if (queue->open < queue->count)
        explain(draft, queue->calls[queue->open], wait);
    bool beside = draft->detail != DETAIL_WAITS && wait->length > 0;
    int needed = beside ? (int)wait->length + 1 : 0;
    for (size_t i = first; i < queue->count && needed < line_room(line); i++)
        needed += operation_columns(draft, queue->calls[i]);
    while (first > 0 && needed + operation_columns(draft, queue->calls[first - 1]) + (first > 1 ? 6 : 0) <=
                            line_room(line) + 2)
        needed += operation_columns(draft, queue->calls[--first]);
    if (first > 0) {
        line_format(line, STYLE_DIM, "%zu", first);
        line_glyph(line, STYLE_DONE, GLYPH_DONE);
        line->column += 2;
    }
    struct text name = {0};
    for (size_t i = first; i < queue->count && line_room(line) > 0; i++) {
        enum operation_state state = view_operation(draft->view, queue->calls[i]);
        bool overlapped = draft->view->calls[queue->calls[i]].overlapped;
        int begins = line->column;
        text_clear(&name);
        operation_name(draft->program, queue->calls[i], &name);
        line_format(line, overlapped ? STYLE_ERROR : operation_style(state),
                    walk_marks(draft->walk, queue->calls[i]) ? "[%s]" : "%s", text_string(&name));
        if (overlapped)
            line_glyph(line, STYLE_ERROR, GLYPH_TORN);
        line->column++;
        write_mark(line, state);
        canvas_target(line->canvas, line->area, line->row, begins, line->column - begins,
                      (struct target){TARGET_CALL, queue->calls[i]});
        if (beside && i == queue->open) {
            line->column++;
            line_text(line, STYLE_WAITING, text_string(wait));
        }
        line->column += 2;
    }
    text_free(&name);
}

static void stream_name(const struct panel_draft *draft, uint32_t stream, struct text *out)
{
    const struct stream *known = &draft->program->streams[stream];
    text_append(out, known->name);
    if (known->gpu != draft->program->ranks[draft->rank].gpu)
        text_format(out, "@%u", (unsigned)known->gpu);
}

static void add_stream(struct panel_draft *draft, uint32_t stream)
{
    bool chosen = is_chosen(draft, stream);
    struct text text = {0}, wait = {0};
    if (chosen)
        draft->chosen_row = draft->row;
    if (is_seen(draft)) {
        struct line line = begin_line(draft);
        struct queue queue = stream_queue(draft, stream);
        stream_name(draft, stream, &text);
        write_name(draft, &line, chosen, text_string(&text));
        target_track(draft, &line, stream);
        if (queue.count > 0)
            write_queue(draft, &line, &queue, &wait);
        else
            line_text(&line, STYLE_DIM, "nothing submitted");
        free(queue.calls);
    }
    add_wait(draft, NULL, &wait);
    draft->row++;
    text_free(&text);
    text_free(&wait);
}

static void write_event(const struct panel_draft *draft, struct line *line, uint32_t event)
{
    uint32_t record = view_event_record(draft->view, event);
    line_format(line, STYLE_PLAIN, "%s ", draft->program->events[event].name);
    if (record == NONE) {
        line_glyph(line, STYLE_DIM, GLYPH_PENDING);
        line_text(line, STYLE_DIM, " not recorded  ");
    } else if (draft->view->calls[record].done == TIME_NONE) {
        line_glyph(line, STYLE_WAITING, GLYPH_WAITING);
        line_text(line, STYLE_WAITING, " recorded, not complete  ");
    } else {
        line_glyph(line, STYLE_DONE, GLYPH_DONE);
        line_text(line, STYLE_DONE, " complete  ");
    }
}

static void add_events(struct panel_draft *draft)
{
    bool any = false;
    struct line line;
    for (uint32_t event = 0; event < draft->program->event_count; event++) {
        if (draft->program->events[event].rank != draft->rank)
            continue;
        if (!any && is_seen(draft)) {
            line = begin_line(draft);
            write_name(draft, &line, false, "events");
        }
        any = true;
        if (!is_seen(draft))
            break;
        write_event(draft, &line, event);
    }
    draft->row += any;
}

static void add_memory(struct panel_draft *draft, uint32_t memory, int column, int columns)
{
    if (!is_seen(draft))
        return;
    struct line line = begin_line(draft);
    line.area = rectangle_within(draft->area, (struct rectangle){0, column, draft->area.rows, columns});
    write_name(draft, &line, false, draft->program->memories[memory].name);
    memory_write_cells(draft->view, memory, draft->detail != DETAIL_FLOWING, &line);
}

static void add_memories(struct panel_draft *draft)
{
    int columns = draft->area.columns, across = 1, used = 0;
    if (draft->detail == DETAIL_FLOWING && columns / FLOWING_COLUMNS > 1)
        across = columns / FLOWING_COLUMNS;
    for (uint32_t memory = 0; memory < draft->program->memory_count; memory++) {
        if (draft->program->memories[memory].rank != draft->rank)
            continue;
        if (used == across) {
            draft->row++;
            used = 0;
        }
        int width = used == across - 1 ? columns - used * (columns / across) : columns / across - 1;
        add_memory(draft, memory, used * (columns / across), width);
        used++;
    }
    draft->row += used > 0;
}

/* The same for all ranks, so that what belongs together stands in one column. */
static void measure_names(struct panel_draft *draft)
{
    const struct program *program = draft->program;
    size_t longest = strlen("events");
    for (size_t i = 0; i < draft->walk->track_count; i++) {
        uint32_t stream = draft->walk->tracks[i].stream;
        size_t length = stream != NONE ? strlen(program->streams[stream].name) : 0;
        longest = length > longest ? length : longest;
    }
    draft->name_columns = longest < NAME_MAX_COLUMNS ? (int)longest : NAME_MAX_COLUMNS;
}

static void draw_all(struct panel_draft *draft)
{
    draft->row = 0;
    draft->chosen_row = -1;
    add_header(draft);
    add_host(draft);
    for (size_t i = 0; i < draft->walk->track_count; i++) {
        const struct track *track = &draft->walk->tracks[i];
        if (track->rank == draft->rank && track->stream != NONE)
            add_stream(draft, track->stream);
    }
    add_events(draft);
    add_memories(draft);
}

static struct panel_draft open_draft(const struct walk *walk, uint32_t rank, enum detail detail,
                                     struct canvas *canvas, struct rectangle area)
{
    struct panel_draft draft = {.walk = walk,
                                .view = walk->view,
                                .program = walk->program,
                                .rank = rank,
                                .detail = detail,
                                .canvas = canvas,
                                .area = area};
    measure_names(&draft);
    return draft;
}

int rank_panel_rows(const struct walk *walk, uint32_t rank, enum detail detail, int columns)
{
    struct panel_draft draft = open_draft(walk, rank, detail, NULL, (struct rectangle){0, 0, 0, columns});
    draw_all(&draft);
    return draft.row;
}

/* The whole rank in one row: what its host program and each stream are at. */
static void draw_folded(const struct panel_draft *draft)
{
    struct line line = begin_line(draft);
    const struct view_rank *state = &draft->view->ranks[draft->rank];
    struct text name = {0};
    write_process(draft, &line);
    line.column += 2;
    if (state->current_call != NONE) {
        bool returned = draft->view->calls[state->current_call].returned != TIME_NONE;
        bool waits = draft->view->calls[state->current_call].waiting;
        text_append(
            &name, call_kind_name((enum call_kind)call_statement(draft->program, state->current_call)->kind));
        line_format(&line, STYLE_DIM, "host %s ", text_string(&name));
        write_mark(&line, returned ? OPERATION_DONE : waits ? OPERATION_WAITING : OPERATION_RUNNING);
    }
    for (size_t i = 0; i < draft->walk->track_count && line_room(&line) > 0; i++) {
        const struct track *track = &draft->walk->tracks[i];
        if (track->rank != draft->rank || track->stream == NONE)
            continue;
        struct queue queue = stream_queue(draft, track->stream);
        if (queue.count > 0) {
            uint32_t call = queue.calls[queue.open < queue.count ? queue.open : queue.count - 1];
            text_clear(&name);
            operation_name(draft->program, call, &name);
            line.column += 2;
            line_format(&line, STYLE_DIM, "%s ", draft->program->streams[track->stream].name);
            line_format(&line, STYLE_PLAIN, "%s ", text_string(&name));
            write_mark(&line, view_operation(draft->view, call));
        }
        free(queue.calls);
    }
    text_free(&name);
}

void rank_panel_draw(const struct walk *walk, uint32_t rank, enum detail detail, struct canvas *canvas,
                     struct rectangle area)
{
    if (area.rows <= 0)
        return;
    struct panel_draft draft = open_draft(walk, rank, detail, NULL, area);
    draw_all(&draft);
    int beyond = draft.row - area.rows;
    draft.canvas = canvas;
    if (area.rows == 1) {
        draft.row = 0;
        draw_folded(&draft);
        return;
    }
    if (beyond > 0 && draft.chosen_row >= 0) {
        int first = draft.chosen_row - area.rows + 2 + walk->scroll[PANEL_RANKS];
        draft.first_row = first < 0 ? 0 : first > beyond ? beyond : first;
    }
    draw_all(&draft);
    if (beyond > draft.first_row) {
        struct line line = {canvas, area, area.rows - 1, area.columns - 12};
        if (line.column > 0)
            line_format(&line, STYLE_KEY, " %d more ", beyond - draft.first_row);
    }
}
