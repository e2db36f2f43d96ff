/* `handoff explore`: every way in which a schedule can end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "command/command.h"
#include "command/explore_log.h"
#include "command/explore_report.h"
#include "command/interrupt.h"
#include "command/message.h"
#include "command/options.h"

struct wishes {
    const char *variants, *limit, *outcome, *witness_path;
    bool json, ascii;
    uint64_t execution_limit;
    uint32_t number; /* of the outcome to show, from 1; 0 where none was given */
};

/* The line on a terminal that says how far the search is. */
struct progress_line {
    bool is_shown;
    int64_t next_ms;
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

enum { PROGRESS_INTERVAL_MS = 200, PROGRESS_WIDTH = 78 };

static bool go_on(void *context, const struct exploration_progress *progress)
{
    struct progress_line *line = context;
    if (isatty(STDERR_FILENO) && now_ms() >= line->next_ms) {
        char words[PROGRESS_WIDTH + 1];
        snprintf(words, sizeof words, "%llu states, %llu executions, %u outcomes so far; Ctrl-C shows them",
                 (unsigned long long)progress->states, (unsigned long long)progress->executions,
                 progress->endings);
        fprintf(stderr, "\r%-*s", PROGRESS_WIDTH, words);
        line->is_shown = true;
        line->next_ms = now_ms() + PROGRESS_INTERVAL_MS;
    }
    return interrupt_signal() == 0;
}

static void clear_progress(const struct progress_line *line)
{
    if (line->is_shown)
        fprintf(stderr, "\r%*s\r", PROGRESS_WIDTH, "");
}

/* False where it is no whole number from 1 to LARGEST. */
static bool read_number(const char *text, uint64_t largest, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *number > 0 &&
           *number <= largest;
}

static bool read_wishes(struct wishes *wishes)
{
    uint64_t number = 0;
    if (wishes->limit && !read_number(wishes->limit, INT64_MAX, &wishes->execution_limit)) {
        complain("explore", "--limit %s: expected a number of executions, such as 1000", wishes->limit);
        return false;
    }
    if (wishes->outcome && !wishes->witness_path) {
        complain("explore", "--outcome says which outcome --witness LOG is to show");
        return false;
    }
    if (wishes->outcome && !read_number(wishes->outcome, UINT32_MAX, &number)) {
        complain("explore", "--outcome %s: expected an outcome's number, from 1", wishes->outcome);
        return false;
    }
    wishes->number = (uint32_t)number;
    return true;
}

/* Without a number: the first that is not as the calls' own order, if there is one. */
static bool write_witness(const struct wishes *wishes, const struct prepared *prepared,
                          const struct exploration *exploration)
{
    uint32_t count = exploration->ending_count, number = wishes->number;
    struct error error;
    if (number == 0)
        number = count > 1 ? 2 : 1;
    if (number > count) {
        complain("explore", "there is no outcome %u: %u were found", number, count);
        return false;
    }
    if (explore_write_log(prepared, wishes->variants, exploration, number - 1, wishes->witness_path, &error))
        return true;
    complain("explore", "%s", error.message);
    return false;
}

static void print_report(const struct wishes *wishes, const struct prepared *prepared,
                         const struct exploration *exploration)
{
    const struct explore_report report = {exploration, prepared->source.file, wishes->variants,
                                          !output_is_utf8(wishes->ascii)};
    struct text out = {0};
    if (wishes->json)
        explore_append_json(&report, &out);
    else
        explore_append_text(&report, &out);
    fwrite(text_string(&out), 1, out.length, stdout);
    text_free(&out);
}

static int explore_prepared(const struct wishes *wishes, const struct prepared *prepared)
{
    struct progress_line line = {.next_ms = now_ms() + PROGRESS_INTERVAL_MS};
    const struct explore_options options = {wishes->execution_limit, go_on, &line};
    struct error error;
    struct exploration *exploration =
        interrupt_catch(&error) ? explore(prepared->order, &options, &error) : NULL;
    clear_progress(&line);
    if (!exploration) {
        complain("explore", "%s: %s", prepared->source.file, error.message);
        return EXIT_BAD_INPUT;
    }
    print_report(wishes, prepared, exploration);
    bool fine =
        exploration->end == EXPLORED_ALL && exploration->ending_count == 1 && !exploration->endings[0].stuck;
    int status = fine ? EXIT_FINE : EXIT_HAZARD;
    if (wishes->json && exploration->end != EXPLORED_ALL) {
        struct text summary = {0};
        explore_append_summary(exploration, &summary);
        complain("explore", "%s", text_string(&summary));
        text_free(&summary);
    }
    if (wishes->witness_path && !write_witness(wishes, prepared, exploration))
        status = EXIT_BAD_INPUT;
    exploration_free(exploration);
    return status;
}

static int run_explore(int argc, char **argv)
{
    struct wishes wishes = {0};
    struct prepared prepared;
    const char *operand = NULL;
    const struct option options[] = {
        {"--variant", &wishes.variants, NULL}, {"--limit", &wishes.limit, NULL},
        {"--outcome", &wishes.outcome, NULL},  {"--witness", &wishes.witness_path, NULL},
        {"--json", NULL, &wishes.json},        {"--ascii", NULL, &wishes.ascii},
    };
    const struct arguments arguments = {"explore", options, sizeof options / sizeof *options, &operand, 1};
    if (!arguments_parse(&arguments, argc, argv) || !read_wishes(&wishes))
        return EXIT_BAD_INPUT;
    if (!operand) {
        complain("explore", "expected a lesson or a file (see handoff explore --help)");
        return EXIT_BAD_INPUT;
    }
    int status = EXIT_BAD_INPUT;
    if (prepare_to_check(&prepared, "explore", operand, wishes.variants))
        status = explore_prepared(&wishes, &prepared);
    prepared_free(&prepared);
    return status;
}

const struct command command_explore = {
    .name = "explore",
    .summary = "go through every execution of a schedule, and tell how it can end",
    .usage =
        "usage: handoff explore LESSON or FILE [--variant V[,V]] [--limit N] [--json] [--ascii]\n"
        "                       [--witness LOG [--outcome N]]\n"
        "\n"
        "Goes through all executions that the rules allow, and tells every outcome: what the buffers hold\n"
        "at the end and what host programs read, or where it gets stuck, and in how many executions.\n"
        "Executions that differ only in the order of steps which have nothing to do with one another count\n"
        "as one. A transfer's bytes move in two halves. Below it says where `handoff check` finds errors: a\n"
        "race may come to one outcome all the same. Docs: docs/explore.md.\n" INPUT_USAGE "\n"
        "  --variant V[,V]  switch variants of the schedule on (`handoff list` names a lesson's)\n"
        "  --limit N        stop after N executions, and say so; Ctrl-C stops as well\n"
        "  --json           one JSON object\n"
        "  --ascii          ASCII only; also taken from the locale\n"
        "  --witness LOG    write an execution as a log, for `handoff replay LOG`\n"
        "  --outcome N      the outcome that it shows; without it 2, or 1 where there is no other\n"
        "\n"
        "Exit status: 0 every execution finishes with the same values, 1 there is more than one outcome,\n"
        "something gets stuck, or the search stopped early, 2 bad input\n",
    .run = run_explore,
};
