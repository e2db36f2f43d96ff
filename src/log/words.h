/* A call in few words, for messages and tables. */
#ifndef HANDOFF_LOG_WORDS_H
#define HANDOFF_LOG_WORDS_H

#include "schedule/program.h"

/* As call_describe(), without how long a kernel or a transfer takes. */
void describe_call_briefly(const struct program *program, uint32_t call, struct text *out);

#endif
