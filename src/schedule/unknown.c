#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/bind.h"

/* Of the sorts that each rank has for itself. */
static const char *const sort_words[] = {[SORT_MEMORY] = "a buffer, host or managed memory",
                                         [SORT_STREAM] = "a stream",
                                         [SORT_EVENT] = "an event",
                                         [SORT_COMMUNICATOR] = "a communicator"};

/* What another sort of thing in this rank the word names, or NULL. */
static const char *other_sort(struct binder *binder, enum sort sort, struct word word)
{
    for (int other = SORT_MEMORY; other <= SORT_COMMUNICATOR; other++) {
        uint32_t index = names_find(&binder->names, (enum sort)other, word);
        if (other != (int)sort && binder->names.items[index].thing != NONE)
            return sort_words[other];
    }
    return NULL;
}

/* After "found `x`, expected the name of a buffer of rank 0". */
static void append_hint(struct binder *binder, enum sort sort, struct word word, struct text *out)
{
    const char *other = other_sort(binder, sort, word);
    /* Only now: looking a name up may move the names. */
    const struct name *nearest = names_nearest(&binder->names, sort, word);
    uint32_t shared = names_find(&binder->shared, SORT_COMMUNICATOR, word);
    const struct name *elsewhere = &binder->shared.items[shared];
    if (sort == SORT_COMMUNICATOR && elsewhere->off_line)
        text_format(out, ": line %u declares it under other variants only",
                    binder->schedule->first_line + elsewhere->off_line - 1);
    else if (sort == SORT_COMMUNICATOR && elsewhere->thing != NONE)
        text_append(out, ": each rank makes it with a `comm` of its own");
    else if (other)
        text_format(out, ": it names %s", other);
    else if (nearest)
        text_format(out, "; the nearest is `%.*s`", (int)nearest->word.length, nearest->word.at);
    else if (sort == SORT_COMMUNICATOR &&
             (nearest = names_nearest(&binder->shared, SORT_COMMUNICATOR, word)) != NULL)
        text_format(out, "; the nearest is `%.*s`", (int)nearest->word.length, nearest->word.at);
}

static void report(struct binder *binder, const struct unknown_use *use)
{
    const struct schedule *schedule = binder->schedule;
    const struct name *name = &binder->names.items[use->name];
    enum sort sort = (enum sort)name->sort;
    size_t length;
    struct line line = {.number = use->line, .start = schedule_line(schedule, use->line, &length)};
    line.end = line.start + length;
    struct text text = {0};
    text_format(&text, "found `%.*s`", (int)use->word.length, use->word.at);
    if (use->line_is_on && name->thing != NONE) {
        text_format(&text, ", which is declared only on line %u, expected it after that",
                    schedule->first_line + name->line - 1);
    } else {
        text_format(&text, ", expected the name of %s of rank %u", sort_words[sort], binder->rank);
        if (name->off_line)
            text_format(&text, ": line %u declares it under other variants only",
                        schedule->first_line + name->off_line - 1);
        else
            append_hint(binder, sort, use->word, &text);
    }
    diagnostics_add(binder->diagnostics, line_place(schedule, &line, use->word.at), "%s", text_string(&text));
    text_free(&text);
}

void bind_end_rank(struct binder *binder)
{
    for (size_t i = 0; i < binder->unknown_count; i++) {
        const struct unknown_use *use = &binder->unknown[i];
        const struct name *name = &binder->names.items[use->name];
        bool declared_for_off = !use->line_is_on && (name->thing != NONE || name->off_line);
        if (name->faulty || declared_for_off)
            continue;
        if (binder->diagnostics->count < DIAGNOSTIC_LIMIT)
            report(binder, use);
        else
            binder->diagnostics->left_out++; /* without looking for the nearest name */
    }
    binder->unknown_count = 0;
}
