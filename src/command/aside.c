#include "command/aside.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "process/session.h"

/* Of more calls nothing is made beside a walk: the reader would wait for it. */
enum { CALLS_MAX = 20000 };

/* Cuts the text into visible lines. */
static void cut_lines(struct aside *aside)
{
    struct text visible = {0};
    for (char *at = aside->text.bytes, *next; at && *at; at = next) {
        char *end = strchr(at, '\n');
        next = end ? end + 1 : at + strlen(at);
        text_append_visible(&visible, at, (size_t)((end ? end : next) - at));
        text_append_bytes(&visible, "", 1);
    }
    text_free(&aside->text);
    aside->text = visible;
    aside->lines = memory_zeroed(aside->map.line_count, sizeof *aside->lines);
    const char *at = aside->text.bytes;
    for (uint32_t i = 0; i < aside->map.line_count; i++) {
        bool is_there = at < aside->text.bytes + aside->text.length;
        aside->lines[i] = is_there ? at : "";
        at += is_there ? strlen(at) + 1 : 0;
    }
}

void aside_show_code(struct aside *aside, const char *file, struct walk *walk)
{
    if (walk->program->call_count > CALLS_MAX) {
        walk_notice(walk, true, "Too long a program to be shown so: `handoff export c` writes it.");
        return;
    }
    if (!aside->lines) {
        export_c(walk->view->order, file, &aside->text, &aside->map);
        cut_lines(aside);
    }
    walk->scroll[PANEL_PROGRAM] = 0;
    walk->code = (struct code){.is_shown = !walk->code.is_shown,
                               .lines = aside->lines,
                               .line_count = aside->map.line_count,
                               .lines_of_calls = aside->map.lines};
}

static void free_run(struct aside *aside, int i)
{
    view_close(aside->views[i]);
    order_free(aside->orders[i]);
    program_free(aside->programs[i]);
    aside->views[i] = NULL;
    aside->orders[i] = NULL;
    aside->programs[i] = NULL;
}

static void take_record(void *context, const struct record *record)
{
    view_apply(context, record);
}

/* Runs the program with these variants to its end. */
static bool make_run(struct aside *aside, int i, const struct schedule *schedule, uint32_t variants)
{
    struct diagnostics faults = {0};
    struct error error;
    free_run(aside, i);
    aside->programs[i] = program_resolve(schedule, variants, &faults);
    diagnostics_free(&faults);
    if (!aside->programs[i] || aside->programs[i]->call_count > CALLS_MAX)
        return false;
    aside->orders[i] = order_build(aside->programs[i]);
    aside->views[i] = view_open(aside->orders[i]);
    const struct session_options options = {
        .backend = BACKEND_SIM, .sink = take_record, .context = aside->views[i]};
    struct session *session = session_open(aside->orders[i], &options, &error);
    if (!session)
        return false;
    session_set_goal(session, &(struct session_goal){.kind = GOAL_END});
    session_wait(session);
    session_close(session);
    return true;
}

static void name_variants(const struct schedule *schedule, uint32_t variants, struct text *name)
{
    text_clear(name);
    for (size_t i = 0; i < schedule_variant_count(schedule); i++)
        if (variants >> i & 1)
            text_format(name, "%s%s", name->length > 0 ? ", " : "variant ",
                        schedule_variant(schedule, i)->name);
    if (variants == 0)
        text_append(name, "without a variant");
}

/* The set after OTHER that is not the walk's own: none, then each variant by itself. */
static uint32_t next_variants(const struct walk *walk, uint32_t other)
{
    size_t count = schedule_variant_count(walk->schedule);
    do {
        uint32_t next = other == 0 ? 1 : other << 1;
        other = count == 0 || next >> (count - 1) > 1 ? 0 : next;
    } while (other == walk->variants && count > 0);
    return other;
}

void aside_compare(struct aside *aside, struct walk *walk)
{
    if (schedule_variant_count(walk->schedule) == 0) {
        walk_notice(walk, false, "This program has no variants to compare it with.");
        return;
    }
    bool is_open = walk->overlay == OVERLAY_COMPARE;
    aside->other = is_open || walk->variants == 0 ? next_variants(walk, is_open ? aside->other : 0) : 0;
    walk->overlay = OVERLAY_NONE;
    if ((!aside->views[0] && !make_run(aside, 0, walk->schedule, walk->variants)) ||
        !make_run(aside, 1, walk->schedule, aside->other)) {
        walk_notice(walk, true, "These two cannot be run beside one another.");
        return;
    }
    for (int i = 0; i < COMPARED; i++)
        walk->compared[i].view = aside->views[i];
    name_variants(walk->schedule, walk->variants, &walk->compared[0].name);
    name_variants(walk->schedule, aside->other, &walk->compared[1].name);
    walk_open_overlay(walk, OVERLAY_COMPARE);
}

void aside_free(struct aside *aside, struct walk *walk)
{
    walk->code = (struct code){.is_shown = false};
    walk->overlay = walk->overlay == OVERLAY_COMPARE ? OVERLAY_NONE : walk->overlay;
    for (int i = 0; i < COMPARED; i++)
        free_run(aside, i);
    if (aside->lines)
        export_line_map_free(&aside->map);
    free(aside->lines);
    text_free(&aside->text);
    *aside = (struct aside){0};
}
