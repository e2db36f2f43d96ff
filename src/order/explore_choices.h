/* Which steps an execution has to choose between: those that touch the same bytes, and that nothing orders.
 */
#ifndef HANDOFF_ORDER_EXPLORE_CHOICES_H
#define HANDOFF_ORDER_EXPLORE_CHOICES_H

#include "order/explore_run.h"

struct choices {
    const struct step_table *table;
    uint32_t *steps; /* by choice, in the order of the steps */
    uint32_t count, words;
    uint32_t *of_step;   /* by step: its choice; NONE */
    uint64_t *conflicts; /* by choice, WORDS each: those whose order with it matters and is open */
    uint64_t *before;    /* by choice, WORDS each: those that every execution makes before it */
    bool may_be_aborted; /* some communication is: BEFORE does not hold all that they wait for */
};

/* For executions that take the waits of CHOICE. False where there are too many to go through. */
bool choices_find(struct choices *choices, const struct step_table *table, enum choice choice,
                  struct error *error);
void choices_free(struct choices *choices);

static inline const uint64_t *choice_conflicts(const struct choices *choices, uint32_t choice)
{
    return choices->conflicts + (size_t)choice * choices->words;
}
static inline const uint64_t *choices_before(const struct choices *choices, uint32_t choice)
{
    return choices->before + (size_t)choice * choices->words;
}

#endif
