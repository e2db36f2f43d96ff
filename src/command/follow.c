/* `handoff follow`: a session of another terminal, live and read-only. */
#include "command/command.h"
#include "command/fullscreen.h"
#include "command/options.h"
#include "command/playback.h"
#include "command/watch.h"
#include "screen/terminal.h"
#include "share/listen.h"

struct follow {
    struct watch watch;
    bool is_end_said;
};

static bool say_end(struct follow *follow)
{
    const struct join *join = &follow->watch.join;
    if (follow->is_end_said || join->descriptor >= 0)
        return false;
    follow->is_end_said = true;
    text_append(&follow->watch.walk.title, " ended");
    walk_notice(&follow->watch.walk, !join->feed.is_over, "%s b looks back, q leaves.", join_end(join));
    return true;
}

static enum news pump(void *context)
{
    struct follow *follow = context;
    bool any = watch_pump(&follow->watch);
    return say_end(follow) || any ? NEWS_SOME : NEWS_NONE;
}

static int descriptors(void *context, struct pollfd *fds, int *timeout_ms)
{
    const struct follow *follow = context;
    *timeout_ms = -1;
    fds[0] = (struct pollfd){.fd = follow->watch.join.descriptor, .events = POLLIN};
    return follow->watch.join.descriptor >= 0 ? 1 : 0;
}

static void obey(void *context, enum action action)
{
    struct follow *follow = context;
    playback_obey(&follow->watch.walk, action, "This is where the presenter is. b looks back.");
}

static int follow_joined(struct follow *follow, const char *name, bool ascii)
{
    if (!fullscreen_open("follow", "run", name ? name : "LESSON", ascii))
        return EXIT_BAD_INPUT;
    const struct steering steering = {follow, obey, descriptors, pump, NULL};
    int signal = fullscreen_run(&follow->watch.walk, &steering);
    terminal_close();
    return signal ? 128 + signal : EXIT_FINE;
}

static int follow_run(int argc, char **argv)
{
    const char *name = NULL;
    bool ascii = false, list = false;
    const struct option options[] = {{"--ascii", NULL, &ascii}, {"--list", NULL, &list}};
    const struct arguments arguments = {"follow", options, 2, &name, 1};
    if (!arguments_parse(&arguments, argc, argv))
        return EXIT_BAD_INPUT;
    if (list)
        return join_list("follow") ? EXIT_FINE : EXIT_BAD_INPUT;
    struct follow follow = {0};
    int status = EXIT_BAD_INPUT;
    if (watch_open(&follow.watch, "follow", name, ENDING_FOLLOW))
        status = follow_joined(&follow, name, ascii);
    watch_close(&follow.watch);
    return status;
}

const struct command command_follow = {
    .name = "follow",
    .summary = "watch a session of another terminal, live",
    .usage =
        "usage: handoff follow [NAME] [OPTION ...]\n"
        "\n"
        "Shows what `handoff present`, or `handoff learn --name NAME`, shows in another terminal, in this\n"
        "terminal's own size, from the beginning of its run on. NAME is one's own session, or USER/NAME for\n"
        "one that its user has opened to a group of yours; it can be left out where there is only one.\n"
        "Without NAME and with several: lists them.\n"
        "\n"
        "Nothing that is typed here reaches the session. b and n look back and on, End returns to where the\n"
        "presenter is, 1 to 9 answer questions for yourself, q leaves.\n"
        "\n"
        "  --list   print the sessions there are instead, a line each\n"
        "  --ascii  ASCII only; also taken from the locale\n"
        "\n"
        "Exit status: 0 left by q, 2 there is no such session, or no terminal.\n",
    .run = follow_run,
};
