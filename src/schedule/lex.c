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

static struct token token_to(struct lexer *lexer, enum token_kind kind, const char *begin, const char *end)
{
    lexer->at = end;
    return (struct token){.kind = kind, .word = {.at = begin, .length = (uint32_t)(end - begin)}};
}

static struct token lex_string(struct lexer *lexer)
{
    const char *begin = lexer->at + 1;
    const char *quote = memchr(begin, '"', (size_t)(lexer->end - begin));
    if (!quote)
        return token_to(lexer, TOKEN_UNCLOSED, begin - 1, lexer->end);
    struct token token = token_to(lexer, TOKEN_STRING, begin, quote);
    lexer->at = quote + 1;
    return token;
}

static struct token lex_other(struct lexer *lexer, const char *begin, const char *at)
{
    while (!ends_word(at, lexer->end))
        at++;
    return token_to(lexer, TOKEN_OTHER, begin, at);
}

static struct token lex_name(struct lexer *lexer)
{
    const char *begin = lexer->at, *at = begin, *end = lexer->end;
    enum token_kind kind = TOKEN_NAME;
    for (;;) {
        while (at < end && is_name_byte(*at))
            at++;
        if (end - at < 2 || *at != '-' || !is_name_byte(at[1]))
            break;
        kind = TOKEN_HYPHENATED;
        at++;
    }
    return ends_word(at, end) ? token_to(lexer, kind, begin, at) : lex_other(lexer, begin, at);
}

static struct token lex_number(struct lexer *lexer)
{
    const char *begin = lexer->at, *at = begin, *end = lexer->end;
    enum token_kind kind = TOKEN_NUMBER;
    while (at < end && is_digit(*at))
        at++;
    while (at < end && is_letter(*at)) {
        kind = TOKEN_DURATION;
        at++;
    }
    return ends_word(at, end) ? token_to(lexer, kind, begin, at) : lex_other(lexer, begin, at);
}

struct token lexer_next(struct lexer *lexer)
{
    while (lexer->at < lexer->end && is_blank(*lexer->at))
        lexer->at++;
    const char *at = lexer->at;
    if (at == lexer->end || *at == '#')
        return (struct token){.kind = TOKEN_END, .word = {.at = at, .length = 0}};
    if (is_letter(*at))
        return lex_name(lexer);
    if (is_digit(*at))
        return lex_number(lexer);
    if (is_arrow(at, lexer->end))
        return token_to(lexer, *at == '-' ? TOKEN_WRITES : TOKEN_ACCUMULATES, at, at + 2);
    switch (*at) {
    case '[':
        return token_to(lexer, TOKEN_OPEN, at, at + 1);
    case ']':
        return token_to(lexer, TOKEN_CLOSE, at, at + 1);
    case ':':
        return token_to(lexer, TOKEN_COLON, at, at + 1);
    case '"':
        return lex_string(lexer);
    default:
        return lex_other(lexer, at, at + 1);
    }
}

bool word_is(struct word word, const char *string)
{
    return word.length == strlen(string) && memcmp(word.at, string, word.length) == 0;
}
