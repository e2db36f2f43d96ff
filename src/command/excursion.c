#include "command/excursion.h"

#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/copies.h"
#include "command/editor.h"

int excursion_challenge(struct walk *over, const struct prepared *prepared,
                        const struct live_options *options, size_t index)
{
    const struct lesson *lesson = prepared->source.lesson;
    const struct challenge *challenge = &lesson->challenges[index];
    struct diagnostics faults = {0};
    struct text title = {0};
    struct prepared inner = {.variants = challenge->variants,
                             .program = program_resolve(lesson->schedule, challenge->variants, &faults)};
    int status = EXIT_FINE;
    if (inner.program) {
        inner.order = order_build(inner.program);
        inner.source.schedule = lesson->schedule;
        text_format(&title, "%s: %s", text_string(&over->title), challenge->name);
        inner.source.file = title.bytes;
        struct live_options live = {.command = options->command,
                                    .run = options->run,
                                    .backend = options->backend,
                                    .challenge = challenge,
                                    .lesson = lesson->name,
                                    .progress = options->progress,
                                    .over = over};
        status = live_walk(&inner, &live);
    }
    order_free(inner.order);
    program_free(inner.program);
    diagnostics_free(&faults);
    text_free(&title);
    return status;
}

/* The name of the copy of what is on the screen: the same whenever it is edited again. */
static void name_copy(const struct walk *walk, const struct prepared *prepared, struct text *name)
{
    const struct schedule *schedule = prepared->source.schedule;
    text_append(name, text_string(&walk->title));
    size_t skipped = strspn(name->bytes, "0123456789 "); /* a lesson's number */
    memmove(name->bytes, name->bytes + skipped, name->length - skipped + 1);
    name->length -= skipped;
    static const char tail[] = ".schedule";
    if (name->length > strlen(tail) && strcmp(name->bytes + name->length - strlen(tail), tail) == 0)
        name->bytes[name->length -= strlen(tail)] = '\0';
    for (size_t i = 0; !walk->challenge && i < schedule_variant_count(schedule); i++)
        if (prepared->variants >> i & 1)
            text_format(name, "-%s", schedule_variant(schedule, i)->name);
}

/* The path of the copy; what is a copy already is edited in its place. */
static bool find_copy(const struct walk *over, const struct prepared *prepared, struct text *path,
                      struct error *error)
{
    struct text name = {0}, content = {0};
    if (copy_is_own(prepared->source.file)) {
        text_append(path, prepared->source.file);
        return true;
    }
    name_copy(over, prepared, &name);
    copy_flatten(prepared->source.schedule, prepared->variants, &content);
    bool made = copy_make(text_string(&name), &content, path, error);
    text_free(&name);
    text_free(&content);
    return made;
}

/* Each fault below the line that it is on. */
static void take_faults(struct walk *over, const char *path, const struct diagnostics *faults,
                        const struct error *error)
{
    struct text content = {0};
    struct error unread;
    struct diagnostics none = {0};
    text_clear(&over->faults);
    if (faults->count == 0)
        text_append_visible(&over->faults, error->message, strlen(error->message));
    bool is_read = text_read_file(&content, path, SOURCE_MAX_BYTES, &unread);
    const char *at = text_string(&content), *end = at + content.length;
    uint32_t line = 1;
    for (size_t i = 0; i < faults->count; i++) {
        const struct diagnostic *fault = &faults->items[i];
        for (; is_read && line < fault->place.line && at < end; line++) {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            at = newline ? newline + 1 : end;
        }
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        text_format(&over->faults, "%4u  ", (unsigned)fault->place.line);
        text_append_visible(&over->faults, at, (size_t)((stop ? stop : end) - at));
        text_format(&over->faults, "\n\t%s\n", fault->text);
    }
    if (faults->left_out > 0)
        text_format(&over->faults, "and %zu more\n", faults->left_out);
    diagnostics_free(&none);
    text_free(&content);
    walk_open_overlay(over, OVERLAY_FAULTS);
}

/* Reads the copy and walks through it. AGAIN: the reader wants to edit it once more. */
static int walk_copy(struct walk *over, const char *path, const struct live_options *options, bool *again)
{
    struct prepared inner;
    struct diagnostics faults = {0};
    struct error error;
    bool is_challenge = over->challenge && over->challenge->kind == CHALLENGE_EDIT;
    struct live_options live = {.command = options->command,
                                .run = options->run,
                                .backend = options->backend,
                                .challenge = is_challenge ? over->challenge : NULL,
                                .lesson = options->lesson,
                                .progress = options->progress,
                                .over = over,
                                .edits = again,
                                .is_running = true};
    int status = EXIT_FINE;
    live.run.variants = NULL;
    if (prepare_quietly(&inner, path, NULL, &faults, &error))
        status = live_walk(&inner, &live);
    else
        take_faults(over, path, &faults, &error);
    diagnostics_free(&faults);
    prepared_free(&inner);
    return status;
}

int excursion_edit(struct walk *over, const struct prepared *prepared, const struct live_options *options)
{
    struct text path = {0};
    struct error error;
    int status = EXIT_FINE;
    if (options->edits) { /* over a copy already: what lies below edits and comes back with it */
        *options->edits = true;
        return status;
    }
    bool again = find_copy(over, prepared, &path, &error);
    if (!again)
        walk_notice(over, true, "%s", error.message);
    while (again && status == EXIT_FINE) {
        again = false;
        if (editor_run(text_string(&path), &error))
            status = walk_copy(over, text_string(&path), options, &again);
        else
            walk_notice(over, true, "%s", error.message);
    }
    text_free(&path);
    return status;
}
