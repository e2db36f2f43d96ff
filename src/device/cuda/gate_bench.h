#ifndef HANDOFF_DEVICE_CUDA_GATE_BENCH_H
#define HANDOFF_DEVICE_CUDA_GATE_BENCH_H

#include "process/board.h"

/* See struct cuda_module. */
bool hold_gates(struct board *board, unsigned gpu, struct error *error);

#endif
