/* The smallest changes known that make errors and warnings go away, each tried and checked. */
#ifndef HANDOFF_ORDER_FIX_H
#define HANDOFF_ORDER_FIX_H

#include "order/change.h"
#include "order/finding.h"

struct fixes {
    struct change *by_finding; /* in the order of the findings: empty where none is known, or where that of an
                                  earlier finding does it */
    bool *gone;                /* by finding: whether it is with ALL */
    uint32_t *cures;           /* by finding: of several changes that which takes it away by itself, as the
                                  number of its finding; NONE */
    uint32_t count;
    struct change all; /* all of them together */
};

/* With `fixes.all` made, no finding has come that was not there, and each that is GONE is. */
struct fixes order_fix(const struct order *order, const struct findings *findings);
/* The same, and finds the CURES, which takes as many checks again as there are changes. */
struct fixes order_fix_each(const struct order *order, const struct findings *findings);
/* What takes the finding away and brings none: one change where that does it, else all; NULL where none is
 * known. */
const struct change *fixes_find(const struct fixes *fixes, uint32_t finding);
void fixes_free(struct fixes *fixes);

#endif
