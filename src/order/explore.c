#include "order/explore.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "order/explore_search.h"
#include "schedule/kernel.h"

enum { KEPT_BYTES_LIMIT = 256 << 20 };

static void describe_contents(struct exploration *exploration)
{
    const struct program *program = exploration->order->program;
    exploration->first_byte = memory_zeroed((size_t)program->memory_count + 1, sizeof(size_t));
    exploration->first_element = memory_zeroed((size_t)program->memory_count + 1, sizeof(size_t));
    for (uint32_t m = 0; m < program->memory_count; m++) {
        exploration->first_byte[m] = exploration->byte_count;
        exploration->first_element[m] = exploration->element_count;
        exploration->byte_count +=
            (size_t)program->memories[m].count * element_size(program->memories[m].type);
        exploration->element_count += program->memories[m].count;
    }
}

/* A call's reads lie in the order of its spans, as its step keeps them. */
static void list_reads(struct exploration *exploration)
{
    const struct program *program = exploration->order->program;
    for (uint32_t call = 0; call < program->call_count; call++) {
        const struct statement *statement = call_statement(program, call);
        bool is_kernel = statement->kind == CALL_LAUNCH && !kernel_reads_inputs(program, statement);
        if (statement->kind != CALL_READ && !is_kernel)
            continue;
        for (uint32_t s = statement->first_span; s < statement->first_span + statement->span_count; s++) {
            if (!(program->spans[s].access & ACCESS_READ))
                continue;
            ARRAY_RESERVE(exploration->reads, exploration->read_count, exploration->read_capacity);
            exploration->reads[exploration->read_count++] =
                (struct found_read){call, s, exploration->found_bytes};
            exploration->found_bytes += span_bytes(program, &program->spans[s]);
        }
    }
}

static bool is_small_enough(const struct exploration *exploration, struct error *error)
{
    uint32_t calls = exploration->order->program->call_count;
    if (calls > EXPLORE_MAX_CALLS)
        return error_set(error, "it makes %u calls; all executions of at most %d can be gone through", calls,
                         EXPLORE_MAX_CALLS);
    return exploration->byte_count <= EXPLORE_MAX_BYTES ||
           error_set(error,
                     "its buffers take %zu bytes, at most %d can be kept for every execution: smaller ones "
                     "show the same",
                     exploration->byte_count, EXPLORE_MAX_BYTES);
}

/* How many points happen in every execution of the choice. */
static uint32_t reach_of(const struct order *order, enum choice choice)
{
    struct machine *machine = machine_open(order, choice);
    machine_run(machine);
    uint32_t reach = machine->happened_count;
    machine_close(machine);
    return reach;
}

static bool search_choice(struct exploration *exploration, const struct step_table *table, enum choice choice,
                          const struct explore_options *options, struct error *error)
{
    struct choices choices;
    bool fine = choices_find(&choices, table, choice, error);
    if (fine) {
        if (choices.count > exploration->choice_count)
            exploration->choice_count = choices.count;
        search_executions(exploration, &choices, choice, options);
    }
    choices_free(&choices);
    return fine;
}

static bool search_all(struct exploration *exploration, const struct explore_options *options,
                       struct error *error)
{
    const struct order *order = exploration->order;
    struct step_table *table = steps_build(order);
    bool fine = table->kept_bytes <= KEPT_BYTES_LIMIT ||
                error_set(error, "its transfers move %zu bytes, at most %d can be kept for every execution",
                          table->kept_bytes, KEPT_BYTES_LIMIT);
    fine = fine && search_choice(exploration, table, CHOICE_EAGER, options, error);
    bool strict_stops_earlier = reach_of(order, CHOICE_STRICT) < reach_of(order, CHOICE_EAGER);
    exploration->strict_unseen = strict_stops_earlier && exploration->end != EXPLORED_ALL;
    if (fine && strict_stops_earlier && !exploration->strict_unseen)
        fine = search_choice(exploration, table, CHOICE_STRICT, options, error);
    steps_free(table);
    return fine;
}

/* Strict ones last; then the more frequent ones first, and else as they were found. */
static bool comes_later(const struct ending *a, const struct ending *b)
{
    return a->strict != b->strict ? a->strict : a->executions < b->executions;
}

static void merge(struct ending *endings, struct ending *sorted, uint32_t count)
{
    uint32_t middle = count / 2, left = 0, right = middle;
    for (uint32_t i = 0; i < count; i++) {
        bool take_right = left == middle || (right < count && comes_later(&endings[left], &endings[right]));
        sorted[i] = take_right ? endings[right++] : endings[left++];
    }
    memcpy(endings, sorted, count * sizeof *endings);
}

static void sort(struct ending *endings, struct ending *space, uint32_t count)
{
    if (count < 2)
        return;
    sort(endings, space, count / 2);
    sort(endings + count / 2, space, count - count / 2);
    merge(endings, space, count);
}

/* The first stays the first: it is the one to compare with. */
static void sort_endings(struct exploration *exploration)
{
    if (exploration->ending_count < 3)
        return;
    struct ending *space = memory_resize(NULL, exploration->ending_count, sizeof *space);
    sort(exploration->endings + 1, space, exploration->ending_count - 1);
    free(space);
}

struct exploration *explore(const struct order *order, const struct explore_options *options,
                            struct error *error)
{
    struct exploration *exploration = memory_zeroed(1, sizeof *exploration);
    exploration->order = order;
    describe_contents(exploration);
    list_reads(exploration);
    if (!is_small_enough(exploration, error) || !search_all(exploration, options, error)) {
        exploration_free(exploration);
        return NULL;
    }
    sort_endings(exploration);
    return exploration;
}

void exploration_free(struct exploration *exploration)
{
    for (uint32_t i = 0; i < exploration->ending_count; i++) {
        struct ending *ending = &exploration->endings[i];
        free(ending->bytes);
        free(ending->written);
        free(ending->freed);
        free(ending->found);
        free(ending->reached);
        free(ending->path);
    }
    free(exploration->endings);
    free(exploration->first_byte);
    free(exploration->first_element);
    free(exploration->reads);
    free(exploration);
}
