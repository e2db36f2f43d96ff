#include "process/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "process/descriptor.h"

static void end_line(struct output *output, void (*sink)(void *context, const char *line, size_t length),
                     void *context)
{
    if (output->lines++ < OUTPUT_LINES)
        sink(context, output->line, output->length);
    output->length = 0;
    output->any = false;
}

static void take(struct output *output, const char *bytes, size_t length,
                 void (*sink)(void *context, const char *line, size_t length), void *context)
{
    while (length > 0) {
        const char *newline = memchr(bytes, '\n', length);
        size_t count = newline ? (size_t)(newline - bytes) : length;
        size_t room = sizeof output->line - output->length;
        size_t kept = count < room ? count : room;
        memcpy(output->line + output->length, bytes, kept);
        output->length += kept;
        output->any = true;
        if (newline)
            end_line(output, sink, context);
        count += newline ? 1 : 0;
        bytes += count;
        length -= count;
    }
}

void output_read(struct output *output, void (*sink)(void *context, const char *line, size_t length),
                 void *context)
{
    char bytes[16384];
    for (size_t total = 0; output->descriptor >= 0 && total < OUTPUT_AT_ONCE;) {
        ssize_t count = read(output->descriptor, bytes, sizeof bytes);
        if (count > 0) {
            take(output, bytes, (size_t)count, sink, context);
            total += (size_t)count;
        } else if (count == 0) {
            descriptor_close(&output->descriptor);
        } else if (errno != EINTR) {
            break;
        }
    }
}

void output_end(struct output *output, void (*sink)(void *context, const char *line, size_t length),
                void *context)
{
    output_read(output, sink, context);
    descriptor_close(&output->descriptor);
    if (output->any)
        end_line(output, sink, context);
    if (output->lines <= OUTPUT_LINES)
        return;
    char note[64];
    int length = snprintf(note, sizeof note, "(and %" PRIu64 " lines more)", output->lines - OUTPUT_LINES);
    sink(context, note, (size_t)length);
    output->lines = 0;
}
