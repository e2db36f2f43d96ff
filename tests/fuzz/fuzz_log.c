/* Any bytes as a log file: read, every record of it folded into a view and printed. */
#include "log/log.h"
#include "log/print.h"
#include "log/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void show(const struct log_input *input)
{
    struct view *view = view_open(input->order);
    const struct print print = print_open(view, false);
    struct text out = {0};
    for (size_t i = 0; i < input->log.count; i++) {
        view_apply(view, &input->log.records[i]);
        print_record(&print, &input->log.records[i], &out);
    }
    print_waiting(&print, &out);
    print_buffers(&print, input->log.header.gpus, input->log.header.gpu_count, &out);
    result_to_json(view, &input->log.header, &out);
    text_free(&out);
    view_close(view);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct log_input input;
    struct error error;
    if (log_read_bytes(&input, "fuzz", (const char *)bytes, length, &error)) {
        show(&input);
        log_input_free(&input);
    }
    return 0;
}
