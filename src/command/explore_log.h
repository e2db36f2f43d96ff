/* An execution that explore found, as an ordinary log. */
#ifndef HANDOFF_COMMAND_EXPLORE_LOG_H
#define HANDOFF_COMMAND_EXPLORE_LOG_H

#include "command/prepare.h"
#include "order/explore.h"

/* Writes one of the executions that end as the ending number NUMBER (from 0) does to the file PATH. Its steps
 * are equally long: what is looked at is their order. */
bool explore_write_log(const struct prepared *prepared, const char *variants,
                       const struct exploration *exploration, uint32_t number, const char *path,
                       struct error *error);

#endif
