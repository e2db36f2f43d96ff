/* Any bytes as a schedule: read, resolved without variants and with some that the bytes choose, and its order
 * built. */
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

/* A set of variants that changes with every byte. */
static uint32_t chosen_variants(const uint8_t *bytes, size_t length)
{
    uint32_t hash = UINT32_C(2166136261);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * UINT32_C(16777619);
    return hash;
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
        if (schedule_variant_count(schedule) > 0)
            walk(schedule, chosen_variants(bytes, length));
    }
    text_free(&text);
    schedule_free(schedule);
    diagnostics_free(&diagnostics);
    return 0;
}
