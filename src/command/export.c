/* `handoff export`: a schedule or a run as something to use elsewhere. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "command/command.h"
#include "command/message.h"
#include "command/options.h"
#include "command/prepare.h"
#include "command/simulate.h"
#include "export/c.h"
#include "export/perfetto.h"
#include "order/check.h"

struct export
{
    const char *file, *output, *log_path, *variants;
    bool eager;
    struct prepared prepared;
    struct text out;
};

/* One format. MAKE appends it to the export's text; where it fails, it says why and returns the command's
 * status. */
struct format {
    const char *name;
    int (*make)(struct export *export);
    bool takes_run; /* of the simulator, or a log's */
};

/* What is exported will do the same as the schedule: whoever takes it away should know. */
static void warn_of_hazards(const struct export *export)
{
    struct findings findings = order_check(export->prepared.order);
    for (uint32_t i = 0; i < findings.count; i++) {
        const struct finding *finding = &findings.items[i];
        if (finding_severity(finding->kind) == SEVERITY_ERROR)
            complain("export", "warning: the program will have this %s: %s", finding_kind_name(finding->kind),
                     finding->text);
    }
    findings_free(&findings);
}

static int make_c(struct export *export)
{
    if (!prepare_to_check(&export->prepared, "export", export->file, export->variants))
        return EXIT_BAD_INPUT;
    warn_of_hazards(export);
    export_c(export->prepared.order, export->prepared.source.file, &export->out, NULL);
    return EXIT_FINE;
}

/* Calls WRITE with the run of a log. */
static int with_log(struct export *export, void (*write)(struct export *, const struct export_run *))
{
    struct log_input input;
    struct error error;
    if (!log_read(&input, export->log_path, &error)) {
        complain("export", "%s", error.message);
        return EXIT_BAD_INPUT;
    }
    if (input.warning.message[0] != '\0')
        complain("export", "warning: %s", input.warning.message);
    write(export, &(struct export_run){input.order, &input.log});
    log_input_free(&input);
    return EXIT_FINE;
}

/* Calls WRITE with a run of the simulator, or with the log's that was named. */
static int with_run(struct export *export, void (*write)(struct export *, const struct export_run *))
{
    if (export->log_path)
        return with_log(export, write);
    if (!prepare(&export->prepared, "export", export->file, export->variants))
        return EXIT_BAD_INPUT;
    struct log log;
    struct error error;
    bool fine = simulate(&export->prepared, export->variants, export->eager, &log, &error);
    if (fine)
        write(export, &(struct export_run){export->prepared.order, &log});
    else
        complain("export", "%s", error.message);
    log_free(&log);
    return fine ? EXIT_FINE : EXIT_HAZARD;
}

static void write_perfetto(struct export *export, const struct export_run *run)
{
    export_perfetto(run, &export->out);
}

static int make_perfetto(struct export *export)
{
    return with_run(export, write_perfetto);
}

static const struct format formats[] = {
    {"c", make_c, false},
    {"perfetto", make_perfetto, true},
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
static bool write_output(const struct export *export)
{
    struct error error;
    if (!export->output || strcmp(export->output, "-") == 0) {
        fwrite(text_string(&export->out), 1, export->out.length, stdout);
        return true; /* main() looks whether it could be written */
    }
    if (file_replace(export->output, text_string(&export->out), export->out.length, &error))
        return true;
    complain("export", "%s", error.message);
    return false;
}

static int export_as(struct export *export, const struct format *format)
{
    int status = format->make(export);
    if (status == EXIT_FINE && !write_output(export))
        status = EXIT_HAZARD;
    prepared_free(&export->prepared);
    text_free(&export->out);
    return status;
}

static bool reject(const char *option, const struct format *format)
{
    complain("export", "%s is not for the format %s", option, format->name);
    return false;
}

/* Whether the options go with the format and with one another. */
static bool options_fit(const struct export *export, const struct format *format)
{
    if (export->log_path && !format->takes_run)
        return reject("--log", format);
    if (export->eager && !format->takes_run)
        return reject("--eager", format);
    if (export->log_path && (export->file || export->variants || export->eager)) {
        complain("export", "--log names the run: no lesson, file, --variant or --eager goes with it");
        return false;
    }
    if (!export->log_path && !export->file) {
        complain("export", "a lesson or a file is missing (see handoff export --help)");
        return false;
    }
    return true;
}

static int export_run(int argc, char **argv)
{
    struct export export = {0};
    const char *operands[2] = {NULL, NULL};
    const struct option options[] = {
        {"--variant", &export.variants, NULL},
        {"--log", &export.log_path, NULL},
        {"--eager", NULL, &export.eager},
        {"-o", &export.output, NULL},
    };
    const struct arguments arguments = {"export", options, sizeof options / sizeof *options, operands, 2};
    if (!arguments_parse(&arguments, argc, argv))
        return EXIT_BAD_INPUT;
    if (!operands[0]) {
        complain("export", "a format is missing (see handoff export --help)");
        return EXIT_BAD_INPUT;
    }
    const struct format *format = find_format(operands[0]);
    export.file = operands[1];
    if (!format || !options_fit(&export, format))
        return EXIT_BAD_INPUT;
    return export_as(&export, format);
}

const struct command command_export = {
    .name = "export",
    .summary = "take a schedule or a run elsewhere: a CUDA program, a trace",
    .usage =
        "usage: handoff export FORMAT LESSON or FILE [OPTION ...]\n"
        "       handoff export FORMAT --log LOG [OPTION ...]\n"
        "\n"
        "Formats:\n"
        "  c         a complete CUDA and NCCL program for exactly this schedule, for nvcc: name it .cu\n"
        "  perfetto  a run as trace-event JSON, for ui.perfetto.dev\n"
        "\n"
        "  -o FILE          write to FILE; to standard output without it, or where FILE is -\n"
        "  --variant V[,V]  switch variants of the schedule on\n"
        "  --log LOG        the run that `handoff run --log LOG` saved, instead of one of the simulator\n"
        "  --eager          the simulator's lenient side, as with `handoff run`\n"
        "\n"
        "Exit status: 0 fine, 1 it could not be made or written, 2 bad input.\n",
    .run = export_run,
};
