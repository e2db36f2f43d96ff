/* NOLINTNEXTLINE(bugprone-reserved-identifier): pipe2 and close_range, in the POSIX of 2024 or in none */
#define _GNU_SOURCE
#include "process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/descriptor.h"

/* Both ends of everything, made before the first fork so that every worker can have its own. */
struct plumbing {
    uint32_t count;
    int channels[RUN_MAX_RANKS][2];          /* the launcher's end, the worker's */
    int outputs[RUN_MAX_RANKS][2];           /* to read, to write */
    int peers[RUN_MAX_RANKS][RUN_MAX_RANKS]; /* the row's rank's end towards the column's rank */
};

static void close_plumbing(struct plumbing *plumbing, bool launcher_ends)
{
    for (uint32_t i = 0; i < plumbing->count; i++) {
        descriptor_close(&plumbing->channels[i][1]);
        descriptor_close(&plumbing->outputs[i][1]);
        for (uint32_t j = 0; j < plumbing->count; j++)
            descriptor_close(&plumbing->peers[i][j]);
        if (!launcher_ends)
            continue;
        descriptor_close(&plumbing->channels[i][0]);
        descriptor_close(&plumbing->outputs[i][0]);
    }
}

/* Standard input, output and error may be closed in this process. Theirs are not numbers for a pipe. */
static bool lift_from_standard(int pair[2])
{
    for (int end = 0; end < 2; end++) {
        if (pair[end] > STDERR_FILENO)
            continue;
        int lifted = fcntl(pair[end], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(pair[end]);
        pair[end] = lifted;
        if (lifted < 0)
            return false;
    }
    return true;
}

static bool open_socket_pair(int pair[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0)
        return lift_from_standard(pair);
    pair[0] = pair[1] = -1;
    return false;
}

static bool open_pipe(int pair[2])
{
    if (pipe2(pair, O_CLOEXEC) == 0)
        return lift_from_standard(pair);
    pair[0] = pair[1] = -1;
    return false;
}

static bool stop_blocking(int descriptor)
{
    int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0;
}

static bool open_plumbing(struct plumbing *plumbing, uint32_t count)
{
    plumbing->count = count;
    for (uint32_t i = 0; i < count; i++) {
        plumbing->channels[i][0] = plumbing->channels[i][1] = -1;
        plumbing->outputs[i][0] = plumbing->outputs[i][1] = -1;
        for (uint32_t j = 0; j < count; j++)
            plumbing->peers[i][j] = -1;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!open_socket_pair(plumbing->channels[i]) || !open_pipe(plumbing->outputs[i]) ||
            !stop_blocking(plumbing->channels[i][0]) || !stop_blocking(plumbing->outputs[i][0]))
            return false;
        for (uint32_t j = 0; j < i; j++) {
            int pair[2];
            bool opened = open_socket_pair(pair);
            plumbing->peers[i][j] = pair[0];
            plumbing->peers[j][i] = pair[1];
            if (!opened)
                return false;
        }
    }
    return true;
}

static void reset_signals(void)
{
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action = {.sa_handler = number == SIGPIPE ? SIG_IGN : SIG_DFL};
        sigaction(number, &action, NULL); /* fails for those that have no handler anyway */
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void take_standard_descriptors(int output)
{
    int input = open("/dev/null", O_RDONLY);
    if (input > STDIN_FILENO) {
        dup2(input, STDIN_FILENO);
        close(input);
    }
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
}

/* FIRST to LAST. A kernel without close_range is asked about each that may be open. */
static void close_from_to(unsigned first, unsigned last)
{
    if (close_range(first, last, 0) == 0)
        return;
    long open_at_most = sysconf(_SC_OPEN_MAX);
    for (unsigned number = first; number <= last && (long)number < open_at_most; number++)
        close((int)number);
}

static void close_all_but(const struct worker_place *place, uint32_t count)
{
    bool more = true;
    for (unsigned first = STDERR_FILENO + 1; more;) {
        unsigned kept = ~0U;
        if ((unsigned)place->channel >= first)
            kept = (unsigned)place->channel;
        for (uint32_t r = 0; r < count; r++)
            if (place->peers[r] >= 0 && (unsigned)place->peers[r] >= first &&
                (unsigned)place->peers[r] < kept)
                kept = (unsigned)place->peers[r];
        more = kept != ~0U;
        if (kept > first)
            close_from_to(first, more ? kept - 1 : kept);
        first = kept + 1;
    }
}

static struct worker_place place_of(const struct plumbing *plumbing, uint32_t rank)
{
    struct worker_place place = {.rank = rank, .channel = plumbing->channels[rank][1]};
    for (uint32_t r = 0; r < RUN_MAX_RANKS; r++)
        place.peers[r] = r < plumbing->count ? plumbing->peers[rank][r] : -1;
    return place;
}

/* What a new process does before it runs. */
static void become_worker(const struct plumbing *plumbing, const struct worker_place *place, pid_t launcher)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launcher)
        _exit(1); /* it died before it was asked to tell */
    setpgid(0, 0);
    take_standard_descriptors(plumbing->outputs[place->rank][1]);
    close_all_but(place, plumbing->count);
    reset_signals();
}

bool spawn_workers(struct spawned *workers, uint32_t count,
                   void (*run)(void *context, const struct worker_place *place), void *context,
                   struct error *error)
{
    struct plumbing plumbing;
    if (!open_plumbing(&plumbing, count)) {
        error_set_errno(error, "no descriptors for %u workers", count);
        close_plumbing(&plumbing, true);
        return false;
    }
    /* What stands in a buffer would come out of each process. */
    fflush(stdout);
    fflush(stderr);
    /* No handler of the launcher may run in a worker. */
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t launcher = getpid();
    uint32_t forked = 0;
    for (; forked < count; forked++) {
        pid_t pid = fork();
        if (pid == 0) {
            const struct worker_place place = place_of(&plumbing, forked);
            become_worker(&plumbing, &place, launcher);
            run(context, &place);
            _exit(1);
        }
        if (pid < 0)
            break;
        workers[forked] = (struct spawned){
            .pid = pid, .channel = plumbing.channels[forked][0], .output = plumbing.outputs[forked][0]};
    }
    if (forked < count)
        error_set_errno(error, "cannot fork worker %u", forked);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close_plumbing(&plumbing, forked < count);
    if (forked == count)
        return true;
    for (uint32_t i = 0; i < forked; i++)
        spawned_kill(&workers[i]);
    return false;
}

void spawned_kill(struct spawned *worker)
{
    if (worker->pid <= 0)
        return;
    kill(worker->pid, SIGKILL);
    for (int waited_ms = 0; waited_ms < 2000;) {
        pid_t reaped = waitpid(worker->pid, NULL, WNOHANG);
        if (reaped == worker->pid || (reaped < 0 && errno != EINTR))
            break;
        const struct timespec pause = {.tv_nsec = 1000000};
        nanosleep(&pause, NULL);
        waited_ms++;
    }
    worker->pid = 0;
}
