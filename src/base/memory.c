#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*restore_before_exit)(void);

void memory_before_exit(void (*restore)(void))
{
    restore_before_exit = restore;
}

static _Noreturn void out_of_memory(void)
{
    static const char message[] = "handoff: out of memory\n";
    if (restore_before_exit)
        restore_before_exit();
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0)
        _exit(3);
    _exit(3);
}

void *memory_zeroed(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        out_of_memory();
    return memory;
}

void *memory_resize(void *old, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        out_of_memory();
    size_t bytes = count * size;
    void *memory = realloc(old, bytes > 0 ? bytes : 1);
    if (!memory)
        out_of_memory();
    return memory;
}

void *memory_all_ones(size_t count, size_t size)
{
    void *memory = memory_resize(NULL, count, size);
    return memset(memory, 0xFF, count * size);
}

char *memory_copy_string(const char *string)
{
    size_t length = strlen(string) + 1;
    return memcpy(memory_resize(NULL, length, 1), string, length);
}
