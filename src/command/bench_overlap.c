/* Receive, C and B in one stream and overlapped, at one size. */
#include <inttypes.h>

#include "command/bench.h"

enum { TURNS = 15 };
static const int64_t SHORTEST_C_NS = 10000;

/* One send, which is there before rank 1 goes on. */
static const char send_first[] = "sync S0\nbarrier\nsend x to 1 on S0\nbarrier\n";
/* The send is there, and what follows is submitted while the GPU is kept busy: no call of the host is
 * measured. */
static const char await_send[] = "sync device\nbarrier\nbarrier\n"
                                 "launch C -> c on comm takes 200us\nrecord G on comm\nwait G on compute\n";

static void append_sender(uint64_t bytes, struct text *out)
{
    text_format(out, "rank 0\nbuffer x float32[%" PRIu64 "]\nstream S0 nonblocking\nlaunch A -> x on S0\n",
                bytes / sizeof(float));
}

static void append_receiver(uint64_t bytes, struct text *out)
{
    uint64_t count = bytes / sizeof(float);
    text_format(out,
                "rank 1\nbuffer x float32[%" PRIu64 "]\nbuffer y float32[%" PRIu64 "]\nbuffer c float32[4]\n"
                "stream comm nonblocking\nstream compute nonblocking\n",
                count, count);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What a receive takes by itself, its send being there, and then how fast receives follow one another. */
static bool measure_receives(struct overlap_figures *figures, const char *gpus, struct error *error)
{
    struct text text = {0};
    struct benched benched;
    append_sender(figures->bytes, &text);
    text_format(&text, "repeat %d\n%send\nrepeat %d\nsend x to 1 on S0\nend\nsync S0\n", TURNS, send_first,
                TURNS);
    append_receiver(figures->bytes, &text);
    text_format(&text,
                "repeat %d\n%srecv x from 0 on comm\nend\nrepeat %d\nrecv x from 0 on comm\nend\nsync comm\n",
                TURNS, await_send, TURNS);
    bool fine = bench_run(&benched, text_string(&text), gpus, false, error);
    int64_t receives[TURNS], gaps[TURNS];
    for (uint32_t i = 0; fine && i < TURNS; i++) {
        const struct view_call *alone = benched_call(&benched, 1, CALL_RECV, i);
        const struct view_call *next = benched_call(&benched, 1, CALL_RECV, TURNS + i);
        receives[i] = alone->done - alone->started;
        gaps[i] = next->done - benched_call(&benched, 1, CALL_RECV, TURNS + i - 1)->done;
    }
    if (fine) {
        figures->receive = bench_median(receives, TURNS);
        figures->bandwidth = (double)figures->bytes * 1e9 / (double)bench_median(gaps + 1, TURNS - 1);
    }
    benched_free(&benched);
    text_free(&text);
    return fine;
}

/* The medians over every second turn from FIRST on, by what rank 1 sees: the send is there before a turn
 * begins.
 */
static void take_turns(const struct benched *benched, uint32_t first, struct overlap_figures *figures)
{
    int64_t all[TURNS], receives[TURNS], cs[TURNS], bs[TURNS];
    for (uint32_t i = 0; i < TURNS; i++) {
        uint32_t turn = first + 2 * i;
        const struct view_call *receive = benched_call(benched, 1, CALL_RECV, turn);
        const struct view_call *c = benched_call(benched, 1, CALL_LAUNCH, 3 * turn + 1);
        const struct view_call *b = benched_call(benched, 1, CALL_LAUNCH, 3 * turn + 2);
        all[i] = b->done - earlier(receive->started, c->started);
        receives[i] = receive->done - receive->started;
        cs[i] = c->done - c->started;
        bs[i] = b->done - b->started;
    }
    if (first == 0) {
        figures->serial = bench_median(all, TURNS);
        figures->receive = bench_median(receives, TURNS);
        figures->c = bench_median(cs, TURNS);
        figures->b = bench_median(bs, TURNS);
    } else {
        figures->overlapped = bench_median(all, TURNS);
    }
}

/* A turn in one stream, then one that overlaps, again and again in one run: how fast a transfer is differs
 * more from run to run than from turn to turn. */
static bool measure_turns(struct overlap_figures *figures, int64_t c_ns, const char *gpus,
                          struct error *error)
{
    struct text text = {0};
    struct benched benched;
    int64_t c_us = c_ns / 1000;
    append_sender(figures->bytes, &text);
    text_format(&text, "repeat %d\n%s%send\nsync S0\n", TURNS, send_first, send_first);
    append_receiver(figures->bytes, &text);
    text_format(&text,
                "repeat %d\n%srecv x from 0 on compute\nlaunch C -> c on compute takes %" PRId64
                "us\nlaunch B x -> y on compute\n",
                TURNS, await_send, c_us);
    text_format(&text,
                "%srecv x from 0 on comm\nrecord E on comm\nlaunch C -> c on compute takes %" PRId64
                "us\nwait E on compute\nlaunch B x -> y on compute\nend\nsync device\n",
                await_send, c_us);
    bool fine = bench_run(&benched, text_string(&text), gpus, false, error);
    if (fine) {
        take_turns(&benched, 0, figures);
        take_turns(&benched, 1, figures);
    }
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
    if (!measure_turns(figures, c_ns, gpus, error))
        return false;
    figures->bound = later(figures->receive, figures->c) + figures->b;
    return true;
}
