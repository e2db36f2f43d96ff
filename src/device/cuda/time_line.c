#include "device/cuda/time_line.h"

#include <stdbool.h>

static const int64_t GOOD_ERROR_NS = 5000; /* a worse reading says nothing of how the clocks drift */

void time_line_adopt(struct time_line *line, const struct reading *reading)
{
    bool is_first = line->last.gpu == 0;
    if (!is_first && reading->error > GOOD_ERROR_NS)
        return;
    line->earlier = (struct reading){0};
    if (line->last.error <= GOOD_ERROR_NS)
        line->earlier = line->last;
    line->last = *reading;
}

/* How much more of the host's time than of the GPU's goes by, for each of the GPU's; 0 while that is unknown.
 */
static double drift(const struct time_line *line)
{
    if (line->earlier.gpu == 0)
        return 0;
    int64_t host = line->last.host - line->earlier.host;
    int64_t gpu = (int64_t)(line->last.gpu - line->earlier.gpu);
    return (double)(host - gpu) / (double)gpu;
}

int64_t time_line_on_host(struct time_line *line, uint64_t stamp)
{
    int64_t since = (int64_t)(stamp - line->last.gpu);
    int64_t time = line->last.host + since + (int64_t)((double)since * drift(line));
    if (stamp < line->latest_stamp)
        return time < line->latest_time ? time : line->latest_time;
    if (time < line->latest_time)
        time = line->latest_time;
    line->latest_stamp = stamp;
    line->latest_time = time;
    return time;
}
