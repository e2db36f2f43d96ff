/* Inside a schedule: its lines, and what one line says before its names are bound. Lines are read again
 * whenever they are needed: that costs less than keeping what they say. */
#ifndef HANDOFF_SCHEDULE_SOURCE_H
#define HANDOFF_SCHEDULE_SOURCE_H

#include "schedule/lex.h"
#include "schedule/program.h"

struct schedule {
    char *text;
    size_t length;
    uint32_t first_line;
    uint32_t line_count;
    uint32_t *line_starts; /* line_count + 1 offsets, the last one past the end */
    struct variant *variants;
    size_t variant_count, variant_capacity;
    bool too_many_variants; /* some are not in the list */
    uint32_t *rank_lines;   /* the lines that say `rank`, under any variant */
    size_t rank_line_count, rank_line_capacity;
    uint32_t *count_lines; /* the lines that say `ranks` */
    size_t count_line_count, count_line_capacity;
};

/* What a line can be: a call (enum call_kind), or one of these. */
enum line_kind {
    LINE_BLANK = CALL_KIND_COUNT,
    LINE_VARIANT,
    LINE_RANKS,
    LINE_RANK,
    LINE_REPEAT,
    LINE_UNKNOWN
};

/* A part of a memory as a line writes it. */
struct part {
    struct word name;
    uint32_t first, count; /* count 0: the whole */
    uint32_t access;       /* enum access; a broadcast's depends on the rank */
};

/* One line. `end` is CALL_GROUP_END, whatever it ends. A word whose AT is NULL was not written. */
struct line {
    uint32_t number; /* within the text, from 1 */
    const char *start, *end;
    int kind;
    bool faulty; /* it was reported; what is here is what could be read */
    bool has_only;
    uint32_t only, not ; /* sets of variants */
    struct word keyword;
    struct word name; /* declared, freed, or the kernel, the event, the variant */
    struct word stream;
    struct word communicator; /* `via`, or the one that is made, destroyed or aborted */
    struct word description;  /* of a variant */
    struct part *parts;
    uint32_t part_count, part_capacity;
    uint32_t quantity; /* the rank, peer, root, device, number of ranks or repetitions, COUNT, or set's V;
                          NONE where it could not be read */
    struct word quantity_word;
    uint32_t gpu; /* of `rank R on gpu G`; NONE where it was left out */
    uint8_t type, memory_kind;
    bool nonblocking;
    uint64_t takes_ns;
};

/* Reads line NUMBER into LINE, whose parts are used again. DIAGNOSTICS may be NULL: nothing is said then. */
void line_read(const struct schedule *schedule, uint32_t number, struct line *line,
               struct diagnostics *diagnostics);
void line_free(struct line *line);

static inline bool line_is_on(const struct line *line, uint32_t variants)
{
    return (!line->has_only || (line->only & variants)) && !(line->not &variants);
}

/* Where AT stands in the file. */
struct place line_place(const struct schedule *schedule, const struct line *line, const char *at);

#endif
