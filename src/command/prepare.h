/* From a command's LESSON or FILE argument to what a run needs. */
#ifndef HANDOFF_COMMAND_PREPARE_H
#define HANDOFF_COMMAND_PREPARE_H

#include "lesson/library.h"
#include "log/record.h"
#include "order/order.h"

struct prepared {
    struct source source;
    uint32_t variants;
    struct program *program;
    struct order *order;
};

/* Reads ARGUMENT and resolves it with VARIANTS (NULL for none). False where that fails, or where the schedule
 * asks for more ranks than a run takes: every reason was printed, and the status is EXIT_BAD_INPUT. Freed by
 * prepared_free(), also after an error. */
bool prepare(struct prepared *prepared, const char *command, const char *argument, const char *variants);
/* The same without a word: the reason is in FAULTS or in ERROR. */
bool prepare_quietly(struct prepared *prepared, const char *argument, const char *variants,
                     struct diagnostics *faults, struct error *error);
/* As prepare(), for a schedule of any number of ranks, which is not run. */
bool prepare_to_check(struct prepared *prepared, const char *command, const char *argument,
                      const char *variants);
/* As prepare(), for the schedule that FIRST holds, which must outlive it: what was read once is read. */
bool prepare_beside(struct prepared *prepared, const struct prepared *first, const char *command,
                    const char *variants);
void prepared_free(struct prepared *prepared);

/* The header of a log of such a run. Freed by log_header_free(). */
struct log_header prepared_header(const struct prepared *prepared, const char *variants, const char *backend,
                                  bool eager);

#endif
