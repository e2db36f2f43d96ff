/* Ranks that communicate in opposite orders get one order: that in which one of them makes its calls. */
#include <stdlib.h>

#include "order/remedy.h"

/* So many communication calls of a rank are looked at, on either side of one in the cycle, and so many calls
 * between two of them. */
enum { SIDE_LIMIT = 64, ROOM = 2 * SIDE_LIMIT, GAP_LIMIT = 256 };

/* A communication call and what it meets on the rank whose order is taken. */
struct item {
    uint32_t call, model;
    bool taken; /* it is to be put in order */
    bool stays; /* and the others go round it */
};

/* In the order of their calls. */
struct items {
    struct item at[ROOM];
    uint32_t count;
};

static uint32_t rank_of(const struct remedy *remedy, uint32_t call)
{
    return remedy_statement_of(remedy, call)->rank;
}

/* The call of RANK that is in the cycle, or meets one of MODEL's that is; NONE. */
static uint32_t find_seed(const struct remedy *remedy, uint32_t rank, uint32_t model, uint32_t number)
{
    uint32_t call = point_call(remedy->finding->cycle[number]);
    if (!call_is_communication(remedy_statement_of(remedy, call)))
        return NONE;
    if (rank_of(remedy, call) == model)
        return partner_of(remedy, call, rank);
    return rank_of(remedy, call) == rank ? call : NONE;
}

/* The next call of the rank in that direction within the same round of a `repeat`; NONE. */
static uint32_t step(const struct remedy *remedy, uint32_t call, int direction)
{
    const struct rank *rank = &remedy->program->ranks[rank_of(remedy, call)];
    uint32_t next = call + (uint32_t)direction;
    if (next < rank->first_call || next >= rank->first_call + rank->call_count)
        return NONE;
    return (line_of(remedy, next) > line_of(remedy, call)) == (direction > 0) ? next : NONE;
}

/* The next communication with the rank MODEL; NONE. */
static uint32_t next_shared(const struct remedy *remedy, uint32_t call, uint32_t model, int direction)
{
    for (uint32_t gap = 0; gap < GAP_LIMIT; gap++) {
        call = step(remedy, call, direction);
        if (call == NONE)
            return NONE;
        if (call_is_communication(remedy_statement_of(remedy, call)) &&
            partner_of(remedy, call, model) != NONE)
            return call;
    }
    return NONE;
}

static void list_items(const struct remedy *remedy, uint32_t seed, uint32_t model, struct items *items)
{
    uint32_t first = seed;
    items->count = 0;
    for (uint32_t i = 1, call = seed; i < SIDE_LIMIT && call != NONE; i++) {
        first = call;
        call = next_shared(remedy, call, model, -1);
    }
    for (uint32_t call = first; call != NONE && items->count < ROOM;
         call = next_shared(remedy, call, model, 1))
        items->at[items->count++] = (struct item){.call = call, .model = partner_of(remedy, call, model)};
}

/* A send and a receive between two ranks: both may come first on both, and belong in a group. */
static bool is_exchange(const struct remedy *remedy, uint32_t a, uint32_t b)
{
    uint8_t first = remedy_statement_of(remedy, a)->kind, second = remedy_statement_of(remedy, b)->kind;
    return (first == CALL_SEND && second == CALL_RECV) || (first == CALL_RECV && second == CALL_SEND);
}

static bool is_crossed(const struct remedy *remedy, const struct item *first, const struct item *second)
{
    return (first->call < second->call) != (first->model < second->model) &&
           !is_exchange(remedy, first->call, second->call);
}

/* Those that are crossed with the SEED's, and those that are crossed with them. */
static void take_crossed(const struct remedy *remedy, uint32_t seed, struct items *items)
{
    for (uint32_t i = 0; i < items->count; i++)
        items->at[i].taken = items->at[i].call == seed;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < items->count; i++)
            for (uint32_t j = 0; j < items->count; j++)
                if (items->at[i].taken && !items->at[j].taken &&
                    is_crossed(remedy, &items->at[i], &items->at[j]))
                    items->at[j].taken = more = true;
    }
}

static void drop_others(struct items *items)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < items->count; i++)
        if (items->at[i].taken)
            items->at[count++] = items->at[i];
    items->count = count;
}

/* The most that stand in order already stay; what is in a group does so before all else. */
static void choose_staying(const struct remedy *remedy, struct items *items)
{
    uint32_t weight[ROOM], before[ROOM], best = 0;
    for (uint32_t i = 0; i < items->count; i++) {
        uint32_t most = 0;
        before[i] = NONE;
        for (uint32_t j = 0; j < i; j++)
            if (items->at[j].model < items->at[i].model && weight[j] > most) {
                most = weight[j];
                before[i] = j;
            }
        weight[i] = most + (remedy_statement_of(remedy, items->at[i].call)->in_group ? ROOM : 1);
        best = weight[i] > weight[best] ? i : best;
    }
    for (uint32_t i = items->count > 0 ? best : NONE; i != NONE; i = before[i])
        items->at[i].stays = true;
}

static int compare_models(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return a->model < b->model ? -1 : a->model > b->model;
}

/* The one that stays next to which NUMBER goes: the next, or else the last; *BEHIND that. */
static uint32_t find_anchor(const struct items *sorted, uint32_t number, bool *behind)
{
    uint32_t at = number;
    while (at < sorted->count && !sorted->at[at].stays)
        at++;
    *behind = at == sorted->count;
    for (at -= *behind; !sorted->at[at].stays;)
        at--;
    return sorted->at[at].call;
}

/* False where that would change a meaning. */
static bool move_item(const struct remedy *remedy, const struct items *sorted, uint32_t number,
                      const struct calls *all)
{
    bool behind;
    uint32_t call = sorted->at[number].call, anchor = find_anchor(sorted, number, &behind);
    if (!may_move(remedy, call, anchor, all, KEEPS_MATCHES))
        return false;
    if (behind)
        change_move_after(remedy->change, line_of(remedy, call), line_after(remedy, anchor));
    else
        change_move_before(remedy->change, line_of(remedy, call), line_before(remedy, anchor));
    return true;
}

/* Whether those of the items that change places with one another may. */
static bool may_sort(const struct remedy *remedy, const struct items *items)
{
    for (uint32_t i = 0; i < items->count; i++)
        for (uint32_t j = i + 1; j < items->count; j++)
            if (items->at[j].model < items->at[i].model &&
                !may_swap(remedy->program, items->at[i].call, items->at[j].call, KEEPS_MATCHES))
                return false;
    return true;
}

/* False where that would change a meaning. */
static bool move_items(const struct remedy *remedy, struct items *items)
{
    uint32_t calls[ROOM];
    if (!may_sort(remedy, items))
        return false;
    qsort(items->at, items->count, sizeof *items->at, compare_models);
    for (uint32_t i = 0; i < items->count; i++)
        calls[i] = items->at[i].call;
    for (uint32_t i = 0; i < items->count; i++)
        if (!items->at[i].stays && !move_item(remedy, items, i, &(struct calls){calls, items->count}))
            return false;
    return true;
}

/* RANK makes the calls that are crossed with those of the rank MODEL in the order of that. */
static bool follow(const struct remedy *remedy, uint32_t rank, uint32_t model)
{
    struct items items;
    for (uint32_t i = 0; i < remedy->finding->cycle_length; i++) {
        uint32_t seed = find_seed(remedy, rank, model, i);
        if (seed == NONE || partner_of(remedy, seed, model) == NONE)
            continue;
        list_items(remedy, seed, model, &items);
        take_crossed(remedy, seed, &items);
        drop_others(&items);
        if (items.count < 2)
            continue;
        choose_staying(remedy, &items);
        return move_items(remedy, &items);
    }
    return true;
}

static void follow_all(const struct remedy *remedy, uint32_t model)
{
    for (uint32_t rank = 0; rank < remedy->program->rank_count; rank++)
        if (rank != model && !follow(remedy, rank, model)) {
            change_clear(remedy->change);
            return;
        }
}

/* One rank follows another, or all follow one. */
unsigned reorder_attempts(const struct remedy *remedy)
{
    return remedy->program->rank_count * (remedy->program->rank_count + 1);
}

void remedy_reorder(const struct remedy *remedy, unsigned attempt)
{
    uint32_t count = remedy->program->rank_count;
    uint32_t model = attempt / count % count, rank = attempt % count;
    if (attempt >= count * count)
        follow_all(remedy, rank);
    else if (rank != model && !follow(remedy, rank, model))
        change_clear(remedy->change);
}
