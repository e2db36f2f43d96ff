#include "export/c_rounds.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "schedule/program.h"

/* The loop that begins with step FIRST and ends before END; one round of one step where none does. The lines
 * of a rank's calls ascend, but where a repeat goes back to its first line. */
static struct c_loop find_loop(const struct c_step *steps, uint32_t first, uint32_t end)
{
    struct c_loop loop = {.first = first, .length = 1, .rounds = 1};
    if (steps[first].again >= end)
        return loop;
    uint32_t begin = steps[first].line, last = 0;
    for (uint32_t i = steps[first].again; i < end; i = steps[i].again)
        if (steps[i - 1].line > last)
            last = steps[i - 1].line;
    uint32_t second = steps[first].again;
    while (steps[second - 1].line != last)
        second = steps[second].again;
    loop.length = second - first;
    for (uint32_t i = second; i + loop.length <= end && steps[i].line == begin; i += loop.length)
        loop.rounds++;
    return loop;
}

static bool are_alike(const struct c_step *one, const struct c_step *other, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        if (one[i].line != other[i].line || strcmp(one[i].code, other[i].code) != 0)
            return false;
    return true;
}

/* How many rounds from AT on are the same, at most MOST. */
static uint32_t count_alike(const struct c_step *steps, uint32_t at, uint32_t length, uint32_t most)
{
    uint32_t alike = 1;
    while (alike < most && are_alike(&steps[at], &steps[at + alike * length], length))
        alike++;
    return alike;
}

static void note_next_of_line(struct c_step *steps, uint32_t count)
{
    uint32_t lines = 0;
    for (uint32_t i = 0; i < count; i++)
        lines = steps[i].line > lines ? steps[i].line : lines;
    uint32_t *next = memory_all_ones(lines + 1, sizeof *next);
    for (uint32_t i = count; i-- > 0;) {
        steps[i].again = next[steps[i].line];
        next[steps[i].line] = i;
    }
    free(next);
}

struct folder {
    struct c_step *steps;
    struct c_loop *loops;
    uint32_t loop_count, loop_capacity;
};

static void swap_reasons(struct c_step *one, struct c_step *other)
{
    char *reason = one->reason;
    one->reason = other->reason;
    other->reason = reason;
}

static void fold(struct folder *folder, uint32_t first, uint32_t end);

/* ROUNDS rounds from AT on are alike. */
static void fold_alike(struct folder *folder, uint32_t at, uint32_t length, uint32_t rounds)
{
    struct c_step *steps = folder->steps;
    if (rounds > 1) {
        ARRAY_RESERVE(folder->loops, folder->loop_count, folder->loop_capacity);
        folder->loops[folder->loop_count++] = (struct c_loop){at, length, rounds};
        for (uint32_t i = 0; i < length; i++)
            swap_reasons(&steps[at + i], &steps[at + (rounds - 1) * length + i]);
    }
    for (uint32_t round = 1; round < rounds; round++)
        for (uint32_t i = 0; i < length; i++)
            steps[at + round * length + i].same = at + i;
    if (length > 1)
        fold(folder, at, at + length);
}

static void fold(struct folder *folder, uint32_t first, uint32_t end)
{
    while (first < end) {
        struct c_loop loop = find_loop(folder->steps, first, end);
        while (loop.rounds > 0) {
            uint32_t alike = count_alike(folder->steps, first, loop.length, loop.rounds);
            fold_alike(folder, first, loop.length, alike);
            first += alike * loop.length;
            loop.rounds -= alike;
        }
    }
}

struct c_loop *c_fold_rounds(struct c_step *steps, uint32_t count, uint32_t *loop_count)
{
    struct folder folder = {.steps = steps};
    note_next_of_line(steps, count);
    for (uint32_t i = 0; i < count; i++)
        steps[i].same = i;
    fold(&folder, 0, count);
    for (uint32_t i = 0; i < count; i++)
        steps[i].same = steps[steps[i].same].same;
    *loop_count = folder.loop_count;
    return folder.loops;
}
