/* Any bytes as a log file: read, and every record of it folded into a view. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "log/log.h"
#include "log/view.h"

static char path[] = "/tmp/handoff-fuzz-XXXXXX";
static int descriptor = -1;

static void remove_file(void)
{
    unlink(path);
}

static void write_file(const uint8_t *bytes, size_t length)
{
    if (descriptor < 0) {
        descriptor = mkstemp(path);
        atexit(remove_file);
    }
    if (descriptor < 0 || ftruncate(descriptor, 0) < 0 ||
        pwrite(descriptor, bytes, length, 0) != (ssize_t)length)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    write_file(bytes, length);
    struct log_input input = {0};
    struct error error = {0};
    if (log_read(&input, path, &error)) {
        struct view *view = view_open(input.order);
        for (size_t i = 0; i < input.log.count; i++)
            view_apply(view, &input.log.records[i]);
        struct text text = {0};
        for (uint32_t call = 0; call < input.program->call_count; call++)
            view_explain_wait(view, call, &text);
        text_free(&text);
        view_close(view);
    }
    log_input_free(&input);
    return 0;
}
