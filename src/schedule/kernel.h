/* What the operations of a schedule make of bytes, wherever they run without a GPU. */
#ifndef HANDOFF_SCHEDULE_KERNEL_H
#define HANDOFF_SCHEDULE_KERNEL_H

#include "schedule/program.h"

/* What reads of freed or unknown memory find. Writes there go nowhere. */
enum { FREED_BYTE = 0xDB };

/* Whether the call launches the kernel that writes twice what it reads, the only one whose inputs matter. */
bool kernel_reads_inputs(const struct program *program, const struct statement *launch);

/* Elements FIRST.. of what the launch CALL writes to SPAN, COUNT of them, into BYTES. INPUTS: all that the
 * kernel reads, one span's bytes behind the other's, as it was when the kernel started; not looked at where
 * inputs do not matter. Where the span accumulates, BYTES holds what is there already. */
void kernel_make(const struct program *program, uint32_t call, const struct span *span, const uint8_t *inputs,
                 uint32_t first, uint32_t count, uint8_t *bytes);

/* Whether the copy's source is staged as a whole when it starts (rule 9). */
bool copy_is_staged(const struct program *program, const struct statement *copy);

#endif
