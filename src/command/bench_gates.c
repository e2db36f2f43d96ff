/* A child has the GPU hold a stream at gates; this process, without CUDA, opens them and watches for the
 * marks. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command/bench.h"
#include "device/cuda/module.h"
#include "process/board.h"

enum { GATES = 200 }; /* a stream takes no more than about a thousand submissions that are held */
static const int64_t LIMIT_NS = 20000000000;

static int64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static _Noreturn void hold_gates(struct board *board)
{
    struct error error;
    const struct cuda_module *module = cuda_module_load(&error);
    _exit(module && module->hold_gates(board, &error) ? 0 : 1);
}

/* Waits for the word, without sleeping: false where the child ended or time ran out. */
static bool watch(const _Atomic uint64_t *word, pid_t child, int64_t *seen)
{
    int64_t begin = clock_ns();
    for (uint32_t turn = 0; !atomic_load_explicit(word, memory_order_acquire); turn++)
        if (turn % 65536 == 65535 && (clock_ns() - begin > LIMIT_NS || waitpid(child, NULL, WNOHANG) != 0))
            return false;
    *seen = clock_ns();
    return true;
}

static bool open_gates(struct board *board, pid_t child, int64_t *delays)
{
    int64_t seen;
    if (!watch(&board->calls[0].started_clock, child, &seen))
        return false;
    for (uint32_t i = 0; i < board->call_count; i++) {
        int64_t opened = clock_ns();
        atomic_store_explicit(&board->calls[i].go, GATE_OPEN, memory_order_release);
        if (!watch(&board->calls[i].done_clock, child, &seen))
            return false;
        delays[i] = seen - opened;
    }
    return true;
}

static void summarize(int64_t *delays, uint32_t count, struct gate_figures *figures)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += delays[i];
    *figures = (struct gate_figures){
        .count = count, .median = bench_median(delays, count), .mean = sum / (int64_t)count};
    figures->least = delays[0];
    figures->most = delays[count - 1];
}

bool bench_gates(struct gate_figures *figures, struct error *error)
{
    struct board *board = board_open(GATES, error);
    if (!board)
        return false;
    pid_t child = fork();
    if (child < 0) {
        board_close(board);
        return error_set_errno(error, "a process cannot be forked");
    }
    if (child == 0)
        hold_gates(board);
    int64_t *delays = calloc(GATES, sizeof *delays);
    bool fine = delays && open_gates(board, child, delays);
    if (fine)
        summarize(delays, GATES, figures);
    else
        kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    free(delays);
    board_close(board);
    return fine || error_set(error, "the process that holds a stream at gates did not get far");
}
