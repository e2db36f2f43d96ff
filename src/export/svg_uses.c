/* When operations run on the streams and calls use the buffers: what overlaps stands in lanes of its own. */
#include <stdlib.h>

#include "base/memory.h"
#include "export/svg_inside.h"

/* All accesses of the call to the memory, in one. */
static unsigned access_to(const struct program *program, const struct statement *statement, uint32_t memory)
{
    unsigned access = 0;
    for (uint32_t i = 0; i < statement->span_count; i++) {
        const struct span *span = &program->spans[statement->first_span + i];
        if (span->memory == memory)
            access |= span->access;
    }
    return access;
}

/* Whether the call is in the row, and when: an operation from its start to its end, the host's own work while
 * the call lasts. */
static bool find_use(const struct svg_panel *panel, uint32_t call, const struct svg_row *row,
                     struct svg_use *use)
{
    const struct view_call *state = &panel->view->calls[call];
    const struct statement *statement = call_statement(panel->program, call);
    bool is_operation = call_is_operation(statement);
    *use = (struct svg_use){.call = call,
                            .from = is_operation ? state->started : state->called,
                            .to = is_operation ? state->done : state->returned};
    if (use->to == TIME_NONE)
        use->to = panel->to;
    if (row->memory != NONE)
        use->access = access_to(panel->program, statement, row->memory);
    bool belongs = row->memory != NONE ? use->access : is_operation && statement->stream == row->stream;
    return belongs && use->from != TIME_NONE;
}

static int compare_uses(const void *one, const void *other)
{
    const struct svg_use *a = one, *b = other;
    return a->from != b->from ? (a->from > b->from ? 1 : -1) : (a->call > b->call) - (a->call < b->call);
}

enum { MOST_LANES = 8 };

static void set_lanes(struct svg_row *row)
{
    int64_t busy_to[MOST_LANES];
    row->lanes = 0;
    for (uint32_t i = 0; i < row->use_count; i++) {
        struct svg_use *use = &row->uses[i];
        while (use->lane < row->lanes && busy_to[use->lane] > use->from && use->lane + 1 < MOST_LANES)
            use->lane++;
        if (use->lane == row->lanes)
            row->lanes++;
        busy_to[use->lane] = use->to;
    }
}

void svg_find_uses(struct svg_panel *panel, struct svg_row *row)
{
    const struct rank *rank = &panel->program->ranks[row->rank];
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < rank->call_count; i++) {
        struct svg_use use;
        if (!find_use(panel, rank->first_call + i, row, &use))
            continue;
        ARRAY_RESERVE(row->uses, row->use_count, capacity);
        row->uses[row->use_count++] = use;
    }
    if (row->use_count > 0)
        qsort(row->uses, row->use_count, sizeof *row->uses, compare_uses);
    set_lanes(row);
}
