/* Holds the checker to the truth on small schedules: generate.c writes them, truth.c looks at every state
 * that one can reach, endings.c at every way to end, cut_off.c at what aborts leave, and agree.c compares. */
#ifndef HANDOFF_TESTS_AGREE_H
#define HANDOFF_TESTS_AGREE_H

#include "base/text.h"
#include "order/order.h"

/* Numbers that look random, the same for a seed on every machine. */
struct dice {
    uint64_t state;
};
uint32_t dice_below(struct dice *dice, uint32_t limit);
bool dice_percent(struct dice *dice, uint32_t percent);

/* Appends the schedule with the number SEED. */
void generate(uint64_t seed, struct text *out);

enum { TRUTH_MEMORIES = 64 };

struct truth {
    bool fits;       /* small enough to be judged */
    bool all_states; /* every reachable state was looked at, not only the two held-back runs of a pair */
    bool raced[TRUTH_MEMORIES]; /* by memory: two accesses meet, or come in both orders */
    bool gone[TRUTH_MEMORIES];  /* by memory: an access meets a free or comes after it */
    bool stuck;                 /* a strict run stops with points left */
    bool circular;              /* ... among which there is a circle of waits */
    bool waits_for_nothing;     /* ... one of which nothing can satisfy */
    const char *contradiction;  /* two ways to find the truth differ; NULL */
};

void find_truth(const struct order *order, struct truth *truth);

/* Compares what explore() says with the truth and, where that is small enough, with every execution: then
 * ENUMERATED is set. How they differ, or NULL. */
const char *compare_endings(const struct order *order, const struct truth *truth, bool *enumerated);

/* Compares what the checker says of aborts with executions that are played at random. How they differ, or
 * NULL. */
const char *compare_cut_off(const struct order *order);

#endif
