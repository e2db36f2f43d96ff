/* `handoff export`: a schedule or a run as something to use elsewhere. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "command/command.h"
#include "command/message.h"
#include "command/options.h"
#include "command/prepare.h"
#include "command/simulate.h"
#include "export/c.h"
#include "export/cast.h"
#include "export/mermaid.h"
#include "export/perfetto.h"
#include "export/svg.h"
#include "order/check.h"
#include "screen/layout.h"

struct request {
    const char *file, *output, *log_path, *variants, *beside, *theme, *size, *steps;
    bool eager;
    struct text out;
};

/* Which options a format takes, besides those that every format does. */
enum { TAKES_RUN = 1, TAKES_THEME = 2, TAKES_SCREEN = 4, TAKES_EAGER = 8 };

/* One format. MAKE appends it to the request's text; where it fails, it says why and returns the command's
 * status. */
struct format {
    const char *name;
    int (*make)(struct request *request);
    unsigned takes;
};

/* What is exported will do the same as the schedule: whoever takes it away should know. */
static void warn_of_hazards(const struct order *order)
{
    enum { MOST_SAID = 3 };
    struct findings findings = order_check(order);
    uint32_t errors = 0;
    for (uint32_t i = 0; i < findings.count; i++) {
        const struct finding *finding = &findings.items[i];
        if (finding_severity(finding->kind) == SEVERITY_ERROR && errors++ < MOST_SAID)
            complain("export", "warning: the program will have this %s: %s", finding_kind_name(finding->kind),
                     finding->text);
    }
    if (errors > MOST_SAID)
        complain("export", "warning: and there is more that handoff check finds");
    findings_free(&findings);
}

static int make_c(struct request *request)
{
    struct prepared prepared;
    bool fine = prepare_to_check(&prepared, "export", request->file, request->variants);
    if (fine) {
        warn_of_hazards(prepared.order);
        export_c(prepared.order, prepared.source.file, &request->out, NULL);
    }
    prepared_free(&prepared);
    return fine ? EXIT_FINE : EXIT_BAD_INPUT;
}

/* A run that is exported: of the simulator, or one that was saved. */
struct taken {
    struct prepared prepared;
    struct log log;
    struct log_input input;
    struct export_run run;
};

static int take_log(struct taken *taken, const char *path)
{
    struct error error;
    if (!log_read(&taken->input, path, &error)) {
        complain("export", "%s", error.message);
        return EXIT_BAD_INPUT;
    }
    if (taken->input.warning.message[0] != '\0')
        complain("export", "warning: %s", taken->input.warning.message);
    taken->run = (struct export_run){taken->input.order, &taken->input.log};
    return EXIT_FINE;
}

static int simulate_run(struct taken *taken, const struct request *request, const char *variants)
{
    struct error error;
    if (!simulate(&taken->prepared, variants, request->eager, &taken->log, &error)) {
        complain("export", "%s", error.message);
        return EXIT_HAZARD;
    }
    taken->run = (struct export_run){taken->prepared.order, &taken->log};
    return EXIT_FINE;
}

/* The status of the command: where it is not EXIT_FINE, the reason was said. Given back by taken_free(). */
static int take_run(struct taken *taken, const struct request *request)
{
    *taken = (struct taken){0};
    if (request->log_path)
        return take_log(taken, request->log_path);
    return prepare(&taken->prepared, "export", request->file, request->variants)
               ? simulate_run(taken, request, request->variants)
               : EXIT_BAD_INPUT;
}

/* The same for a second run, of FIRST's schedule with the variants that stand beside. Given back before
 * FIRST. */
static int take_run_beside(struct taken *taken, const struct taken *first, const struct request *request)
{
    const char *variants = strcmp(request->beside, "none") == 0 ? NULL : request->beside;
    return prepare_beside(&taken->prepared, &first->prepared, "export", variants)
               ? simulate_run(taken, request, variants)
               : EXIT_BAD_INPUT;
}

static void taken_free(struct taken *taken)
{
    log_free(&taken->log);
    if (taken->input.program)
        log_input_free(&taken->input);
    prepared_free(&taken->prepared);
}

static int make_perfetto(struct request *request)
{
    struct taken taken;
    int status = take_run(&taken, request);
    if (status == EXIT_FINE)
        export_perfetto(&taken.run, &request->out);
    taken_free(&taken);
    return status;
}

static bool read_theme(const char *name, enum svg_theme *theme)
{
    static const char *const names[] = {[SVG_AUTO] = "auto", [SVG_LIGHT] = "light", [SVG_DARK] = "dark"};
    *theme = SVG_AUTO;
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            *theme = (enum svg_theme)i;
            return true;
        }
    if (name)
        complain("export", "--theme %s: expected auto, light or dark", name);
    return !name;
}

/* A lesson's title; else the file's name without its folder. */
static const char *title_of(const struct taken *taken)
{
    if (taken->prepared.source.lesson)
        return taken->prepared.source.lesson->title;
    const char *file = taken->run.log->header.file, *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

static int write_figure(struct request *request, const struct taken *taken, int count, enum svg_theme theme)
{
    const struct export_run *runs[] = {&taken[0].run, &taken[1].run};
    const struct svg_options options = {theme, title_of(taken)};
    struct error error;
    if (export_svg(runs, count, &options, &request->out, &error))
        return EXIT_FINE;
    complain("export", "%s", error.message);
    return EXIT_BAD_INPUT;
}

static int make_svg(struct request *request)
{
    struct taken taken[2] = {0};
    enum svg_theme theme;
    int count = request->beside ? 2 : 1, status = EXIT_BAD_INPUT;
    if (!read_theme(request->theme, &theme))
        return status;
    status = take_run(&taken[0], request);
    if (status == EXIT_FINE && count == 2)
        status = take_run_beside(&taken[1], &taken[0], request);
    if (status == EXIT_FINE)
        status = write_figure(request, taken, count, theme);
    taken_free(&taken[1]);
    taken_free(&taken[0]);
    return status;
}

/* Two numbers of at most four digits with SEPARATOR between them, and nothing else. Returns how many there
 * are: where the second and the separator are missing, 1; 0 for anything else. */
static int read_numbers(const char *text, char separator, int numbers[2])
{
    int count = 0;
    while (count < 2) {
        size_t digits = strspn(text, "0123456789");
        if (digits == 0 || digits > 4)
            return 0;
        numbers[count++] = (int)strtol(text, NULL, 10);
        text += digits;
        if (*text != separator)
            break;
        text += count < 2;
    }
    return *text == '\0' ? count : 0;
}

/* "80x24": columns, then rows. */
static bool read_size(const char *size, struct cast_options *options)
{
    int numbers[2] = {LAYOUT_MIN_COLUMNS, LAYOUT_MIN_ROWS};
    bool fine = !size || read_numbers(size, 'x', numbers) == 2;
    options->columns = numbers[0];
    options->rows = numbers[1];
    if (fine && options->columns >= LAYOUT_MIN_COLUMNS && options->columns <= CAST_MOST_COLUMNS &&
        options->rows >= LAYOUT_MIN_ROWS && options->rows <= CAST_MOST_ROWS)
        return true;
    complain("export", "--size %s: expected columns and rows from %dx%d to %dx%d", size, LAYOUT_MIN_COLUMNS,
             LAYOUT_MIN_ROWS, CAST_MOST_COLUMNS, CAST_MOST_ROWS);
    return false;
}

/* "4-6", or "4" */
static bool read_steps(const char *steps, struct cast_options *options)
{
    int numbers[2] = {1, LESSON_MAX_STEPS};
    int count = steps ? read_numbers(steps, '-', numbers) : 2;
    if (count == 1)
        numbers[1] = numbers[0];
    options->first = numbers[0];
    options->last = numbers[1];
    if (count > 0 && options->first >= 1 && options->first <= options->last &&
        options->last <= LESSON_MAX_STEPS)
        return true;
    complain("export", "--steps %s: expected a step's number, or two such as 4-6", steps);
    return false;
}

/* A recording is UTF-8 whatever the locale is; only where the system knows no such locale it is ASCII. */
static bool take_utf8(void)
{
    return output_is_utf8(false) || setlocale(LC_CTYPE, "C.UTF-8") != NULL;
}

/* Whether the walk has the first step that is asked for. */
static bool walk_has_steps(const struct taken *taken, const struct request *request, int first)
{
    const struct lesson *lesson = taken->prepared.source.lesson;
    size_t steps[LESSON_MAX_STEPS];
    size_t count = lesson ? lesson_walk(lesson, taken->prepared.variants, steps) : 0;
    if (!request->steps || (size_t)first <= count)
        return true;
    complain("export", "--steps %s: the walk has %zu steps", request->steps, count);
    return false;
}

static int make_cast(struct request *request)
{
    struct taken taken;
    struct cast_options options = {.ascii = !take_utf8()};
    if (!read_size(request->size, &options) || !read_steps(request->steps, &options))
        return EXIT_BAD_INPUT;
    int status = take_run(&taken, request);
    if (status == EXIT_FINE && !walk_has_steps(&taken, request, options.first))
        status = EXIT_BAD_INPUT;
    if (status == EXIT_FINE) {
        options.file = taken.prepared.source.file;
        options.lesson = taken.prepared.source.lesson;
        export_cast(&taken.run, &options, &request->out);
    }
    taken_free(&taken);
    return status;
}

static int make_mermaid(struct request *request)
{
    struct prepared prepared;
    struct error error;
    if (!prepare_to_check(&prepared, "export", request->file, request->variants)) {
        prepared_free(&prepared);
        return EXIT_BAD_INPUT;
    }
    struct findings findings = order_check(prepared.order);
    bool fine = export_mermaid(prepared.order, &findings, &request->out, &error);
    if (!fine)
        complain("export", "%s", error.message);
    findings_free(&findings);
    prepared_free(&prepared);
    return fine ? EXIT_FINE : EXIT_BAD_INPUT;
}

static const struct format formats[] = {
    {"c", make_c, 0},
    {"perfetto", make_perfetto, TAKES_RUN | TAKES_EAGER},
    {"svg", make_svg, TAKES_RUN | TAKES_EAGER | TAKES_THEME},
    {"cast", make_cast, TAKES_EAGER | TAKES_SCREEN},
    {"mermaid", make_mermaid, 0},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static const struct format *find_format(const char *name)
{
    const char *names[FORMAT_COUNT];
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (strcmp(name, formats[i].name) == 0)
            return &formats[i];
        names[i] = formats[i].name;
    }
    const char *nearest = nearest_name(name, names, FORMAT_COUNT);
    if (nearest)
        complain("export", "no format %s: did you mean %s?", name, nearest);
    else
        complain("export", "no format %s (see handoff export --help)", name);
    return NULL;
}

/* To the file that was named; to standard output where none was, or "-". */
static bool write_output(const struct request *request)
{
    struct error error;
    const char *bytes = text_string(&request->out);
    if (!request->output || strcmp(request->output, "-") == 0) {
        fwrite(bytes, 1, request->out.length, stdout);
        return true; /* main() looks whether it could be written */
    }
    if (file_replace(request->output, bytes, request->out.length, &error))
        return true;
    complain("export", "%s", error.message);
    return false;
}

/* Whether every option that was given is one of the format's. */
static bool options_belong(const struct request *request, const struct format *format)
{
    const struct {
        const char *name;
        bool given;
        unsigned takes;
    } options[] = {
        {"--log", request->log_path != NULL, TAKES_RUN},    {"--eager", request->eager, TAKES_EAGER},
        {"--theme", request->theme != NULL, TAKES_THEME},   {"--size", request->size != NULL, TAKES_SCREEN},
        {"--beside", request->beside != NULL, TAKES_THEME}, {"--steps", request->steps != NULL, TAKES_SCREEN},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given && !(format->takes & options[i].takes)) {
            complain("export", "%s is not for the format %s", options[i].name, format->name);
            return false;
        }
    return true;
}

static bool options_fit(const struct request *request, const struct format *format)
{
    if (!options_belong(request, format))
        return false;
    if (request->log_path && (request->file || request->variants || request->beside || request->eager)) {
        complain("export",
                 "--log names the run: no lesson, file, --variant, --beside or --eager goes with it");
        return false;
    }
    if (!request->log_path && !request->file) {
        complain("export", "a lesson or a file is missing (see handoff export --help)");
        return false;
    }
    return true;
}

static int export_run(int argc, char **argv)
{
    struct request request = {0};
    const char *operands[2] = {NULL, NULL};
    const struct option options[] = {
        {"--variant", &request.variants, NULL}, {"--log", &request.log_path, NULL},
        {"--eager", NULL, &request.eager},      {"--beside", &request.beside, NULL},
        {"--theme", &request.theme, NULL},      {"--size", &request.size, NULL},
        {"--steps", &request.steps, NULL},      {"-o", &request.output, NULL},
    };
    const struct arguments arguments = {"export", options, sizeof options / sizeof *options, operands, 2};
    if (!arguments_parse(&arguments, argc, argv))
        return EXIT_BAD_INPUT;
    if (!operands[0]) {
        complain("export", "a format is missing (see handoff export --help)");
        return EXIT_BAD_INPUT;
    }
    const struct format *format = find_format(operands[0]);
    request.file = operands[1];
    if (!format || !options_fit(&request, format))
        return EXIT_BAD_INPUT;
    int status = format->make(&request);
    if (status == EXIT_FINE && !write_output(&request))
        status = EXIT_HAZARD;
    text_free(&request.out);
    return status;
}

const struct command command_export = {
    .name = "export",
    .summary = "take a schedule or a run elsewhere: a CUDA program, a trace, a picture",
    .usage =
        "usage: handoff export FORMAT LESSON or FILE [OPTION ...]\n"
        "       handoff export FORMAT --log LOG [OPTION ...]\n"
        "\n" INPUT_USAGE "\n"
        "Formats:\n"
        "  c         a complete CUDA and NCCL program for exactly this schedule, for nvcc: name it .cu\n"
        "  perfetto  a run as trace-event JSON, for ui.perfetto.dev\n"
        "  svg       the timeline of a run as a figure, for slides and papers\n"
        "  cast      the walk of a lesson as a recording for asciinema, with a marker at each step\n"
        "  mermaid   what is guaranteed to happen before what, as a flowchart for Markdown\n"
        "\n"
        "  -o FILE          write to FILE; to standard output without it, or where FILE is -\n"
        "  --variant V[,V]  switch variants of the schedule on\n"
        "  --log LOG        the run that `handoff run --log LOG` saved, instead of one of the simulator\n"
        "  --eager          the simulator's lenient side, as with `handoff run`\n"
        "  --beside V[,V]   svg: a second run beside the first, on the same scale; none: without variants\n"
        "  --theme T        svg: light, dark, or auto (default): as the reader's system asks\n"
        "  --size CxR       cast: the columns and rows of the terminal (default 80x24)\n"
        "  --steps N[-N]    cast: only these steps of the walk\n"
        "\n"
        "Exit status: 0 fine, 1 it could not be made or written, 2 bad input.\n",
    .run = export_run,
};
