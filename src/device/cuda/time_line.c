#include "device/cuda/time_line.h"

static const int64_t GOOD_ERROR_NS = 5000; /* a worse reading says nothing of how the clocks drift */

bool reading_is_good(const struct reading *reading)
{
    return reading->error <= GOOD_ERROR_NS;
}

void time_line_adopt(struct time_line *line, const struct reading *reading)
{
    bool is_first = line->last.gpu == 0;
    if (!is_first && !reading_is_good(reading))
        return;
    line->earlier = (struct reading){0};
    if (reading_is_good(&line->last))
        line->earlier = line->last;
    line->last = *reading;
}

/* How much more of the host's time than of the GPU's goes by, for each of the GPU's; 0 while that is unknown:
 * also where both clocks went on alike as far as the readings can tell. Two readings that follow soon on each
 * other would else make their errors a drift, which grows as long as no better reading comes. */
static double drift(const struct time_line *line)
{
    if (line->earlier.gpu == 0)
        return 0;
    int64_t host = line->last.host - line->earlier.host;
    int64_t gpu = (int64_t)(line->last.gpu - line->earlier.gpu);
    int64_t apart = host > gpu ? host - gpu : gpu - host;
    return apart > line->last.error + line->earlier.error ? (double)(host - gpu) / (double)gpu : 0;
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
