#include "log/log.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void log_append(struct log *log, const struct record *record)
{
    ARRAY_RESERVE(log->records, log->count, log->capacity);
    struct record *kept = &log->records[log->count++];
    *kept = *record;
    if (record->length == 0) {
        kept->bytes = NULL;
        return;
    }
    char *bytes = memory_resize(NULL, record->length, 1);
    memcpy(bytes, record->bytes, record->length);
    kept->bytes = bytes;
}

void log_header_free(struct log_header *header)
{
    free(header->file);
    free(header->lesson);
    free(header->schedule);
    free(header->variants);
    free(header->backend);
    *header = (struct log_header){0};
}

void log_free(struct log *log)
{
    for (size_t i = 0; i < log->count; i++)
        free((char *)log->records[i].bytes);
    free(log->records);
    log_header_free(&log->header);
    *log = (struct log){0};
}
