/* Receive, C and B in one stream and overlapped, at one size. */
#include <inttypes.h>

#include "command/bench.h"

enum { TURNS = 9, LARGE_TURNS = 5 };
static const uint64_t LARGE_BYTES = 16 << 20;
static const int64_t SHORTEST_C_NS = 10000;

static uint32_t turns_of(uint64_t bytes)
{
    return bytes >= LARGE_BYTES ? LARGE_TURNS : TURNS;
}

/* The senders, and what all of rank 1's programs begin with. */
static void append_head(uint64_t bytes, uint32_t turns, bool in_step, struct text *out)
{
    uint64_t count = bytes / sizeof(float);
    text_format(out, "rank 0\nbuffer x float32[%" PRIu64 "]\nstream S0 nonblocking\nlaunch A -> x on S0\n",
                count);
    text_format(out, "repeat %u\n%ssend x to 1 on S0\n%send\nsync S0\n", turns,
                in_step ? "sync S0\nbarrier\n" : "", "");
    text_format(out,
                "rank 1\nbuffer x float32[%" PRIu64 "]\nbuffer y float32[%" PRIu64 "]\nbuffer c float32[4]\n"
                "stream comm nonblocking\nstream compute nonblocking\nrepeat %u\n",
                count, count, turns);
}

/* How fast receives follow one another. */
static bool measure_receives(struct overlap_figures *figures, const char *gpus, struct error *error)
{
    struct text text = {0};
    struct benched benched;
    uint32_t turns = turns_of(figures->bytes);
    append_head(figures->bytes, turns, false, &text);
    text_append(&text, "recv x from 0 on comm\nend\nsync comm\n");
    bool fine = bench_run(&benched, text_string(&text), gpus, false, error);
    int64_t gaps[TURNS];
    for (uint32_t i = 1; fine && i < turns; i++)
        gaps[i - 1] =
            benched_call(&benched, 1, CALL_RECV, i)->done - benched_call(&benched, 1, CALL_RECV, i - 1)->done;
    if (fine) {
        figures->receive = bench_median(gaps, turns - 1);
        figures->bandwidth = (double)figures->bytes * 1e9 / (double)figures->receive;
    }
    benched_free(&benched);
    text_free(&text);
    return fine;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The medians over all turns: each turn begins when both sides of the transfer have started. */
static void take_turns(const struct benched *benched, uint32_t turns, struct overlap_figures *figures,
                       int64_t *whole)
{
    int64_t all[TURNS], receives[TURNS], cs[TURNS], bs[TURNS];
    for (uint32_t i = 0; i < turns; i++) {
        const struct view_call *send = benched_call(benched, 0, CALL_SEND, i);
        const struct view_call *receive = benched_call(benched, 1, CALL_RECV, i);
        const struct view_call *c = benched_call(benched, 1, CALL_LAUNCH, 2 * i);
        const struct view_call *b = benched_call(benched, 1, CALL_LAUNCH, 2 * i + 1);
        int64_t begin = later(send->started, receive->started);
        all[i] = b->done - begin;
        receives[i] = receive->done - begin;
        cs[i] = c->done - c->started;
        bs[i] = b->done - b->started;
    }
    *whole = bench_median(all, turns);
    if (figures) {
        figures->receive = bench_median(receives, turns);
        figures->c = bench_median(cs, turns);
        figures->b = bench_median(bs, turns);
    }
}

static bool measure_turns(struct overlap_figures *figures, bool overlapped, int64_t c_ns, const char *gpus,
                          struct error *error)
{
    struct text text = {0};
    struct benched benched;
    uint32_t turns = turns_of(figures->bytes);
    append_head(figures->bytes, turns, true, &text);
    text_format(&text, "sync device\nbarrier\nrecv x from 0 on %s\n%s", overlapped ? "comm" : "compute",
                overlapped ? "record E on comm\n" : "");
    text_format(&text, "launch C -> c on compute takes %" PRId64 "us\n%slaunch B x -> y on compute\nend\n",
                c_ns / 1000, overlapped ? "wait E on compute\n" : "");
    text_append(&text, "sync device\n");
    bool fine = bench_run(&benched, text_string(&text), gpus, false, error);
    if (fine)
        take_turns(&benched, turns, overlapped ? NULL : figures,
                   overlapped ? &figures->overlapped : &figures->serial);
    benched_free(&benched);
    text_free(&text);
    return fine;
}

bool bench_overlap(uint64_t bytes, const char *gpus, struct overlap_figures *figures, struct error *error)
{
    *figures = (struct overlap_figures){.bytes = bytes};
    if (!measure_receives(figures, gpus, error))
        return false;
    /* C takes as long as a receive: then overlapping gains the most. */
    int64_t c_ns = later(figures->receive, SHORTEST_C_NS);
    if (!measure_turns(figures, false, c_ns, gpus, error) || !measure_turns(figures, true, c_ns, gpus, error))
        return false;
    figures->bound = later(figures->receive, figures->c) + figures->b;
    return true;
}
