/* Sessions: who gets in, what each follower gets, and that none is waited for. */
#include "fold.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "share/connect.h"
#include "share/feed.h"
#include "share/listen.h"
#include "share/server.h"

static char runtime[] = "/tmp/handoff-share-XXXXXX", sessions[64];
static char schedule[] = "rank 0\nbuffer x float32[4]\nstream S\nlaunch A -> x on S\nsync S\n";

static int make_runtime(void **state)
{
    (void)state;
    strcpy(strrchr(runtime, '-') + 1, "XXXXXX");
    if (!mkdtemp(runtime))
        return -1;
    snprintf(sessions, sizeof sessions, "%s/handoff", runtime);
    return setenv("XDG_RUNTIME_DIR", runtime, 1);
}

static int remove_runtime(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", runtime);
    return system(command); /* NOLINT(cert-env33-c): the path is this test's own */
}

static mode_t mode_of(const char *name)
{
    char path[160];
    struct stat status;
    snprintf(path, sizeof path, "%s%s%s", sessions, *name ? "/" : "", name);
    assert_int_equal(lstat(path, &status), 0);
    return status.st_mode & 07777;
}

static struct log_header header = {.file = "a.schedule",
                                   .schedule = schedule,
                                   .schedule_length = sizeof schedule - 1,
                                   .schedule_first_line = 1,
                                   .variants = "",
                                   .backend = "simulated",
                                   .gpu_count = 1};

static struct share *open_session(const char *name)
{
    struct error error = {0};
    struct share *share = share_open(name, NULL, &error);
    if (!share)
        fail_msg("%s", error.message);
    return share;
}

/* A log whose record N says so, each of about SIZE bytes. */
static void append_output(struct log *log, size_t size)
{
    struct text text = {0};
    text_format(&text, "%zu ", log->count);
    while (text.length < size)
        text_append(&text, "x");
    log_append(log, &(struct record){.time = (int64_t)log->count,
                                     .kind = RECORD_OUTPUT,
                                     .rank = 0,
                                     .call = NONE,
                                     .point = NONE,
                                     .length = text.length,
                                     .bytes = text.bytes});
    text_free(&text);
}

static int join(const char *name, const char *ending)
{
    int descriptor = socket_connect(sessions, name, ending);
    assert_true(descriptor >= 0);
    return descriptor;
}

/* Everything that is there to be read. Returns whether the connection goes on. */
static bool receive(int descriptor, struct text *out)
{
    char bytes[65536];
    for (;;) {
        ssize_t count = recv(descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
        if (count <= 0)
            return count < 0 && errno == EAGAIN;
        text_append_bytes(out, bytes, (size_t)count);
    }
}

/* Everything up to the end of the connection; false where that does not come. */
static bool receive_to_the_end(int descriptor, struct text *out)
{
    struct pollfd ready = {.fd = descriptor, .events = POLLIN};
    while (poll(&ready, 1, 5000) == 1)
        if (!receive(descriptor, out))
            return true;
    return false;
}

static void ignore_run(void *context, struct log_input *run)
{
    (void)run;
    ++*(int *)context;
}

/* What a follower makes of what it got. */
static void read_all(struct feed *feed, int *runs, const struct text *text)
{
    struct error error = {0};
    *feed = (struct feed){.begun = ignore_run, .context = runs};
    if (!feed_take(feed, text_string(text), text->length, &error))
        fail_msg("%s", error.message);
}

static void test_folder_and_sockets_are_the_users_alone(void **state)
{
    (void)state;
    struct share *share = open_session("one");
    assert_int_equal(mode_of(""), 0700);
    assert_int_equal(mode_of("one.follow"), 0600);
    assert_int_equal(mode_of("one.control"), 0600);
    share_close(share);
    assert_int_not_equal(access(sessions, R_OK), -1);
    char path[96];
    snprintf(path, sizeof path, "%s/one.follow", sessions);
    assert_int_equal(access(path, F_OK), -1);
}

static void test_a_folder_that_others_can_use_is_refused(void **state)
{
    (void)state;
    struct error error = {0};
    assert_int_equal(mkdir(sessions, 0700), 0);
    assert_int_equal(chmod(sessions, 0770), 0);
    assert_null(share_open("one", NULL, &error));
    assert_non_null(strstr(error.message, "open to other users"));
    assert_int_equal(rmdir(sessions), 0);
    assert_int_equal(symlink("/tmp", sessions), 0);
    assert_null(share_open("one", NULL, &error));
    assert_non_null(strstr(error.message, "cannot be opened as a folder"));
    assert_int_equal(unlink(sessions), 0);
    if (geteuid() != 0)
        return;
    assert_int_equal(mkdir(sessions, 0700), 0);
    assert_int_equal(chown(sessions, 1, 1), 0);
    assert_null(share_open("one", NULL, &error));
    assert_non_null(strstr(error.message, "belongs to another user"));
}

/* Another's $XDG_RUNTIME_DIR, as after su. */
static void test_a_runtime_folder_of_others_is_not_used(void **state)
{
    (void)state;
    struct folder folder;
    struct error error = {0};
    char own[64];
    snprintf(own, sizeof own, "/tmp/handoff-%u", (unsigned)geteuid());
    assert_int_equal(chmod(runtime, 0777), 0);
    assert_true(folder_open_private(&folder, &error));
    assert_string_equal(folder.path, own);
    folder_close(&folder);
    assert_int_equal(chmod(runtime, 0700), 0);
}

static void test_names(void **state)
{
    (void)state;
    char longest[SESSION_MAX_NAME + 2];
    memset(longest, 'a', sizeof longest - 1);
    longest[SESSION_MAX_NAME + 1] = '\0';
    assert_true(session_name_is_fit("overlap-4101"));
    assert_true(session_name_is_fit(longest + 1));
    assert_false(session_name_is_fit(longest));
    assert_false(session_name_is_fit(""));
    assert_false(session_name_is_fit("../x"));
    assert_false(session_name_is_fit(".x"));
    assert_false(session_name_is_fit("-x"));
    assert_false(session_name_is_fit("a b"));
    assert_false(session_name_is_fit("a\033[31m"));
}

static void test_one_name_is_one_session(void **state)
{
    (void)state;
    struct error error = {0};
    struct share *share = open_session("one");
    assert_null(share_open("one", NULL, &error));
    assert_string_equal(error.message, "there is a session called one already");
    struct share *other = open_session("two");
    share_close(other);
    int follower = join("one", ENDING_FOLLOW); /* the first one still lives */
    close(follower);
    share_close(share);
}

static void test_what_a_dead_session_left_is_cleared_away(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        open_session("one");
        open_session("two");
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(mode_of("one.control"), 0600);
    struct share *share = open_session("one");
    struct found_sessions found;
    struct error error;
    assert_true(sessions_find(&found, ENDING_FOLLOW, &error));
    size_t own = 0;
    for (size_t i = 0; i < found.count; i++)
        own += strcmp(found.items[i].folder, sessions) == 0;
    assert_int_equal(own, 1);
    assert_string_equal(found.items[0].name, "one");
    sessions_free(&found);
    char path[96];
    snprintf(path, sizeof path, "%s/two.control", sessions);
    assert_int_equal(access(path, F_OK), -1);
    share_close(share);
}

static void test_followers_get_the_whole_story(void **state)
{
    (void)state;
    struct share *share = open_session("one");
    struct log log = {0};
    struct text early = {0}, late = {0};
    share_begin(share, &header);
    int first = join("one", ENDING_FOLLOW);
    share_pump(share);
    for (int i = 0; i < 10; i++)
        append_output(&log, 50);
    share_show(share, &log, 6, 0);
    share_show(share, &log, 2, 1); /* the presenter looks back */
    int second = join("one", ENDING_FOLLOW);
    share_pump(share);
    assert_int_equal(share_follower_count(share), 2);
    assert_true(receive(first, &early));
    assert_true(receive(second, &late));
    assert_string_equal(text_string(&early), text_string(&late));
    struct feed feed;
    int runs = 0;
    read_all(&feed, &runs, &late);
    assert_string_equal(feed.name, "one");
    assert_int_equal(runs, 1);
    assert_int_equal(feed.run->log.count, 6); /* and no more than the presenter has shown */
    assert_int_equal(feed.position, 2);
    assert_int_equal(feed.answered, 1);
    feed_free(&feed);
    share_close(share);
    assert_false(receive(first, &early));
    read_all(&feed, &runs, &early);
    assert_true(feed.is_over);
    feed_free(&feed);
    close(first);
    close(second);
    log_free(&log);
    text_free(&early);
    text_free(&late);
}

static void test_a_run_that_begins_anew_replaces_the_one_before(void **state)
{
    (void)state;
    struct share *share = open_session("one");
    struct log log = {0}, again = {0};
    struct text behind = {0}, late = {0};
    share_begin(share, &header);
    int slow = join("one", ENDING_FOLLOW);
    share_pump(share);
    for (int i = 0; i < 40; i++)
        append_output(&log, 60000); /* far more than a socket takes: SLOW stands within a line */
    share_show(share, &log, log.count, 0);
    append_output(&again, 50);
    share_begin(share, &header);
    share_show(share, &again, 1, 0);
    int second = join("one", ENDING_FOLLOW);
    for (int i = 0; i < 100; i++) {
        share_pump(share);
        assert_true(receive(slow, &behind));
    }
    assert_true(receive(second, &late));
    assert_true(behind.length < (size_t)40 * 60000);
    struct feed feed;
    int runs = 0;
    read_all(&feed, &runs, &late);
    assert_int_equal(runs, 1);
    assert_int_equal(feed.run->log.count, 1);
    feed_free(&feed);
    runs = 0;
    read_all(&feed, &runs, &behind);
    assert_int_equal(runs, 2);
    assert_int_equal(feed.run->log.count, 1);
    feed_free(&feed);
    share_close(share);
    close(slow);
    close(second);
    log_free(&log);
    log_free(&again);
    text_free(&behind);
    text_free(&late);
}

static void test_a_follower_that_says_anything_is_dropped(void **state)
{
    (void)state;
    struct share *share = open_session("one");
    share_begin(share, &header);
    int loud = join("one", ENDING_FOLLOW), quiet = join("one", ENDING_FOLLOW);
    struct text heard = {0};
    share_pump(share);
    share_pump(share);
    assert_int_equal(share_follower_count(share), 2);
    assert_int_equal(send(loud, "n", 1, MSG_NOSIGNAL), 1);
    share_pump(share);
    assert_int_equal(share_follower_count(share), 1);
    assert_int_equal(share_key(share), 0);
    assert_false(receive(loud, &heard));
    assert_true(receive(quiet, &heard));
    share_close(share);
    close(loud);
    close(quiet);
    text_free(&heard);
}

static void test_only_the_notes_ask_for_keys(void **state)
{
    (void)state;
    struct share *share = open_session("one");
    share_begin(share, &header);
    int notes = join("one", ENDING_CONTROL);
    struct text heard = {0};
    share_pump(share);
    assert_int_equal(share_follower_count(share), 0); /* the presenter is no follower */
    assert_int_equal(send(notes, "nb", 2, MSG_NOSIGNAL), 2);
    share_pump(share);
    assert_int_equal(share_key(share), 'n');
    assert_int_equal(share_key(share), 'b');
    assert_int_equal(share_key(share), 0);
    assert_true(receive(notes, &heard));
    assert_int_equal(send(notes, "q", 1, MSG_NOSIGNAL), 1); /* no key of the notes */
    share_pump(share);
    assert_int_equal(share_key(share), 0);
    assert_false(receive(notes, &heard));
    share_close(share);
    close(notes);
    text_free(&heard);
}

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Fifty followers, one of which takes nothing: the others get everything, and it is dropped. */
static void test_one_that_stands_still_is_dropped(void **state)
{
    (void)state;
    enum { FOLLOWERS = 50, RECORDS = 200 };
    struct share *share = open_session("one");
    struct log log = {0};
    int followers[FOLLOWERS];
    struct text heard[FOLLOWERS] = {{0}};
    share_begin(share, &header);
    for (int i = 0; i < FOLLOWERS; i++) {
        followers[i] = join("one", ENDING_FOLLOW);
        share_pump(share);
    }
    while (share_follower_count(share) < FOLLOWERS)
        share_pump(share);
    assert_int_equal(share_timeout_ms(share), -1); /* nobody is behind: no timer */
    for (int i = 0; i < RECORDS; i++) {
        append_output(&log, 5000);
        share_show(share, &log, log.count, 0);
        for (int k = 1; k < FOLLOWERS; k++)
            receive(followers[k], &heard[k]);
    }
    int64_t until = clock_ms() + (int64_t)SHARE_PATIENCE_MS * 10;
    while (share_follower_count(share) == FOLLOWERS && clock_ms() < until) {
        struct pollfd ready = {.fd = share_descriptor(share), .events = POLLIN};
        poll(&ready, 1, share_timeout_ms(share));
        share_pump(share);
    }
    assert_int_equal(share_follower_count(share), FOLLOWERS - 1);
    assert_int_equal(share_timeout_ms(share), -1);
    for (int k = 1; k < FOLLOWERS; k++) {
        struct feed feed;
        int runs = 0;
        assert_true(receive(followers[k], &heard[k]));
        read_all(&feed, &runs, &heard[k]);
        assert_int_equal(feed.run->log.count, RECORDS);
        feed_free(&feed);
    }
    assert_false(receive(followers[0], &heard[0]));
    assert_true(heard[0].length < log.count * 5000);
    share_close(share);
    for (int k = 0; k < FOLLOWERS; k++) {
        close(followers[k]);
        text_free(&heard[k]);
    }
    log_free(&log);
}

static void test_as_many_follow_as_can(void **state)
{
    (void)state;
    struct share *share = open_session("one");
    int followers[SHARE_MAX_FOLLOWERS + 1];
    struct text heard = {0};
    share_begin(share, &header);
    for (int i = 0; i <= SHARE_MAX_FOLLOWERS; i++) {
        followers[i] = join("one", ENDING_FOLLOW);
        share_pump(share);
    }
    assert_int_equal(share_follower_count(share), SHARE_MAX_FOLLOWERS);
    assert_false(receive(followers[SHARE_MAX_FOLLOWERS], &heard));
    struct feed feed;
    int runs = 0;
    read_all(&feed, &runs, &heard);
    assert_true(feed.is_over);
    assert_string_equal(feed.refusal.message, "as many follow the session as can");
    feed_free(&feed);
    share_close(share);
    for (int i = 0; i <= SHARE_MAX_FOLLOWERS; i++)
        close(followers[i]);
    text_free(&heard);
}

/* The modes keep other users out; where they do not, the server looks at who it is. */
static void test_another_user_is_refused(void **state)
{
    (void)state;
    enum { NOBODY = 65534 };
    char path[96];
    if (geteuid() != 0)
        return; /* cmocka calls what it skipped "not ok" in TAP */
    struct share *share = open_session("one");
    share_begin(share, &header);
    assert_int_equal(chmod(runtime, 0755), 0);
    assert_int_equal(chmod(sessions, 0755), 0);
    static const char *const endings[] = {ENDING_FOLLOW, ENDING_CONTROL};
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/one%s", sessions, endings[i]);
        assert_int_equal(chmod(path, 0666), 0);
        pid_t child = fork();
        if (child == 0) {
            struct text heard = {0};
            int descriptor = setuid(NOBODY) == 0 ? socket_connect(sessions, "one", endings[i]) : -1;
            bool answered = descriptor >= 0 && receive_to_the_end(descriptor, &heard);
            _exit(answered && strcmp(text_string(&heard), "{\"end\":\"refused\"}\n") == 0 ? 0 : 1);
        }
        int status = -1;
        for (pid_t done = 0; done == 0; done = waitpid(child, &status, WNOHANG)) {
            struct pollfd ready = {.fd = share_descriptor(share), .events = POLLIN};
            poll(&ready, 1, 20);
            share_pump(share);
        }
        assert_int_equal(status, 0);
    }
    assert_int_equal(share_follower_count(share), 0);
    share_close(share);
}

static void test_unknown_groups_are_refused(void **state)
{
    (void)state;
    struct error error = {0};
    assert_null(share_open("one", "no-such-group", &error));
    assert_string_equal(error.message, "--share no-such-group: there is no such group");
}

/* The group gets into a folder and to a socket of its own; the notes stay where they are. */
static void test_what_sharing_opens(void **state)
{
    (void)state;
    gid_t group = 0;
    struct error error = {0};
    struct stat status;
    char path[96];
    if (geteuid() != 0 || !folder_find_group("nogroup", &group, &error))
        return;
    struct share *share = share_open("shared-one", "nogroup", &error);
    assert_non_null(share);
    snprintf(path, sizeof path, "/tmp/handoff-shared-0-%u", (unsigned)group);
    assert_int_equal(lstat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0750);
    assert_int_equal(status.st_gid, group);
    strcat(path, "/shared-one.follow");
    assert_int_equal(lstat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0660);
    assert_int_equal(status.st_gid, group);
    assert_int_equal(mode_of(""), 0700);
    assert_int_equal(mode_of("shared-one.control"), 0600);
    *strrchr(path, '/') = '\0';
    strcat(path, "/shared-one.control");
    assert_int_equal(access(path, F_OK), -1);
    share_begin(share, &header);

    pid_t child = fork();
    if (child == 0) { /* a member of the group: sees it, and gets the story */
        struct found_sessions found = {0};
        struct text heard = {0};
        unsetenv("XDG_RUNTIME_DIR");
        bool fine = setgid(group) == 0 && setuid(65534) == 0 && sessions_find(&found, ENDING_FOLLOW, &error);
        int descriptor = -1;
        for (size_t i = 0; fine && i < found.count; i++)
            if (strcmp(found.items[i].name, "shared-one") == 0)
                descriptor = session_connect(&found.items[i], ENDING_FOLLOW, &error);
        struct pollfd ready = {.fd = descriptor, .events = POLLIN};
        fine = descriptor >= 0 && poll(&ready, 1, 5000) == 1 && receive(descriptor, &heard);
        _exit(fine && strncmp(text_string(&heard), "{\"handoff-session\":1,", 21) == 0 ? 0 : 1);
    }
    int exit_status = -1;
    for (pid_t done = 0; done == 0; done = waitpid(child, &exit_status, WNOHANG)) {
        struct pollfd ready = {.fd = share_descriptor(share), .events = POLLIN};
        poll(&ready, 1, 20);
        share_pump(share);
    }
    assert_int_equal(exit_status, 0);
    share_close(share);
}

static void refuses(const char *text, size_t length, const char *why)
{
    struct error error = {0};
    int runs = 0;
    struct feed feed = {.begun = ignore_run, .context = &runs};
    assert_false(feed_take(&feed, text, length, &error));
    if (!strstr(error.message, why))
        fail_msg("%s: not about %s", error.message, why);
    feed_free(&feed);
}

#define HELLO "{\"handoff-session\":1,\"name\":\"one\",\"began\":5}\n"

static void test_what_no_session_says_is_refused(void **state)
{
    (void)state;
    struct text text = {0};
    log_header_to_json(&header, &text);
    static const struct {
        const char *before, *line, *why;
    } cases[] = {
        {"", "garbage\n", "not a session"},
        {"", "\033[2J\n", "not a session"},
        {"", "{\"handoff-session\":2,\"name\":\"one\",\"began\":5}\n", "version 2"},
        {"", "{\"handoff-session\":1,\"name\":7,\"began\":5}\n", "name"},
        {"", HELLO HELLO, "no session says"},
        {"", HELLO "{\"look\":0,\"answered\":0}\n", "before a run"},
        {"", HELLO "{\"t\":0,\"kind\":\"outcome\",\"outcome\":\"stuck\"}\n", "before a run"},
        {"", HELLO "{\"end\":\"over\"}\n{\"look\":0}\n", "after the end"},
        {"", HELLO "{\"handoff-log\":1,\"file\":\"x\"}\n", "missing"},
        {HELLO, "\n{\"t\":null,\"kind\":\"done\",\"rank\":0,\"call\":0}\n", "\"t\""},
        {HELLO, "\n{\"look\":1,\"answered\":0}\n", "not within"},
        {HELLO, "\n{\"look\":-1,\"answered\":0}\n", "not within"},
        {HELLO, "\n{\"t\":0,\"kind\":\"done\",\"rank\":0,\"call\":99}\n", "call"},
        {HELLO,
         "\n{\"t\":0,\"kind\":\"outcome\",\"outcome\":\"stuck\"}\n{\"t\":0,\"kind\":\"step\",\"step\":0}\n",
         "after the outcome"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text all = {0};
        text_append(&all, cases[i].before);
        if (cases[i].before[0] != '\0')
            text_append(&all, text_string(&text));
        text_append(&all, cases[i].line);
        refuses(text_string(&all), all.length, cases[i].why);
        text_free(&all);
    }
    text_free(&text);
}

static void test_what_is_kept_has_bounds(void **state)
{
    (void)state;
    struct error error = {0};
    int runs = 0;
    struct feed feed = {.begun = ignore_run, .context = &runs};
    char block[65536];
    memset(block, 'x', sizeof block);
    bool fine = true;
    size_t sent = 0;
    for (; fine && sent < (size_t)2 * FEED_MAX_LINE; sent += sizeof block)
        fine = feed_take(&feed, block, sizeof block, &error);
    assert_false(fine);
    assert_non_null(strstr(error.message, "a line of more than"));
    assert_true(feed.pending.length <= FEED_MAX_LINE);
    feed_free(&feed);
}

static void test_a_schedule_of_too_many_calls_is_refused(void **state)
{
    (void)state;
    static char many[] = "rank 0\nstream S\nrepeat 1048576\nlaunch k on S\nend\n";
    struct text text = {0};
    struct log_header large = header;
    large.schedule = many;
    large.schedule_length = sizeof many - 1;
    text_append(&text, HELLO);
    log_header_to_json(&large, &text);
    text_append(&text, "\n");
    refuses(text_string(&text), text.length, "1048577 calls");
    text_free(&text);
}

/* In whatever pieces it comes. */
/* The first steps of a lesson can be about what has not begun. */
static void test_a_step_before_anything_has_happened(void **state)
{
    (void)state;
    struct share *share = open_session("one");
    struct log log = {0};
    struct text heard = {0};
    share_begin(share, &header);
    log_append(&log, &(struct record){.time = TIME_NONE, .kind = RECORD_STEP, .rank = NONE, .number = 0});
    share_show(share, &log, 1, 0);
    int follower = join("one", ENDING_FOLLOW);
    share_pump(share);
    assert_true(receive(follower, &heard));
    struct feed feed;
    int runs = 0;
    read_all(&feed, &runs, &heard);
    assert_int_equal(feed.run->log.count, 1);
    assert_true(feed.run->log.records[0].time == TIME_NONE);
    feed_free(&feed);
    share_close(share);
    close(follower);
    log_free(&log);
    text_free(&heard);
}

static void test_pieces(void **state)
{
    (void)state;
    struct text text = {0};
    struct error error = {0};
    int runs = 0;
    text_append(&text, HELLO);
    log_header_to_json(&header, &text);
    text_append(
        &text, "\n{\"t\":0,\"kind\":\"step\",\"step\":0}\n{\"look\":1,\"answered\":3}\n{\"end\":\"over\"}\n");
    struct feed feed = {.begun = ignore_run, .context = &runs};
    for (size_t i = 0; i < text.length; i++)
        assert_true(feed_take(&feed, text.bytes + i, 1, &error));
    assert_int_equal(feed.run->log.count, 1);
    assert_int_equal(feed.position, 1);
    assert_int_equal(feed.answered, 3);
    assert_int_equal(feed.began, 5);
    assert_true(feed.is_over);
    assert_int_equal(runs, 1);
    feed_free(&feed);
    text_free(&text);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
#define WITH_RUNTIME(test) cmocka_unit_test_setup_teardown(test, make_runtime, remove_runtime)
    const struct CMUnitTest tests[] = {
        WITH_RUNTIME(test_folder_and_sockets_are_the_users_alone),
        WITH_RUNTIME(test_a_folder_that_others_can_use_is_refused),
        WITH_RUNTIME(test_a_runtime_folder_of_others_is_not_used),
        WITH_RUNTIME(test_one_name_is_one_session),
        WITH_RUNTIME(test_what_a_dead_session_left_is_cleared_away),
        WITH_RUNTIME(test_followers_get_the_whole_story),
        WITH_RUNTIME(test_a_run_that_begins_anew_replaces_the_one_before),
        WITH_RUNTIME(test_a_follower_that_says_anything_is_dropped),
        WITH_RUNTIME(test_only_the_notes_ask_for_keys),
        WITH_RUNTIME(test_one_that_stands_still_is_dropped),
        WITH_RUNTIME(test_as_many_follow_as_can),
        WITH_RUNTIME(test_another_user_is_refused),
        WITH_RUNTIME(test_unknown_groups_are_refused),
        WITH_RUNTIME(test_a_step_before_anything_has_happened),
        WITH_RUNTIME(test_what_sharing_opens),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_what_no_session_says_is_refused),
        cmocka_unit_test(test_what_is_kept_has_bounds),
        cmocka_unit_test(test_a_schedule_of_too_many_calls_is_refused),
        cmocka_unit_test(test_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
