/* Worker processes that die, stop or talk too much, and what sessions leave behind: nothing. */
#define _GNU_SOURCE /* pipe2 in no POSIX before that of 2024 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/attended.h"
#include "running.h"

static pid_t pid_of(const struct running *running, uint32_t rank)
{
    return (pid_t)running->view->ranks[rank].pid;
}

static void go_to(struct running *running, int64_t time)
{
    running_go(running, (struct session_goal){.kind = GOAL_TIME, .time = time});
}

/* Pumps until the death of the rank was said. */
static void await_death(struct running *running, uint32_t rank)
{
    for (int i = 0; i < 2000; i++) {
        session_pump(running->session);
        if (running->view->ranks[rank].exited)
            return;
        struct pollfd fds[SESSION_MAX_DESCRIPTORS];
        int timeout_ms;
        int count = session_descriptors(running->session, fds, &timeout_ms);
        poll(fds, (nfds_t)count, timeout_ms < 0 ? 1000 : timeout_ms);
    }
    fail_msg("the death of rank %u was not noticed", rank);
}

static void check_killed(struct running *running, uint32_t rank)
{
    kill(pid_of(running, rank), SIGKILL);
    await_death(running, rank);
    assert_int_equal(running->view->ranks[rank].exit_status, -SIGKILL);
    assert_int_equal(running->counts[RECORD_ERROR], 1);
    assert_int_equal(running->view->outcome, OUTCOME_NONE);
    assert_int_equal(running_end(running), OUTCOME_FAILED);
}

static void test_killed_while_setting_up(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < 2; rank++) {
        struct running *running = running_open(TRANSFER);
        go_to(running, session_next_due(running->session) + 3000000);
        check_killed(running, rank);
        assert_int_equal(running->counts[RECORD_READY], 0);
        assert_int_equal(running->counts[RECORD_CALLED], 0);
        running_close(running);
    }
}

static void test_killed_before_its_send(void **state)
{
    (void)state;
    struct running *running = running_open(TRANSFER);
    go_to(running, 2000000); /* A is running, and the receive waits */
    check_killed(running, 0);
    assert_int_equal(running_at(running, 4)->done, TIME_NONE);
    assert_true(running_at(running, 11)->waiting);
    assert_int_equal(running_at(running, 11)->waiting_for, point_of(running_call(running, 5, 0), STARTED));
    running_close(running);
}

static void test_killed_while_sending(void **state)
{
    (void)state;
    struct running *running = running_open(TRANSFER);
    go_to(running, 4000000);
    assert_true(running_at(running, 5)->started != TIME_NONE);
    assert_int_equal(running_at(running, 5)->done, TIME_NONE);
    kill(pid_of(running, 0), SIGKILL);
    await_death(running, 0);
    assert_true(running_at(running, 11)->waiting); /* at once, with no goal */
    assert_int_equal(running_end(running), OUTCOME_FAILED);
    assert_int_equal(running_at(running, 11)->done, TIME_NONE);
    assert_true(running_at(running, 11)->waiting);
    assert_int_equal(running_at(running, 11)->waiting_for, point_of(running_call(running, 5, 0), DONE));
    running_close(running);
}

static void test_killed_while_receiving(void **state)
{
    (void)state;
    struct running *running = running_open(TRANSFER);
    go_to(running, 4000000);
    check_killed(running, 1);
    assert_int_equal(running_at(running, 5)->done, TIME_NONE);
    assert_int_equal(running_at(running, 5)->waiting_for, point_of(running_call(running, 11, 0), DONE));
    assert_true(running_at(running, 6)->waiting);
    running_close(running);
}

static void test_killed_when_all_was_done(void **state)
{
    (void)state;
    struct running *running = running_open("rank 0\n"
                                           "stream s\n"
                                           "rank 1\n"
                                           "stream s\n"
                                           "launch k on s\n");
    go_to(running, 1000000);
    check_killed(running, 0);
    assert_true(running_at(running, 5)->done != TIME_NONE); /* the other went on to its end */
    running_close(running);
}

static void pause_ms(long ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

/* 256 MiB on their way between the processes: far more than a socket holds. */
static void test_killed_in_the_middle_of_many_bytes(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < 2; rank++) {
        struct running *running = running_open("rank 0\n"
                                               "buffer x int8[268435456]\n"
                                               "stream s\n"
                                               "send x to 1 on s\n"
                                               "rank 1\n"
                                               "buffer x int8[268435456]\n"
                                               "stream s\n"
                                               "recv x from 0 on s\n");
        go_to(running, 2000000);
        kill(pid_of(running, 1 - rank), SIGSTOP);
        session_set_goal(running->session, &(struct session_goal){.kind = GOAL_END});
        session_pump(running->session);
        pause_ms(20);
        kill(pid_of(running, rank), SIGKILL);
        await_death(running, rank);
        kill(pid_of(running, 1 - rank), SIGCONT);
        assert_int_equal(running_end(running), OUTCOME_FAILED);
        assert_int_equal(running->view->ranks[1 - rank].exit_status, 0);
        running_close(running);
    }
}

/* The launcher is ahead of the workers by some hundred operations, and half of what they report is on its
 * way. */
static void test_killed_anywhere_in_a_long_run(void **state)
{
    (void)state;
    for (int pumps = 0; pumps < 24; pumps++) {
        struct running *running =
            running_open_with("rank 0\n"
                              "buffer x float32[600]\n"
                              "stream s\n"
                              "repeat 3000\n"
                              "launch A -> x on s\n"
                              "send x to 1 on s\n"
                              "end\n"
                              "rank 1\n"
                              "buffer x float32[600]\n"
                              "buffer y float32[600]\n"
                              "stream s\n"
                              "repeat 3000\n"
                              "recv x from 0 on s\n"
                              "launch B x -> y on s\n"
                              "end\n",
                              NULL, (struct session_options){.report_values = pumps % 2 == 0});
        go_to(running, 0);
        session_set_goal(running->session, &(struct session_goal){.kind = GOAL_END});
        for (int i = 0; i < pumps / 4; i++)
            session_pump(running->session);
        kill(pid_of(running, (uint32_t)pumps / 2 % 2), SIGKILL);
        enum outcome outcome = running_end(running);
        assert_true(outcome == OUTCOME_FAILED || running->counts[RECORD_ERROR] == 0);
        running_close(running);
    }
}

static int64_t monotonic_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void test_a_stopped_worker_does_not_outlive_its_session(void **state)
{
    (void)state;
    struct running *running = running_open(TRANSFER);
    go_to(running, 0);
    pid_t pids[2] = {pid_of(running, 0), pid_of(running, 1)};
    kill(pids[0], SIGSTOP);
    int64_t begin = monotonic_ms();
    running_close(running);
    assert_true(monotonic_ms() - begin < 1500);
    for (int i = 0; i < 2; i++)
        assert_true(kill(pids[i], 0) < 0 && errno == ESRCH);
}

static int open_output_of(pid_t pid, int number)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)pid, number);
    int descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(descriptor >= 0);
    return descriptor;
}

static void test_what_a_worker_prints_is_in_the_log(void **state)
{
    (void)state;
    struct running *running = running_open(TRANSFER);
    go_to(running, 0);
    static const char said[] = "first\nsecond \x1b[31m\nno newline";
    int output = open_output_of(pid_of(running, 1), STDERR_FILENO);
    assert_int_equal(write(output, said, sizeof said - 1), sizeof said - 1);
    close(output);
    assert_int_equal(running_end(running), OUTCOME_FINISHED);
    assert_int_equal(running->counts[RECORD_OUTPUT], 3);
    assert_string_equal(running->view->messages[0].text, "first");
    assert_string_equal(running->view->messages[1].text, "second \\x1B[31m");
    assert_string_equal(running->view->messages[2].text, "no newline");
    assert_int_equal(running->view->messages[2].rank, 1);
    running_close(running);
}

/* 64 MB of short lines while nothing else moves, and one line of a megabyte. */
static void test_a_flood_of_output_is_cut_short(void **state)
{
    (void)state;
    struct running *running = running_open(TRANSFER);
    go_to(running, 0);
    int output = open_output_of(pid_of(running, 0), STDOUT_FILENO);
    char lines[16384];
    memset(lines, 'x', sizeof lines);
    for (size_t written = 0; written < 1 << 20;) {
        ssize_t count = write(output, lines, sizeof lines);
        written += count > 0 ? (size_t)count : 0;
        session_pump(running->session);
    }
    for (size_t i = 15; i < sizeof lines; i += 16)
        lines[i] = '\n';
    for (size_t written = 0; written < 64 << 20;) {
        ssize_t count = write(output, lines, sizeof lines);
        written += count > 0 ? (size_t)count : 0;
        session_pump(running->session);
    }
    close(output);
    assert_int_equal(running_end(running), OUTCOME_FINISHED);
    assert_int_equal(running->counts[RECORD_OUTPUT], 1001);
    assert_true(running->log.length < 1 << 20);
    const char *last = running->view->messages[running->view->message_count - 1].text;
    assert_non_null(strstr(last, "lines more"));
    running_close(running);
}

static size_t entries_of(const char *path)
{
    DIR *folder = opendir(path);
    assert_non_null(folder);
    size_t count = 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static size_t shared_mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    assert_non_null(maps);
    char line[512];
    size_t count = 0;
    while (fgets(line, sizeof line, maps))
        count += strstr(line, "rw-s") != NULL;
    fclose(maps);
    return count;
}

static void test_sessions_leave_nothing_behind(void **state)
{
    (void)state;
    size_t descriptors = entries_of("/proc/self/fd"), mappings = shared_mappings();
    for (int i = 0; i < 200; i++) {
        struct running *running = running_open(TRANSFER);
        if (i % 4 == 1)
            go_to(running, 3000000);
        if (i % 4 == 2)
            running_end(running);
        if (i % 4 == 3)
            session_pump(running->session);
        running_close(running);
    }
    assert_int_equal(entries_of("/proc/self/fd"), descriptors);
    assert_int_equal(shared_mappings(), mappings);
    assert_true(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

static void test_a_worker_has_only_its_own_descriptors(void **state)
{
    (void)state;
    int pair[2];
    assert_int_equal(pipe2(pair, 0), 0);
    struct running *running = running_open("ranks 4\nrank 0\nstream s\n");
    go_to(running, 0);
    for (uint32_t rank = 0; rank < 4; rank++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid_of(running, rank));
        /* ".", "..", three standard ones, the channel, three other workers */
        assert_int_equal(entries_of(path), 2 + 3 + 1 + 3);
    }
    running_close(running);
    close(pair[0]);
    close(pair[1]);
}

static void on_signal(int number)
{
    (void)number;
}

static unsigned long long signals_of(pid_t pid, const char *name)
{
    char line[256], path[64];
    unsigned long long mask = ~0ULL;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *status = fopen(path, "re");
    assert_non_null(status);
    while (fgets(line, sizeof line, status))
        if (strncmp(line, name, strlen(name)) == 0)
            mask = strtoull(line + strlen(name), NULL, 16);
    fclose(status);
    return mask;
}

static void test_a_worker_has_no_handlers_and_blocks_no_signal(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = on_signal}, before;
    sigaction(SIGUSR1, &action, &before);
    sigset_t blocked, mask;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigprocmask(SIG_BLOCK, &blocked, &mask);
    struct running *running = running_open(TRANSFER);
    go_to(running, 0);
    assert_int_equal(signals_of(pid_of(running, 0), "SigCgt:"), 0);
    assert_int_equal(signals_of(pid_of(running, 0), "SigBlk:"), 0);
    /* The C library keeps the signals from 32 to SIGRTMIN for itself; some parents have them ignored. */
    unsigned long long own = (1ULL << (SIGRTMIN - 1)) - (1ULL << 31);
    assert_int_equal(signals_of(pid_of(running, 0), "SigIgn:") & ~own, 1ULL << (SIGPIPE - 1));
    assert_int_not_equal(getpgid(pid_of(running, 0)), getpgrp());
    running_close(running);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGUSR1, &before, NULL);
}

/* A launcher of its own, in a process of its own, that is killed. Its workers' pids come through the pipe. */
static void launch_and_wait(int pids)
{
    struct running *running = running_open(TRANSFER);
    go_to(running, 0);
    for (uint32_t rank = 0; rank < 2; rank++) {
        pid_t pid = pid_of(running, rank);
        if (write(pids, &pid, sizeof pid) != sizeof pid)
            _exit(1);
    }
    pause();
    _exit(1);
}

static void test_workers_die_with_their_launcher(void **state)
{
    (void)state;
    int pair[2];
    assert_int_equal(pipe2(pair, O_CLOEXEC), 0);
    pid_t launcher = fork();
    if (launcher == 0)
        launch_and_wait(pair[1]);
    pid_t workers[2];
    assert_int_equal(read(pair[0], &workers[0], sizeof *workers), sizeof *workers);
    assert_int_equal(read(pair[0], &workers[1], sizeof *workers), sizeof *workers);
    kill(launcher, SIGKILL);
    waitpid(launcher, NULL, 0);
    for (int i = 0; i < 2; i++) {
        int tries = 0;
        while (kill(workers[i], 0) == 0 && tries++ < 2000) {
            /* Whoever inherits it may not reap it: then it stays as a zombie. */
            char path[64], line[256] = "";
            snprintf(path, sizeof path, "/proc/%ld/stat", (long)workers[i]);
            FILE *stat = fopen(path, "re");
            if (stat && fgets(line, sizeof line, stat) && strstr(line, ") Z "))
                tries = 3000;
            if (stat)
                fclose(stat);
            pause_ms(1);
        }
        assert_true(tries != 2001);
    }
    close(pair[0]);
    close(pair[1]);
}

/* x and y of rank 1 are memories 1 and 2; its calls are those from 5 on. */
static const char SPEAKING[] = "rank 0\n"
                               "buffer x float32[4]\n"
                               "stream s\n"
                               "launch A -> x on s\n"
                               "send x to 1 on s\n"
                               "sync s\n"
                               "rank 1\n"
                               "buffer x float32[4]\n"
                               "host y int8[2000]\n"
                               "stream s\n"
                               "recv x from 0 on s\n"
                               "read y\n";

static void count_record(void *context, uint32_t rank, const struct record *record)
{
    size_t *count = context;
    assert_int_equal(rank, 1);
    assert_true(record->length == 0 || record->bytes[0] == 'b');
    ++*count;
}

/* A process that only waits for its end: the worker whose reports are written here. */
static pid_t fork_silent(void)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(60); /* also where a test fails */
        pause();
        _exit(1);
    }
    return pid;
}

/* Whether the launcher takes the record from rank 1; else it ends the worker, and nothing of it is given out.
 */
static bool is_taken(const struct program *program, const struct record *said)
{
    static const char bytes[1 << 17] = "bbbb";
    int ends[2];
    size_t count = 0;
    pid_t pid = fork_silent();
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    struct attended worker = {.process = {.pid = pid, .channel = ends[0], .output = -1},
                              .output = {.descriptor = -1}};
    assert_int_equal(write(ends[1], said, sizeof *said), sizeof *said);
    assert_int_equal(write(ends[1], bytes, said->length), said->length);
    close(ends[1]);
    attended_receive(&worker, program, 1, count_record, &count);
    assert_true(worker.closed);
    if (count == 1)
        kill(pid, SIGTERM);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WTERMSIG(status), count == 1 ? SIGTERM : SIGKILL);
    worker.process.pid = 0;
    attended_close(&worker);
    return count == 1;
}

static void test_only_what_a_worker_may_say_is_taken(void **state)
{
    (void)state;
    enum { X = 1, Y = 2, OWN = 8, OTHERS = 4, LAST = 9 };
    static const struct {
        bool taken;
        struct record said;
    } cases[] = {
        {true, {.kind = RECORD_CALLED, .rank = 1, .call = OWN}},
        {true, {.kind = RECORD_RETURNED, .rank = 1, .call = LAST, .memory = NONE}},
        {true, {.kind = RECORD_SUBMITTED, .rank = 1, .call = OWN}},
        {true, {.kind = RECORD_STARTED, .rank = 1, .call = OWN}},
        {true, {.kind = RECORD_DONE, .rank = 1, .call = OWN}},
        {false, {.kind = RECORD_CALLED, .rank = 1, .call = NONE}},
        {false, {.kind = RECORD_RETURNED, .rank = 1, .call = NONE}},
        {false, {.kind = RECORD_SUBMITTED, .rank = 1, .call = NONE}},
        {false, {.kind = RECORD_STARTED, .rank = 1, .call = NONE}},
        {false, {.kind = RECORD_DONE, .rank = 1, .call = NONE}},
        {false, {.kind = RECORD_DONE, .rank = 1, .call = LAST + 1}},
        {false, {.kind = RECORD_STARTED, .rank = 1, .call = OTHERS}},
        {false, {.kind = RECORD_STARTED, .rank = 0, .call = OTHERS}},
        {false, {.kind = RECORD_STARTED, .rank = 1, .call = OWN, .time = INT64_MAX}},
        {false, {.kind = RECORD_STARTED, .rank = 1, .call = OWN, .time = INT64_MIN}},
        {true, {.kind = RECORD_WRITTEN, .rank = 1, .call = OWN, .memory = X, .count = 4, .length = 16}},
        {true,
         {.kind = RECORD_WRITTEN, .rank = 1, .call = NONE, .memory = X, .first = 3, .count = 1, .length = 4}},
        {false, {.kind = RECORD_WRITTEN, .rank = 1, .call = OTHERS, .memory = X, .count = 4, .length = 16}},
        {false, {.kind = RECORD_WRITTEN, .rank = 1, .call = OWN, .memory = 0, .count = 4, .length = 16}},
        {false, {.kind = RECORD_WRITTEN, .rank = 1, .call = OWN, .memory = 3, .count = 4, .length = 16}},
        {false, {.kind = RECORD_WRITTEN, .rank = 1, .call = OWN, .memory = NONE, .count = 4, .length = 16}},
        {false,
         {.kind = RECORD_WRITTEN, .rank = 1, .call = OWN, .memory = X, .first = 1, .count = 4, .length = 16}},
        {false,
         {.kind = RECORD_WRITTEN, .rank = 1, .call = OWN, .memory = X, .first = 4, .count = 1, .length = 4}},
        {false,
         {.kind = RECORD_WRITTEN,
          .rank = 1,
          .call = OWN,
          .memory = X,
          .first = 3,
          .count = UINT32_MAX,
          .length = 4}},
        {false, {.kind = RECORD_WRITTEN, .rank = 1, .call = OWN, .memory = X, .count = 0, .length = 0}},
        {false, {.kind = RECORD_WRITTEN, .rank = 1, .call = OWN, .memory = X, .count = 4, .length = 12}},
        /* Of the values, the first 1024 are kept. */
        {true,
         {.kind = RECORD_HOST_READ, .rank = 1, .call = LAST, .memory = Y, .count = 2000, .length = 1024}},
        {false,
         {.kind = RECORD_HOST_READ, .rank = 1, .call = LAST, .memory = Y, .count = 2000, .length = 2000}},
        {true, {.kind = RECORD_HOST_READ, .rank = 1, .call = LAST, .memory = Y, .first = 1500, .count = 500}},
        {false,
         {.kind = RECORD_HOST_READ, .rank = 1, .call = NONE, .memory = Y, .count = 2000, .length = 1024}},
        {true, {.kind = RECORD_ERROR, .rank = 1, .call = NONE, .length = 3}},
        {true, {.kind = RECORD_NOTE, .rank = 1, .call = OWN, .length = 3}},
        {false, {.kind = RECORD_ERROR, .rank = 1, .call = OTHERS, .length = 3}},
        {false, {.kind = RECORD_NOTE, .rank = 1, .call = NONE, .length = (1 << 16) + 1}},
        {true, {.kind = REPORT_ANSWERED, .rank = 1}},
        {true, {.kind = REPORT_GPUS, .rank = 1, .length = 2 * SCHEDULE_MAX_GPUS}},
        {false, {.kind = REPORT_GPUS, .rank = 1, .length = 2 * SCHEDULE_MAX_GPUS - 2}},
        /* The first rank's. */
        {false, {.kind = REPORT_MACHINE, .rank = 1, .call = NONE, .length = 3}},
        /* The launcher's own. */
        {false, {.kind = RECORD_FORKED, .rank = 1, .call = NONE}},
        {false, {.kind = RECORD_EXITED, .rank = 1, .call = NONE}},
        {false, {.kind = RECORD_ID_MADE, .rank = 1, .call = NONE}},
        {false, {.kind = RECORD_READY, .rank = 1, .call = NONE, .communicator = 7}},
        {false, {.kind = RECORD_WAITING, .rank = 1, .call = OWN, .point = 4000}},
        {false, {.kind = RECORD_FREED, .rank = 1, .call = OWN, .memory = 7}},
        {false, {.kind = RECORD_HELD, .rank = 1, .call = OWN}},
        {false, {.kind = RECORD_OUTPUT, .rank = 1, .call = NONE}},
        {false, {.kind = RECORD_STEP, .rank = 1, .call = NONE}},
        {false, {.kind = RECORD_OUTCOME, .rank = 1, .call = NONE}},
        {false, {.kind = RECORD_KIND_COUNT, .rank = 1, .call = NONE}},
        {false, {.kind = 252, .rank = 1, .call = NONE}},
    };
    struct diagnostics faults = {0};
    struct schedule *schedule = schedule_parse(SPEAKING, sizeof SPEAKING - 1, 1, &faults);
    struct program *program = program_resolve(schedule, 0, &faults);
    assert_non_null(program);
    assert_int_equal(call_statement(program, OTHERS)->rank, 0);
    assert_int_equal(call_statement(program, OWN)->rank, 1);
    assert_int_equal(program->call_count, LAST + 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (is_taken(program, &cases[i].said) != cases[i].taken)
            fail_msg("record %zu, of kind %u, is %staken", i, cases[i].said.kind,
                     cases[i].taken ? "not " : "");
    program_free(program);
    schedule_free(schedule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_while_setting_up),
        cmocka_unit_test(test_killed_before_its_send),
        cmocka_unit_test(test_killed_while_sending),
        cmocka_unit_test(test_killed_while_receiving),
        cmocka_unit_test(test_killed_when_all_was_done),
        cmocka_unit_test(test_killed_in_the_middle_of_many_bytes),
        cmocka_unit_test(test_killed_anywhere_in_a_long_run),
        cmocka_unit_test(test_a_stopped_worker_does_not_outlive_its_session),
        cmocka_unit_test(test_what_a_worker_prints_is_in_the_log),
        cmocka_unit_test(test_a_flood_of_output_is_cut_short),
        cmocka_unit_test(test_sessions_leave_nothing_behind),
        cmocka_unit_test(test_a_worker_has_only_its_own_descriptors),
        cmocka_unit_test(test_a_worker_has_no_handlers_and_blocks_no_signal),
        cmocka_unit_test(test_workers_die_with_their_launcher),
        cmocka_unit_test(test_only_what_a_worker_may_say_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
