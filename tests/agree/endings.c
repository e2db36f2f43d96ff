/* How a small schedule can end, without any reduction: every step waits to be chosen, every choice is tried
 * in every state, and which of two conflicting steps came first is part of the state. explore() has to find
 * the same. */
#include <stdlib.h>

#include "agree.h"
#include "base/memory.h"
#include "order/explore.h"
#include "order/explore_choices.h"

enum { MOST_STATES = 1 << 11, MOST_STEPS = 64, MOST_ENDINGS = 128 };

struct enumeration {
    const struct step_table *table;
    struct run run;
    struct hash_slots {
        struct hash *keys; /* all zeros: empty */
        uint32_t count, limit;
    } states;
    uint8_t conflicts[MOST_STEPS][MOST_STEPS];
    uint32_t words;
    struct {
        struct hash lasting;
        uint64_t executions;
    } endings[MOST_ENDINGS];
    uint32_t ending_count;
};

static bool is_same(struct hash a, struct hash b)
{
    return a.low == b.low && a.high == b.high;
}

static bool is_new(struct hash_slots *states, struct hash key)
{
    uint32_t at = (uint32_t)key.low & (states->limit * 2 - 1);
    while (!is_same(states->keys[at], (struct hash){0}) && !is_same(states->keys[at], key))
        at = (at + 1) & (states->limit * 2 - 1);
    if (is_same(states->keys[at], key))
        return false;
    states->keys[at] = key;
    states->count++;
    return true;
}

static void count_ending(struct enumeration *all)
{
    struct hash lasting = all->run.contents.lasting;
    uint32_t at = 0;
    while (at < all->ending_count && !is_same(all->endings[at].lasting, lasting))
        at++;
    if (at == MOST_ENDINGS) {
        all->states.count = all->states.limit; /* too many */
        return;
    }
    if (at == all->ending_count)
        all->endings[all->ending_count++].lasting = lasting;
    all->endings[at].executions++;
}

/* What is decided by doing STEP now: it comes behind those of its conflicts that were done, not given up. */
static struct hash decided_by(const struct enumeration *all, uint32_t step)
{
    struct hash decided = {0};
    for (uint32_t other = 0; other < all->table->step_count; other++)
        if (all->conflicts[step][other] && all->run.done[other] &&
            !contents_is_lost(&all->run.contents, other))
            hash_toggle(&decided, hash_mix(UINT64_C(1) << 40 | other << 16 | step, 1));
    return decided;
}

static void visit(struct enumeration *all, struct hash decided)
{
    struct hash key = decided;
    bool goes_on = false;
    hash_toggle(&key, all->run.made_hash);
    if (all->states.count >= all->states.limit || !is_new(&all->states, key))
        return;
    for (uint32_t step = next_bit(all->run.enabled, all->words, 0); step != NONE;
         step = next_bit(all->run.enabled, all->words, step + 1)) {
        uint32_t trail_count = all->run.trail_count;
        struct hash after = decided_by(all, step);
        hash_toggle(&after, decided);
        run_choose(&all->run, step);
        visit(all, after);
        run_undo(&all->run, trail_count);
        goes_on = true;
    }
    if (!goes_on)
        count_ending(all);
}

/* Allocating waits to be chosen only where there is something to free: else nothing comes before it. */
static bool waits_to_be_chosen(const struct step_table *table, uint32_t step, bool something_is_freed)
{
    return table->steps[step].kind != STEP_ALLOCATE || something_is_freed;
}

static bool enumerate(struct enumeration *all)
{
    const struct step_table *table = all->table;
    uint32_t *choices = memory_all_ones(table->step_count, sizeof *choices);
    bool something_is_freed = false;
    for (uint32_t step = 0; step < table->step_count; step++)
        something_is_freed |= table->steps[step].kind == STEP_FREE;
    for (uint32_t step = 0; step < table->step_count; step++) {
        if (waits_to_be_chosen(table, step, something_is_freed))
            choices[step] = step;
        for (uint32_t other = 0; other < table->step_count; other++)
            all->conflicts[step][other] = step != other && steps_conflict(table, step, other);
    }
    all->words = table->step_count / BITS_PER_WORD + 1;
    all->states.limit = MOST_STATES;
    all->states.keys = memory_zeroed((size_t)MOST_STATES * 2, sizeof *all->states.keys);
    run_open(&all->run, table, CHOICE_EAGER, choices, table->step_count, NULL);
    visit(all, (struct hash){1, 1});
    run_close(&all->run);
    free(all->states.keys);
    free(choices);
    return all->states.count < all->states.limit;
}

static int compare_counts(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

/* Whether both have the same numbers of executions, ending by ending. */
static bool counts_agree(const struct enumeration *all, const struct exploration *exploration)
{
    uint64_t ours[MOST_ENDINGS], theirs[MOST_ENDINGS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < exploration->ending_count && count < MOST_ENDINGS; i++)
        if (!exploration->endings[i].strict)
            theirs[count++] = exploration->endings[i].executions;
    if (count != all->ending_count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        ours[i] = all->endings[i].executions;
    qsort(ours, count, sizeof *ours, compare_counts);
    qsort(theirs, count, sizeof *theirs, compare_counts);
    for (uint32_t i = 0; i < count; i++)
        if (ours[i] != theirs[i])
            return false;
    return true;
}

static const char *compare_with_truth(const struct exploration *exploration, const struct truth *truth)
{
    bool stuck = false, hazard = false;
    uint32_t lenient = 0;
    for (uint32_t i = 0; i < exploration->ending_count; i++) {
        stuck |= exploration->endings[i].stuck;
        lenient += !exploration->endings[i].strict;
    }
    for (uint32_t memory = 0; memory < TRUTH_MEMORIES; memory++)
        hazard |= truth->raced[memory] || truth->gone[memory];
    if (stuck != truth->stuck)
        return stuck ? "explore gets stuck, and strict runs finish"
                     : "strict runs get stuck, and explore does not";
    /* What an abort cuts off depends on when it comes, and that is no race. */
    if (lenient > 1 && !hazard && !exploration->order->aborted_by)
        return "explore finds several outcomes, and nothing races";
    return NULL;
}

const char *compare_endings(const struct order *order, const struct truth *truth, bool *enumerated)
{
    struct error error;
    struct enumeration *all = memory_zeroed(1, sizeof *all);
    struct step_table *table = steps_build(order);
    const struct explore_options options = {.execution_limit = 5000};
    struct exploration *exploration = explore(order, &options, &error);
    const char *difference = exploration ? NULL : "explore refuses it";
    *enumerated = false;
    if (exploration && exploration->end == EXPLORED_ALL) {
        difference = compare_with_truth(exploration, truth);
        all->table = table;
        *enumerated = !difference && table->step_count <= MOST_STEPS && enumerate(all);
        if (*enumerated && !counts_agree(all, exploration))
            difference = "explore does not count the executions that trying everything finds";
    }
    if (exploration)
        exploration_free(exploration);
    steps_free(table);
    free(all);
    return difference;
}
