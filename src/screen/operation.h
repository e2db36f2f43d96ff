/* What panels and the timeline say about one call or operation. */
#ifndef HANDOFF_SCREEN_OPERATION_H
#define HANDOFF_SCREEN_OPERATION_H

#include "log/view.h"
#include "screen/canvas.h"

/* Its shortest name that tells it from its neighbours: "A", "recv", "wait E". */
void operation_name(const struct program *program, uint32_t call, struct text *out);

enum glyph operation_glyph(enum operation_state state);
enum style operation_style(enum operation_state state);

/* Whether the call stands in the stream and was submitted. */
bool operation_is_in(const struct view *view, uint32_t call, uint32_t stream);

/* By stream: whether the program ever puts anything on it. The caller frees it. */
bool *streams_used(const struct program *program);

#endif
