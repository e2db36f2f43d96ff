/* `handoff bench`: what this machine's GPUs take, in tables. */
#include "command/bench.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

#include "command/command.h"
#include "command/message.h"
#include "command/options.h"
#include "command/probe.h"

static const uint64_t sizes[] = {16, 1024, 65536, 1 << 20, 16 << 20, 64 << 20, 256 << 20};
static const struct {
    uint64_t bytes;
    bool transfers;
} mark_runs[] = {{16, true}, {64 << 20, true}, {16, false}, {64 << 20, false}};
enum {
    SIZE_COUNT = sizeof sizes / sizeof *sizes,
    MARK_COUNT = sizeof mark_runs / sizeof *mark_runs,
};

struct figures {
    struct text machine;
    struct overlap_figures overlap[SIZE_COUNT];
    struct mark_figures marks[MARK_COUNT];
    struct gate_figures gates;
};

static void append_size(uint64_t bytes, struct text *out)
{
    if (bytes >= 1 << 20)
        text_format(out, "%" PRIu64 " MiB", bytes >> 20);
    else if (bytes >= 1024)
        text_format(out, "%" PRIu64 " KiB", bytes >> 10);
    else
        text_format(out, "%" PRIu64 " B", bytes);
}

static void say_progress(const char *what, uint64_t bytes)
{
    struct text line = {0};
    text_append(&line, what);
    if (bytes > 0) {
        text_append(&line, ", ");
        append_size(bytes, &line);
    }
    fprintf(stderr, "%s ...\n", text_string(&line));
    text_free(&line);
}

static bool measure(struct figures *figures, const char *gpus, struct error *error)
{
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        say_progress("receive, C and B", sizes[i]);
        if (!bench_overlap(sizes[i], gpus, &figures->overlap[i], error))
            return false;
    }
    for (size_t i = 0; i < MARK_COUNT; i++) {
        say_progress("marks", mark_runs[i].bytes);
        if (!bench_marks(mark_runs[i].bytes, mark_runs[i].transfers, gpus, &figures->marks[i], error))
            return false;
    }
    say_progress("gates", 0);
    return bench_gates(gpus, &figures->gates, error);
}

static double in_us(int64_t ns)
{
    return (double)ns / 1000;
}

static double excess(int64_t value, int64_t bound)
{
    return bound > 0 ? 100.0 * (double)(value - bound) / (double)bound : 0;
}

static double each_in_us(int64_t whole, const struct mark_figures *marks)
{
    return in_us(whole) / marks->operations;
}

static void print_overlap(const struct overlap_figures *row)
{
    struct text size = {0};
    append_size(row->bytes, &size);
    printf("%-8s %11.1f %11.3f %11.1f %9.1f %11.1f %11.1f %11.1f %+8.1f %%\n", text_string(&size),
           in_us(row->receive), row->bandwidth / 1e9, in_us(row->c), in_us(row->b), in_us(row->serial),
           in_us(row->overlapped), in_us(row->bound), excess(row->overlapped, row->bound));
    text_free(&size);
}

static void print_marks(const struct mark_figures *marks)
{
    struct text size = {0};
    append_size(marks->bytes, &size);
    const struct estimate *cost = &marks->cost;
    printf("%-8s %-16s %11" PRIu32 " %11.1f %11.1f %11.2f %11.2f %11.2f %+8.1f %%\n", text_string(&size),
           marks->transfers ? "receive and B" : "B alone", marks->operations, in_us(marks->unmarked),
           in_us(marks->marked), each_in_us(cost->median, marks), each_in_us(cost->low, marks),
           each_in_us(cost->high, marks), excess(marks->unmarked + cost->median, marks->unmarked));
    text_free(&size);
}

static void print_tables(const struct figures *figures)
{
    printf("%s\nreceive, C and B, us (medians; bound: max(receive, C) + B)\n"
           "%-8s %11s %11s %11s %9s %11s %11s %11s %10s\n",
           text_string(&figures->machine), "size", "receive", "GB/s", "C", "B", "one stream", "overlapped",
           "bound", "over it");
    for (size_t i = 0; i < SIZE_COUNT; i++)
        print_overlap(&figures->overlap[i]);
    printf("\nmarks, us (free runs; what an operation's marks take, and between what it lies with 95 %%)\n"
           "%-8s %-16s %11s %11s %11s %11s %11s %11s %10s\n",
           "size", "again and again", "operations", "without", "with", "each", "from", "to", "more");
    for (size_t i = 0; i < MARK_COUNT; i++)
        print_marks(&figures->marks[i]);
    printf("\nfrom opening a gate to seeing the mark, us: median %.1f, mean %.1f, least %.1f, most %.1f "
           "(%" PRIu32 " gates)\n",
           in_us(figures->gates.median), in_us(figures->gates.mean), in_us(figures->gates.least),
           in_us(figures->gates.most), figures->gates.count);
}

static void print_json(const struct figures *figures)
{
    json_t *overlap = json_array(), *marks = json_array();
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        const struct overlap_figures *row = &figures->overlap[i];
        json_array_append_new(overlap, json_pack("{s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I}", "bytes",
                                                 (json_int_t)row->bytes, "receive", (json_int_t)row->receive,
                                                 "bandwidth", row->bandwidth, "c", (json_int_t)row->c, "b",
                                                 (json_int_t)row->b, "one-stream", (json_int_t)row->serial,
                                                 "overlapped", (json_int_t)row->overlapped, "bound",
                                                 (json_int_t)row->bound));
    }
    for (size_t i = 0; i < MARK_COUNT; i++) {
        const struct mark_figures *row = &figures->marks[i];
        json_array_append_new(
            marks, json_pack("{s:I, s:b, s:I, s:I, s:I, s:I, s:I, s:I}", "bytes", (json_int_t)row->bytes,
                             "transfers", row->transfers, "operations", (json_int_t)row->operations,
                             "without", (json_int_t)row->unmarked, "with", (json_int_t)row->marked, "cost",
                             (json_int_t)row->cost.median, "cost-low", (json_int_t)row->cost.low, "cost-high",
                             (json_int_t)row->cost.high));
    }
    const struct gate_figures *gates = &figures->gates;
    json_t *whole =
        json_pack("{s:s, s:o, s:o, s:{s:I, s:I, s:I, s:I, s:I}}", "machine", text_string(&figures->machine),
                  "overlap", overlap, "marks", marks, "gates", "count", (json_int_t)gates->count, "median",
                  (json_int_t)gates->median, "mean", (json_int_t)gates->mean, "least",
                  (json_int_t)gates->least, "most", (json_int_t)gates->most);
    json_dumpf(whole, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(whole);
}

static int bench_here(const char *gpus, bool json)
{
    struct error error = {0};
    struct figures figures = {0};
    int status = EXIT_FINE;
    if (probe_cuda(&figures.machine, &error) == 0) {
        complain("bench", "no GPU to measure: %s", error.message);
        status = EXIT_NO_BACKEND;
    } else if (!measure(&figures, gpus, &error)) {
        complain("bench", "%s", error.message);
        status = EXIT_HAZARD;
    } else if (json) {
        print_json(&figures);
    } else {
        print_tables(&figures);
    }
    text_free(&figures.machine);
    return status;
}

static int bench_command_run(int argc, char **argv)
{
    const char *gpus = NULL;
    bool json = false;
    const struct option options[] = {{"--gpus", &gpus, NULL}, {"--json", NULL, &json}};
    const struct arguments arguments = {
        .command = "bench", .options = options, .option_count = sizeof options / sizeof *options};
    if (!arguments_parse(&arguments, argc, argv) || !gpus_are_numbers("bench", gpus))
        return EXIT_BAD_INPUT;
    return bench_here(gpus, json);
}

const struct command command_bench = {
    .name = "bench",
    .summary = "measure overlap, bandwidth, gates and marks on this machine's GPUs",
    .usage =
        "usage: handoff bench [--gpus G[,G]] [--json]\n"
        "\n"
        "Measures on this machine's GPUs: a receive, C and B in one stream and overlapped, from 16 bytes\n"
        "to 256 MiB, beside the bound max(receive, C) + B; the transfer's bandwidth; what marks cost; and\n"
        "the time from opening a gate to seeing the mark. Says on standard error how far it is.\n"
        "\n"
        "  --gpus G[,G]     the GPU of each rank, such as 1,0\n"
        "  --json           one JSON object instead of tables; times in ns, bandwidth in bytes/s\n"
        "\n"
        "Exit status: 0 measured, 1 a run failed, 2 bad arguments, 3 no GPU.\n",
    .run = bench_command_run,
};
