/* Depth first, with three ways to leave out what is equivalent: persistent sets (of the choices that may be
 * made, only some that no other can meddle with), sleep sets (a choice that was tried first is not tried
 * behind others that have nothing to do with it), and states that were seen before. Every way to order the
 * conflicts is counted once. */
#include "order/explore_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "order/explore_states.h"

/* A state on the way from the beginning to where the search is. */
struct frame {
    uint32_t state;
    uint32_t trail_count; /* of the run before it came here */
    uint32_t first_edge;  /* in the search's open edges */
    uint32_t chosen;      /* what led here */
    uint64_t *untried;    /* choices */
    uint64_t *asleep; /* choices that were tried before, of which what followed has nothing to do with them */
};

struct search {
    struct exploration *exploration;
    const struct choices *choices;
    const struct explore_options *options;
    enum choice choice;
    uint32_t point_count; /* that there are */
    struct run run;
    struct states states;
    struct hash_index endings; /* numbers of the exploration's endings by what they hold */
    size_t ending_bytes;
    struct frame *frames;
    uint32_t frame_count;
    uint64_t *bits;       /* of all frames */
    uint64_t *persistent; /* a set being made */
    uint64_t *visited;    /* its members whose conflicts were looked at */
    uint64_t *minded;     /* conflicts that are seen to */
    uint32_t *edges;      /* states that the frames lead to */
    uint32_t edge_count, edge_capacity;
    uint64_t executions, asked_at;
    bool stopped;
};

/* Persistent sets. */

/* Whether the three have a choice in common. */
static bool have_common(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint32_t words)
{
    for (uint32_t word = 0; word < words; word++)
        if (a[word] & b[word] & c[word])
            return true;
    return false;
}

/* Adds one of the choices that have to be made before LATER can be and that can be made now, if none is in
 * the set. */
static void add_needed(const struct search *search, uint64_t *set, uint32_t later)
{
    uint32_t words = search->choices->words;
    const uint64_t *before = choices_before(search->choices, later), *enabled = search->run.enabled;
    if (have_common(before, enabled, set, words))
        return;
    for (uint32_t word = 0; word < words; word++)
        if (before[word] & enabled[word]) {
            set[word] |= before[word] & enabled[word] & -(before[word] & enabled[word]);
            return;
        }
}

/* Adds what has to be in a set with CHOICE: what may be made now and conflicts with it, and of what conflicts
 * with it but may not be made yet one choice that has to come before. */
static void add_meddlers(const struct search *search, uint64_t *set, uint32_t choice)
{
    const uint64_t *conflicts = choice_conflicts(search->choices, choice), *enabled = search->run.enabled;
    for (uint32_t word = 0; word < search->choices->words; word++) {
        uint64_t others = conflicts[word] & ~search->run.made[word] & ~search->minded[word];
        search->minded[word] |= others;
        set[word] |= others & enabled[word];
        for (uint64_t later = others & ~enabled[word]; later != 0; later &= later - 1)
            add_needed(search, set, word * BITS_PER_WORD + (uint32_t)__builtin_ctzll(later));
    }
}

/* The set that CHOICE has to be in. Returns how many it has. */
static uint32_t make_persistent(const struct search *search, uint64_t *set, uint32_t choice)
{
    uint32_t words = search->choices->words, size = 0;
    memset(set, 0, words * sizeof *set);
    memset(search->minded, 0, words * sizeof *search->minded);
    memset(search->visited, 0, words * sizeof *search->visited);
    bit_set(set, choice);
    for (uint32_t word = 0; word < words;) {
        uint64_t unvisited = set[word] & ~search->visited[word];
        if (unvisited == 0) {
            word++;
            continue;
        }
        uint32_t member = word * BITS_PER_WORD + (uint32_t)__builtin_ctzll(unvisited);
        bit_set(search->visited, member);
        add_meddlers(search, set, member);
        size++;
        word = 0;
    }
    return size;
}

enum { SETS_TRIED = 8 };

/* Into SET: which of the enabled choices have to be tried here. */
static void find_choices_to_try(struct search *search, uint64_t *set)
{
    uint32_t words = search->choices->words, smallest = UINT32_MAX, tried = 0;
    memcpy(set, search->run.enabled, words * sizeof *set);
    if (search->choices->may_be_aborted)
        return;
    for (uint32_t choice = next_bit(search->run.enabled, words, 0); choice != NONE;
         choice = next_bit(search->run.enabled, words, choice + 1)) {
        if (smallest == 1 || tried++ == SETS_TRIED)
            return;
        uint32_t size = make_persistent(search, search->persistent, choice);
        if (size < smallest) {
            memcpy(set, search->persistent, words * sizeof *set);
            smallest = size;
        }
    }
}

/* States. */

static struct hash key_of_state(const struct search *search, const uint64_t *asleep)
{
    struct hash key = search->run.made_hash;
    hash_toggle(&key, search->run.contents.lasting);
    hash_toggle(&key, search->run.contents.passing);
    for (uint32_t choice = next_bit(asleep, search->choices->words, 0); choice != NONE;
         choice = next_bit(asleep, search->choices->words, choice + 1))
        hash_toggle(&key, hash_mix(UINT64_MAX / 2 - choice, 1));
    return key;
}

/* Whether something sleeps that nothing can wake any more: all that follows was gone through before. */
static bool sleeps_for_ever(const struct search *search, const uint64_t *asleep)
{
    for (uint32_t choice = next_bit(asleep, search->choices->words, 0); choice != NONE;
         choice = next_bit(asleep, search->choices->words, choice + 1)) {
        const uint64_t *conflicts = choice_conflicts(search->choices, choice);
        uint64_t wakers = 0;
        for (uint32_t word = 0; word < search->choices->words; word++)
            wakers |= conflicts[word] & ~search->run.made[word];
        if (wakers == 0)
            return true;
    }
    return false;
}

/* Endings. */

static uint8_t *copy_bytes(const uint8_t *bytes, size_t count)
{
    uint8_t *copy = memory_resize(NULL, count + 1, 1);
    memcpy(copy, bytes, count);
    return copy;
}

static void copy_found(const struct search *search, struct ending *ending)
{
    const struct exploration *exploration = search->exploration;
    const struct contents *contents = &search->run.contents;
    ending->found = memory_zeroed(exploration->found_bytes + 1, 1);
    ending->reached = memory_zeroed((size_t)exploration->read_count + 1, 1);
    for (uint32_t i = 0; i < exploration->read_count; i++) {
        const struct found_read *read = &exploration->reads[i];
        uint32_t step = contents->table->first_step[read->call]; /* the one that reads */
        bool is_first = i == 0 || exploration->reads[i - 1].call != read->call;
        ending->reached[i] = search->run.done[step];
        if (is_first && ending->reached[i])
            memcpy(ending->found + read->at,
                   contents->state + contents->first_kept + contents->table->steps[step].kept_at,
                   contents->table->steps[step].kept_length);
    }
}

static void copy_path(const struct search *search, uint32_t last, struct ending *ending)
{
    ending->path = memory_resize(NULL, (size_t)search->frame_count + 1, sizeof *ending->path);
    for (uint32_t i = 1; i < search->frame_count; i++)
        ending->path[ending->path_length++] = search->choices->steps[search->frames[i].chosen];
    if (last != NONE)
        ending->path[ending->path_length++] = search->choices->steps[last];
}

/* The number of the ending that the run has come to, LAST being the latest choice (NONE: there was none). */
static uint32_t note_ending(struct search *search, uint32_t last)
{
    struct exploration *exploration = search->exploration;
    const struct contents *contents = &search->run.contents;
    uint32_t next = exploration->ending_count;
    uint32_t number = hash_index_put(&search->endings, contents->lasting, next);
    if (number != next)
        return number;
    ARRAY_RESERVE(exploration->endings, exploration->ending_count, exploration->ending_capacity);
    struct ending *ending = &exploration->endings[exploration->ending_count++];
    *ending = (struct ending){.strict = search->choice == CHOICE_STRICT,
                              .stuck = search->run.machine->happened_count < search->point_count};
    ending->bytes = copy_bytes(contents->state, exploration->byte_count);
    ending->written = copy_bytes(contents->state + exploration->byte_count, exploration->element_count);
    ending->freed = copy_bytes(contents->state + contents->first_freed, contents->program->memory_count);
    copy_found(search, ending);
    copy_path(search, last, ending);
    search->ending_bytes += sizeof *ending + exploration->byte_count + exploration->element_count +
                            exploration->found_bytes + ending->path_length * sizeof *ending->path;
    return number;
}

/* Going through them. */

static void push_frame(struct search *search, uint32_t state, uint32_t chosen, uint32_t trail_count)
{
    struct frame *frame = &search->frames[search->frame_count++];
    frame->state = state;
    frame->chosen = chosen;
    frame->trail_count = trail_count;
    frame->first_edge = search->edge_count;
    find_choices_to_try(search, frame->untried);
    for (uint32_t word = 0; word < search->choices->words; word++)
        frame->untried[word] &= ~frame->asleep[word];
}

static void add_edge(struct search *search, uint32_t state)
{
    ARRAY_RESERVE(search->edges, search->edge_count, search->edge_capacity);
    search->edges[search->edge_count++] = state;
}

/* The run stands in a state where ASLEEP sleeps, which the next frame has room for. */
static void arrive(struct search *search, uint32_t chosen, uint32_t trail_count)
{
    const uint64_t *asleep = search->frames[search->frame_count].asleep;
    if (sleeps_for_ever(search, asleep)) {
        run_undo(&search->run, trail_count);
        return;
    }
    bool is_new, goes_on = next_bit(search->run.enabled, search->choices->words, 0) != NONE;
    uint32_t state = states_find(&search->states, key_of_state(search, asleep), &is_new);
    add_edge(search, state);
    if (is_new && goes_on) {
        push_frame(search, state, chosen, trail_count);
        return;
    }
    if (is_new) {
        search->states.items[state].ending = note_ending(search, chosen);
        search->states.items[state].below = 1;
        states_leave(&search->states, state, NULL, 0);
    }
    search->executions = add_counts(search->executions, search->states.items[state].below);
    run_undo(&search->run, trail_count);
}

static void leave_frame(struct search *search)
{
    struct frame *frame = &search->frames[--search->frame_count];
    states_leave(&search->states, frame->state, search->edges + frame->first_edge,
                 search->edge_count - frame->first_edge);
    search->edge_count = frame->first_edge;
    run_undo(&search->run, frame->trail_count);
}

static void try_next(struct search *search)
{
    struct frame *frame = &search->frames[search->frame_count - 1], *next = frame + 1;
    uint32_t words = search->choices->words, choice = next_bit(frame->untried, words, 0);
    if (choice == NONE) {
        leave_frame(search);
        return;
    }
    bit_clear(frame->untried, choice);
    const uint64_t *conflicts = choice_conflicts(search->choices, choice);
    for (uint32_t word = 0; word < words; word++)
        next->asleep[word] = frame->asleep[word] & ~conflicts[word];
    bit_set(frame->asleep, choice);
    uint32_t trail_count = search->run.trail_count;
    run_choose(&search->run, search->choices->steps[choice]);
    arrive(search, choice, trail_count);
}

static void stop(struct search *search, enum exploration_end end)
{
    search->stopped = true;
    search->exploration->end = end;
}

enum { STATES_BETWEEN_QUESTIONS = 1024 };

static void check_limits(struct search *search)
{
    const struct explore_options *options = search->options;
    struct exploration *exploration = search->exploration;
    const struct exploration_progress progress = {.states = exploration->states + search->states.count,
                                                  .executions =
                                                      add_counts(exploration->executions, search->executions),
                                                  .endings = exploration->ending_count};
    if (options->execution_limit > 0 && progress.executions >= options->execution_limit) {
        if (search->frame_count > 1 || next_bit(search->frames[0].untried, search->choices->words, 0) != NONE)
            stop(search, EXPLORED_TO_LIMIT);
    } else if (search->states.count >= EXPLORE_MAX_STATES ||
               search->ending_bytes > EXPLORE_MAX_ENDING_BYTES) {
        stop(search, EXPLORED_TO_MEMORY);
    } else if (options->go_on && progress.states >= search->asked_at) {
        search->asked_at = progress.states + STATES_BETWEEN_QUESTIONS;
        if (!options->go_on(options->context, &progress))
            stop(search, EXPLORED_TO_INTERRUPT);
    }
}

static void go_through(struct search *search)
{
    arrive(search, NONE, search->run.trail_count);
    while (search->frame_count > 0) {
        if (!search->stopped)
            check_limits(search);
        if (search->stopped)
            leave_frame(search);
        else
            try_next(search);
    }
}

static void count_ending(void *context, uint32_t ending, uint64_t ways)
{
    struct search *search = context;
    uint64_t *executions = &search->exploration->endings[ending].executions;
    *executions = add_counts(*executions, ways);
    search->exploration->executions = add_counts(search->exploration->executions, ways);
}

static void search_open(struct search *search)
{
    const struct choices *choices = search->choices;
    size_t words = choices->words, frames = (size_t)choices->count + 2;
    run_open(&search->run, choices->table, search->choice, choices->of_step, choices->count, NULL);
    search->frames = memory_zeroed(frames, sizeof *search->frames);
    search->bits = memory_zeroed(frames * 2 * words, sizeof *search->bits);
    search->persistent = memory_zeroed(3 * words, sizeof *search->persistent);
    search->visited = search->persistent + words;
    search->minded = search->visited + words;
    for (size_t i = 0; i < frames; i++) {
        search->frames[i].untried = search->bits + i * 2 * words;
        search->frames[i].asleep = search->frames[i].untried + words;
    }
    for (uint32_t point = 0; point < choices->table->order->point_count; point++)
        search->point_count += order_has_point(choices->table->order, point);
}

void search_executions(struct exploration *exploration, const struct choices *choices, enum choice choice,
                       const struct explore_options *options)
{
    struct search search = {
        .exploration = exploration, .choices = choices, .options = options, .choice = choice};
    search_open(&search);
    go_through(&search);
    states_count_ways(&search.states, 0, count_ending, &search);
    exploration->states += search.states.count;
    run_close(&search.run);
    states_free(&search.states);
    hash_index_free(&search.endings);
    free(search.frames);
    free(search.bits);
    free(search.persistent);
    free(search.edges);
}
