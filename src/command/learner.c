#include "command/learner.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "command/message.h"
#include "command/solve.h"

void learner_open(struct learner *learner, struct study *progress, struct walk *walk)
{
    const struct lesson *lesson = walk->lesson;
    *learner = (struct learner){.step = -1};
    if (!lesson || !progress)
        return;
    learner->progress = progress;
    for (size_t i = 0; i < lesson->challenge_count; i++)
        walk->solved[i] = study_has_challenge(progress, lesson->name, lesson->challenges[i].name);
    learner->wrong = memory_zeroed(lesson->step_count + 1, sizeof *learner->wrong);
    for (size_t step = 0; step < lesson->step_count; step++) {
        const struct step *known = &lesson->steps[step];
        learner->wrong[step] = memory_zeroed(known->question_count + 1, sizeof **learner->wrong);
        for (size_t i = 0; i < known->question_count; i++)
            walk->wrong[step][i] = learner->wrong[step][i] =
                study_is_wrong(progress, lesson->name, known->title, (unsigned)i);
    }
}

void learner_close(struct learner *learner, const struct walk *walk)
{
    for (size_t step = 0; learner->wrong && step < walk->lesson->step_count; step++)
        free(learner->wrong[step]);
    free(learner->wrong);
    *learner = (struct learner){0};
}

static void append_variants(const struct walk *walk, struct text *out)
{
    for (size_t i = 0; i < schedule_variant_count(walk->schedule); i++)
        if (walk->variants >> i & 1)
            text_format(out, "%s%s", out->length > 0 ? "," : "", schedule_variant(walk->schedule, i)->name);
}

static void note_step(struct learner *learner, const struct walk *walk)
{
    const struct step *step = walk_step(walk);
    struct text variants = {0};
    if (!step || !walk_has_arrived(walk) ||
        (walk->view->step == learner->step && walk->variants == learner->variants))
        return;
    learner->step = walk->view->step;
    learner->variants = walk->variants;
    append_variants(walk, &variants);
    study_reach(learner->progress, walk->lesson->name, step->title, text_string(&variants));
    if (walk->variants == 0 && walk_step_number(walk, learner->step) == walk->step_count)
        study_finish(learner->progress, walk->lesson->name);
    text_free(&variants);
}

static void note_answers(struct learner *learner, const struct walk *walk)
{
    for (size_t step = 0; step < walk->lesson->step_count; step++)
        for (size_t i = 0; i < walk->lesson->steps[step].question_count; i++)
            if (walk->wrong[step][i] != learner->wrong[step][i]) {
                learner->wrong[step][i] = walk->wrong[step][i];
                study_answer(learner->progress, walk->lesson->name, walk->lesson->steps[step].title,
                             (unsigned)i, !walk->wrong[step][i]);
            }
}

void learner_note(struct learner *learner, const struct walk *walk)
{
    if (!learner->progress)
        return;
    note_step(learner, walk);
    note_answers(learner, walk);
}

bool learner_judge(struct study *progress, const char *lesson, struct walk *walk)
{
    if (!walk->challenge || walk->is_judged || walk->view->outcome == OUTCOME_NONE || !walk_is_live(walk))
        return false;
    text_clear(&walk->verdict);
    walk->is_judged = true;
    walk->is_solved = solve_judge(walk->challenge, walk->view, &walk->verdict);
    walk->scroll[PANEL_PROSE] = 0;
    if (walk->is_solved && progress)
        study_solve(progress, lesson, walk->challenge->name);
    return true;
}

size_t learner_place(const struct study *progress, const struct lesson *lesson, uint32_t variants)
{
    const char *title = study_place(progress, lesson->name);
    size_t number = 0;
    if (!title || study_is_finished(progress, lesson->name))
        return 0;
    for (size_t i = 0; i < lesson->step_count; i++) {
        number += variant_filter_passes(lesson->steps[i].filter, variants);
        if (strcmp(lesson->steps[i].title, title) == 0)
            return number;
    }
    return 0;
}

void learner_keep(struct study *progress, const char *command)
{
    if (!study_close(progress))
        complain(command, "what you have done could not be kept: the folder for it cannot be written");
}
