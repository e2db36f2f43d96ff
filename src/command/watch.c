#include "command/watch.h"

#include <string.h>

static struct lesson *read_lesson(const struct log_header *header)
{
    struct diagnostics faults = {0};
    struct lesson *lesson =
        header->lesson ? lesson_parse(header->file, header->lesson, header->lesson_length, &faults) : NULL;
    diagnostics_free(&faults);
    return lesson;
}

/* What the reader chose stays, answers too where it is the same lesson. */
static void take_over(struct walk *walk, struct walk *before)
{
    walk->focus = before->focus;
    walk->overlay = before->overlay;
    walk->speed = before->speed;
    if (!walk->lesson || !before->lesson || walk->lesson->length != before->lesson->length ||
        memcmp(walk->lesson->text, before->lesson->text, walk->lesson->length) != 0)
        return;
    int **answers = walk->answers;
    walk->answers = before->answers;
    before->answers = answers;
}

static void begin_run(void *context, struct log_input *run)
{
    struct watch *watch = context;
    struct lesson *lesson_before = watch->lesson;
    struct walk before = watch->walk;
    watch->lesson = read_lesson(&run->log.header);
    walk_open(&watch->walk, run->log.header.file, watch->lesson, run->schedule);
    text_format(&watch->walk.title, " (%s)", watch->join.title);
    watch->walk.is_replay = watch->walk.is_led = true;
    watch->led_to = 0;
    walk_begin_run(&watch->walk, run->order, &run->log, run->program->variants);
    if (watch->has_walk) {
        take_over(&watch->walk, &before);
        walk_close(&before);
    }
    lesson_free(lesson_before);
    watch->has_walk = true;
}

bool watch_open(struct watch *watch, const char *command, const char *name, const char *ending)
{
    *watch = (struct watch){.join = {.descriptor = -1, .feed = {.begun = begin_run, .context = watch}}};
    return join_open(&watch->join, command, name, ending);
}

void watch_close(struct watch *watch)
{
    if (watch->has_walk)
        walk_close(&watch->walk);
    lesson_free(watch->lesson);
    join_close(&watch->join);
}

/* Whether that changed what the walk shows. */
static bool lead(struct watch *watch)
{
    struct walk *walk = &watch->walk;
    const struct feed *feed = &watch->join.feed;
    bool was_led = walk->is_led, stayed = was_led && walk->position == watch->led_to;
    size_t position = walk->position, answered = walk_answered(walk);
    walk->is_led = !walk->is_paced && (stayed || walk_is_live(walk));
    if (walk->is_led) {
        walk_seek(walk, feed->position);
        walk_reveal(walk, feed->answered);
        watch->led_to = walk->position;
    }
    return walk->is_led != was_led || walk->position != position || walk_answered(walk) != answered;
}

bool watch_pump(struct watch *watch)
{
    bool any = join_pump(&watch->join);
    return lead(watch) || any;
}
