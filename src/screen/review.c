#include "screen/review.h"

#include <stdlib.h>

#include "base/memory.h"
#include "screen/prose.h"

size_t review_size(const struct walk *walk)
{
    size_t count = 0;
    for (size_t i = 0; i < walk->step_count; i++)
        for (size_t k = 0; k < walk->lesson->steps[walk->steps[i]].question_count; k++)
            count += walk->wrong[walk->steps[i]][k];
    return count;
}

void review_open(struct walk *walk)
{
    size_t room = review_size(walk);
    if (room == 0) {
        walk_notice(walk, false, "Nothing to look at again: no question was answered wrong.");
        return;
    }
    free(walk->review);
    walk->review = memory_zeroed(room, sizeof *walk->review);
    walk->review_count = 0;
    for (size_t i = 0; i < walk->step_count; i++)
        for (size_t k = 0; k < walk->lesson->steps[walk->steps[i]].question_count; k++)
            if (walk->wrong[walk->steps[i]][k])
                walk->review[walk->review_count++] = (struct review){walk->steps[i], k, -1};
    walk_open_overlay(walk, OVERLAY_REVIEW);
}

static const struct question *question_of(const struct walk *walk, const struct review *review)
{
    return &walk->lesson->steps[review->step].questions[review->question];
}

void review_key(struct walk *walk, uint32_t key)
{
    struct review *review = &walk->review[walk->overlay_chosen];
    const struct question *question = question_of(walk, review);
    enum action action = key_action(key);
    if (action == ACTION_ANSWER) {
        if (review->answered < 0 && key - '1' < question->answer_count) {
            review->answered = (int)(key - '1');
            walk->wrong[review->step][review->question] = !question->answers[review->answered].right;
        }
    } else if (action == ACTION_BACK || action == ACTION_UP) {
        walk->overlay_chosen -= walk->overlay_chosen > 0;
    } else if (action == ACTION_NEXT || action == ACTION_DOWN || key == KEYS_ENTER) {
        if (walk->overlay_chosen + 1 < walk->review_count)
            walk->overlay_chosen++;
        else if (action != ACTION_DOWN)
            walk->overlay = OVERLAY_NONE;
    } else {
        walk->overlay = OVERLAY_NONE;
    }
}

const char *review_write(const struct walk *walk, struct page *page)
{
    const struct review *review = &walk->review[walk->overlay_chosen];
    struct text heading = {0};
    text_format(&heading, "%zu of %zu: %s", walk->overlay_chosen + 1, walk->review_count,
                walk->lesson->steps[review->step].title);
    page_text(page, 0, 0, STYLE_TITLE, text_string(&heading));
    prose_add_question(page, question_of(walk, review), review->answered);
    text_free(&heading);
    return "Once more: 1-9 answers, n next, b back";
}
