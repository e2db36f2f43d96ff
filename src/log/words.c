#include "log/words.h"

#include <string.h>

void describe_call_briefly(const struct program *program, uint32_t call, struct text *out)
{
    struct text words = {0};
    call_describe(program, call, &words);
    const char *duration = strstr(text_string(&words), " takes ");
    text_append_bytes(out, text_string(&words), duration ? (size_t)(duration - words.bytes) : words.length);
    text_free(&words);
}
