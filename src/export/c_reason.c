/* Why a call finds done what it needs done: the way through the order graph from it back to the earlier call
 * whose bytes it reads or writes. */
#include <stdlib.h>

#include "base/memory.h"
#include "export/c_inside.h"
#include "log/words.h"
#include "order/hazard.h"

struct c_reasons {
    const struct order *order;
    uint32_t *last_writer, *last_reader; /* by memory */
    uint32_t *seen;                      /* by point: the search that came to it; 0 */
    uint32_t *next;                      /* by point: where that search came from */
    uint32_t *by;                        /* by point: the wait that it came along */
    uint32_t *queue;
    uint32_t search;
};

/* A way that is longer explains nothing. */
enum { POINTS_LIMIT = 4096 };

struct c_reasons *c_reasons_open(const struct order *order)
{
    struct c_reasons *reasons = memory_zeroed(1, sizeof *reasons);
    *reasons = (struct c_reasons){
        .order = order,
        .last_writer = memory_all_ones(order->program->memory_count, sizeof(uint32_t)),
        .last_reader = memory_all_ones(order->program->memory_count, sizeof(uint32_t)),
        .seen = memory_zeroed(order->point_count, sizeof(uint32_t)),
        .next = memory_zeroed(order->point_count, sizeof(uint32_t)),
        .by = memory_zeroed(order->point_count, sizeof(uint32_t)),
        .queue = memory_zeroed(POINTS_LIMIT, sizeof(uint32_t)),
    };
    return reasons;
}

void c_reasons_close(struct c_reasons *reasons)
{
    free(reasons->last_writer);
    free(reasons->last_reader);
    free(reasons->seen);
    free(reasons->next);
    free(reasons->by);
    free(reasons->queue);
    free(reasons);
}

/* Goes back from the later point along waits that every execution has. */
static bool find_way(struct c_reasons *reasons, uint32_t later, uint32_t earlier)
{
    const struct order *order = reasons->order;
    uint32_t first = 0, count = 1;
    reasons->search++;
    reasons->queue[0] = later;
    reasons->seen[later] = reasons->search;
    reasons->next[later] = NONE;
    while (first < count) {
        uint32_t point = reasons->queue[first++];
        if (point == earlier)
            return true;
        for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++) {
            uint32_t until = order->waits[w].point;
            if (order->waits[w].strength != ALWAYS || until == NONE ||
                reasons->seen[until] == reasons->search)
                continue;
            if (count == POINTS_LIMIT)
                return false;
            reasons->seen[until] = reasons->search;
            reasons->next[until] = point;
            reasons->by[until] = w;
            reasons->queue[count++] = until;
        }
    }
    return false;
}

/* How much a wait of the rule says about the order, more for more. */
static unsigned weight(uint8_t rule)
{
    static const uint8_t weights[] = {
        [2] = 1, [6] = 2, [12] = 3, [7] = 4, [5] = 5, [9] = 6, [4] = 7, [8] = 8, [3] = 9};
    return rule < sizeof weights ? weights[rule] : 0;
}

/* The point that carries the wait which says most about the way that was found; NONE. */
static uint32_t telling_point(const struct c_reasons *reasons, uint32_t earlier, uint8_t *rule)
{
    uint32_t telling = NONE;
    *rule = 0;
    for (uint32_t point = earlier; reasons->next[point] != NONE; point = reasons->next[point]) {
        const struct wait *wait = &reasons->order->waits[reasons->by[point]];
        if (weight(wait->rule) > weight(*rule)) {
            *rule = wait->rule;
            telling = reasons->next[point];
        }
    }
    return telling;
}

static void append_call(const struct c_reasons *reasons, uint32_t call, struct text *out)
{
    text_append(out, "`");
    describe_call_briefly(reasons->order->program, call, out);
    text_append(out, "`");
}

static void write_way(const struct c_reasons *reasons, uint32_t call, uint32_t other, uint32_t earlier,
                      struct text *out)
{
    const struct program *program = reasons->order->program;
    uint8_t rule;
    uint32_t telling = telling_point(reasons, earlier, &rule);
    text_append(out, "After ");
    append_call(reasons, other, out);
    if (rule == 3 || rule == 8) {
        text_append(out, ": ");
        append_call(reasons, point_call(telling), out);
        text_append(out, rule == 3 ? " holds what follows back until then." : " held the host until then.");
    } else if (rule == 2) {
        text_format(out, ": both are on %s.", program->streams[call_statement(program, call)->stream].name);
    } else if (rule == 0) {
        text_append(out, ": the host does one thing after the other.");
    } else {
        text_format(out, ": %s.", rule_sentence(rule));
    }
}

static bool is_on_host(const struct statement *statement)
{
    return statement->kind == CALL_READ || statement->kind == CALL_WRITE || statement->kind == CALL_FREE;
}

static void write_reason(struct c_reasons *reasons, uint32_t call, uint32_t other, struct text *out)
{
    const struct program *program = reasons->order->program;
    bool later_on_host = is_on_host(call_statement(program, call));
    bool earlier_on_host = is_on_host(call_statement(program, other));
    uint32_t earlier = point_of(other, earlier_on_host ? RETURNED : DONE);
    if (earlier_on_host && later_on_host)
        return;
    if (find_way(reasons, point_of(call, later_on_host ? ENTERED : STARTED), earlier))
        write_way(reasons, call, other, earlier, out);
}

/* The latest earlier call of the rank that had the same bytes and must be done with them; NONE. */
static uint32_t find_other(const struct c_reasons *reasons, uint32_t call)
{
    const struct program *program = reasons->order->program;
    const struct statement *statement = call_statement(program, call);
    uint32_t latest = NONE;
    for (uint32_t i = 0; i < statement->span_count; i++) {
        uint32_t memory = program->spans[statement->first_span + i].memory;
        const uint32_t candidates[] = {reasons->last_writer[memory], reasons->last_reader[memory]};
        for (int c = 0; c < 2; c++) {
            struct span shared;
            enum hazard hazard;
            if (candidates[c] != NONE && candidates[c] != call &&
                (latest == NONE || candidates[c] > latest) &&
                calls_conflict(program, candidates[c], call, memory, &shared, &hazard))
                latest = candidates[c];
        }
    }
    return latest;
}

static void note_accesses(struct c_reasons *reasons, uint32_t call)
{
    const struct program *program = reasons->order->program;
    const struct statement *statement = call_statement(program, call);
    for (uint32_t i = 0; i < statement->span_count; i++) {
        const struct span *span = &program->spans[statement->first_span + i];
        uint32_t *last = span->access & ACCESS_READ ? reasons->last_reader : reasons->last_writer;
        last[span->memory] = call;
        if (span->access & ACCESS_WRITE)
            reasons->last_writer[span->memory] = call;
    }
}

void c_reasons_write(struct c_reasons *reasons, uint32_t call, struct text *out)
{
    uint32_t other = find_other(reasons, call);
    if (other != NONE)
        write_reason(reasons, call, other, out);
    note_accesses(reasons, call);
}
