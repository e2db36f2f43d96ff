/* The same run with and without marks. */
#include <inttypes.h>

#include "command/bench.h"

enum { SMALL_KERNELS = 2000, LARGE_KERNELS = 200, SMALL_TRANSFERS = 200, LARGE_TRANSFERS = 8 };
enum { REPEATS = 7, REPEATS_OF_LARGE_TRANSFERS = 15 }; /* those scatter most, through sockets */
static const uint64_t LARGE_BYTES = 1 << 20;

/* Kernels in one stream: nothing hides what the marks take. */
static void append_kernels(uint64_t count, uint32_t turns, struct text *out)
{
    text_format(out,
                "rank 0\nbuffer x float32[%" PRIu64 "]\nbuffer y float32[%" PRIu64
                "]\nstream s nonblocking\nlaunch A -> x on s\nsync s\nrepeat %" PRIu32
                "\nlaunch B x -> y on s\nend\nsync s\n",
                count, count, turns);
}

/* A and send, receive and B, again and again. */
static void append_transfers(uint64_t count, uint32_t turns, struct text *out)
{
    text_format(out,
                "rank 0\nbuffer x float32[%" PRIu64 "]\nbuffer y float32[%" PRIu64
                "]\nstream s nonblocking\nrecv x from 1 on s\nsync s\nrepeat %" PRIu32
                "\nrecv x from 1 on s\nlaunch B x -> y on s\nend\nsync s\n",
                count, count, turns);
    text_format(out,
                "rank 1\nbuffer x float32[%" PRIu64
                "]\nstream s nonblocking\nlaunch A -> x on s\nsend x to 0 on s\nrepeat %" PRIu32
                "\nlaunch A -> x on s\nsend x to 0 on s\nend\nsync s\n",
                count, turns);
}

/* Of rank 0, from its first call behind the first wait for its stream to the return from the second, on the
 * host's clock. */
static bool measure(const char *schedule, bool transfers, bool unwatched, const char *gpus, int64_t *whole,
                    struct error *error)
{
    struct benched benched;
    bool fine = bench_run(&benched, schedule, gpus, unwatched, error);
    if (fine)
        *whole = benched_call(&benched, 0, CALL_SYNC_STREAM, 1)->returned -
                 benched_call(&benched, 0, transfers ? CALL_RECV : CALL_LAUNCH, 1)->called;
    benched_free(&benched);
    return fine;
}

static uint32_t turns_of(uint64_t bytes, bool transfers)
{
    if (transfers)
        return bytes >= LARGE_BYTES ? LARGE_TRANSFERS : SMALL_TRANSFERS;
    return bytes >= LARGE_BYTES ? LARGE_KERNELS : SMALL_KERNELS;
}

bool bench_marks(uint64_t bytes, bool transfers, const char *gpus, struct mark_figures *figures,
                 struct error *error)
{
    int64_t marked[REPEATS_OF_LARGE_TRANSFERS], unmarked[REPEATS_OF_LARGE_TRANSFERS],
        costs[REPEATS_OF_LARGE_TRANSFERS];
    uint32_t turns = turns_of(bytes, transfers);
    size_t repeats = transfers && bytes >= LARGE_BYTES ? REPEATS_OF_LARGE_TRANSFERS : REPEATS;
    struct text schedule = {0};
    *figures = (struct mark_figures){
        .bytes = bytes, .transfers = transfers, .operations = transfers ? 2 * turns : turns};
    (transfers ? append_transfers : append_kernels)(bytes / sizeof(float), turns, &schedule);
    bool fine = true;
    for (size_t i = 0; fine && i < repeats; i++) {
        fine = measure(text_string(&schedule), transfers, false, gpus, &marked[i], error) &&
               measure(text_string(&schedule), transfers, true, gpus, &unmarked[i], error);
        costs[i] = fine ? marked[i] - unmarked[i] : 0;
    }
    text_free(&schedule);
    if (!fine)
        return false;
    figures->marked = bench_median(marked, repeats);
    figures->unmarked = bench_median(unmarked, repeats);
    figures->cost = bench_estimate(costs, repeats);
    return true;
}
