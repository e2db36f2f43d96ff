/* Any bytes as a schedule: read, every variant by itself resolved, and its order built. */
#include "order/order.h"
#include "schedule/program.h"
#include "schedule/schedule.h"

/* Above this a program is only slow, not new. */
enum { CALLS_WORTH_ORDERING = 4096 };

static void walk(const struct schedule *schedule, uint32_t variants)
{
    struct diagnostics diagnostics = {0};
    struct program *program = program_resolve(schedule, variants, &diagnostics);
    if (program && program->call_count <= CALLS_WORTH_ORDERING) {
        struct text text = {0};
        for (uint32_t call = 0; call < program->call_count; call++) {
            text_clear(&text);
            call_describe(program, call, &text);
        }
        text_free(&text);
        order_free(order_build(program));
    }
    program_free(program);
    diagnostics_free(&diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct diagnostics diagnostics = {0};
    struct schedule *schedule = schedule_parse((const char *)bytes, length, 1, &diagnostics);
    struct text text = {0};
    diagnostics_print(&diagnostics, "fuzz", &text);
    if (schedule) {
        walk(schedule, 0);
        for (size_t i = 0; i < schedule_variant_count(schedule); i++)
            walk(schedule, UINT32_C(1) << i);
    }
    text_free(&text);
    schedule_free(schedule);
    diagnostics_free(&diagnostics);
    return 0;
}
