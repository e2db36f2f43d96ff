/* `handoff replay`: a saved log. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command/command.h"
#include "command/fullscreen.h"
#include "command/message.h"
#include "command/options.h"
#include "command/playback.h"
#include "command/report.h"
#include "lesson/library.h"
#include "log/log.h"
#include "screen/terminal.h"

/* Prints the log as `handoff run` printed the run. */
static int replay_as_text(const struct log_input *input, bool ascii)
{
    struct view *view = view_open(input->order);
    const struct print print = print_open(view, !output_is_utf8(ascii));
    for (size_t i = 0; i < input->log.count && !ferror(stdout); i++) {
        view_apply(view, &input->log.records[i]);
        report_record(&print, &input->log.records[i]);
    }
    report_end(&print, &input->log.header);
    if (input->warning.message[0] != '\0')
        complain("replay", "%s", input->warning.message);
    int status = view->outcome == OUTCOME_FINISHED ? EXIT_FINE : EXIT_HAZARD;
    view_close(view);
    return status;
}

static bool has_steps(const struct log *log)
{
    for (size_t i = 0; i < log->count; i++)
        if (log->records[i].kind == RECORD_STEP)
            return true;
    return false;
}

/* The lesson whose text is in the log, for the steps that are in it; NULL where there are none. */
static struct lesson *read_lesson(const struct log *log)
{
    struct diagnostics faults = {0};
    const struct log_header *header = &log->header;
    struct lesson *lesson = NULL;
    if (header->lesson && has_steps(log))
        lesson = lesson_parse(header->file, header->lesson, header->lesson_length, &faults);
    diagnostics_free(&faults);
    return lesson;
}

static int replay_in_full_screen(const struct log_input *input, const char *path, bool ascii)
{
    if (!fullscreen_open("replay", "replay --text", path, ascii))
        return EXIT_BAD_INPUT;
    struct walk walk;
    struct lesson *lesson = read_lesson(&input->log);
    walk_open(&walk, input->log.header.file, lesson, input->schedule);
    walk.is_replay = true;
    walk_begin_run(&walk, input->order, &input->log, input->program->variants);
    if (input->warning.message[0] != '\0')
        walk_notice(&walk, true, "%s", input->warning.message);
    int signal = playback_run(&walk);
    terminal_close();
    walk_close(&walk);
    lesson_free(lesson);
    return signal ? 128 + signal : EXIT_FINE;
}

static int replay_run(int argc, char **argv)
{
    const char *path = NULL;
    bool text = false, ascii = false, no_mouse = false;
    const struct option options[] = {
        {"--text", NULL, &text}, {"--ascii", NULL, &ascii}, {"--no-mouse", NULL, &no_mouse}};
    const struct arguments arguments = {"replay", options, 3, &path, 1};
    if (!arguments_parse(&arguments, argc, argv))
        return EXIT_BAD_INPUT;
    if (!path) {
        complain("replay", "a log is missing (see handoff replay --help)");
        return EXIT_BAD_INPUT;
    }
    if (source_is_standard_input(path)) {
        complain("replay",
                 "the keyboard steps through a log, so that comes from a file and not from standard "
                 "input");
        return EXIT_BAD_INPUT;
    }
    terminal_use_mouse(!no_mouse);
    struct log_input input;
    struct error error;
    if (!log_read(&input, path, &error)) {
        complain("replay", "%s", error.message);
        return EXIT_BAD_INPUT;
    }
    int status = text || !isatty(STDOUT_FILENO) ? replay_as_text(&input, ascii)
                                                : replay_in_full_screen(&input, path, ascii);
    log_input_free(&input);
    return status;
}

const struct command command_replay = {
    .name = "replay",
    .summary = "look at a saved log again, forwards and backwards",
    .usage =
        "usage: handoff replay LOG [OPTION ...]\n"
        "\n"
        "Shows a log that `handoff run --log LOG` saved.\n"
        "In a terminal: in full screen, from the beginning; n and b go on and back, r runs and pauses.\n"
        "\n"
        "  --text   print it as `handoff run` did; also where the output is no terminal\n"
        "  --ascii  ASCII only; also taken from the locale\n"
        "  --no-mouse  leave the mouse to the terminal\n"
        "\n"
        "Exit status: 0 the run finished, 1 it was stuck, failed or cut short, 2 the log cannot be read.\n",
    .run = replay_run,
};
