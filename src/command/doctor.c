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

static void append_machine(struct text *out)
{
    struct text found = {0};
    struct error error;
    const char *label = "CUDA";
    if (!probe_cuda(&found, &error)) {
        append_label(label, out);
        append_untrusted(error.message, out);
        text_append(out, "\n");
    }
    char *next = found.bytes;
    for (char *line = next; next && *line; line = next) {
        next += strcspn(line, "\n");
        append_label(label, out);
        text_append_visible(out, line, (size_t)(next - line));
        text_append(out, "\n");
        next += *next == '\n';
        label = "";
    }
    text_free(&found);
}

static void append_backend(struct text *out)
{
    append_label("backend", out);
    text_append(out, "a walk runs on the simulator: this program was built without the CUDA backend\n");
}

static int doctor_run(int argc, char **argv)
{
    const struct arguments arguments = {.command = "doctor"};
    if (!arguments_parse(&arguments, argc, argv))
        return EXIT_BAD_INPUT;
    struct text out = {0};
    append_label("handoff", &out);
    text_append(&out, HANDOFF_VERSION "\n");
    append_terminal(&out);
    append_locale(&out);
    append_lessons(&out);
    append_machine(&out);
    append_backend(&out);
    fputs(text_string(&out), stdout);
    text_free(&out);
    return EXIT_FINE;
}

const struct command command_doctor = {
    .name = "doctor",
    .summary = "what this machine has, and which backend a walk uses",
    .usage =
        "usage: handoff doctor\n"
        "\n"
        "Says what handoff finds here: terminal, locale, lessons, CUDA driver, GPUs and NCCL, and which\n"
        "backend a walk uses and why. It changes nothing.\n"
        "\n"
        "Exit status: 0.\n",
    .run = doctor_run,
};
