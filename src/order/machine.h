/* The one stepper of the rules: which points have happened, which may happen next, what holds the others.
 * Time is not its business: the simulator adds durations, the search takes every order. Order never depends
 * on a choice made on the way, so points can also be taken back, last first. */
#ifndef HANDOFF_ORDER_MACHINE_H
#define HANDOFF_ORDER_MACHINE_H

#include "order/order.h"

struct machine {
    const struct order *order;
    enum choice choice;
    uint32_t *missing; /* by point: waits not satisfied yet */
    uint8_t *happened; /* by point */
    uint32_t happened_count;
    uint32_t *first_dependent; /* by point: where in DEPENDENTS those that wait for it begin */
    uint32_t *dependents;      /* points; with DEPENDENT_UNTIL_ABORT where that wait is ABORTABLE */
};

struct machine *machine_open(const struct order *order, enum choice choice);
void machine_close(struct machine *machine);

/* Whether the point exists, has not happened, and waits for nothing. */
bool machine_may_happen(const struct machine *machine, uint32_t point);

/* Lets it happen. READY (may be NULL) is called for each point that may happen because of it. */
void machine_happen(struct machine *machine, uint32_t point, void (*ready)(void *context, uint32_t point),
                    void *context);
/* Takes the last one that happened back. */
void machine_undo(struct machine *machine, uint32_t point);

/* The points that may happen before anything did. */
void machine_begin(struct machine *machine, void (*ready)(void *context, uint32_t point), void *context);

/* Lets all happen that may, until nothing moves any more. Returns whether everything did. */
bool machine_run(struct machine *machine);

/* Whether the wait that POINT carries still holds it, where the choice takes it. */
bool machine_holds(const struct machine *machine, uint32_t point, const struct wait *wait);

/* The first wait that still holds POINT, in the order of the graph; NULL where none does. */
const struct wait *machine_held_by(const struct machine *machine, uint32_t point);

#endif
