#include "command/verdict.h"

#include "order/portable.h"

struct verdict verdict_open(const struct program *program)
{
    struct diagnostics none = {0};
    struct verdict verdict = {0};
    size_t length;
    const char *text = schedule_text(program->schedule, &length);
    verdict.schedule = schedule_parse(text, length, 1, &none);
    if (verdict.schedule)
        verdict.program = program_resolve(verdict.schedule, program->variants, &none);
    if (verdict.program) {
        verdict.order = order_build(verdict.program);
        verdict.findings = order_check(verdict.order);
        find_unportable(verdict.order, &verdict.findings);
    }
    diagnostics_free(&none);
    return verdict;
}

void verdict_free(struct verdict *verdict)
{
    findings_free(&verdict->findings);
    order_free(verdict->order);
    program_free(verdict->program);
    if (verdict->schedule)
        schedule_free(verdict->schedule);
    *verdict = (struct verdict){0};
}
