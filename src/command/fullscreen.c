#include "command/fullscreen.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command/message.h"
#include "screen/frame.h"
#include "screen/terminal.h"

/* How long a moment stays before the next one, at speed 0. */
enum {
    SHORTEST_MS = 60,
    LONGEST_MS = 600,
    MS_OF_A_MILLISECOND = 120, /* a simulated millisecond takes so long */
    FRAME_MS = 40,             /* between two pictures while time goes by */
};

struct loop {
    struct walk *walk;
    const struct steering *steering;
    bool is_stale;  /* what is on the screen is not what the walk says */
    bool is_timing; /* the next moment is due at DEADLINE, and the one before was shown at BEGUN */
    int64_t begun, deadline;
    int64_t wake;  /* when the loop has to go round */
    bool has_more; /* keys may be waiting that no descriptor tells of */
};

static struct {
    const struct service *service; /* NULL where there is none */
    int loops;                     /* that lie over one another since it was given */
} serving;

void fullscreen_serve(const struct service *service)
{
    serving.service = service;
    serving.loops = 0;
}

int64_t fullscreen_clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* How long to wait before the walk's next moment. */
static int64_t pace_ms(const struct walk *walk)
{
    int64_t now = walk->view->now, then = walk->log->records[walk->position].time;
    int64_t wait = SHORTEST_MS;
    if (now != TIME_NONE && then != TIME_NONE && then > now) {
        int64_t gap = (then - now) / 1000000 * MS_OF_A_MILLISECOND;
        wait = gap < SHORTEST_MS ? SHORTEST_MS : gap > LONGEST_MS ? LONGEST_MS : gap;
    }
    return walk->speed >= 0 ? wait >> walk->speed : wait << -walk->speed;
}

void fullscreen_play(struct walk *walk, size_t position)
{
    walk->is_paced = true;
    walk->paced_to = position;
}

/* Begins to wait for the next moment. */
static void begin_moment(struct loop *loop, int64_t now)
{
    if (loop->is_timing)
        return;
    loop->is_timing = true;
    loop->begun = now;
    loop->deadline = now + pace_ms(loop->walk);
    loop->wake = now + FRAME_MS < loop->deadline ? now + FRAME_MS : loop->deadline;
}

/* Lets the time between two moments be seen to go by. */
static void pass_time(struct loop *loop, int64_t now)
{
    if (now < loop->wake)
        return;
    walk_pass_time(loop->walk, (double)(now - loop->begun) / (double)(loop->deadline - loop->begun));
    loop->is_stale = true;
    loop->wake = now + FRAME_MS < loop->deadline ? now + FRAME_MS : loop->deadline;
}

/* Shows the moments whose time has come. Returns whether the last one has come: then something else may be
 * waiting for that. */
static bool keep_pace(struct loop *loop)
{
    struct walk *walk = loop->walk;
    while (walk->is_paced) {
        size_t end = walk->paced_to < walk->log->count ? walk->paced_to : walk->log->count;
        if (walk->position >= end) {
            walk->is_paced = false;
            loop->is_timing = false;
            return true;
        }
        int64_t now = fullscreen_clock_ms();
        begin_moment(loop, now);
        if (now < loop->deadline) {
            pass_time(loop, now);
            return false;
        }
        size_t next = walk_moment_after(walk);
        walk_seek(walk, next < end ? next : end);
        loop->is_stale = true;
        loop->is_timing = false;
    }
    loop->is_timing = false;
    return false;
}

static void draw(struct loop *loop)
{
    frame_draw(loop->walk, terminal_canvas());
    terminal_show();
    loop->is_stale = false;
    if (loop->steering->shown)
        loop->steering->shown(loop->steering->context);
}

/* Sleeps until there is something to do. */
static void sleep_in_poll(const struct loop *loop)
{
    struct pollfd fds[TERMINAL_DESCRIPTORS + FULLSCREEN_DESCRIPTORS + 1];
    int count = 0, timeout_ms = -1;
    if (loop->steering->descriptors)
        count = loop->steering->descriptors(loop->steering->context, fds + TERMINAL_DESCRIPTORS, &timeout_ms);
    terminal_descriptors(fds);
    if (serving.service)
        fds[TERMINAL_DESCRIPTORS + count++] = (struct pollfd){
            .fd = serving.service->descriptor(serving.service->context, &timeout_ms), .events = POLLIN};
    if (loop->is_timing) {
        int64_t left = loop->wake - fullscreen_clock_ms();
        int until = left > 0 ? (int)left : 0;
        timeout_ms = timeout_ms < 0 || until < timeout_ms ? until : timeout_ms;
    }
    poll(fds, (nfds_t)(TERMINAL_DESCRIPTORS + count), timeout_ms);
}

/* Each key that the command obeys is shown before the next is taken. False when the reader leaves or the
 * terminal is gone. */
static bool take_events(struct loop *loop, int *status)
{
    loop->has_more = false;
    for (;;) {
        uint32_t key;
        enum terminal_event event = terminal_event(&key);
        if (event == TERMINAL_NOTHING)
            return true;
        if (event == TERMINAL_GONE) {
            *status = terminal_signal() ? terminal_signal() : SIGHUP;
            return false;
        }
        loop->is_stale = true;
        if (event != TERMINAL_KEY && event != TERMINAL_CLICK)
            continue;
        enum action action =
            event == TERMINAL_KEY ? walk_key(loop->walk, key) : walk_click(loop->walk, terminal_clicked());
        if (action == ACTION_QUIT)
            return false;
        loop->has_more = action != ACTION_NONE && action != ACTION_REDRAW;
        if (action == ACTION_REDRAW)
            terminal_redraw();
        else if (loop->has_more)
            loop->steering->obey(loop->steering->context, action);
        loop->is_timing = loop->is_timing && loop->walk->is_paced;
        if (loop->has_more)
            return true;
    }
}

static int run(struct walk *walk, const struct steering *steering)
{
    struct loop loop = {.walk = walk, .steering = steering, .is_stale = true};
    int status = 0;
    for (;;) {
        if (serving.service)
            serving.service->pump(serving.service->context, serving.loops > 1);
        enum news news = steering->pump ? steering->pump(steering->context) : NEWS_NONE;
        if (news == NEWS_END)
            return 0;
        loop.is_stale = loop.is_stale || news == NEWS_SOME;
        bool is_shown = keep_pace(&loop);
        if (loop.is_stale)
            draw(&loop);
        if (!is_shown && !loop.has_more)
            sleep_in_poll(&loop);
        if (!take_events(&loop, &status))
            return status;
    }
}

int fullscreen_run(struct walk *walk, const struct steering *steering)
{
    serving.loops++;
    int status = run(walk, steering);
    serving.loops--;
    return status;
}

/* Until the process behind the descriptor has ended. */
static void serve_until_end_of(int process)
{
    struct pollfd fds[2] = {{.fd = process, .events = POLLIN}};
    while (fds[0].revents == 0) {
        int timeout_ms = -1;
        serving.service->pump(serving.service->context, true);
        fds[1] = (struct pollfd){.fd = serving.service->descriptor(serving.service->context, &timeout_ms),
                                 .events = POLLIN};
        if (poll(fds, 2, timeout_ms) < 0 && errno != EINTR)
            return;
    }
}

int fullscreen_await(pid_t child)
{
    int status = -1;
    int process = serving.service ? (int)syscall(SYS_pidfd_open, child, 0) : -1;
    if (process >= 0) { /* else nobody is served meanwhile: a kernel before 5.3 */
        serve_until_end_of(process);
        close(process);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

bool fullscreen_open(const char *command, const char *instead, const char *argument, bool ascii)
{
    struct error error;
    if (terminal_open(ascii, &error))
        return true;
    complain(command, "%s; use `handoff %s %s` instead", error.message, instead, argument);
    return false;
}
