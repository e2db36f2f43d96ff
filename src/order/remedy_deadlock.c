/* A cycle of waits is cut by an order that the ranks share, by a group around the communication of a rank, or
 * by another order of two calls. */
#include <stdlib.h>

#include "base/memory.h"
#include "order/remedy.h"

/* Two calls of one rank in the cycle, the first called first. */
struct pair {
    uint32_t first, second;
};

enum { PAIR_LIMIT = 64 };

/* The first and the last communication call of RANK in the cycle; false where there are not two. */
static bool communication_of(const struct remedy *remedy, uint32_t rank, struct pair *pair)
{
    *pair = (struct pair){NONE, 0};
    for (uint32_t i = 0; i < remedy->finding->cycle_length; i++) {
        uint32_t call = point_call(remedy->finding->cycle[i]);
        const struct statement *statement = remedy_statement_of(remedy, call);
        if (statement->rank != rank || !call_is_communication(statement))
            continue;
        pair->first = call < pair->first ? call : pair->first;
        pair->second = call > pair->second ? call : pair->second;
    }
    return pair->first != NONE && pair->first < pair->second;
}

/* CALL stands on the first line or behind it. */
static void group_lines(const struct remedy *remedy, uint32_t call, uint32_t first, uint32_t last)
{
    if (!may_group(remedy, call, first, last))
        return;
    remedy->change->lines[0] = first;
    remedy->change->lines[1] = last;
    change_insert_before(remedy->change, first, "group");
    change_insert_after(remedy->change, last, "end");
}

/* A group from the first to the last of each rank's communication in the cycle. */
static void group_cycle(const struct remedy *remedy)
{
    for (uint32_t rank = 0; rank < remedy->program->rank_count; rank++) {
        struct pair pair;
        if (!communication_of(remedy, rank, &pair))
            continue;
        uint32_t first = line_before(remedy, pair.first), last = line_after(remedy, pair.second);
        if (first < last)
            group_lines(remedy, pair.first, first, last);
    }
}

/* Communication calls of a rank that follow one another without a group. */
struct run {
    uint32_t count, first_line, last_line;
};

static struct run find_run(const struct remedy *remedy, uint32_t call, uint32_t past)
{
    struct run run = {.first_line = line_of(remedy, call)};
    for (; call < past; call++) {
        const struct statement *statement = remedy_statement_of(remedy, call);
        if (!call_is_communication(statement) || statement->in_group)
            break;
        run.count++;
        run.first_line = statement->line < run.first_line ? statement->line : run.first_line;
        run.last_line = statement->line > run.last_line ? statement->line : run.last_line;
    }
    return run;
}

/* A group around each such run, in every rank: what all do at once needs it everywhere. Rounds of a `repeat`
 * come to the same lines again. */
static void group_runs(const struct remedy *remedy)
{
    for (uint32_t r = 0; r < remedy->program->rank_count; r++) {
        const struct rank *rank = &remedy->program->ranks[r];
        uint32_t past = rank->first_call + rank->call_count, grouped_line = 0;
        for (uint32_t call = rank->first_call; call < past; call++) {
            struct run run = find_run(remedy, call, past);
            if (run.first_line > grouped_line && run.last_line > run.first_line) {
                group_lines(remedy, call, run.first_line, run.last_line);
                grouped_line = run.last_line;
            }
            call += run.count;
        }
    }
}

static uint32_t add_pair(struct pair *pairs, uint32_t count, struct pair pair)
{
    for (uint32_t i = 0; i < count; i++)
        if (pairs[i].first == pair.first && pairs[i].second == pair.second)
            return count;
    if (count < PAIR_LIMIT)
        pairs[count++] = pair;
    return count;
}

/* The pairs of calls of one rank in the cycle that stand on lines in the order of their calls. */
static uint32_t list_pairs(const struct remedy *remedy, struct pair *pairs)
{
    const struct finding *finding = remedy->finding;
    uint32_t count = 0;
    for (uint32_t i = 0; i < finding->cycle_length; i++)
        for (uint32_t j = 0; j < finding->cycle_length; j++) {
            uint32_t first = point_call(finding->cycle[i]), second = point_call(finding->cycle[j]);
            if (first < second &&
                remedy_statement_of(remedy, first)->rank == remedy_statement_of(remedy, second)->rank &&
                line_of(remedy, first) < line_of(remedy, second))
                count = add_pair(pairs, count, (struct pair){first, second});
        }
    return count;
}

/* One of two calls goes to the other side of the other. */
static void move_call(const struct remedy *remedy, uint32_t call, uint32_t to)
{
    if (!may_move(remedy, call, to, &(struct calls){0}, KEEPS_MATCHES))
        return;
    if (to < call)
        change_move_before(remedy->change, line_of(remedy, call), line_of(remedy, to));
    else
        change_move_after(remedy->change, line_of(remedy, call), line_of(remedy, to));
}

static bool group_or_move(const struct remedy *remedy, unsigned attempt)
{
    struct pair pairs[PAIR_LIMIT];
    if (attempt <= 1) {
        (attempt == 0 ? group_cycle : group_runs)(remedy);
        return true;
    }
    uint32_t count = list_pairs(remedy, pairs);
    uint32_t number = (attempt - 2) / 2;
    if (number >= count)
        return false;
    const struct pair *pair = &pairs[number];
    if (attempt % 2 == 0)
        move_call(remedy, pair->second, pair->first);
    else
        move_call(remedy, pair->first, pair->second);
    return true;
}

bool remedy_deadlock(const struct remedy *remedy, unsigned attempt)
{
    unsigned orders = reorder_attempts(remedy);
    if (attempt >= orders)
        return group_or_move(remedy, attempt - orders);
    remedy_reorder(remedy, attempt);
    return true;
}
