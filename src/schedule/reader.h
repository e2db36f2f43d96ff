/* Reads one line word by word and says what was found where something else was expected. */
#ifndef HANDOFF_SCHEDULE_READER_H
#define HANDOFF_SCHEDULE_READER_H

#include "schedule/source.h"

struct reader {
    const struct schedule *schedule;
    struct diagnostics *diagnostics; /* NULL: says nothing */
    struct line *line;
    struct lexer lexer;
    struct token now; /* the first token that was not taken yet */
};

/* What this and every other reader_ function that reads something returns: whether it was there. Where it was
 * not, that was said, and the rest of the statement cannot be relied on. */
bool reader_fault(struct reader *reader, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether what is wrong with the line will only be counted. */
bool reader_is_full(const struct reader *reader);

/* "found `x`, expected WHAT" for the token that is next. */
bool reader_expected(struct reader *reader, const char *what);

void reader_take(struct reader *reader);

/* Takes the next token if it is this word. */
bool reader_accept(struct reader *reader, const char *word);

/* The word has to be next. Where a misspelt one is, that is said and it is taken as meant. */
bool reader_expect(struct reader *reader, const char *word);
bool reader_expect_token(struct reader *reader, enum token_kind kind, const char *what);

bool reader_name(struct reader *reader, struct word *name, const char *what);

/* A number from LEAST to MOST. WHAT names it: "a rank". */
bool reader_number(struct reader *reader, uint32_t *value, uint32_t least, uint32_t most, const char *what);

/* BUF, x[2] or x[0:2]: adds it to the line's parts. */
bool reader_part(struct reader *reader, uint32_t access, const char *what);

/* TYPE[COUNT], into the line's type and quantity. */
bool reader_shape(struct reader *reader);

bool reader_duration(struct reader *reader);

/* Whether a list of variants, "[only" or "[not", is next. */
bool reader_at_condition(const struct reader *reader);

/* The lists of variants and the end of the line. */
bool reader_conditions(struct reader *reader);

#endif
