#include "order/explore_run.h"

#include <stdlib.h>

#include "base/memory.h"

uint32_t next_bit(const uint64_t *bits, uint32_t words, uint32_t from)
{
    for (uint32_t word = from / BITS_PER_WORD; word < words; word++) {
        uint64_t rest = bits[word];
        if (word == from / BITS_PER_WORD)
            rest &= UINT64_MAX << (from % BITS_PER_WORD);
        if (rest != 0)
            return word * BITS_PER_WORD + (uint32_t)__builtin_ctzll(rest);
    }
    return NONE;
}

static bool is_point(const struct run *run, uint32_t item)
{
    return item < run->table->order->point_count;
}

static void put_ready(struct run *run, uint32_t item)
{
    if (run->ready_first == run->ready_count)
        run->ready_first = run->ready_count = 0;
    ARRAY_RESERVE(run->ready, run->ready_count, run->ready_capacity);
    run->ready[run->ready_count++] = item;
}

/* For the machine: a point that no other point holds any more. */
static void note_point(void *context, uint32_t point)
{
    struct run *run = context;
    if (run->missing[point] == 0)
        put_ready(run, point);
}

static uint32_t choice_of(const struct run *run, uint32_t step)
{
    return run->choices ? run->choices[step] : NONE;
}

static void note_item(struct run *run, uint32_t item)
{
    if (is_point(run, item)) {
        if (machine_may_happen(run->machine, item))
            put_ready(run, item);
        return;
    }
    uint32_t step = item - run->table->order->point_count, choice = choice_of(run, step);
    if (choice == NONE)
        put_ready(run, item);
    else if (!run->done[step])
        bit_set(run->enabled, choice);
}

static void satisfy_links(struct run *run, uint32_t item)
{
    const struct step_table *table = run->table;
    for (uint32_t l = table->first_link[item]; l < table->first_link[item + 1]; l++)
        if (--run->missing[table->links[l]] == 0)
            note_item(run, table->links[l]);
}

static void restore_links(struct run *run, uint32_t item)
{
    const struct step_table *table = run->table;
    for (uint32_t l = table->first_link[item]; l < table->first_link[item + 1]; l++) {
        uint32_t waiting = table->links[l];
        if (run->missing[waiting]++ > 0 || is_point(run, waiting))
            continue;
        uint32_t choice = choice_of(run, waiting - table->order->point_count);
        if (choice != NONE)
            bit_clear(run->enabled, choice);
    }
}

static void note_happening(struct run *run, uint32_t item)
{
    ARRAY_RESERVE(run->trail, run->trail_count, run->trail_capacity);
    run->trail[run->trail_count++] =
        (struct happening){.item = item, .before = contents_mark(&run->contents)};
}

static void change_choice(struct run *run, uint32_t step, bool made)
{
    uint32_t choice = choice_of(run, step);
    if (choice == NONE)
        return;
    hash_toggle(&run->made_hash, hash_mix(UINT64_MAX - choice, 1));
    if (made) {
        bit_set(run->made, choice);
        bit_clear(run->enabled, choice);
        return;
    }
    bit_clear(run->made, choice);
    if (run->missing[step_item(run->table, step)] == 0)
        bit_set(run->enabled, choice);
}

static void do_step(struct run *run, uint32_t step, bool given_up)
{
    note_happening(run, step_item(run->table, step));
    run->done[step] = 1;
    change_choice(run, step, true);
    contents_do(&run->contents, step, given_up);
    if (run->observer && !given_up)
        run->observer->did(run->observer->context, step);
    satisfy_links(run, step_item(run->table, step));
}

/* What the call has not moved by now it never does. */
static void give_up(struct run *run, uint32_t call)
{
    for (uint32_t step = run->table->first_step[call]; step < run->table->first_step[call + 1]; step++)
        if (!run->done[step])
            do_step(run, step, true);
}

static void happen(struct run *run, uint32_t item)
{
    if (is_point(run, item)) {
        note_happening(run, item);
        if (run->observer)
            run->observer->happened(run->observer->context, item);
        machine_happen(run->machine, item, note_point, run);
        satisfy_links(run, item);
        return;
    }
    uint32_t step = item - run->table->order->point_count;
    if (run->done[step])
        return; /* it was given up meanwhile */
    do_step(run, step, false);
    if (run->table->steps[step].kind == STEP_GIVE_UP)
        give_up(run, run->table->steps[step].call);
}

static void settle(struct run *run)
{
    while (run->ready_first < run->ready_count)
        happen(run, run->ready[run->ready_first++]);
}

void run_open(struct run *run, const struct step_table *table, enum choice choice, const uint32_t *choices,
              uint32_t choice_count, const struct run_observer *observer)
{
    uint32_t items = table->order->point_count + table->step_count, words = choice_count / BITS_PER_WORD + 1;
    *run = (struct run){.table = table, .choices = choices, .observer = observer};
    run->machine = machine_open(table->order, choice);
    contents_open(&run->contents, table);
    run->enabled = memory_zeroed(words, sizeof *run->enabled);
    run->made = memory_zeroed(words, sizeof *run->made);
    run->done = memory_zeroed(table->step_count, sizeof *run->done);
    run->missing = memory_resize(NULL, items, sizeof *run->missing);
    for (uint32_t item = 0; item < items; item++)
        run->missing[item] = table->missing[item];
    machine_begin(run->machine, note_point, run);
    settle(run);
}

void run_close(struct run *run)
{
    machine_close(run->machine);
    contents_close(&run->contents);
    free(run->enabled);
    free(run->made);
    free(run->done);
    free(run->missing);
    free(run->trail);
    free(run->ready);
}

void run_choose(struct run *run, uint32_t step)
{
    happen(run, step_item(run->table, step));
    settle(run);
}

void run_undo(struct run *run, uint32_t trail_count)
{
    while (run->trail_count > trail_count) {
        const struct happening *last = &run->trail[--run->trail_count];
        restore_links(run, last->item);
        if (is_point(run, last->item)) {
            machine_undo(run->machine, last->item);
            continue;
        }
        uint32_t step = last->item - run->table->order->point_count;
        contents_undo(&run->contents, &last->before);
        run->done[step] = 0;
        change_choice(run, step, false);
    }
}
