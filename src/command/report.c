#include "command/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "order/check.h"
#include "order/wording.h"
#include "screen/timeline.h"

enum { NARROWEST = 40, WIDEST = 1000, WIDTH_ELSEWHERE = 100, ERRORS_NAMED = 3 };

int report_width(int elsewhere)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    long width = columns ? strtol(columns, NULL, 10) : 0;
    if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width <= 0)
        return elsewhere;
    return width < NARROWEST ? NARROWEST : width > WIDEST ? WIDEST : (int)width;
}

static void put(struct text *text)
{
    fwrite(text_string(text), 1, text->length, stdout);
    text_free(text);
}

void report_record(const struct print *print, const struct record *record)
{
    struct text out = {0};
    print_record(print, record, &out);
    if (record->kind == RECORD_OUTCOME && record->number != OUTCOME_FINISHED)
        print_waiting(print, &out);
    put(&out);
}

static bool any_overlap(const struct view *view)
{
    for (uint32_t call = 0; call < view->program->call_count; call++)
        if (view->calls[call].overlapped)
            return true;
    return false;
}

static void append_timeline(const struct print *print, struct text *out)
{
    struct canvas canvas;
    int rows = timeline_rows(print->view), columns = report_width(WIDTH_ELSEWHERE);
    if (rows < 1)
        return;
    text_append(out, "\ntimeline: calls above, execution below\n");
    canvas_open(&canvas, rows, columns, print->ascii);
    const struct timeline_window everything = {.cursor = TIME_NONE};
    timeline_draw(print->view, &everything, &canvas, (struct rectangle){0, 0, rows, columns});
    canvas_to_text(&canvas, out);
    canvas_free(&canvas);
    if (any_overlap(print->view))
        text_format(out,
                    "%s  other work touched the same bytes at that time, and one of the two wrote them\n",
                    print->ascii ? "!" : "\u2260");
}

void report_errors(const struct order *order, const char *whatever, struct text *out)
{
    struct findings findings = order_check(order);
    uint32_t errors = findings_error_count(&findings), named = 0, told = 0;
    if (errors > 0)
        text_format(out, "\ncheck finds %u%s error%s, whatever %s:", errors,
                    errors >= FINDING_COUNT_LIMIT ? " or more" : "", errors == 1 ? "" : "s", whatever);
    const struct finding *last = NULL;
    for (uint32_t i = 0; i < findings.count; i++) {
        const struct finding *finding = &findings.items[i];
        uint32_t line = call_line(order->program, finding->call);
        bool is_known = last && last->kind == finding->kind && call_line(order->program, last->call) == line;
        if (finding_severity(finding->kind) != SEVERITY_ERROR || (!is_known && named == ERRORS_NAMED))
            continue;
        if (!is_known)
            text_format(out, "%s %s in line %u", named++ > 0 ? "," : "", finding_kind_name(finding->kind),
                        line);
        told++;
        last = finding;
    }
    if (errors > 0)
        text_append(out, errors > told ? ", ...\n" : "\n");
    findings_free(&findings);
}

void report_end(const struct print *print, const struct log_header *header)
{
    struct text out = {0};
    append_timeline(print, &out);
    text_append(&out, "\nbuffers\n");
    print_buffers(print, header->gpus, header->gpu_count, &out);
    report_errors(print->view->order, "this execution came to", &out);
    put(&out);
}
