/* Writes small schedules that hold every kind of statement: patterns that fit together, statements thrown in
 * at random, and now and then a line left out or moved. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agree.h"

enum { MOST_RANKS = 3, MOST_LINES = 64, LINE_BYTES = 96 };

uint32_t dice_below(struct dice *dice, uint32_t limit)
{
    dice->state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t mixed = dice->state;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((mixed ^ mixed >> 31) % limit);
}

bool dice_percent(struct dice *dice, uint32_t percent)
{
    return dice_below(dice, 100) < percent;
}

/* How operations find their streams, and what is put between them. */
enum habit { ANY_STREAM, ONE_STREAM, OFTEN_SYNCHRONIZED, EVENTS_BETWEEN, HABIT_COUNT };

struct draft {
    struct dice dice;
    uint32_t ranks;
    enum habit habit;
    char lines[MOST_RANKS][MOST_LINES][LINE_BYTES];
    uint32_t counts[MOST_RANKS];
    uint32_t declared[MOST_RANKS];         /* lines that the others need */
    bool has_early, has_late, has_variant; /* communicators from before and within the ranks; a variant */
};

static uint32_t below(struct draft *draft, uint32_t limit)
{
    return dice_below(&draft->dice, limit);
}

static bool percent(struct draft *draft, uint32_t chance)
{
    return dice_percent(&draft->dice, chance);
}

static void write_line(struct draft *draft, uint32_t rank, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void write_line(struct draft *draft, uint32_t rank, const char *format, ...)
{
    va_list arguments;
    if (draft->counts[rank] == MOST_LINES)
        return;
    va_start(arguments, format);
    vsnprintf(draft->lines[rank][draft->counts[rank]++], LINE_BYTES, format, arguments);
    va_end(arguments);
}

/* Words. */

#define PICK(draft, ...) pick((draft), (const char *const[]){__VA_ARGS__, NULL})
static const char *pick(struct draft *draft, const char *const *words)
{
    uint32_t count = 0;
    while (words[count])
        count++;
    return words[below(draft, count)];
}

static const char *any_stream(struct draft *draft)
{
    return draft->habit == ONE_STREAM ? "s" : PICK(draft, "s", "s", "n", "n", "k", "default");
}

static const char *gpu_memory(struct draft *draft)
{
    return PICK(draft, "x", "x", "y", "y", "z", "m", "x[0:2]", "x[2:4]", "y[3]");
}

static const char *any_memory(struct draft *draft)
{
    return PICK(draft, "x", "x", "y", "m", "h", "h", "p", "x[0]", "x[1:4]", "h[0:2]");
}

static const char *host_memory(struct draft *draft)
{
    return PICK(draft, "h", "h", "p", "m", "h[2:4]");
}

static const char *any_event(struct draft *draft)
{
    return PICK(draft, "e", "e", "f");
}

static const char *any_communicator(struct draft *draft)
{
    if (draft->has_early && percent(draft, 30))
        return " via early";
    return draft->has_late && percent(draft, 30) ? " via late" : "";
}

/* Lines of one rank. */

static void write_launch(struct draft *draft, uint32_t rank)
{
    const char *output = gpu_memory(draft), *input = gpu_memory(draft), *stream = any_stream(draft);
    switch (below(draft, 6)) {
    case 0:
        write_line(draft, rank, "launch %s -> %s on %s", PICK(draft, "A", "C"), output, stream);
        break;
    case 1:
        write_line(draft, rank, "launch K %s ~> %s on %s", input, output, stream);
        break;
    case 2:
        write_line(draft, rank, "launch J ~> %s on %s takes 2ms", output, stream);
        break;
    case 3:
        write_line(draft, rank, "launch K %s h -> %s on %s", input, output, stream);
        break;
    default:
        write_line(draft, rank, "launch B %s -> %s on %s", input, output, stream);
        break;
    }
}

static void write_copy(struct draft *draft, uint32_t rank)
{
    const char *from = any_memory(draft), *to = any_memory(draft);
    if (percent(draft, 50))
        write_line(draft, rank, "copy %s to %s", from, to);
    else
        write_line(draft, rank, "copy %s to %s on %s", from, to, any_stream(draft));
}

static void write_set(struct draft *draft, uint32_t rank)
{
    if (percent(draft, 50))
        write_line(draft, rank, "set %s to %u", gpu_memory(draft), below(draft, 256));
    else
        write_line(draft, rank, "set %s to %u on %s", gpu_memory(draft), below(draft, 256),
                   any_stream(draft));
}

static void write_event(struct draft *draft, uint32_t rank)
{
    const char *event = any_event(draft);
    write_line(draft, rank, "record %s on %s", event, any_stream(draft));
    if (percent(draft, 80))
        write_line(draft, rank, "wait %s on %s", percent(draft, 90) ? event : any_event(draft),
                   any_stream(draft));
}

static void write_host_wait(struct draft *draft, uint32_t rank)
{
    switch (below(draft, 7)) {
    case 0:
        write_line(draft, rank, "sync device");
        break;
    case 1:
        write_line(draft, rank, "sync event %s", any_event(draft));
        break;
    case 2:
        write_line(draft, rank, "poll event %s", any_event(draft));
        break;
    case 3:
        write_line(draft, rank, "query event %s", any_event(draft));
        break;
    case 4:
        write_line(draft, rank, "query %s", any_stream(draft));
        break;
    case 5:
        write_line(draft, rank, "poll %s", any_stream(draft));
        break;
    default:
        write_line(draft, rank, "sync %s", any_stream(draft));
        break;
    }
}

static void write_simple(struct draft *draft, uint32_t rank)
{
    switch (below(draft, 12)) {
    case 0:
    case 1:
    case 2:
    case 3:
        write_launch(draft, rank);
        break;
    case 4:
    case 5:
        write_copy(draft, rank);
        break;
    case 6:
        write_set(draft, rank);
        break;
    case 7:
    case 8:
        write_event(draft, rank);
        break;
    case 9:
        write_host_wait(draft, rank);
        break;
    case 10:
        write_line(draft, rank, "read %s", host_memory(draft));
        break;
    default:
        write_line(draft, rank, "write %s", host_memory(draft));
        break;
    }
}

static void write_repeat(struct draft *draft, uint32_t rank)
{
    bool allocates = percent(draft, 40);
    write_line(draft, rank, "repeat 2");
    if (allocates)
        write_line(draft, rank, "buffer t float32[4]");
    write_simple(draft, rank);
    if (allocates) {
        write_line(draft, rank, "launch B x -> t on %s", any_stream(draft));
        if (percent(draft, 60))
            write_host_wait(draft, rank);
        write_line(draft, rank, "free t");
    }
    write_line(draft, rank, "end");
}

static void write_other_gpu(struct draft *draft, uint32_t rank)
{
    write_line(draft, rank, "use gpu %u", rank + 4);
    write_line(draft, rank, "launch A -> w on default");
    if (percent(draft, 70))
        write_line(draft, rank, "copy w to x on %s", any_stream(draft));
    write_line(draft, rank, "use gpu %u", rank);
}

static void write_local(struct draft *draft, uint32_t rank)
{
    uint32_t what = below(draft, 20);
    if (what == 0)
        write_repeat(draft, rank);
    else if (what == 1)
        write_other_gpu(draft, rank);
    else if (what == 2)
        write_line(draft, rank, "free %s", PICK(draft, "x", "y", "z", "h"));
    else
        write_simple(draft, rank);
    if (draft->habit == OFTEN_SYNCHRONIZED && percent(draft, 60))
        write_line(draft, rank, percent(draft, 70) ? "sync device" : "sync n");
    if (draft->habit == EVENTS_BETWEEN && percent(draft, 70))
        write_event(draft, rank);
}

/* Lines of several ranks that belong together. */

static void write_transfer(struct draft *draft)
{
    uint32_t from = below(draft, draft->ranks),
             to = (from + 1 + below(draft, draft->ranks - 1)) % draft->ranks;
    const char *part = PICK(draft, "x", "x", "y", "m", "x[0:2]"), *communicator = any_communicator(draft);
    write_line(draft, from, "send %s to %u on %s%s", part, to, any_stream(draft), communicator);
    write_line(draft, to, "recv %s from %u on %s%s", percent(draft, 80) ? part : "y", from, any_stream(draft),
               communicator);
}

static void write_exchange(struct draft *draft)
{
    uint32_t first = below(draft, draft->ranks), second = (first + 1) % draft->ranks;
    const char *there = any_communicator(draft), *back = percent(draft, 40) ? any_communicator(draft) : there;
    for (int side = 0; side < 2; side++) {
        uint32_t rank = side == 0 ? first : second, peer = side == 0 ? second : first;
        bool grouped = percent(draft, 75);
        const char *stream = any_stream(draft);
        if (grouped)
            write_line(draft, rank, "group");
        if (grouped && percent(draft, 20))
            write_launch(draft, rank);
        write_line(draft, rank, "send x to %u on %s%s", peer, stream, side == 0 ? there : back);
        write_line(draft, rank, "recv y from %u on %s%s", peer,
                   percent(draft, 60) ? stream : any_stream(draft), side == 0 ? back : there);
        if (grouped)
            write_line(draft, rank, "end");
    }
}

static void write_collective(struct draft *draft)
{
    bool broadcasts = percent(draft, 50);
    uint32_t root = below(draft, draft->ranks);
    const char *communicator = any_communicator(draft), *part = PICK(draft, "x", "x", "y", "m");
    for (uint32_t rank = 0; rank < draft->ranks; rank++) {
        if (broadcasts)
            write_line(draft, rank, "broadcast %s root %u on %s%s", part, root, any_stream(draft),
                       communicator);
        else
            write_line(draft, rank, "allreduce %s on %s%s", part, any_stream(draft), communicator);
    }
}

static void write_shared(struct draft *draft)
{
    uint32_t what = below(draft, 10);
    if (draft->ranks > 1 && what < 4)
        write_transfer(draft);
    else if (draft->ranks > 1 && what < 6)
        write_exchange(draft);
    else if (what < 8)
        write_collective(draft);
    else
        for (uint32_t rank = 0; rank < draft->ranks; rank++)
            write_line(draft, rank, "barrier");
}

static void write_ends(struct draft *draft)
{
    const char *communicator = draft->has_early ? "early" : draft->has_late ? "late" : "world";
    const char *word = PICK(draft, "destroy", "abort", "abort");
    bool everywhere = percent(draft, 85);
    for (uint32_t rank = 0; rank < draft->ranks; rank++)
        if (everywhere || rank == 0)
            write_line(draft, rank, "%s %s", word, communicator);
}

/* The whole. */

static void write_declarations(struct draft *draft, uint32_t rank)
{
    static const char *const lines[] = {
        "buffer x float32[4]",  "buffer y float32[4]",      "buffer z int32[2]", "managed m float32[4]",
        "host h float32[4]",    "host p int32[4] pageable", "stream s",          "stream n nonblocking",
        "stream k nonblocking",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        write_line(draft, rank, "%s", lines[i]);
    write_line(draft, rank, "use gpu %u", rank + 4);
    write_line(draft, rank, "buffer w float32[4]");
    write_line(draft, rank, "use gpu %u", rank);
    if (draft->has_late)
        write_line(draft, rank, "comm late");
    draft->declared[rank] = draft->counts[rank];
}

/* Lines that open or close something stay where they are. */
static bool may_move(const char *line)
{
    return strcmp(line, "group") != 0 && strcmp(line, "end") != 0 && strncmp(line, "repeat", 6) != 0 &&
           strncmp(line, "buffer", 6) != 0 && strncmp(line, "free", 4) != 0;
}

static void leave_one_out(struct draft *draft)
{
    uint32_t rank = below(draft, draft->ranks), own = draft->counts[rank] - draft->declared[rank];
    if (own == 0)
        return;
    uint32_t line = draft->declared[rank] + below(draft, own);
    if (!may_move(draft->lines[rank][line]))
        return;
    memmove(draft->lines[rank][line], draft->lines[rank][line + 1],
            (draft->counts[rank] - line - 1) * sizeof draft->lines[rank][line]);
    draft->counts[rank]--;
}

static void swap_two(struct draft *draft)
{
    uint32_t rank = below(draft, draft->ranks), own = draft->counts[rank] - draft->declared[rank];
    if (own < 2)
        return;
    char(*lines)[LINE_BYTES] = &draft->lines[rank][draft->declared[rank] + below(draft, own - 1)];
    char moved[LINE_BYTES];
    if (!may_move(lines[0]) || !may_move(lines[1]))
        return;
    memcpy(moved, lines[0], sizeof moved);
    memcpy(lines[0], lines[1], sizeof moved);
    memcpy(lines[1], moved, sizeof moved);
}

static void append_draft(struct draft *draft, struct text *out)
{
    text_format(out, "ranks %u\n", draft->ranks);
    if (draft->has_variant)
        text_append(out, "variant other \"some lines are there, and others not\"\n");
    if (draft->has_early)
        text_append(out, "comm early\n");
    for (uint32_t rank = 0; rank < draft->ranks; rank++) {
        text_format(out, "rank %u\n", rank);
        for (uint32_t line = 0; line < draft->counts[rank]; line++) {
            bool varies = draft->has_variant && line >= draft->declared[rank] &&
                          may_move(draft->lines[rank][line]) && percent(draft, 15);
            const char *when = !varies ? "" : percent(draft, 50) ? " [only other]" : " [not other]";
            text_format(out, "  %s%s\n", draft->lines[rank][line], when);
        }
    }
}

void generate(uint64_t seed, struct text *out)
{
    struct draft draft = {.dice.state = seed * UINT64_C(0xD1342543DE82EF95)};
    draft.ranks = percent(&draft, 20) ? 1 : percent(&draft, 80) ? 2 : 3;
    draft.habit = (enum habit)below(&draft, HABIT_COUNT);
    draft.has_early = percent(&draft, 20);
    draft.has_late = percent(&draft, 15);
    draft.has_variant = percent(&draft, 15);
    for (uint32_t rank = 0; rank < draft.ranks; rank++)
        write_declarations(&draft, rank);
    uint32_t steps = 2 + below(&draft, 8);
    for (uint32_t step = 0; step < steps; step++) {
        if (percent(&draft, 35))
            write_shared(&draft);
        else
            write_local(&draft, below(&draft, draft.ranks));
    }
    if (percent(&draft, 20)) {
        write_ends(&draft);
        for (uint32_t behind = below(&draft, 4); behind > 0; behind--)
            write_local(&draft, below(&draft, draft.ranks));
    }
    if (percent(&draft, 25))
        leave_one_out(&draft);
    if (percent(&draft, 25))
        swap_two(&draft);
    append_draft(&draft, out);
}
