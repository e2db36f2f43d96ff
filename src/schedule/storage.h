/* The names that a program keeps, NUL-terminated; program_free() gives them back. */
#ifndef HANDOFF_SCHEDULE_STORAGE_H
#define HANDOFF_SCHEDULE_STORAGE_H

#include "schedule/lex.h"
#include "schedule/program.h"

const char *storage_name(struct program *program, struct word word);
void storage_free(struct program *program);

#endif
