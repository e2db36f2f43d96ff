/* The lines of a session that are no log: how they are written. Each ends in a newline. Their kind is told by
 * their first field, as with the lines of a log. */
#ifndef HANDOFF_SHARE_LINE_H
#define HANDOFF_SHARE_LINE_H

#include <stdint.h>

#include "base/text.h"

enum { SESSION_VERSION = 1 };

/* The first line. BEGAN: seconds since 1970. */
void line_of_session(struct text *out, const char *name, int64_t began);
void line_of_look(struct text *out, size_t position, size_t answered);
/* WHY: "over", "full" (too many follow) or "refused". */
void line_of_end(struct text *out, const char *why);

#endif
