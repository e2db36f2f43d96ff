/* The timeline's rows of buffers: from when to when something uses each. */
#include <stdlib.h>

#include "base/memory.h"
#include "screen/plot.h"

struct use {
    uint32_t lane, call;
    int64_t from, to;
    bool writes;
};

struct uses {
    struct use *items;
    size_t count, capacity;
};

static void add_uses_of(const struct plot *plot, uint32_t call, struct uses *uses)
{
    const struct program *program = plot->view->program;
    const struct statement *statement = call_statement(program, call);
    const struct view_call *times = &plot->view->calls[call];
    bool is_host_access = statement->kind == CALL_READ || statement->kind == CALL_WRITE;
    int64_t from = is_host_access ? times->called : times->started;
    if (from == TIME_NONE)
        return;
    int64_t host_end = times->returned != TIME_NONE ? times->returned : plot->view->now;
    int64_t to = is_host_access ? host_end : operation_end(plot->view, call);
    for (uint32_t s = 0; s < statement->span_count; s++) {
        const struct span *span = &program->spans[statement->first_span + s];
        uint32_t lane = plot->lane_of_memory[span->memory];
        if (lane == NONE || plot->lanes[lane].row < 0)
            continue;
        ARRAY_RESERVE(uses->items, uses->count, uses->capacity);
        uses->items[uses->count++] = (struct use){lane, call, from, to, (span->access & ACCESS_CHANGE) != 0};
    }
}

static int compare_uses(const void *a, const void *b)
{
    const struct use *first = a, *second = b;
    if (first->lane != second->lane)
        return first->lane < second->lane ? -1 : 1;
    if (first->from != second->from)
        return first->from < second->from ? -1 : 1;
    return first->call < second->call ? -1 : first->call > second->call;
}

/* A use that begins while another one goes on, and one of the two writes: the columns of both are marked. */
static void mark_conflict(struct plot *plot, const struct lane *lane, int first, int last)
{
    canvas_glyphs(plot->canvas, plot->area, lane->row, first, last - first, STYLE_ERROR, GLYPH_TORN);
}

static void draw_use(struct plot *plot, const struct use *use, bool conflicts)
{
    struct lane *lane = &plot->lanes[use->lane];
    int first = plot_column(plot, use->from), last = plot_column(plot, use->to);
    first = first < 0 ? 0 : first;
    if (last <= first)
        last = first + 1;
    if (last > plot->area.columns)
        last = plot->area.columns;
    int begin = first > lane->free ? first : lane->free;
    bool running = plot->view->calls[use->call].done == TIME_NONE;
    enum style style = running ? STYLE_RUNNING : STYLE_DONE;
    if (begin < last) {
        canvas_glyphs(plot->canvas, plot->area, lane->row, begin, last - begin, style,
                      use->writes ? GLYPH_BAR_FULL : GLYPH_BAR_LIGHT);
        plot_label(plot, lane, begin, last - begin, use->writes ? plot_on_bar(style) : style, use->call);
    }
    int overlap = lane->free < last ? lane->free : last;
    if (conflicts && first < overlap)
        mark_conflict(plot, lane, first, overlap);
    if (last > lane->free)
        lane->free = last;
}

void plot_uses(struct plot *plot)
{
    struct uses uses = {0};
    for (uint32_t call = 0; call < plot->view->program->call_count; call++)
        add_uses_of(plot, call, &uses);
    if (uses.count > 0)
        qsort(uses.items, uses.count, sizeof *uses.items, compare_uses);
    for (size_t i = 0; i < uses.count; i++) {
        struct lane *lane = &plot->lanes[uses.items[i].lane];
        bool written_before =
            i > 0 && uses.items[i - 1].lane == uses.items[i].lane && uses.items[i - 1].writes;
        bool overlaps = lane->busy_to != TIME_NONE && uses.items[i].from < lane->busy_to;
        draw_use(plot, &uses.items[i], overlaps && (uses.items[i].writes || written_before));
        if (lane->busy_to == TIME_NONE || uses.items[i].to > lane->busy_to)
            lane->busy_to = uses.items[i].to;
    }
    free(uses.items);
}
