#include "command/prepare.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "command/message.h"
#include "process/session.h"

static bool resolve(struct prepared *prepared, const char *variants, struct diagnostics *faults,
                    struct error *error)
{
    struct error choice;
    const struct schedule *schedule = prepared->source.schedule;
    if (variants && !schedule_choose_variants(schedule, variants, &prepared->variants, &choice))
        return error_set(error, "%s: %s", prepared->source.file, choice.message);
    prepared->program = program_resolve(schedule, prepared->variants, faults);
    if (!prepared->program)
        return false;
    prepared->order = order_build(prepared->program);
    return true;
}

static bool read_source(struct prepared *prepared, const char *argument, const char *variants,
                        struct diagnostics *faults, struct error *error)
{
    *prepared = (struct prepared){0};
    *error = (struct error){0};
    return source_open(&prepared->source, argument, faults, error) &&
           resolve(prepared, variants, faults, error);
}

static bool can_run(const struct prepared *prepared, struct error *error)
{
    return prepared->program->rank_count <= RUN_MAX_RANKS ||
           error_set(error, "%s: a run takes at most %d ranks, and this schedule has %u",
                     prepared->source.file, RUN_MAX_RANKS, prepared->program->rank_count);
}

bool prepare_quietly(struct prepared *prepared, const char *argument, const char *variants,
                     struct diagnostics *faults, struct error *error)
{
    return read_source(prepared, argument, variants, faults, error) && can_run(prepared, error);
}

/* Prints why it failed, and what is wrong with the file. */
static void print_reasons(const struct prepared *prepared, const char *command, const char *argument,
                          struct diagnostics *faults, const struct error *error)
{
    if (error->message[0] != '\0')
        complain(command, "%s", error->message);
    struct text lines = {0};
    if (faults->count > 0)
        diagnostics_print(faults, prepared->source.file ? prepared->source.file : argument, &lines);
    fputs(text_string(&lines), stderr);
    text_free(&lines);
    diagnostics_free(faults);
}

bool prepare(struct prepared *prepared, const char *command, const char *argument, const char *variants)
{
    struct diagnostics faults = {0};
    struct error error;
    bool fine = prepare_quietly(prepared, argument, variants, &faults, &error);
    print_reasons(prepared, command, argument, &faults, &error);
    return fine;
}

bool prepare_beside(struct prepared *prepared, const struct prepared *first, const char *command,
                    const char *variants)
{
    struct diagnostics faults = {0};
    struct error error = {0};
    const struct source *source = &first->source;
    *prepared =
        (struct prepared){.source = {.file = memory_copy_string(source->file), .schedule = source->schedule}};
    bool fine = resolve(prepared, variants, &faults, &error) && can_run(prepared, &error);
    print_reasons(prepared, command, source->file, &faults, &error);
    return fine;
}

bool prepare_to_check(struct prepared *prepared, const char *command, const char *argument,
                      const char *variants)
{
    struct diagnostics faults = {0};
    struct error error;
    bool fine = read_source(prepared, argument, variants, &faults, &error);
    print_reasons(prepared, command, argument, &faults, &error);
    return fine;
}

void prepared_free(struct prepared *prepared)
{
    order_free(prepared->order);
    program_free(prepared->program);
    source_free(&prepared->source);
    *prepared = (struct prepared){0};
}

static char *copy_bytes(const char *bytes, size_t length)
{
    char *copy = memory_resize(NULL, length + 1, 1);
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

struct log_header prepared_header(const struct prepared *prepared, const char *variants, const char *backend,
                                  bool eager)
{
    const struct source *source = &prepared->source;
    struct log_header header = {
        .file = memory_copy_string(source->file),
        .schedule_first_line = schedule_first_line(source->schedule),
        .variants = memory_copy_string(variants ? variants : ""),
        .backend = memory_copy_string(backend),
        .eager = eager,
    };
    const char *schedule = schedule_text(source->schedule, &header.schedule_length);
    header.schedule = copy_bytes(schedule, header.schedule_length);
    if (source->lesson) {
        header.lesson = copy_bytes(source->lesson->text, source->lesson->length);
        header.lesson_length = source->lesson->length;
    }
    return header;
}
