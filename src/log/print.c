#include "log/print.h"

#include <stdio.h>
#include <string.h>

#include "log/format.h"
#include "log/value.h"
#include "log/words.h"

enum { CALL_WIDTH_LIMIT = 40, VALUES_IN_EVENT = 8, VALUES_IN_BUFFER = 16, VALUES_WIDTH = 64 };

struct print print_open(const struct view *view, bool ascii)
{
    struct print print = {.view = view, .ascii = ascii};
    const struct program *program = view->program;
    struct text words = {0};
    uint32_t described = NONE;
    for (uint32_t c = 0; c < program->call_count; c++) {
        if (program->calls[c].statement == described)
            continue;
        described = program->calls[c].statement;
        text_clear(&words);
        describe_call_briefly(program, c, &words);
        if ((int)words.length > print.call_width)
            print.call_width = (int)words.length;
    }
    text_free(&words);
    if (print.call_width > CALL_WIDTH_LIMIT)
        print.call_width = CALL_WIDTH_LIMIT;
    return print;
}

static void append_time(int64_t time, struct text *out)
{
    text_format(out, "%10.3f ms", (double)time / 1e6);
}

/* "·" where nothing was written, "4?" where it may be torn. */
static void append_value(const struct print *print, uint32_t memory, uint32_t element, struct text *out)
{
    enum cell_state state = view_cell(print->view, memory, element);
    uint8_t written = print->view->memories[memory].cells[element];
    if (written == CELL_NEVER_WRITTEN) {
        text_append(out, print->ascii ? "." : "\u00b7");
        return;
    }
    view_format_value(print->view, memory, element, out);
    if (state == CELL_TORN || written == CELL_TORN)
        text_append(out, "?");
}

static void append_values(const struct print *print, uint32_t memory, uint32_t first, uint32_t count,
                          uint32_t limit, struct text *out)
{
    uint32_t kept = print->view->memories[memory].kept, shown = 0;
    size_t begin = out->length;
    for (; shown < count && shown < limit && first + shown < kept && out->length - begin < VALUES_WIDTH;
         shown++) {
        text_append(out, " ");
        append_value(print, memory, first + shown, out);
    }
    if (shown < count)
        text_format(out, " ... %u more", count - shown);
}

/* "x", or "x[1]" or "x[1:3]" for a part of it. */
static void append_part(const struct program *program, const struct record *record, struct text *out)
{
    const struct memory *memory = &program->memories[record->memory];
    text_append(out, memory->name);
    if (record->count == 1 && memory->count != 1)
        text_format(out, "[%u]", record->first);
    else if (record->count != memory->count)
        text_format(out, "[%u:%u]", record->first, record->first + record->count);
}

static void append_host_read(const struct print *print, const struct record *record, struct text *out)
{
    const struct program *program = print->view->program;
    enum element_type type = (enum element_type)program->memories[record->memory].type;
    const struct view_memory *memory = &print->view->memories[record->memory];
    size_t size = element_size(type);
    text_append(out, "found ");
    append_part(program, record, out);
    text_append(out, " =");
    uint32_t shown = 0;
    for (; shown < record->count && shown < VALUES_IN_EVENT && (shown + 1) * size <= record->length;
         shown++) {
        text_append(out, " ");
        if (memory->cells[record->first + shown] == CELL_NEVER_WRITTEN)
            append_value(print, record->memory, record->first + shown, out);
        else
            format_element(type, (const uint8_t *)record->bytes + shown * size, out);
    }
    if (shown < record->count)
        text_format(out, " ... %u more", record->count - shown);
}

static void append_exit(const struct record *record, struct text *out)
{
    if (record->number < 0)
        text_format(out, "process was ended by signal %lld", -(long long)record->number);
    else if (record->number > 0)
        text_format(out, "process ended with status %lld", (long long)record->number);
    else
        text_append(out, "process ended");
}

static void append_written(const struct print *print, const struct record *record, struct text *out)
{
    append_part(print->view->program, record, out);
    text_append(out, " =");
    append_values(print, record->memory, record->first, record->count, VALUES_IN_EVENT, out);
}

static void append_what(const struct print *print, const struct record *record, struct text *out)
{
    const struct program *program = print->view->program;
    switch ((enum record_kind)record->kind) {
    case RECORD_FORKED:
        text_format(out, "process %lld forked", (long long)record->number);
        break;
    case RECORD_EXITED:
        append_exit(record, out);
        break;
    case RECORD_ID_MADE:
        text_append(out, "made the 128-byte id");
        break;
    case RECORD_ID_PASSED:
        text_append(out, "read the id from the pipe");
        break;
    case RECORD_INITIALISING:
        text_format(out, "joins communicator %s", program->communicators[record->communicator].name);
        break;
    case RECORD_READY:
        text_format(out, "communicator %s is ready", program->communicators[record->communicator].name);
        break;
    case RECORD_WAITING:
        view_explain_wait(print->view, record->call, out);
        break;
    case RECORD_WRITTEN:
        append_written(print, record, out);
        break;
    case RECORD_HOST_READ:
        append_host_read(print, record, out);
        break;
    case RECORD_FREED:
        text_format(out, "%s is freed", program->memories[record->memory].name);
        break;
    case RECORD_HELD:
        text_append(out, "its gate is closed");
        break;
    case RECORD_ERROR:
        text_append(out, "error: ");
        text_append_visible(out, record->bytes ? record->bytes : "", record->length);
        break;
    case RECORD_OUTPUT:
    case RECORD_NOTE:
        text_append_visible(out, record->bytes ? record->bytes : "", record->length);
        break;
    case RECORD_STEP:
        text_format(out, "step %lld", (long long)record->number + 1);
        break;
    case RECORD_OUTCOME:
        text_append(out, outcome_name((enum outcome)record->number));
        break;
    case RECORD_CALLED:
    case RECORD_RETURNED:
    case RECORD_SUBMITTED:
    case RECORD_STARTED:
    case RECORD_DONE:
    case RECORD_RELEASED:
    case RECORD_KIND_COUNT:
        text_append(out, record_formats[record->kind].name);
        break;
    }
}

/* "rank 1  recv x from 0 on comm  ", padded; without RANK or CALL, blanks. */
static void append_who(const struct print *print, uint32_t rank, uint32_t call, struct text *out)
{
    char who[24] = "handoff";
    if (rank != NONE)
        snprintf(who, sizeof who, "rank %u", rank);
    text_format(out, "  %-7s  ", who);
    if (call == NONE)
        return;
    struct text words = {0};
    describe_call_briefly(print->view->program, call, &words);
    text_format(out, "%-*s  ", print->call_width, text_string(&words));
    text_free(&words);
}

void print_record(const struct print *print, const struct record *record, struct text *out)
{
    unsigned fields = record_formats[record->kind].required | record_formats[record->kind].optional;
    append_time(record->time, out);
    append_who(print, fields & FIELD_RANK ? record->rank : NONE, fields & FIELD_CALL ? record->call : NONE,
               out);
    append_what(print, record, out);
    text_append(out, "\n");
}

/* Whether the call was begun or submitted, and neither it nor its operation is finished. */
static bool is_unfinished(const struct view *view, uint32_t call)
{
    const struct view_call *state = &view->calls[call];
    bool host_is_inside = state->called != TIME_NONE && state->returned == TIME_NONE;
    bool operation_is_open =
        (state->submitted != TIME_NONE || state->started != TIME_NONE) && state->done == TIME_NONE;
    return host_is_inside || operation_is_open;
}

void print_waiting(const struct print *print, struct text *out)
{
    const struct program *program = print->view->program;
    struct text why = {0};
    for (uint32_t c = 0; c < program->call_count; c++) {
        if (!is_unfinished(print->view, c))
            continue;
        text_clear(&why);
        view_explain_wait(print->view, c, &why);
        if (why.length == 0)
            continue;
        text_append(out, "             ");
        append_who(print, call_statement(program, c)->rank, c, out);
        text_format(out, "%s\n", text_string(&why));
    }
    text_free(&why);
}

void print_waiting_sentences(const struct print *print, struct text *out)
{
    const struct program *program = print->view->program;
    struct text why = {0};
    for (uint32_t c = 0; c < program->call_count; c++) {
        text_clear(&why);
        if (is_unfinished(print->view, c))
            view_explain_wait(print->view, c, &why);
        if (why.length == 0)
            continue;
        text_format(out, "Rank %u: ", call_statement(program, c)->rank);
        describe_call_briefly(program, c, out);
        text_format(out, " %s.\n", text_string(&why));
    }
    text_free(&why);
}

void print_sentence(const struct print *print, const struct record *record, struct text *out)
{
    unsigned fields = record_formats[record->kind].required | record_formats[record->kind].optional;
    text_format(out, "%.3f ms", (double)record->time / 1e6);
    if ((fields & FIELD_RANK) && record->rank != NONE)
        text_format(out, ", rank %u", record->rank);
    text_append(out, ": ");
    if ((fields & FIELD_CALL) && record->call != NONE) {
        describe_call_briefly(print->view->program, record->call, out);
        text_append(out, record->kind == RECORD_WRITTEN || record->kind == RECORD_HOST_READ ? ": " : " ");
    } else if (record->kind == RECORD_OUTCOME) {
        text_append(out, "the run is ");
    }
    if (record->kind == RECORD_DONE)
        text_append(out, "is ");
    append_what(print, record, out);
    text_append(out, ".");
}

void print_memory_sentence(const struct print *print, uint32_t index, struct text *out)
{
    const struct memory *memory = &print->view->program->memories[index];
    const struct view_memory *state = &print->view->memories[index];
    bool written = false;
    for (uint32_t i = 0; i < state->kept; i++)
        written = written || state->cells[i] != CELL_NEVER_WRITTEN;
    text_format(out, "Rank %u: %s (%s[%u])", memory->rank, memory->name,
                element_type_name((enum element_type)memory->type), memory->count);
    if (!written)
        text_append(out, state->allocated ? " was never written" : " was not allocated");
    else
        text_append(out, state->freed ? " is freed, and held" : " holds");
    if (written)
        append_values(print, index, 0, memory->count, VALUES_IN_BUFFER, out);
    if (written && memchr(state->cells, CELL_TORN, state->kept))
        text_append(out, " (\"?\": may be torn)");
    text_append(out, ".");
}

static void append_buffer(const struct print *print, uint32_t index, int name_width, struct text *out)
{
    const struct memory *memory = &print->view->program->memories[index];
    const struct view_memory *state = &print->view->memories[index];
    char type[40];
    snprintf(type, sizeof type, "%s[%u]", element_type_name((enum element_type)memory->type), memory->count);
    text_format(out, "  %-*s  %-12s ", name_width, memory->name, type);
    append_values(print, index, 0, memory->count, VALUES_IN_BUFFER, out);
    if (state->freed)
        text_append(out, "  (freed)");
    else if (!state->allocated)
        text_append(out, "  (not allocated)");
    text_append(out, "\n");
}

static bool has_torn_cells(const struct view *view)
{
    for (uint32_t m = 0; m < view->program->memory_count; m++)
        if (memchr(view->memories[m].cells, CELL_TORN, view->memories[m].kept))
            return true;
    return false;
}

void print_buffers(const struct print *print, const uint16_t *gpus, size_t gpu_count, struct text *out)
{
    const struct view *view = print->view;
    const struct program *program = view->program;
    int name_width = 1;
    for (uint32_t m = 0; m < program->memory_count; m++)
        if ((int)strlen(program->memories[m].name) > name_width)
            name_width = (int)strlen(program->memories[m].name);
    for (uint32_t r = 0; r < program->rank_count; r++) {
        uint16_t gpu = program->ranks[r].gpu;
        text_format(out, "rank %u, process %lld, GPU %u\n", r, (long long)view->ranks[r].pid,
                    gpu < gpu_count ? gpus[gpu] : gpu);
        for (uint32_t m = 0; m < program->memory_count; m++)
            if (program->memories[m].rank == r)
                append_buffer(print, m, name_width, out);
    }
    if (has_torn_cells(view))
        text_append(out, "?  may be torn: other work touched the same bytes while it was written\n");
}

void print_outcome(enum outcome outcome, int64_t time, struct text *out)
{
    text_format(out, "%s at %.3f ms\n", outcome_name(outcome), (double)time / 1e6);
}
