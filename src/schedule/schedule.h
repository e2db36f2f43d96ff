/* A schedule as it was written: its text, its variants and its statements, before any variant is chosen.
 * Immutable once read. The language: docs/schedule-language.md. */
#ifndef HANDOFF_SCHEDULE_SCHEDULE_H
#define HANDOFF_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedule/diagnostic.h"

/* Limits of the language, stated in docs/schedule-language.md. */
enum {
    SCHEDULE_MAX_RANKS = 64, /* a run takes at most RUN_MAX_RANKS of them */
    SCHEDULE_MAX_GPUS = 64,  /* GPU numbers are 0 to 63 */
    SCHEDULE_MAX_VARIANTS = 32,
    SCHEDULE_MAX_BYTES = 256 << 20,      /* of the whole text */
    SCHEDULE_MAX_LINE = 65536,           /* bytes */
    SCHEDULE_MAX_NAME = 255,             /* bytes */
    SCHEDULE_MAX_CALLS = 1 << 24,        /* of all ranks, after `repeat` is unrolled */
    SCHEDULE_MAX_NESTING = 16,           /* `repeat` and `group` in one another */
    SCHEDULE_MAX_BUFFER_BYTES = 1 << 30, /* of one buffer */
    SCHEDULE_MAX_SECONDS = 3600,         /* that a kernel takes */
};

struct variant {
    const char *name;
    const char *description; /* untrusted: print through text_append_visible() */
    struct place place;
};

struct schedule; /* opaque: source.h is its inside */

/* Reads a schedule's TEXT (LENGTH bytes, any bytes). FIRST_LINE is the file's line on which the text begins:
 * 1 for a file of its own, more for a block in a lesson. Every fault goes to DIAGNOSTICS; returns NULL if
 * there was one. The schedule keeps a copy of the text. */
struct schedule *schedule_parse(const char *text, size_t length, uint32_t first_line,
                                struct diagnostics *diagnostics);
void schedule_free(struct schedule *schedule);

size_t schedule_variant_count(const struct schedule *schedule);
const struct variant *schedule_variant(const struct schedule *schedule, size_t index);

/* The text as it was read, and its lines. LINE counts from 1 within the text; an untrusted, unterminated
 * slice. */
const char *schedule_text(const struct schedule *schedule, size_t *length);
uint32_t schedule_line_count(const struct schedule *schedule);
const char *schedule_line(const struct schedule *schedule, uint32_t line, size_t *length);
uint32_t schedule_first_line(const struct schedule *schedule);

/* The last line that says `rank`, under any variant, before LINE; 0 where there is none. */
uint32_t schedule_rank_line(const struct schedule *schedule, uint32_t line);

/* Whether the line is part of the program when the variants of the set (bit i: variant i) are on. Comments,
 * blank lines and `variant` lines always are. */
bool schedule_line_is_on(const struct schedule *schedule, uint32_t line, uint32_t variants);

/* Reads "early-a,event" to a set of variants. An unknown name is an error that names the nearest. */
bool schedule_choose_variants(const struct schedule *schedule, const char *names, uint32_t *variants,
                              struct error *error);

#endif
