/* `handoff doctor`: what this machine has, and what a walk makes of it. */
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

#include "command/command.h"
#include "command/message.h"
#include "command/options.h"
#include "command/probe.h"
#include "device/cuda/module.h"
#include "lesson/library.h"

enum { LABEL_WIDTH = 10, SMALLEST_ROWS = 24, SMALLEST_COLUMNS = 80 };

static void append_label(const char *label, struct text *out)
{
    text_format(out, "%-*s ", LABEL_WIDTH, label);
}

static void append_untrusted(const char *string, struct text *out)
{
    text_append_visible(out, string, strlen(string));
}

static void append_colours(struct text *out)
{
    int failure;
    if (setupterm(NULL, STDOUT_FILENO, &failure) != OK) {
        text_append(out, ", which this machine does not know: no full screen");
        return;
    }
    int colours = tigetnum("colors");
    const char *address = tigetstr("cup");
    if (!address || address == (const char *)-1)
        text_append(out, ", which cannot place its cursor: no full screen");
    else if (colours > 0)
        text_format(out, ", %d colours", colours);
    else
        text_append(out, ", no colours");
    const char *no_colour = getenv("NO_COLOR");
    if (no_colour && *no_colour)
        text_append(out, " (none used: NO_COLOR is set)");
}

static void append_terminal(struct text *out)
{
    const char *name = getenv("TERM");
    struct winsize size;
    append_label("terminal", out);
    if (name && *name) {
        append_untrusted(name, out);
        append_colours(out);
    } else {
        text_append(out, "TERM is not set: no full screen");
    }
    text_append(out, "\n");
    append_label("", out);
    if (!isatty(STDIN_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
        text_append(out, "input or output is no terminal: `run` and `replay --text` work, the full screen "
                         "does not\n");
    else
        text_format(out, "%d columns, %d rows%s\n", size.ws_col, size.ws_row,
                    size.ws_col < SMALLEST_COLUMNS || size.ws_row < SMALLEST_ROWS
                        ? ": too small, the full screen needs 80 by 24"
                        : "");
}

static void append_locale(struct text *out)
{
    const char *name = setlocale(LC_CTYPE, NULL);
    append_label("locale", out);
    append_untrusted(name ? name : "C", out);
    text_append(out, ", ");
    append_untrusted(nl_langinfo(CODESET), out);
    text_append(out, output_is_utf8(false) ? "\n" : ": lines and marks are drawn in ASCII\n");
}

static void append_lessons(struct text *out)
{
    struct lesson_library library;
    struct error error;
    append_label("lessons", out);
    if (!library_open(&library, &error)) {
        append_untrusted(error.message, out);
    } else {
        text_format(out, "%zu in ", library.count);
        append_untrusted(library.folder, out);
    }
    text_append(out, "\n");
    library_free(&library);
}

/* Every line of what was found under one label. */
static void append_lines(const char *label, const struct text *text, struct text *out)
{
    for (const char *line = text_string(text), *next; *line; line = next) {
        size_t length = strcspn(line, "\n");
        append_label(label, out);
        text_append_visible(out, line, length);
        text_append(out, "\n");
        next = line + length + (line[length] == '\n');
        label = "";
    }
}

/* What a walk of two ranks would run on. */
static void append_gpus(unsigned count, const uint16_t *gpus, struct text *out)
{
    text_format(out, "a walk runs on CUDA: rank 0 on GPU %u, rank 1 on GPU %u%s\n", gpus[0], gpus[1],
                gpus[0] != gpus[1] ? ""
                : count == 1       ? ", which they share, because there is one"
                                   : ", which they share");
}

/* Returns whether the backend that was asked for can be had. */
static bool append_backend(const struct run_options *options, enum backend backend, struct text *out)
{
    struct text found = {0};
    struct error error = {0};
    uint16_t gpus[SCHEDULE_MAX_GPUS];
    unsigned count = probe_cuda(&found, &error);
    append_lines("CUDA", &found, out);
    text_free(&found);
    bool usable = count > 0 && cuda_choose_gpus(options->gpus, count, gpus, &error);
    append_label("backend", out);
    if (backend == BACKEND_SIM) {
        text_append(out, "a walk runs on the simulator: it was asked for\n");
    } else if (usable) {
        append_gpus(count, gpus, out);
    } else if (backend == BACKEND_CUDA) {
        append_untrusted(error.message, out);
        text_append(out, "\n");
    } else {
        text_append(out, "a walk runs on the simulator: ");
        append_untrusted(error.message, out);
        text_append(out, "\n");
    }
    return usable || backend != BACKEND_CUDA;
}

static int doctor_run(int argc, char **argv)
{
    struct run_options chosen = {0};
    enum backend backend;
    const struct option options[] = {{"--backend", &chosen.backend, NULL}, {"--gpus", &chosen.gpus, NULL}};
    const struct arguments arguments = {
        .command = "doctor", .options = options, .option_count = sizeof options / sizeof *options};
    if (!arguments_parse(&arguments, argc, argv) || !backend_from_name("doctor", chosen.backend, &backend) ||
        !gpus_are_numbers("doctor", chosen.gpus))
        return EXIT_BAD_INPUT;
    struct text out = {0};
    append_label("handoff", &out);
    text_append(&out, HANDOFF_VERSION "\n");
    append_terminal(&out);
    append_locale(&out);
    append_lessons(&out);
    bool available = append_backend(&chosen, backend, &out);
    fputs(text_string(&out), stdout);
    text_free(&out);
    return available ? EXIT_FINE : EXIT_NO_BACKEND;
}

const struct command command_doctor = {
    .name = "doctor",
    .summary = "what this machine has, and which backend a walk uses",
    .usage =
        "usage: handoff doctor [--backend B] [--gpus G[,G]]\n"
        "\n"
        "Says what handoff finds here: terminal, locale, lessons, CUDA driver, GPUs and NCCL, and which\n"
        "backend a walk uses and why. It changes nothing.\n"
        "\n"
        "  --backend B      auto (default), sim or cuda\n"
        "  --gpus G[,G]     the machine's GPU for each GPU number of a schedule, such as 1,0\n"
        "\n"
        "Exit status: 0, or 3 where the backend that was asked for cannot be had.\n",
    .run = doctor_run,
};
