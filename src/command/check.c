/* `handoff check`: the verdict on a schedule. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/message.h"
#include "command/options.h"
#include "command/prepare.h"
#include "command/rewrite.h"
#include "command/witness.h"
#include "log/log.h"
#include "order/check.h"
#include "order/fix.h"
#include "order/notes.h"
#include "order/portable.h"

struct check {
    const char *file, *variants, *witness_path;
    bool json, notes, fix, write;
    struct prepared prepared;
    struct findings findings;
    struct fixes fixes; /* with --fix, and for --json where it does not take long */
};

/* Each change is checked, so to look for one takes as long as some hundred checks. */
enum { CALLS_TO_FIX_UNASKED = 1000 };

static uint32_t left_out(const struct findings *findings)
{
    uint32_t total = 0;
    for (int kind = 0; kind < FINDING_KIND_COUNT; kind++)
        total += findings->totals[kind];
    return total - findings->count;
}

static uint32_t file_line(const struct check *check, uint32_t call)
{
    const struct statement *statement = call_statement(check->prepared.program, call);
    return schedule_first_line(check->prepared.source.schedule) + statement->line - 1;
}

static void append_file(const struct check *check, struct text *out)
{
    text_append_visible(out, check->prepared.source.file, strlen(check->prepared.source.file));
}

static void append_finding(const struct check *check, const struct finding *finding, struct text *out)
{
    const struct statement *statement = call_statement(check->prepared.program, finding->call);
    append_file(check, out);
    text_format(out, ":%u:%u: %s: %s: %s\n", file_line(check, finding->call), statement->column,
                severity_name(finding_severity(finding->kind)), finding_kind_name(finding->kind),
                finding->text);
}

static void append_left_out(const struct check *check, struct text *out)
{
    uint32_t counts[FINDING_KIND_COUNT];
    memcpy(counts, check->findings.totals, sizeof counts);
    for (uint32_t i = 0; i < check->findings.count; i++)
        counts[check->findings.items[i].kind]--;
    for (enum finding_kind kind = 0; kind < FINDING_KIND_COUNT; kind++) {
        if (counts[kind] == 0)
            continue;
        append_file(check, out);
        text_format(out, ": %u%s more of kind %s are not shown\n", counts[kind],
                    check->findings.totals[kind] == FINDING_COUNT_LIMIT ? " or" : "",
                    finding_kind_name(kind));
    }
}

static void append_patch(const struct check *check, const struct change *change, bool visible,
                         struct text *out)
{
    if (change->count > 0)
        schedule_patch(check->prepared.source.schedule, change->edits, change->count,
                       check->prepared.source.file, visible, out);
}

/* The findings that the changes leave. */
static void complain_of_unfixed(const struct check *check)
{
    for (uint32_t i = 0; i < check->findings.count; i++)
        if (!check->fixes.gone[i] && finding_severity(check->findings.items[i].kind) != SEVERITY_NOTE)
            complain("check", "no change is known that takes the %s of line %u away and brings nothing new",
                     finding_kind_name(check->findings.items[i].kind),
                     file_line(check, check->findings.items[i].call));
}

/* To a person silence would say nothing; a script gets it. */
static void append_all_is_well(const struct check *check, struct text *out)
{
    const struct program *program = check->prepared.program;
    uint32_t operations = 0;
    for (uint32_t i = 0; i < check->findings.count; i++)
        if (finding_severity(check->findings.items[i].kind) != SEVERITY_NOTE)
            return;
    for (uint32_t call = 0; call < program->call_count; call++)
        operations += call_is_operation(call_statement(program, call));
    const char *file = check->prepared.source.lesson ? check->file : check->prepared.source.file;
    text_append_visible(out, file, strlen(file));
    text_format(out, ": no hazard found (%u operation%s, %u rank%s)\n", operations,
                operations == 1 ? "" : "s", program->rank_count, program->rank_count == 1 ? "" : "s");
}

static void print_text(const struct check *check)
{
    struct text out = {0};
    for (uint32_t i = 0; i < check->findings.count; i++)
        append_finding(check, &check->findings.items[i], &out);
    append_left_out(check, &out);
    if (check->fix)
        append_patch(check, &check->fixes.all, isatty(STDOUT_FILENO), &out);
    if (isatty(STDOUT_FILENO))
        append_all_is_well(check, &out);
    fputs(text_string(&out), stdout);
    text_free(&out);
}

static json_t *place_to_json(const struct check *check, uint32_t call)
{
    const struct statement *statement = call_statement(check->prepared.program, call);
    return json_pack("{s:i, s:i}", "rank", (int)statement->rank, "line", (int)file_line(check, call));
}

/* A deadlock may go through as many calls; more are not listed. */
enum { OPERATION_LIMIT = 64 };

static json_t *finding_to_json(const struct check *check, uint32_t number)
{
    const struct finding *finding = &check->findings.items[number];
    const struct program *program = check->prepared.program;
    const struct statement *statement = call_statement(program, finding->call);
    uint32_t calls[OPERATION_LIMIT];
    uint32_t count = finding_calls(finding, calls, OPERATION_LIMIT);
    json_t *operations = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(operations, place_to_json(check, calls[i]));
    const char *buffer = finding->memory == NONE ? NULL : program->memories[finding->memory].name;
    const struct change *change = fixes_find(&check->fixes, number);
    struct text patch = {0};
    if (change)
        append_patch(check, change, false, &patch);
    json_t *object =
        json_pack("{s:s, s:s, s:i, s:i, s:i, s:s, s:o, s:s?, s:s?}", "kind", finding_kind_name(finding->kind),
                  "severity", severity_name(finding_severity(finding->kind)), "line",
                  (int)file_line(check, finding->call), "column", (int)statement->column, "rank",
                  (int)statement->rank, "text", finding->text, "operations", operations, "buffer", buffer,
                  "fix", change ? text_string(&patch) : NULL);
    text_free(&patch);
    return object;
}

static void print_json(const struct check *check)
{
    struct text file = {0};
    append_file(check, &file);
    json_t *findings = json_array();
    for (uint32_t i = 0; i < check->findings.count; i++)
        json_array_append_new(findings, finding_to_json(check, i));
    json_t *object =
        json_pack("{s:s, s:s?, s:s, s:o, s:i}", "file", text_string(&file), "variant", check->variants,
                  "verdict", findings_error_count(&check->findings) > 0 ? "hazard" : "ok", "findings",
                  findings, "left_out", (int)left_out(&check->findings));
    json_dumpf(object, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(object);
    text_free(&file);
}

/* What to show: the first error, or else the first finding of which there is a run. NULL where there is none.
 */
static const struct finding *finding_to_show(const struct findings *findings)
{
    const struct finding *shown = NULL;
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding_severity(finding->kind) == SEVERITY_ERROR)
            return finding;
        if (!shown && finding->kind != FINDING_UNPORTABLE)
            shown = finding;
    }
    return shown;
}

struct witness_log {
    struct log_writer *writer;
    const struct finding *unsaid; /* the log's first record says what it shows */
    struct error error;           /* the first that writing met */
    bool failed;
};

static void keep_record(struct witness_log *log, const struct record *record)
{
    if (!log->failed)
        log->failed = !log_writer_write(log->writer, record, &log->error);
}

static void keep_note(struct witness_log *log, int64_t time)
{
    struct text note = {0};
    text_format(&note, "shows a %s: %s", finding_kind_name(log->unsaid->kind), log->unsaid->text);
    const struct record record = {.kind = RECORD_NOTE,
                                  .time = time,
                                  .rank = NONE,
                                  .call = NONE,
                                  .bytes = note.bytes,
                                  .length = note.length};
    keep_record(log, &record);
    text_free(&note);
    log->unsaid = NULL;
}

static void take_record(void *context, const struct record *record)
{
    struct witness_log *log = context;
    if (log->unsaid)
        keep_note(log, record->time);
    keep_record(log, record);
}

static bool play_to_log(const struct check *check, const struct finding *finding, struct witness_log *log,
                        struct error *error)
{
    struct log_header header =
        prepared_header(&check->prepared, check->variants, "simulated", witness_is_eager(finding));
    log->failed = !log_writer_begin(log->writer, &header, &log->error);
    log_header_free(&header);
    log->unsaid = finding;
    const struct witness_options options = {check->prepared.order, finding, take_record, log};
    return witness_play(&options, error);
}

/* False where the log could not be written, or nothing to show was found: that was said. */
static bool write_witness(const struct check *check)
{
    const struct finding *finding = finding_to_show(&check->findings);
    struct witness_log log = {0};
    struct error error = {0};
    if (!finding) {
        complain("check", "nothing was found of which there is a run to show: no log is written");
        return true;
    }
    log.writer = log_writer_open(check->witness_path, &error);
    bool fine = log.writer && play_to_log(check, finding, &log, &error);
    struct error later = {0};
    struct error *first = log.failed ? &later : &log.error;
    if (log.writer && !log_writer_close(log.writer, first))
        log.failed = true;
    if (!fine || log.failed)
        complain("check", "%s", fine ? log.error.message : error.message);
    return fine && !log.failed;
}

/* With --write the file has the changes; false where it could not be written, and that was said. */
static bool write_fixes(const struct check *check)
{
    const struct change *all = &check->fixes.all;
    struct error error;
    if (all->count == 0 || rewrite_schedule(&check->prepared.source, all->edits, all->count, &error))
        return true;
    complain("check", "%s", error.message);
    return false;
}

/* Whether an error is left: with --write in the file as it is now. */
static bool errors_are_left(const struct check *check)
{
    if (!check->write || check->findings.count == 0 || left_out(&check->findings) > 0)
        return findings_error_count(&check->findings) > 0;
    for (uint32_t i = 0; i < check->findings.count; i++)
        if (!check->fixes.gone[i] && finding_severity(check->findings.items[i].kind) == SEVERITY_ERROR)
            return true;
    return false;
}

static void add_notes(struct check *check)
{
    if (!find_notes(check->prepared.order, &check->findings))
        complain("check", "so long a program is not searched whole for what it could do without");
    findings_sort(&check->findings, check->prepared.program);
}

static void find_fixes(struct check *check)
{
    if (check->findings.count == 0)
        return;
    if (!check->json)
        check->fixes = order_fix(check->prepared.order, &check->findings);
    else if (check->fix || check->prepared.program->call_count <= CALLS_TO_FIX_UNASKED)
        check->fixes = order_fix_each(check->prepared.order, &check->findings);
}

static int check_prepared(struct check *check)
{
    check->findings = order_check(check->prepared.order);
    find_unportable(check->prepared.order, &check->findings);
    if (check->notes)
        add_notes(check);
    if (check->fix || check->json)
        find_fixes(check);
    if (check->json)
        print_json(check);
    else
        print_text(check);
    if (check->fix)
        complain_of_unfixed(check);
    int status = errors_are_left(check) ? EXIT_HAZARD : EXIT_FINE;
    if (check->witness_path && !write_witness(check))
        status = EXIT_BAD_INPUT;
    if (check->write && !write_fixes(check))
        status = EXIT_BAD_INPUT;
    fixes_free(&check->fixes);
    findings_free(&check->findings);
    return status;
}

static int check_run(int argc, char **argv)
{
    struct check check = {0};
    const struct option options[] = {
        {"--variant", &check.variants, NULL}, {"--json", NULL, &check.json},
        {"--notes", NULL, &check.notes},      {"--fix", NULL, &check.fix},
        {"--write", NULL, &check.write},      {"--witness", &check.witness_path, NULL},
    };
    const struct arguments arguments = {.command = "check",
                                        .options = options,
                                        .option_count = sizeof options / sizeof *options,
                                        .operands = &check.file,
                                        .operand_limit = 1};
    if (!arguments_parse(&arguments, argc, argv))
        return EXIT_BAD_INPUT;
    if (!check.file) {
        complain("check", "which schedule or lesson? (see handoff check --help)");
        return EXIT_BAD_INPUT;
    }
    if (check.write && !check.fix) {
        complain("check", "--write goes with --fix: it applies what that prints");
        return EXIT_BAD_INPUT;
    }
    if (check.write && !rewrite_is_possible(check.file)) {
        complain("check",
                 "--write has no file to change where the schedule comes from %s; --fix alone prints "
                 "the patch",
                 source_is_standard_input(check.file) ? "standard input" : "a pipe");
        return EXIT_BAD_INPUT;
    }
    int status = EXIT_BAD_INPUT;
    if (prepare_to_check(&check.prepared, "check", check.file, check.variants))
        status = check_prepared(&check);
    prepared_free(&check.prepared);
    return status;
}

const struct command command_check = {
    .name = "check",
    .summary = "say whether a schedule is safe in every execution, and why not",
    .usage =
        "usage: handoff check [OPTION ...] LESSON or FILE\n"
        "\n"
        "Answers for every execution that the rules of ordering allow, not for one that happened. Prints a\n"
        "line for each finding: FILE:LINE:COLUMN: SEVERITY: KIND: what is wrong, and where the orders end\n"
        "that come near. Where there is none it says so on a terminal, and nothing elsewhere.\n" INPUT_USAGE
        "\n"
        "  --variant V[,V]  switch variants of the schedule on\n"
        "  --json           print the findings as one JSON object instead, each with a patch that takes it\n"
        "                   away where one is known (of a program of more than 1000 calls only with --fix)\n"
        "  --notes          add what the schedule could do without: events, waits and syncs without which\n"
        "                   every order holds, and independent work that only a stream keeps apart\n"
        "  --fix            print the smallest change that takes the findings away, as a patch\n"
        "  --write          with --fix: make the change in the file; the exit status is that of what is "
        "left\n"
        "  --witness LOG    save an execution that shows the first error, for `handoff replay LOG`\n"
        "\n"
        "Exit status: 0 where there is no error among the findings, 1 where there is one, 2 where the input\n"
        "is bad or a file cannot be written.\n",
    .run = check_run,
};
