#include "command/explore_report.h"

#include <string.h>

#include "command/report.h"
#include "log/value.h"
#include "order/wording.h"
#include "schedule/element.h"
#include "schedule/kernel.h"

enum { ENDINGS_SHOWN = 50, VALUES_SHOWN = 16 };

static void append_count(uint64_t count, const char *one, const char *more, struct text *out)
{
    if (count == UINT64_MAX)
        text_format(out, "more than %llu %s", (unsigned long long)INT64_MAX, more);
    else
        text_format(out, "%llu %s", (unsigned long long)count, count == 1 ? one : more);
}

void explore_append_summary(const struct exploration *exploration, struct text *out)
{
    static const char *const reasons[] = {
        [EXPLORED_ALL] = "",
        [EXPLORED_TO_LIMIT] = "stopped early, at the limit: ",
        [EXPLORED_TO_MEMORY] = "stopped early, there are too many states to keep: ",
        [EXPLORED_TO_INTERRUPT] = "stopped early, interrupted: ",
    };
    text_append(out, reasons[exploration->end]);
    append_count(exploration->ending_count, "outcome", "outcomes", out);
    text_append(out, " of ");
    append_count(exploration->executions, "execution", "executions", out);
    text_append(out, exploration->end == EXPLORED_ALL ? "" : " so far");
}

struct telling {
    const struct exploration *exploration;
    bool ascii;
    bool names_kernels; /* values that a kernel without a meaning wrote are told by its name */
    int name_width;     /* of memories */
};

/* Values. */

static const uint8_t *bytes_of(const struct exploration *exploration, const struct ending *ending,
                               uint32_t memory, uint32_t element)
{
    const struct memory *described = &exploration->order->program->memories[memory];
    return ending->bytes + exploration->first_byte[memory] + (size_t)element * element_size(described->type);
}

static bool is_written(const struct exploration *exploration, const struct ending *ending, uint32_t memory,
                       uint32_t element)
{
    return ending->written[exploration->first_element[memory] + element];
}

/* The first element that differs in the two endings; COUNT where none does. */
static uint32_t first_difference(const struct exploration *exploration, const struct ending *a,
                                 const struct ending *b, uint32_t memory)
{
    const struct memory *described = &exploration->order->program->memories[memory];
    uint32_t element = 0, size = element_size(described->type);
    while (element < described->count &&
           is_written(exploration, a, memory, element) == is_written(exploration, b, memory, element) &&
           memcmp(bytes_of(exploration, a, memory, element), bytes_of(exploration, b, memory, element),
                  size) == 0)
        element++;
    return element;
}

/* Whether nothing is made of other values, so that those of a kernel without a meaning can be told by their
 * size. */
static bool values_are_passed_on(const struct program *program)
{
    for (uint32_t s = 0; s < program->statement_count; s++)
        if (program->statements[s].kind == CALL_ALLREDUCE ||
            kernel_reads_inputs(program, &program->statements[s]))
            return false;
    for (uint32_t s = 0; s < program->span_count; s++)
        if (program->spans[s].access & ACCESS_ACCUMULATE)
            return false;
    return true;
}

/* " 4", or " add#2" for what the kernel add wrote at its second turn. */
static void append_element(const struct telling *telling, const struct memory *memory, const uint8_t *bytes,
                           struct text *out)
{
    const struct program *program = telling->exploration->order->program;
    enum element_type type = (enum element_type)memory->type;
    uint32_t kernel, turn;
    text_append(out, " ");
    if (telling->names_kernels && value_names_kernel(program, element_load(type, bytes), &kernel, &turn))
        text_format(out, "%s#%u", program->kernels[kernel], turn + 1);
    else
        format_element(type, bytes, out);
}

/* Elements that follow one another. */
struct row {
    const struct memory *memory;
    const uint8_t *bytes;
    const uint8_t *written; /* NULL: all of them */
    uint32_t count;
};

static const uint8_t *element_of(const struct row *row, uint32_t element)
{
    return row->bytes + (size_t)element * element_size(row->memory->type);
}

/* Whether both are told in the same words. */
static bool are_told_alike(const struct telling *telling, const struct row *row, uint32_t a, uint32_t b)
{
    const struct program *program = telling->exploration->order->program;
    enum element_type type = (enum element_type)row->memory->type;
    uint32_t kernels[2], turns[2];
    if (row->written && row->written[a] != row->written[b])
        return false;
    if (memcmp(element_of(row, a), element_of(row, b), element_size(type)) == 0 ||
        (row->written && !row->written[a]))
        return true;
    return telling->names_kernels &&
           value_names_kernel(program, element_load(type, element_of(row, a)), &kernels[0], &turns[0]) &&
           value_names_kernel(program, element_load(type, element_of(row, b)), &kernels[1], &turns[1]) &&
           kernels[0] == kernels[1] && turns[0] == turns[1];
}

/* As many as fit; where that is not all of them, what is repeated once. */
static void append_row(const struct telling *telling, const struct row *row, struct text *out)
{
    uint32_t element = 0;
    for (int shown = 0; shown < VALUES_SHOWN && element < row->count; shown++) {
        uint32_t first = element++;
        while (row->count > VALUES_SHOWN && element < row->count &&
               are_told_alike(telling, row, first, element))
            element++;
        if (!row->written || row->written[first])
            append_element(telling, row->memory, element_of(row, first), out);
        else
            text_append(out, telling->ascii ? " ." : " \u00b7");
        if (element - first > 1)
            text_format(out, " (%u times)", element - first);
    }
    if (element < row->count)
        text_format(out, " ... %u more", row->count - element);
}

/* From element FIRST on. */
static void append_values(const struct telling *telling, const struct ending *ending, uint32_t index,
                          uint32_t first, struct text *out)
{
    const struct exploration *exploration = telling->exploration;
    const struct memory *memory = &exploration->order->program->memories[index];
    const struct row row = {memory, bytes_of(exploration, ending, index, first),
                            ending->written + exploration->first_element[index] + first,
                            memory->count - first};
    append_row(telling, &row, out);
    if (ending->freed[index])
        text_append(out, "  (freed)");
}

/* The first of the elements read that differs in the two endings; COUNT where none does. */
static uint32_t first_found_difference(const struct exploration *exploration, const struct ending *a,
                                       const struct ending *b, uint32_t read)
{
    const struct program *program = exploration->order->program;
    const struct span *span = &program->spans[exploration->reads[read].span];
    size_t size = element_size(program->memories[span->memory].type), at = exploration->reads[read].at;
    uint32_t element = 0;
    if (a->reached[read] != b->reached[read])
        return 0;
    while (element < span->count &&
           memcmp(a->found + at + element * size, b->found + at + element * size, size) == 0)
        element++;
    return element;
}

/* What was read, from the element FIRST on. */
static void append_found(const struct telling *telling, const struct ending *ending, uint32_t read,
                         uint32_t first, struct text *out)
{
    const struct exploration *exploration = telling->exploration;
    const struct program *program = exploration->order->program;
    const struct span *span = &program->spans[exploration->reads[read].span];
    const struct memory *memory = &program->memories[span->memory];
    word_call_of_rank(program, exploration->reads[read].call, out);
    if (!ending->reached[read]) {
        text_append(out, " is not reached");
        return;
    }
    text_format(out, " finds %s", memory->name);
    if (first > 0)
        text_format(out, "[%u:]", span->first + first);
    text_append(out, " =");
    const uint8_t *bytes =
        ending->found + exploration->reads[read].at + (size_t)first * element_size(memory->type);
    append_row(telling, &(struct row){memory, bytes, NULL, span->count - first}, out);
}

/* Where to begin to show COUNT elements of which FIRST is the first that matters. */
static uint32_t begin_to_show(uint32_t first, uint32_t count)
{
    return first < VALUES_SHOWN || first == count ? 0 : first;
}

/* Text. */

static int name_width(const struct program *program)
{
    size_t width = 1;
    for (uint32_t m = 0; m < program->memory_count; m++)
        if (strlen(program->memories[m].name) > width)
            width = strlen(program->memories[m].name);
    return (int)width;
}

/* "  rank 0  " before the first line of a rank, blanks before the others. */
static void append_margin(uint32_t rank, bool *is_first, struct text *out)
{
    if (*is_first)
        text_format(out, "  rank %-3u ", rank);
    else
        text_append(out, "           ");
    *is_first = false;
}

/* The memory's values, unless BASE has the same. */
static void append_memory(const struct telling *telling, const struct ending *ending,
                          const struct ending *base, uint32_t index, bool *is_first, struct text *out)
{
    const struct program *program = telling->exploration->order->program;
    const struct memory *memory = &program->memories[index];
    uint32_t first = base ? first_difference(telling->exploration, ending, base, index) : 0;
    if (base && first == memory->count && ending->freed[index] == base->freed[index])
        return;
    append_margin(memory->rank, is_first, out);
    text_format(out, "%-*s", telling->name_width, memory->name);
    first = begin_to_show(first, memory->count);
    if (first > 0)
        text_format(out, "[%u:]", first);
    text_append(out, " =");
    append_values(telling, ending, index, first, out);
    text_append(out, "\n");
}

static void append_read(const struct telling *telling, const struct ending *ending, const struct ending *base,
                        uint32_t read, bool *is_first, struct text *out)
{
    const struct exploration *exploration = telling->exploration;
    const struct program *program = exploration->order->program;
    uint32_t count = program->spans[exploration->reads[read].span].count;
    uint32_t first = base ? first_found_difference(exploration, ending, base, read) : 0;
    if (base && first == count)
        return;
    append_margin(call_statement(program, exploration->reads[read].call)->rank, is_first, out);
    append_found(telling, ending, read, begin_to_show(first, count), out);
    text_append(out, "\n");
}

/* All values of the rank, or those that differ from BASE's. Returns whether there were any. */
static bool append_rank(const struct telling *telling, const struct ending *ending, const struct ending *base,
                        uint32_t rank, struct text *out)
{
    const struct exploration *exploration = telling->exploration;
    const struct program *program = exploration->order->program;
    bool is_first = true;
    for (uint32_t m = 0; m < program->memory_count; m++)
        if (program->memories[m].rank == rank)
            append_memory(telling, ending, base, m, &is_first, out);
    for (uint32_t read = 0; read < exploration->read_count; read++)
        if (call_statement(program, exploration->reads[read].call)->rank == rank)
            append_read(telling, ending, base, read, &is_first, out);
    return !is_first;
}

struct waiting_list {
    const struct order *order;
    struct text *out;
};

static void append_stuck_point(void *context, uint32_t point, const struct wait *wait)
{
    const struct waiting_list *list = context;
    text_append(list->out, "  ");
    word_call(list->order->program, point_call(point), list->out);
    if (wait->point == NONE) {
        text_format(list->out, " waits for rank %u, which never comes to it", wait->rank);
    } else {
        word_reason(list->order, point, wait, list->out);
        word_call(list->order->program, point_call(wait->point), list->out);
    }
    text_append(list->out, "\n");
}

static void append_ending(const struct telling *telling, uint32_t number, struct text *out)
{
    const struct exploration *exploration = telling->exploration;
    const struct ending *ending = &exploration->endings[number], *base = &exploration->endings[0];
    bool any = false;
    text_format(out, "\n%u  %s, in ", number + 1, ending->stuck ? "stuck" : "finished");
    append_count(ending->executions, "execution", "executions", out);
    if (ending->strict)
        text_append(out, " where each send waits for its receive and communication takes turns");
    text_append(out, number > 0 ? "; what differs from 1:\n" : "\n");
    if (ending->stuck)
        explore_stuck_points(exploration, ending, append_stuck_point,
                             &(struct waiting_list){exploration->order, out});
    for (uint32_t rank = 0; rank < exploration->order->program->rank_count; rank++)
        any |= append_rank(telling, ending, number == 0 ? NULL : base, rank, out);
    if (!any && number > 0)
        text_append(out, "  no value\n");
}

void explore_append_text(const struct explore_report *report, struct text *out)
{
    const struct exploration *exploration = report->exploration;
    const struct telling telling = {exploration, report->ascii,
                                    values_are_passed_on(exploration->order->program),
                                    name_width(exploration->order->program)};
    explore_append_summary(exploration, out);
    if (exploration->choice_count == 0)
        text_append(out, ": no order of accesses is open");
    else
        text_format(out, ": the order of %u accesses to memory is open", exploration->choice_count);
    text_append(out, "\n");
    if (exploration->strict_unseen)
        text_append(out,
                    "not looked at: where each send waits for its receive and communication takes turns, it "
                    "gets stuck\n");
    for (uint32_t i = 0; i < exploration->ending_count && i < ENDINGS_SHOWN; i++)
        append_ending(&telling, i, out);
    if (exploration->ending_count > ENDINGS_SHOWN)
        text_format(out, "\n%u more outcomes are not shown here; --json has them all\n",
                    exploration->ending_count - ENDINGS_SHOWN);
    report_errors(exploration->order, "the executions come to", out);
}
