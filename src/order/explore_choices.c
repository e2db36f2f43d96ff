#include "order/explore_choices.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { CHOICE_LIMIT = 4096, PAST_BYTES_LIMIT = 256 << 20 };

/* What comes before what, found along one execution: whatever happens in it comes behind all that it waits
 * for. */
struct past {
    const struct step_table *table;
    const struct run *run; /* at its end */
    enum choice choice;
    uint32_t words;
    uint32_t *positions; /* by item: where it stands in the trail; NONE */
    uint64_t *before;    /* by position, WORDS each: a bit for each step that comes before it */
};

static uint64_t *before_item(const struct past *past, uint32_t item)
{
    return past->before + (size_t)past->positions[item] * past->words;
}

/* All that comes before FROM, and FROM itself, comes before TO. */
static void put_before(const struct past *past, uint32_t from, uint32_t to)
{
    uint32_t points = past->table->order->point_count;
    if (past->positions[from] == NONE || past->positions[to] == NONE)
        return;
    uint64_t *later = before_item(past, to);
    const uint64_t *earlier = before_item(past, from);
    for (uint32_t word = 0; word < past->words; word++)
        later[word] |= earlier[word];
    if (from >= points)
        bit_set(later, from - points);
}

static void find_past_of_point(const struct past *past, uint32_t point)
{
    const struct order *order = past->table->order;
    for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++) {
        const struct wait *wait = &order->waits[w];
        if (wait->point != NONE && wait->strength != ABORTABLE &&
            choice_takes(order, past->choice, point, wait))
            put_before(past, wait->point, point);
    }
}

static void find_past(const struct past *past)
{
    const struct step_table *table = past->table;
    for (uint32_t i = 0; i < past->run->trail_count; i++) {
        uint32_t item = past->run->trail[i].item;
        if (item < table->order->point_count)
            find_past_of_point(past, item);
        for (uint32_t l = table->first_link[item]; l < table->first_link[item + 1]; l++)
            if (!link_is_loose(table, item, table->links[l]))
                put_before(past, item, table->links[l]);
    }
}

static bool past_open(struct past *past, const struct run *run, enum choice choice, struct error *error)
{
    const struct step_table *table = run->table;
    *past = (struct past){
        .table = table, .run = run, .choice = choice, .words = table->step_count / BITS_PER_WORD + 1};
    if ((uint64_t)past->words * run->trail_count * sizeof *past->before > PAST_BYTES_LIMIT) {
        error_set(error, "it makes %u accesses to memory: so many are too many to try all their orders",
                  table->step_count);
        return false;
    }
    past->positions = memory_all_ones(table->order->point_count + table->step_count, sizeof *past->positions);
    past->before = memory_zeroed((size_t)past->words * run->trail_count, sizeof *past->before);
    for (uint32_t i = 0; i < run->trail_count; i++)
        past->positions[run->trail[i].item] = i;
    find_past(past);
    return true;
}

static void past_close(struct past *past)
{
    free(past->positions);
    free(past->before);
}

static bool comes_before(const struct past *past, uint32_t earlier, uint32_t later)
{
    return bit_is_set(before_item(past, step_item(past->table, later)), earlier);
}

/* Steps that may have something to do with one another: those of one memory, or of one call. */
struct group {
    uint32_t *steps;
    uint32_t count, capacity;
};

static void group_add(struct group *group, uint32_t step)
{
    if (group->count > 0 && group->steps[group->count - 1] == step)
        return;
    ARRAY_RESERVE(group->steps, group->count, group->capacity);
    group->steps[group->count++] = step;
}

/* Pairs of steps whose order is open. */
struct pairs {
    struct {
        uint32_t first, second;
    } * items;
    size_t count, capacity;
};

static void find_pairs(const struct past *past, const struct group *group, struct pairs *pairs)
{
    for (uint32_t j = 1; j < group->count; j++)
        for (uint32_t i = 0; i < j; i++) {
            uint32_t first = group->steps[i], second = group->steps[j];
            if (comes_before(past, first, second) || comes_before(past, second, first) ||
                !steps_conflict(past->table, first, second))
                continue;
            ARRAY_RESERVE(pairs->items, pairs->count, pairs->capacity);
            pairs->items[pairs->count].first = first;
            pairs->items[pairs->count++].second = second;
        }
}

static void find_all_pairs(const struct past *past, struct pairs *pairs)
{
    const struct step_table *table = past->table;
    uint32_t memories = table->order->program->memory_count, calls = table->order->program->call_count;
    struct group *groups = memory_zeroed((size_t)memories + calls, sizeof *groups);
    for (uint32_t step = 0; step < table->step_count; step++) {
        const struct step *described = &table->steps[step];
        if (past->positions[step_item(table, step)] == NONE)
            continue;
        for (uint32_t a = 0; a < described->access_count; a++)
            group_add(&groups[table->accesses[described->first_access + a].memory], step);
        if (table->order->aborted_by && table->order->aborted_by[described->call] != NONE)
            group_add(&groups[memories + described->call], step);
    }
    for (uint32_t g = 0; g < memories + calls; g++) {
        find_pairs(past, &groups[g], pairs);
        free(groups[g].steps);
    }
    free(groups);
}

static void number_choices(struct choices *choices, const struct pairs *pairs)
{
    const uint32_t *aborted_by = choices->table->order->aborted_by;
    choices->of_step = memory_all_ones(choices->table->step_count, sizeof *choices->of_step);
    choices->steps = memory_resize(NULL, (size_t)choices->table->step_count + 1, sizeof *choices->steps);
    for (size_t i = 0; i < pairs->count; i++)
        choices->of_step[pairs->items[i].first] = choices->of_step[pairs->items[i].second] = 0;
    for (uint32_t step = 0; step < choices->table->step_count; step++) {
        if (choices->of_step[step] == NONE)
            continue;
        choices->of_step[step] = choices->count;
        choices->steps[choices->count++] = step;
    }
    choices->words = choices->count / BITS_PER_WORD + 1;
    for (uint32_t call = 0; aborted_by && call < choices->table->order->program->call_count; call++)
        choices->may_be_aborted |= aborted_by[call] != NONE;
}

static void relate_choices(struct choices *choices, const struct past *past, const struct pairs *pairs)
{
    size_t words = choices->words;
    choices->conflicts = memory_zeroed((choices->count + 1) * words, sizeof *choices->conflicts);
    choices->before = memory_zeroed((choices->count + 1) * words, sizeof *choices->before);
    for (size_t i = 0; i < pairs->count; i++) {
        uint32_t first = choices->of_step[pairs->items[i].first],
                 second = choices->of_step[pairs->items[i].second];
        bit_set(choices->conflicts + first * words, second);
        bit_set(choices->conflicts + second * words, first);
    }
    for (uint32_t later = 0; later < choices->count; later++)
        for (uint32_t earlier = 0; earlier < choices->count; earlier++)
            if (comes_before(past, choices->steps[earlier], choices->steps[later]))
                bit_set(choices->before + later * words, earlier);
}

bool choices_find(struct choices *choices, const struct step_table *table, enum choice choice,
                  struct error *error)
{
    struct run run;
    struct past past;
    struct pairs pairs = {0};
    *choices = (struct choices){.table = table};
    run_open(&run, table, choice, NULL, 0, NULL);
    bool fine = past_open(&past, &run, choice, error);
    if (fine) {
        find_all_pairs(&past, &pairs);
        number_choices(choices, &pairs);
        fine = choices->count <= CHOICE_LIMIT ||
               error_set(error, "%u accesses to memory race: so many are too many to try all their orders",
                         choices->count);
    }
    if (fine)
        relate_choices(choices, &past, &pairs);
    past_close(&past);
    run_close(&run);
    free(pairs.items);
    return fine;
}

void choices_free(struct choices *choices)
{
    free(choices->steps);
    free(choices->of_step);
    free(choices->conflicts);
    free(choices->before);
}
