#include "schedule/lex.h"

#include <string.h>

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_letter(char byte)
{
    char small = (char)(byte | 0x20);
    return (small >= 'a' && small <= 'z') || byte == '_';
}

static bool is_name_byte(char byte)
{
    return is_letter(byte) || is_digit(byte);
}

static bool is_arrow(const char *at, const char *end)
{
    return end - at >= 2 && (at[0] == '-' || at[0] == '~') && at[1] == '>';
}

/* Whether a word cannot go on with what stands at AT. */
static bool ends_word(const char *at, const char *end)
{
    return at == end || *at == ' ' || *at == '\t' || *at == '[' || *at == ']' || *at == ':' || *at == '"' ||
           *at == '#' || is_arrow(at, end);
}

/* Takes the bytes from BEGIN to END as the token. */
static void take(struct lexer *lexer, struct token *token, enum token_kind kind, const char *begin,
                 const char *end)
{
    lexer->at = end;
    token->kind = kind;
    token->word.at = begin;
    token->word.length = (uint32_t)(end - begin);
}

static void lex_string(struct lexer *lexer, struct token *token)
{
    const char *begin = lexer->at + 1;
    const char *quote = memchr(begin, '"', (size_t)(lexer->end - begin));
    if (!quote) {
        take(lexer, token, TOKEN_UNCLOSED, begin - 1, lexer->end);
        return;
    }
    take(lexer, token, TOKEN_STRING, begin, quote);
    lexer->at = quote + 1;
}

static void lex_other(struct lexer *lexer, struct token *token, const char *begin, const char *at)
{
    while (!ends_word(at, lexer->end))
        at++;
    take(lexer, token, TOKEN_OTHER, begin, at);
}

static void lex_name(struct lexer *lexer, struct token *token)
{
    const char *begin = lexer->at, *at = begin, *end = lexer->end;
    enum token_kind kind = TOKEN_NAME;
    while (at < end && (is_name_byte(*at) || (*at == '-' && !is_arrow(at, end)))) {
        if (*at == '-')
            kind = TOKEN_HYPHENATED;
        at++;
    }
    if (ends_word(at, end))
        take(lexer, token, kind, begin, at);
    else
        lex_other(lexer, token, begin, at);
}

static void lex_number(struct lexer *lexer, struct token *token)
{
    const char *begin = lexer->at, *at = begin, *end = lexer->end;
    enum token_kind kind = TOKEN_NUMBER;
    while (at < end && is_digit(*at))
        at++;
    while (at < end && is_letter(*at)) {
        kind = TOKEN_DURATION;
        at++;
    }
    if (ends_word(at, end))
        take(lexer, token, kind, begin, at);
    else
        lex_other(lexer, token, begin, at);
}

void lexer_next(struct lexer *lexer, struct token *token)
{
    while (lexer->at < lexer->end && is_blank(*lexer->at))
        lexer->at++;
    const char *at = lexer->at;
    if (at == lexer->end || *at == '#')
        take(lexer, token, TOKEN_END, at, at);
    else if (is_letter(*at))
        lex_name(lexer, token);
    else if (is_digit(*at))
        lex_number(lexer, token);
    else if (is_arrow(at, lexer->end))
        take(lexer, token, *at == '-' ? TOKEN_WRITES : TOKEN_ACCUMULATES, at, at + 2);
    else if (*at == '[')
        take(lexer, token, TOKEN_OPEN, at, at + 1);
    else if (*at == ']')
        take(lexer, token, TOKEN_CLOSE, at, at + 1);
    else if (*at == ':')
        take(lexer, token, TOKEN_COLON, at, at + 1);
    else if (*at == '"')
        lex_string(lexer, token);
    else
        lex_other(lexer, token, at, at + 1);
}

bool word_is(struct word word, const char *string)
{
    return word.length == strlen(string) && memcmp(word.at, string, word.length) == 0;
}
