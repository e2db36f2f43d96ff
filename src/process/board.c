#include "process/board.h"

#include <sys/mman.h>

struct board *board_open(uint32_t call_count, struct error *error)
{
    size_t bytes = sizeof(struct board) + (size_t)call_count * sizeof(struct board_call);
    struct board *board = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED) {
        error_set_errno(error, "no shared memory for the board of %zu bytes", bytes);
        return NULL;
    }
    board->bytes = bytes;
    board->call_count = call_count;
    return board;
}

void board_close(struct board *board)
{
    if (board)
        munmap(board, board->bytes);
}
