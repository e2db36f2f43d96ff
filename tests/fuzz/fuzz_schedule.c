/* Any bytes as a schedule: read, resolved without variants and with some that the bytes choose, and its order
 * built. What was read is said again, call by call, and has to be read as the same calls. */
#include <stdlib.h>
#include <string.h>

#include "order/order.h"
#include "schedule/edit.h"
#include "schedule/program.h"

/* Above this a program is only slow, not new. */
enum { CALLS_WORTH_ORDERING = 4096 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void append_calls(const struct program *program, uint32_t rank, struct text *text)
{
    for (uint32_t i = 0; i < program->ranks[rank].call_count; i++) {
        call_describe(program, program->ranks[rank].first_call + i, text);
        text_append(text, "\n");
    }
}

/* The program as a schedule without `repeat` and variants. */
static void append_program(const struct program *program, struct text *text)
{
    text_format(text, "ranks %u\n", program->rank_count);
    for (uint32_t i = 1; i < program->communicator_count; i++) {
        if (program->communicators[i].from_start)
            text_format(text, "comm %s\n", program->communicators[i].name);
    }
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        text_format(text, "rank %u on gpu %u\n", rank, program->ranks[rank].gpu);
        append_calls(program, rank, text);
    }
}

static bool has_long_line(const struct text *text)
{
    const char *line = text_string(text);
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        if (end - line > SCHEDULE_MAX_LINE)
            return true;
    }
    return false;
}

static void say_and_read_again(const struct program *program)
{
    struct text said = {0}, again = {0};
    struct diagnostics diagnostics = {0};
    append_program(program, &said);
    if (!has_long_line(&said)) {
        struct schedule *schedule = schedule_parse(text_string(&said), said.length, 1, &diagnostics);
        require(schedule != NULL);
        struct program *same = program_resolve(schedule, 0, &diagnostics);
        require(same != NULL);
        require(same->call_count == program->call_count);
        append_program(same, &again);
        require(strcmp(text_string(&said), text_string(&again)) == 0);
        program_free(same);
        schedule_free(schedule);
    }
    diagnostics_free(&diagnostics);
    text_free(&again);
    text_free(&said);
}

static void walk(const struct schedule *schedule, uint32_t variants)
{
    struct diagnostics diagnostics = {0};
    struct program *program = program_resolve(schedule, variants, &diagnostics);
    require((program != NULL) == (diagnostics.count == 0));
    if (program && program->call_count <= CALLS_WORTH_ORDERING) {
        say_and_read_again(program);
        order_free(order_build(program));
    }
    program_free(program);
    diagnostics_free(&diagnostics);
}

static void edit(const struct schedule *schedule)
{
    size_t length;
    const char *text = schedule_text(schedule, &length);
    struct text out = {0};
    schedule_edit(schedule, NULL, 0, &out);
    require(out.length == length && (length == 0 || memcmp(out.bytes, text, length) == 0));
    const struct edit edits[] = {{EDIT_INSERT, 1, "barrier", 0},
                                 {EDIT_REPLACE, schedule_line_count(schedule), "barrier", 0}};
    schedule_edit(schedule, edits, 2, &out);
    schedule_patch(schedule, edits, 2, "fuzz", true, &out);
    schedule_patch(schedule, edits, 2, "\"fuzz\n", false, &out);
    text_free(&out);
}

/* A set of variants that changes with every byte. */
static uint32_t chosen_variants(const uint8_t *bytes, size_t length)
{
    uint32_t hash = UINT32_C(2166136261);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * UINT32_C(16777619);
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct diagnostics diagnostics = {0};
    struct schedule *schedule = schedule_parse((const char *)bytes, length, 1, &diagnostics);
    require((schedule != NULL) == (diagnostics.count == 0));
    struct text text = {0};
    diagnostics_print(&diagnostics, "fuzz", &text);
    if (schedule) {
        walk(schedule, 0);
        if (schedule_variant_count(schedule) > 0)
            walk(schedule, chosen_variants(bytes, length));
        if (schedule_line_count(schedule) > 0)
            edit(schedule);
    }
    text_free(&text);
    schedule_free(schedule);
    diagnostics_free(&diagnostics);
    return 0;
}
