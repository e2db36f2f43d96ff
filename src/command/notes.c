/* `handoff notes`: the presenter's own view of a session, and its keys. */
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "command/command.h"
#include "command/fullscreen.h"
#include "command/options.h"
#include "command/watch.h"
#include "screen/notes.h"
#include "screen/terminal.h"
#include "share/listen.h"
#include "share/server.h"

enum { PAGE_LINES = 10 };

static int64_t elapsed(const struct watch *watch)
{
    int64_t now = time(NULL), began = watch->join.feed.began;
    return now > began ? now - began : 0;
}

/* What is asked for is a byte; a session that takes none at the moment does without. */
static void ask_for(const struct watch *watch, uint32_t key)
{
    char byte = (char)key;
    ssize_t sent = send(watch->join.descriptor, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)sent;
}

/* False where the key closes the notes. */
static bool take_key(const struct watch *watch, struct notes *notes, uint32_t key)
{
    switch (key_action(key)) {
    case ACTION_QUIT:
        return false;
    case ACTION_REDRAW:
        terminal_redraw();
        break;
    case ACTION_PAGE_DOWN:
        notes->scroll += PAGE_LINES;
        break;
    case ACTION_PAGE_UP:
        notes->scroll -= notes->scroll < PAGE_LINES ? notes->scroll : PAGE_LINES;
        break;
    case ACTION_DOWN:
        notes->scroll++;
        break;
    case ACTION_UP:
        notes->scroll -= notes->scroll > 0;
        break;
    default:
        if (key > 0 && key < 0x80 && strchr(SHARE_KEYS, (int)key) && watch->join.descriptor >= 0)
            ask_for(watch, key);
        break;
    }
    return true;
}

/* Sleeps until there is something new, or the next second begins, as long as the session goes on. */
static void sleep_in_poll(const struct watch *watch)
{
    struct pollfd fds[TERMINAL_DESCRIPTORS + 1];
    struct timespec now;
    terminal_descriptors(fds);
    clock_gettime(CLOCK_REALTIME, &now);
    fds[TERMINAL_DESCRIPTORS] = (struct pollfd){.fd = watch->join.descriptor, .events = POLLIN};
    poll(fds, TERMINAL_DESCRIPTORS + 1,
         watch->join.descriptor >= 0 ? (int)(1000 - now.tv_nsec / 1000000) : -1);
}

static int show_notes(struct watch *watch)
{
    struct notes notes = {.walk = &watch->walk, .end = ""};
    int64_t step = watch->walk.view->step;
    for (;;) {
        watch_pump(watch);
        if (watch->join.descriptor >= 0)
            notes.seconds = elapsed(watch);
        else if (notes.end[0] == '\0')
            notes.end = join_end(&watch->join);
        if (watch->walk.view->step != step)
            notes.scroll = 0;
        step = watch->walk.view->step;
        notes_draw(&notes, terminal_canvas());
        terminal_show();
        sleep_in_poll(watch);
        uint32_t key;
        for (enum terminal_event event; (event = terminal_event(&key)) != TERMINAL_NOTHING;) {
            if (event == TERMINAL_GONE)
                return terminal_signal() ? terminal_signal() : SIGHUP;
            if (event == TERMINAL_KEY && !take_key(watch, &notes, key))
                return 0;
        }
    }
}

static int notes_run(int argc, char **argv)
{
    const char *name = NULL;
    bool ascii = false;
    const struct option options[] = {{"--ascii", NULL, &ascii}};
    const struct arguments arguments = {"notes", options, 1, &name, 1};
    if (!arguments_parse(&arguments, argc, argv))
        return EXIT_BAD_INPUT;
    struct watch watch;
    int status = EXIT_BAD_INPUT;
    if (watch_open(&watch, "notes", name, ENDING_CONTROL) &&
        fullscreen_open("notes", "run --pace", "LESSON", ascii)) {
        int signal = show_notes(&watch);
        status = signal ? 128 + signal : EXIT_FINE;
        terminal_close();
    }
    watch_close(&watch);
    return status;
}

const struct command command_notes = {
    .name = "notes",
    .summary = "the presenter's notes beside a session, and its keys",
    .usage =
        "usage: handoff notes [NAME] [--ascii]\n"
        "\n"
        "For whoever presents, in a second terminal: the notes of the step that `handoff present` (or "
        "`learn\n"
        "--name NAME`) shows, the answers to its questions, the next step, and the time since the "
        "beginning.\n"
        "NAME can be left out where there is only one session.\n"
        "\n"
        "Keys: n next, b back, a shows the answer and r runs and pauses, all in the session; PgUp and PgDn\n"
        "scroll the notes, q closes them. Only the session's own user can do this, whoever else follows it.\n"
        "\n"
        "  --ascii  ASCII only; also taken from the locale\n"
        "\n"
        "Exit status: 0 left by q, 2 there is no such session, or no terminal.\n",
    .run = notes_run,
};
