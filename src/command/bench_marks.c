/* The same run with and without marks. Kernels in one stream: nothing hides what the marks take. */
#include <inttypes.h>

#include "command/bench.h"

enum { SMALL_OPERATIONS = 2000, LARGE_OPERATIONS = 200, REPEATS = 3 };
static const uint64_t LARGE_BYTES = 1 << 20;

/* From the first launch's call to the return from waiting for all of them, on the host's clock. */
static bool measure(uint64_t bytes, uint32_t operations, bool unwatched, const char *gpus, int64_t *whole,
                    struct error *error)
{
    struct text text = {0};
    struct benched benched;
    uint64_t count = bytes / sizeof(float);
    text_format(&text,
                "rank 0\nbuffer x float32[%" PRIu64 "]\nbuffer y float32[%" PRIu64
                "]\nstream s nonblocking\nlaunch A -> x on s\nsync s\nrepeat %u\nlaunch B x -> y on s\nend\n"
                "sync s\n",
                count, count, operations);
    bool fine = bench_run(&benched, text_string(&text), gpus, unwatched, error);
    if (fine)
        *whole = benched_call(&benched, 0, CALL_SYNC_STREAM, 1)->returned -
                 benched_call(&benched, 0, CALL_LAUNCH, 1)->called;
    benched_free(&benched);
    text_free(&text);
    return fine;
}

bool bench_marks(uint64_t bytes, const char *gpus, struct mark_figures *figures, struct error *error)
{
    int64_t marked[REPEATS], unmarked[REPEATS];
    *figures = (struct mark_figures){
        .bytes = bytes, .operations = bytes >= LARGE_BYTES ? LARGE_OPERATIONS : SMALL_OPERATIONS};
    for (int i = 0; i < REPEATS; i++)
        if (!measure(bytes, figures->operations, false, gpus, &marked[i], error) ||
            !measure(bytes, figures->operations, true, gpus, &unmarked[i], error))
            return false;
    figures->marked = bench_median(marked, REPEATS);
    figures->unmarked = bench_median(unmarked, REPEATS);
    return true;
}
