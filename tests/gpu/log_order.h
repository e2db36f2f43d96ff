/* Whether the times of a log keep every order that the language promises. */
#ifndef HANDOFF_TESTS_GPU_LOG_ORDER_H
#define HANDOFF_TESTS_GPU_LOG_ORDER_H

#include "log/view.h"

struct log_order {
    uint32_t checked, violated;
    uint32_t point, earlier; /* the worst violation: POINT came before EARLIER, which it had to wait for */
    int64_t by;              /* ns */
};

/* Looks at every wait that holds in every execution. TOLERANCE: how far two clocks may be apart, ns. */
struct log_order log_order_check(const struct view *view, int64_t tolerance);

#endif
