/* The words of one line. */
#ifndef HANDOFF_SCHEDULE_LEX_H
#define HANDOFF_SCHEDULE_LEX_H

#include <stdbool.h>
#include <stdint.h>

/* Some bytes of the schedule's text. */
struct word {
    const char *at; /* NULL: no such word was written */
    uint32_t length;
};

enum token_kind {
    TOKEN_END,         /* of the line, or a comment */
    TOKEN_NAME,        /* letters, digits and _, no digit first */
    TOKEN_HYPHENATED,  /* the same with - inside: a variant's name */
    TOKEN_NUMBER,      /* digits */
    TOKEN_DURATION,    /* digits, then letters */
    TOKEN_STRING,      /* WORD holds what is between the quotes */
    TOKEN_UNCLOSED,    /* a string without its closing quote */
    TOKEN_WRITES,      /* -> */
    TOKEN_ACCUMULATES, /* ~> */
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_COLON,
    TOKEN_OTHER /* anything else up to the next blank */
};

struct token {
    enum token_kind kind;
    struct word word;
};

struct lexer {
    const char *at, *end;
};

void lexer_next(struct lexer *lexer, struct token *token);

bool word_is(struct word word, const char *string);

#endif
