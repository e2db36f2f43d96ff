#include "progress/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "progress/store.h"

/* How long the last change waits for another session, which holds the lock for a moment only. */
enum { LAST_TRIES = 50, TRY_AGAIN_NS = 10000000 };

struct study {
    struct store store;
    json_t *known;  /* the file's object and what came since */
    json_t *change; /* what is not in the file yet */
};

struct study *study_open(void)
{
    struct study *study = memory_zeroed(1, sizeof *study);
    store_open(&study->store);
    study->known = store_read(&study->store);
    study->change = json_object();
    return study;
}

static bool keep(struct study *study)
{
    struct error error;
    json_t *merged = store_merge(&study->store, study->change, NULL, &error);
    if (!merged)
        return false;
    json_decref(study->known);
    study->known = merged;
    json_object_clear(study->change);
    return true;
}

bool study_close(struct study *study)
{
    if (!study)
        return true;
    for (int i = 0; i < LAST_TRIES && json_object_size(study->change) > 0 && !keep(study) &&
                    study->store.folder.length > 0;
         i++)
        nanosleep(&(struct timespec){.tv_nsec = TRY_AGAIN_NS}, NULL);
    bool is_kept = json_object_size(study->change) == 0;
    json_decref(study->known);
    json_decref(study->change);
    store_close(&study->store);
    free(study);
    return is_kept;
}

void study_take_notice(struct study *study, struct text *out)
{
    text_append(out, text_string(&study->store.notice));
    text_clear(&study->store.notice);
}

/* Takes a change, which is freed. */
static void take(struct study *study, json_t *change)
{
    json_object_update_recursive(study->change, change);
    if (!keep(study))
        json_object_update_recursive(study->known, change);
    json_decref(change);
}

void study_reach(struct study *study, const char *lesson, const char *step, const char *variants)
{
    take(study, json_pack("{s:s, s:{s:{s:s, s:s, s:{s:b}}}}", "last", lesson, "lessons", lesson, "at", step,
                          "variants", variants, "steps", step, 1));
}

void study_finish(struct study *study, const char *lesson)
{
    take(study, json_pack("{s:{s:{s:b}}}", "lessons", lesson, "finished", 1));
}

void study_solve(struct study *study, const char *lesson, const char *challenge)
{
    take(study, json_pack("{s:{s:{s:{s:b}}}}", "lessons", lesson, "challenges", challenge, 1));
}

void study_answer(struct study *study, const char *lesson, const char *step, unsigned question, bool is_right)
{
    char number[16];
    snprintf(number, sizeof number, "%u", question);
    if (is_right && !study_is_wrong(study, lesson, step, question))
        return;
    take(study, json_pack("{s:{s:{s:{s:{s:b}}}}}", "lessons", lesson, "wrong", step, number, !is_right));
}

bool study_reset(struct study *study, const char *lesson, struct error *error)
{
    json_t *merged = store_merge(&study->store, study->change, lesson, error);
    if (!merged)
        return false;
    json_decref(study->known);
    study->known = merged;
    json_object_clear(study->change);
    return true;
}

static json_t *lesson_value(const struct study *study, const char *lesson, const char *key)
{
    return json_object_get(json_object_get(json_object_get(study->known, "lessons"), lesson), key);
}

const char *study_last_lesson(const struct study *study)
{
    return json_string_value(json_object_get(study->known, "last"));
}

const char *study_place(const struct study *study, const char *lesson)
{
    return json_string_value(lesson_value(study, lesson, "at"));
}

const char *study_variants(const struct study *study, const char *lesson)
{
    const char *variants = json_string_value(lesson_value(study, lesson, "variants"));
    return variants ? variants : "";
}

bool study_is_finished(const struct study *study, const char *lesson)
{
    return json_is_true(lesson_value(study, lesson, "finished"));
}

bool study_has_step(const struct study *study, const char *lesson, const char *step)
{
    return json_is_true(json_object_get(lesson_value(study, lesson, "steps"), step));
}

bool study_has_challenge(const struct study *study, const char *lesson, const char *challenge)
{
    return json_is_true(json_object_get(lesson_value(study, lesson, "challenges"), challenge));
}

bool study_is_wrong(const struct study *study, const char *lesson, const char *step, unsigned question)
{
    char number[16];
    snprintf(number, sizeof number, "%u", question);
    return json_is_true(json_object_get(json_object_get(lesson_value(study, lesson, "wrong"), step), number));
}
