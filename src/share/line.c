#include "share/line.h"

#include <jansson.h>

static int append_to_text(const char *bytes, size_t length, void *text)
{
    text_append_bytes(text, bytes, length);
    return 0;
}

static void append_line(json_t *object, struct text *out)
{
    json_dump_callback(object, append_to_text, out, JSON_COMPACT);
    json_decref(object);
    text_append(out, "\n");
}

void line_of_session(struct text *out, const char *name, int64_t began)
{
    append_line(json_pack("{s:i, s:s, s:I}", "handoff-session", SESSION_VERSION, "name", name, "began",
                          (json_int_t)began),
                out);
}

void line_of_look(struct text *out, size_t position, size_t answered)
{
    append_line(json_pack("{s:I, s:I}", "look", (json_int_t)position, "answered", (json_int_t)answered), out);
}

void line_of_end(struct text *out, const char *why)
{
    append_line(json_pack("{s:s}", "end", why), out);
}
