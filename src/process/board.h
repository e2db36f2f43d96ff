/* The board: one anonymous shared mapping, made before the fork, with a gate and a mark for each call and
 * operation. The launcher opens gates and reads marks; simulated streams, host programs and (with CUDA) the
 * GPU itself obey the gates and write the marks. It holds no data of any buffer.
 *
 * With CUDA every worker registers the mapping (cudaHostRegister, mapped): cuStreamWaitValue32 (GEQ) holds a
 * stream at GO (CUDA driver API, MEMOP), and kernels write its clock as the marks. */
#ifndef HANDOFF_PROCESS_BOARD_H
#define HANDOFF_PROCESS_BOARD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { GATE_CLOSED = 0, GATE_OPEN = 1 };

/* One call. The gates are 32-bit words, because those are what a GPU stream waits for. */
struct board_call {
    _Atomic uint32_t host_gate;                 /* launcher: the host program may enter the call */
    _Atomic uint32_t entered;                   /* worker: 1 */
    _Atomic uint32_t returned;                  /* worker: 1 */
    _Atomic uint32_t gate;                      /* launcher: the operation may start */
    _Atomic uint32_t started;                   /* simulated device, or a GPU's driver: 1 */
    _Atomic uint32_t done;                      /* the same: 1 */
    _Atomic uint32_t go;                        /* a GPU's driver: the operation may start on the GPU */
    _Atomic uint64_t started_clock, done_clock; /* GPU: when, on its own clock in ns; 0: not yet */
};

struct board {
    size_t bytes;
    uint32_t call_count;
    _Atomic uint32_t interrupted; /* a GPU's driver: the run is over, end whatever still waits */
    struct board_call calls[];
};

/* NULL and ERROR where the mapping fails. */
struct board *board_open(uint32_t call_count, struct error *error);
void board_close(struct board *board);

#endif
