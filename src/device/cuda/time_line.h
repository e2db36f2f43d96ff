/* A GPU's clock read as the host's, from readings of both at one time. The two do not go at quite the same
 * pace.
 */
#ifndef HANDOFF_DEVICE_CUDA_TIME_LINE_H
#define HANDOFF_DEVICE_CUDA_TIME_LINE_H

#include <stdbool.h>
#include <stdint.h>

/* What both clocks showed at one time, give or take the error; ns. */
struct reading {
    uint64_t gpu;
    int64_t host, error;
};

struct time_line {
    struct reading earlier, last; /* all 0 before there are so many */
    uint64_t latest_stamp;        /* the latest that was asked for, and the answer */
    int64_t latest_time;
};

/* Whether its error is small enough to say how the clocks drift. */
bool reading_is_good(const struct reading *reading);
/* The first one is taken as it is; of later ones those that are good. */
void time_line_adopt(struct time_line *line, const struct reading *reading);
/* The GPU's STAMP as the host's time. A stamp that is later than all before is no earlier time than theirs,
 * and an earlier one no later than the latest, also when a reading was adopted in between. */
int64_t time_line_on_host(struct time_line *line, uint64_t stamp);

#endif
