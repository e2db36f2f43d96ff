/* `handoff run`: an execution without a screen. */
#include <stdio.h>

#include "command/command.h"
#include "command/interrupt.h"
#include "command/message.h"
#include "command/options.h"
#include "command/pace.h"
#include "command/prepare.h"
#include "command/report.h"
#include "log/log.h"
#include "log/result.h"

struct run {
    const char *file, *log_path;
    struct run_options options;
    enum backend backend;
    bool json, quiet, pace;

    struct prepared prepared;
    struct session *session;
    struct log_header header; /* see know_header() */
    struct log_writer *writer;
    struct log early;  /* the records before the header is known */
    struct view *view; /* NULL with --quiet: nothing is kept then */
    struct print print;
    enum outcome outcome;
    int64_t end;
    bool failed; /* the log cannot be written, and that was said */
};

/* The backend, and which GPUs it took, are known when the first communicator is ready. */
static void know_header(struct run *run)
{
    if (run->header.file)
        return;
    run->header = prepared_header(&run->prepared, run->options.variants, session_backend(run->session),
                                  run->options.eager);
    run->header.gpu_count = session_gpus(run->session, run->header.gpus);
}

static void begin_log(struct run *run, struct error *error)
{
    know_header(run);
    run->failed = !log_writer_begin(run->writer, &run->header, error);
    for (size_t i = 0; i < run->early.count && !run->failed; i++)
        run->failed = !log_writer_write(run->writer, &run->early.records[i], error);
    log_free(&run->early);
}

static void write_to_log(struct run *run, const struct record *record)
{
    struct error error;
    bool is_known = run->header.file || record->kind == RECORD_READY || record->kind == RECORD_OUTCOME;
    if (!is_known) {
        log_append(&run->early, record);
        return;
    }
    if (!run->header.file)
        begin_log(run, &error);
    if (!run->failed)
        run->failed = !log_writer_write(run->writer, record, &error);
    if (run->failed)
        complain("run", "%s", error.message);
}

/* Errors, and what the launcher says of one process. */
static void complain_of(const struct record *record)
{
    if (record->kind == RECORD_ERROR || (record->kind == RECORD_NOTE && record->rank != NONE))
        complain("run", "%.*s", (int)record->length, record->bytes);
}

static void take_record(void *context, const struct record *record)
{
    struct run *run = context;
    if (run->writer && !run->failed)
        write_to_log(run, record);
    if (record->kind == RECORD_OUTCOME) {
        run->outcome = (enum outcome)record->number;
        run->end = record->time;
    }
    if (run->view)
        view_apply(run->view, record);
    if (run->json || run->quiet)
        complain_of(record);
    else
        report_record(&run->print, record);
}

/* Moves the run on to its end. False where a signal, or output that nobody takes, ends it early. */
static bool move_to_end(struct run *run)
{
    const struct session_goal goal = {.kind = GOAL_END};
    session_set_goal(run->session, &goal);
    while (session_pump(run->session) != SESSION_ENDED) {
        struct pollfd descriptors[SESSION_MAX_DESCRIPTORS + 1];
        int timeout_ms;
        int count = session_descriptors(run->session, descriptors, &timeout_ms);
        descriptors[count] = (struct pollfd){.fd = interrupt_descriptor(), .events = POLLIN};
        poll(descriptors, (nfds_t)count + 1, timeout_ms);
        if (interrupt_signal() || run->failed || ferror(stdout))
            return false;
    }
    return !interrupt_signal();
}

static void report_json(const struct run *run)
{
    struct text out = {0};
    result_to_json(run->view, &run->header, &out);
    fwrite(text_string(&out), 1, out.length, stdout);
    text_clear(&out);
    if (run->outcome != OUTCOME_FINISHED)
        print_waiting(&run->print, &out);
    fputs(text_string(&out), stderr);
    text_free(&out);
}

static void report(const struct run *run)
{
    struct text line = {0};
    if (run->quiet) {
        print_outcome(run->outcome, run->end, &line);
        fputs(text_string(&line), stdout);
        text_free(&line);
    } else if (run->json) {
        report_json(run);
    } else {
        report_end(&run->print, &run->header);
    }
}

static bool open_session(struct run *run)
{
    struct error error;
    const struct session_options options = {
        .backend = run->backend,
        .eager = run->options.eager,
        .gpus = run->options.gpus,
        .report_values = !run->quiet || run->log_path,
        .sink = take_record,
        .context = run,
    };
    run->session = session_open(run->prepared.order, &options, &error);
    if (!run->session)
        complain("run", "%s", error.message);
    return run->session != NULL;
}

static bool open_outputs(struct run *run)
{
    struct error error = {0};
    bool fine = interrupt_catch(&error);
    if (!run->quiet) {
        run->view = view_open(run->prepared.order);
        run->print = print_open(run->view, !output_is_utf8(run->options.ascii));
    }
    if (fine && run->log_path)
        run->writer = log_writer_open(run->log_path, &error);
    fine = fine && (run->writer || !run->log_path);
    if (!fine)
        complain("run", "%s", error.message);
    return fine;
}

static void close_log(struct run *run)
{
    struct error error;
    if (run->writer && !log_writer_close(run->writer, &error) && !run->failed) {
        complain("run", "%s", error.message);
        run->failed = true;
    }
    run->writer = NULL;
    log_free(&run->early);
}

static int run_prepared(struct run *run)
{
    if (!open_session(run))
        return run->backend == BACKEND_CUDA ? EXIT_NO_BACKEND : EXIT_HAZARD;
    bool opened = open_outputs(run);
    bool ended = opened && move_to_end(run);
    if (ended)
        know_header(run);
    else
        session_let_out(run->session);
    bool unavailable = session_is_unavailable(run->session);
    session_close(run->session);
    close_log(run);
    if (interrupt_signal())
        return 128 + interrupt_signal();
    if (ended)
        report(run);
    if (!opened)
        return EXIT_BAD_INPUT;
    if (unavailable)
        return EXIT_NO_BACKEND;
    return ended && !run->failed && run->outcome == OUTCOME_FINISHED ? EXIT_FINE : EXIT_HAZARD;
}

static bool parse_arguments(struct run *run, int argc, char **argv)
{
    const struct option options[] = {
        RUN_OPTIONS(&run->options),     {"--log", &run->log_path, NULL}, {"--json", NULL, &run->json},
        {"--quiet", NULL, &run->quiet}, {"--pace", NULL, &run->pace},
    };
    const struct arguments arguments = {"run", options, sizeof options / sizeof *options, &run->file, 1};
    if (!arguments_parse(&arguments, argc, argv))
        return false;
    if (!run->file) {
        complain("run", "a lesson or a file is missing (see handoff run --help)");
        return false;
    }
    if (run->json && run->quiet) {
        complain("run", "--json and --quiet do not go together");
        return false;
    }
    if (run->pace && (run->json || run->quiet || run->log_path)) {
        complain("run", "--pace does not go together with --json, --quiet or --log");
        return false;
    }
    return backend_from_name("run", run->options.backend, &run->backend) &&
           gpus_are_numbers("run", run->options.gpus);
}

static int run_run(int argc, char **argv)
{
    struct run run = {0};
    if (!parse_arguments(&run, argc, argv))
        return EXIT_BAD_INPUT;
    int status = EXIT_BAD_INPUT;
    if (prepare(&run.prepared, "run", run.file, run.options.variants))
        status = run.pace ? pace_print(&run.prepared, &run.options, run.backend) : run_prepared(&run);
    view_close(run.view);
    log_header_free(&run.header);
    prepared_free(&run.prepared);
    return status;
}

const struct command command_run = {
    .name = "run",
    .summary = "run a lesson or a schedule, and print what happened",
    .usage =
        "usage: handoff run LESSON or FILE [OPTION ...]\n"
        "\n"
        "Runs the schedule of a lesson (by name or number) or of a file, and prints each event with its\n"
        "time, then the timeline (calls above, execution below), then the buffers of every rank, and\n"
        "where `handoff check` finds errors: one execution may go well all the same.\n" INPUT_USAGE
        "\n" RUN_OPTIONS_USAGE "  --log FILE       save the log, for `handoff replay`\n"
        "  --json           print what it came to as one JSON object instead\n"
        "  --quiet          print only the outcome\n"
        "  --pace           tell the walk step by step as a text, with its questions and answers: for a\n"
        "                   handout or a screen reader\n"
        "\n"
        "Such as: handoff run overlap --variant no-wait\n"
        "\n"
        "Exit status: 0 finished, 1 stuck or failed, 2 bad input, 3 no such backend here.\n",
    .run = run_run,
};
