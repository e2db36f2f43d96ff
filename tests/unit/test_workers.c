/* Worker processes that die, stop or talk too much, and what sessions leave behind: nothing. */
#define _GNU_SOURCE /* pipe2 in no POSIX before that of 2024 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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
    assert_int_equal(signals_of(pid_of(running, 0), "SigIgn:"), 1ULL << (SIGPIPE - 1));
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
