/* `handoff follow`: a session of another terminal, live and read-only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/fullscreen.h"
#include "command/join.h"
#include "command/message.h"
#include "command/options.h"
#include "screen/terminal.h"
#include "share/listen.h"

struct follow {
    struct join join;
    struct walk walk;
    struct lesson *lesson;
    size_t led_to; /* where the walk stood when it was led last */
    bool has_walk;
    bool is_end_said;
};

static struct lesson *read_lesson(const struct log_header *header)
{
    struct diagnostics faults = {0};
    struct lesson *lesson =
        header->lesson ? lesson_parse(header->file, header->lesson, header->lesson_length, &faults) : NULL;
    diagnostics_free(&faults);
    return lesson;
}

/* What the reader chose stays, answers too where it is the same lesson. */
static void take_over(struct walk *walk, struct walk *before)
{
    walk->focus = before->focus;
    walk->overlay = before->overlay;
    if (!walk->lesson || !before->lesson || walk->lesson->length != before->lesson->length ||
        memcmp(walk->lesson->text, before->lesson->text, walk->lesson->length) != 0)
        return;
    int **answers = walk->answers;
    walk->answers = before->answers;
    before->answers = answers;
}

static void begin_run(void *context, struct log_input *run)
{
    struct follow *follow = context;
    struct lesson *lesson_before = follow->lesson;
    struct walk before = follow->walk;
    follow->lesson = read_lesson(&run->log.header);
    walk_open(&follow->walk, run->log.header.file, follow->lesson, run->schedule);
    text_format(&follow->walk.title, " (%s)", follow->join.title);
    follow->walk.is_replay = true;
    follow->walk.is_led = true;
    follow->led_to = 0;
    walk_begin_run(&follow->walk, run->order, &run->log, run->program->variants);
    if (follow->has_walk) {
        take_over(&follow->walk, &before);
        walk_close(&before);
    }
    lesson_free(lesson_before);
    follow->has_walk = true;
}

/* A reader who looks around is let; who comes to the end of what has happened is led again. */
static void lead(struct follow *follow)
{
    struct walk *walk = &follow->walk;
    const struct feed *feed = &follow->join.feed;
    bool stayed = walk->is_led && walk->position == follow->led_to;
    walk->is_led = !walk->is_paced && (stayed || walk_is_live(walk));
    if (!walk->is_led)
        return;
    walk_seek(walk, feed->position);
    walk_reveal(walk, feed->answered);
    follow->led_to = walk->position;
}

static void say_end(struct follow *follow)
{
    const char *end = join_end(&follow->join);
    if (follow->is_end_said || end[0] == '\0')
        return;
    follow->is_end_said = true;
    text_append(&follow->walk.title, " ended");
    walk_notice(&follow->walk, !follow->join.feed.is_over, "%s b looks back, q leaves.", end);
}

static enum news pump(void *context)
{
    struct follow *follow = context;
    bool any = join_pump(&follow->join);
    size_t before = follow->walk.position;
    bool was_led = follow->walk.is_led;
    lead(follow);
    say_end(follow);
    return any || follow->walk.position != before || follow->walk.is_led != was_led ? NEWS_SOME : NEWS_NONE;
}

static int descriptors(void *context, struct pollfd *fds, int *timeout_ms)
{
    const struct follow *follow = context;
    *timeout_ms = -1;
    fds[0] = (struct pollfd){.fd = follow->join.descriptor, .events = POLLIN};
    return follow->join.descriptor >= 0 ? 1 : 0;
}

static void obey(void *context, enum action action)
{
    struct follow *follow = context;
    struct walk *walk = &follow->walk;
    if (walk->is_paced) {
        walk->is_paced = false;
        if (action == ACTION_NEXT)
            walk_seek(walk, walk->paced_to);
    } else if (walk_is_live(walk)) {
        walk_notice(walk, false, "This is where the presenter is. b looks back.");
    } else if (action == ACTION_NEXT) {
        fullscreen_play(walk, walk_step_after(walk));
    } else if (action == ACTION_RUN) {
        fullscreen_play(walk, SIZE_MAX);
    }
}

static int follow_joined(struct follow *follow, const char *name, bool ascii)
{
    if (!fullscreen_open("follow", "run", name ? name : "LESSON", ascii))
        return EXIT_BAD_INPUT;
    const struct steering steering = {follow, obey, descriptors, pump, NULL};
    int signal = fullscreen_run(&follow->walk, &steering);
    terminal_close();
    return signal ? 128 + signal : EXIT_FINE;
}

static int follow_run(int argc, char **argv)
{
    const char *name = NULL;
    bool ascii = false;
    const struct option options[] = {{"--ascii", NULL, &ascii}};
    const struct arguments arguments = {"follow", options, 1, &name, 1};
    if (!arguments_parse(&arguments, argc, argv))
        return EXIT_BAD_INPUT;
    struct follow follow = {.join = {.descriptor = -1}};
    follow.join.feed.begun = begin_run;
    follow.join.feed.context = &follow;
    int status = EXIT_BAD_INPUT;
    if (join_open(&follow.join, "follow", name, ENDING_FOLLOW)) {
        status = follow_joined(&follow, name, ascii);
        join_close(&follow.join);
    }
    if (follow.has_walk)
        walk_close(&follow.walk);
    lesson_free(follow.lesson);
    return status;
}

const struct command command_follow = {
    .name = "follow",
    .summary = "watch a session of another terminal, live",
    .usage =
        "usage: handoff follow [NAME] [--ascii]\n"
        "\n"
        "Shows what `handoff present`, or `handoff learn --name NAME`, shows in another terminal, in this\n"
        "terminal's own size, from the beginning of its run on. NAME is one's own session, or USER/NAME for\n"
        "one that its user has opened to a group of yours; it can be left out where there is only one.\n"
        "Without NAME and with several: lists them.\n"
        "\n"
        "Nothing that is typed here reaches the session. b and n look back and on, End returns to where the\n"
        "presenter is, 1 to 9 answer questions for yourself, q leaves.\n"
        "\n"
        "  --ascii  ASCII only; also taken from the locale\n"
        "\n"
        "Exit status: 0 left by q, 2 there is no such session, or no terminal.\n",
    .run = follow_run,
};
