/* `handoff replay`: a saved log. */
#include <stdio.h>
#include <stdlib.h>

#include "command/command.h"
#include "command/message.h"
#include "command/options.h"
#include "command/report.h"
#include "log/log.h"

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

static int replay_run(int argc, char **argv)
{
    const char *path = NULL;
    bool text = false, ascii = false;
    const struct option options[] = {{"--text", NULL, &text}, {"--ascii", NULL, &ascii}};
    const struct arguments arguments = {"replay", options, 2, &path, 1};
    if (!arguments_parse(&arguments, argc, argv))
        return EXIT_BAD_INPUT;
    if (!path) {
        complain("replay", "a log is missing (see handoff replay --help)");
        return EXIT_BAD_INPUT;
    }
    struct log_input input;
    struct error error;
    if (!log_read(&input, path, &error)) {
        complain("replay", "%s", error.message);
        return EXIT_BAD_INPUT;
    }
    int status = replay_as_text(&input, ascii);
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
        "\n"
        "  --text   print it as `handoff run` did; also where the output is no terminal\n"
        "  --ascii  ASCII only; also taken from the locale\n"
        "\n"
        "Exit status: 0 the run finished, 1 it was stuck, failed or cut short, 2 the log cannot be read.\n",
    .run = replay_run,
};
