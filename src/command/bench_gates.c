/* A child has the GPU hold a stream at gates; this process, without CUDA, opens them and watches for the
 * marks. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
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

/* Where it fails, the reason goes to OUT. */
static _Noreturn void hold_gates(struct board *board, unsigned gpu, int out)
{
    struct error error = {0};
    const struct cuda_module *module = cuda_module_load(&error);
    if (module && module->hold_gates(board, gpu, &error))
        _exit(0);
    ssize_t written = write(out, error.message, strlen(error.message));
    _exit(written > 0 ? 1 : 2);
}

/* Leaves it to be waited for. */
static bool has_ended(pid_t child)
{
    siginfo_t found = {0};
    return waitid(P_PID, (id_t)child, &found, WEXITED | WNOHANG | WNOWAIT) < 0 || found.si_pid != 0;
}

/* Waits for the word, without sleeping: false where the child ended or time ran out. */
static bool watch(const _Atomic uint64_t *word, pid_t child, int64_t *seen)
{
    int64_t begin = clock_ns();
    for (uint32_t turn = 0; !atomic_load_explicit(word, memory_order_acquire); turn++)
        if (turn % 65536 == 65535 && (clock_ns() - begin > LIMIT_NS || has_ended(child)))
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

/* What the child, which has ended, said of its failure. */
static bool set_reason(int in, struct error *error)
{
    char reason[ERROR_LENGTH];
    ssize_t length = read(in, reason, sizeof reason);
    if (length > 0)
        return error_set(error, "%.*s", (int)length, reason);
    return error_set(error, "the process that holds a stream at gates did not get far");
}

static bool measure(struct board *board, pid_t child, struct gate_figures *figures)
{
    int64_t *delays = memory_zeroed(GATES, sizeof *delays);
    bool fine = open_gates(board, child, delays);
    if (fine)
        summarize(delays, GATES, figures);
    else
        kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    free(delays);
    return fine;
}

static bool measure_in_child(struct board *board, unsigned gpu, struct gate_figures *figures,
                             struct error *error)
{
    int ends[2];
    if (pipe(ends) < 0)
        return error_set_errno(error, "a pipe cannot be made");
    pid_t child = fork();
    if (child == 0)
        hold_gates(board, gpu, ends[1]);
    bool forked = child > 0 || error_set_errno(error, "a process cannot be forked");
    close(ends[1]);
    bool fine = forked && (measure(board, child, figures) || set_reason(ends[0], error));
    close(ends[0]);
    return fine;
}

bool bench_gates(const char *gpus, struct gate_figures *figures, struct error *error)
{
    uint16_t numbers[SCHEDULE_MAX_GPUS];
    struct board *board = NULL;
    bool fine = cuda_choose_gpus(gpus, SCHEDULE_MAX_GPUS, numbers, error) &&
                (board = board_open(GATES, error)) && measure_in_child(board, numbers[0], figures, error);
    board_close(board);
    return fine;
}
