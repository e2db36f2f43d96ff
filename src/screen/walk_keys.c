/* What the keys do within a walk. */
#include <stddef.h>

#include "screen/review.h"
#include "screen/walk.h"

enum { PAGE_LINES = 10, SPEED_LIMIT = 5, ZOOM_LIMIT = 20 };

static void move_track(struct walk *walk, int by)
{
    if (walk->track_count == 0)
        return;
    walk->chosen =
        (walk->chosen + walk->track_count + (size_t)(by > 0 ? 1 : walk->track_count - 1)) % walk->track_count;
    walk->scroll[PANEL_RANKS] = 0;
}

static void scroll(struct walk *walk, enum panel panel, int by)
{
    walk->scroll[panel] += by;
    if (walk->scroll[panel] < 0 && panel != PANEL_RANKS && panel != PANEL_PROSE)
        walk->scroll[panel] = 0;
}

static void change_focus(struct walk *walk, int by)
{
    walk->focus = (enum panel)(((int)walk->focus + PANEL_COUNT + by) % PANEL_COUNT);
    if (walk->focus == PANEL_PROSE && !walk->lesson)
        change_focus(walk, by);
}

static void answer(struct walk *walk, int choice)
{
    size_t index;
    const struct question *question = walk_open_question(walk, &index);
    if (question && choice < (int)question->answer_count) {
        walk->answers[walk->view->step][index] = choice;
        walk->wrong[walk->view->step][index] = !question->answers[choice].right;
        walk->scroll[PANEL_PROSE] = 0;
    }
}

void walk_open_overlay(struct walk *walk, enum overlay overlay)
{
    walk->overlay = overlay;
    walk->overlay_scroll = 0;
    walk->overlay_chosen = 0;
    walk->overlay_variants = walk->variants;
}

void walk_open_challenges(struct walk *walk)
{
    if (walk->lesson && walk->lesson->challenge_count > 0 && !walk->is_replay)
        walk_open_overlay(walk, OVERLAY_CHALLENGES);
    else
        walk_notice(walk, false, "There are no challenges here.");
}

static enum action variants_key(struct walk *walk, uint32_t key, enum action action)
{
    size_t count = schedule_variant_count(walk->schedule);
    if (action == ACTION_UP && walk->overlay_chosen > 0)
        walk->overlay_chosen--;
    else if (action == ACTION_DOWN && walk->overlay_chosen + 1 < count)
        walk->overlay_chosen++;
    else if (key == ' ' && count > 0)
        walk->overlay_variants ^= 1u << walk->overlay_chosen;
    else if (action == ACTION_ANSWER && key - '1' < count)
        walk->overlay_variants ^= 1u << (key - '1');
    else if (key == KEYS_ENTER) {
        walk->overlay = OVERLAY_NONE;
        if (walk->overlay_variants != walk->variants)
            return ACTION_TAKE_VARIANTS;
        walk_notice(walk, false, "Nothing was changed: space switches the chosen variant on and off.");
    } else if (action == ACTION_CLOSE || action == ACTION_VARIANTS || action == ACTION_QUIT)
        walk->overlay = OVERLAY_NONE;
    return ACTION_NONE;
}

static enum action findings_key(struct walk *walk, uint32_t key, enum action action)
{
    size_t count = walk->findings->count;
    if (action == ACTION_UP && walk->overlay_chosen > 0)
        walk->overlay_chosen--;
    else if (action == ACTION_DOWN && walk->overlay_chosen + 1 < count)
        walk->overlay_chosen++;
    else if (key == KEYS_ENTER && count > 0)
        return ACTION_SHOW_FINDING;
    else if (action != ACTION_UP && action != ACTION_DOWN)
        walk->overlay = OVERLAY_NONE;
    return ACTION_NONE;
}

static enum action challenges_key(struct walk *walk, uint32_t key, enum action action)
{
    size_t count = walk->lesson->challenge_count;
    if (action == ACTION_UP && walk->overlay_chosen > 0)
        walk->overlay_chosen--;
    else if (action == ACTION_DOWN && walk->overlay_chosen + 1 < count)
        walk->overlay_chosen++;
    else if (action == ACTION_ANSWER && key - '1' < count)
        walk->overlay_chosen = key - '1';
    else if (action != ACTION_UP && action != ACTION_DOWN && action != ACTION_ANSWER)
        walk->overlay = OVERLAY_NONE;
    return key == KEYS_ENTER ? ACTION_CHALLENGE : ACTION_NONE;
}

static enum action overlay_key(struct walk *walk, uint32_t key)
{
    enum action action = key_action(key);
    if (action == ACTION_REDRAW)
        return action;
    if (walk->overlay == OVERLAY_VARIANTS)
        return variants_key(walk, key, action);
    if (walk->overlay == OVERLAY_FINDINGS)
        return findings_key(walk, key, action);
    if (walk->overlay == OVERLAY_COMPARE && action == ACTION_COMPARE)
        return ACTION_COMPARE;
    if (walk->overlay == OVERLAY_CHALLENGES)
        return challenges_key(walk, key, action);
    if (walk->overlay == OVERLAY_FAULTS && action == ACTION_EDIT) {
        walk->overlay = OVERLAY_NONE;
        return ACTION_EDIT;
    }
    if (walk->overlay == OVERLAY_REVIEW) {
        review_key(walk, key);
        return ACTION_NONE;
    }
    switch (action) {
    case ACTION_UP:
        walk->overlay_scroll--;
        break;
    case ACTION_DOWN:
        walk->overlay_scroll++;
        break;
    case ACTION_PAGE_UP:
        walk->overlay_scroll -= PAGE_LINES;
        break;
    case ACTION_PAGE_DOWN:
        walk->overlay_scroll += PAGE_LINES;
        break;
    default:
        walk->overlay = OVERLAY_NONE;
        return ACTION_NONE;
    }
    if (walk->overlay_scroll < 0)
        walk->overlay_scroll = 0;
    return ACTION_NONE;
}

static enum panel page_panel(const struct walk *walk)
{
    return walk->focus == PANEL_RANKS && walk->lesson ? PANEL_PROSE : walk->focus;
}

static void seek(struct walk *walk, size_t position)
{
    walk->is_paced = false;
    walk_seek(walk, position);
}

/* The actions that stay within the walk; false for one that the command has to obey. */
static bool obey(struct walk *walk, uint32_t key, enum action action)
{
    switch (action) {
    case ACTION_BACK:
        seek(walk, walk_step_before(walk));
        return true;
    case ACTION_EARLIER:
        seek(walk, walk_moment_before(walk));
        return true;
    case ACTION_LATER:
        if (walk_is_live(walk) && !walk->is_replay)
            walk_notice(walk, false, "This is all that has happened: n, r or space goes on.");
        seek(walk, walk_moment_after(walk));
        return true;
    case ACTION_BEGINNING:
        seek(walk, 0);
        return true;
    case ACTION_LIVE_END:
        seek(walk, walk->log->count);
        return true;
    case ACTION_UP:
    case ACTION_DOWN:
        if (walk->focus == PANEL_RANKS)
            move_track(walk, action == ACTION_UP ? -1 : 1);
        else
            scroll(walk, walk->focus, action == ACTION_UP ? -1 : 1);
        return true;
    case ACTION_PAGE_UP:
    case ACTION_PAGE_DOWN:
        scroll(walk, page_panel(walk), action == ACTION_PAGE_UP ? -PAGE_LINES : PAGE_LINES);
        return true;
    case ACTION_NEXT_PANEL:
        change_focus(walk, 1);
        return true;
    case ACTION_PREVIOUS_PANEL:
        change_focus(walk, -1);
        return true;
    case ACTION_ANSWER:
        answer(walk, (int)(key - '1'));
        return true;
    case ACTION_REVEAL:
        if (walk->is_presented && walk_open_question(walk, &(size_t){0}))
            walk_reveal(walk, walk_answered(walk) + 1);
        return true;
    case ACTION_REVIEW:
        if (walk->lesson && !walk->is_replay)
            review_open(walk);
        return true;
    case ACTION_ZOOM_IN:
    case ACTION_ZOOM_OUT:
        walk->zoom += action == ACTION_ZOOM_IN ? walk->zoom < ZOOM_LIMIT : -(walk->zoom > 0);
        walk->pan = 0;
        return true;
    case ACTION_PAN_LEFT:
    case ACTION_PAN_RIGHT:
        walk->pan += action == ACTION_PAN_LEFT ? -1 : 1;
        if (walk->zoom == 0)
            walk_notice(walk, false, "All of it is shown: z goes closer.");
        return true;
    case ACTION_CHALLENGES:
        walk_open_challenges(walk);
        return true;
    case ACTION_HINT:
        if (walk->challenge && walk->hints < walk->challenge->hint_count)
            walk->hints++;
        else
            walk_notice(walk, false,
                        walk->challenge ? "There are no more hints." : "Hints are for challenges (C).");
        return true;
    case ACTION_HELP:
        walk_open_overlay(walk, OVERLAY_HELP);
        return true;
    case ACTION_MESSAGES:
        walk_open_overlay(walk, OVERLAY_MESSAGES);
        return true;
    case ACTION_FASTER:
    case ACTION_SLOWER:
        walk->speed += action == ACTION_FASTER ? walk->speed < SPEED_LIMIT : -(walk->speed > -SPEED_LIMIT);
        walk_notice(walk, false, "Speed %+d (%d to +%d)", walk->speed, -SPEED_LIMIT, SPEED_LIMIT);
        return true;
    case ACTION_CLOSE:
        return true;
    default:
        return false;
    }
}

static bool is_edited(const struct walk *walk)
{
    return walk->challenge && walk->challenge->kind == CHALLENGE_EDIT;
}

bool walk_lies_over(const struct walk *walk)
{
    return walk->is_excursion || walk->finding;
}

bool walk_offers(const struct walk *walk, const struct key_binding *binding)
{
    return !(binding->action == ACTION_QUIT && walk_lies_over(walk)) && /* Esc does the same, and says so */
           !((binding->use & KEY_LIVE) && walk->is_replay) &&
           !((binding->action == ACTION_VARIANTS || binding->action == ACTION_COMPARE) &&
             schedule_variant_count(walk->schedule) == 0) &&
           !(binding->action == ACTION_REVEAL && !walk->is_presented) &&
           !(binding->action == ACTION_REVIEW && !walk->lesson) &&
           !(binding->action == ACTION_HINT && !(walk->challenge && walk->challenge->hint_count > 0)) &&
           !(binding->action == ACTION_CHALLENGES && !(walk->lesson && walk->lesson->challenge_count > 0)) &&
           !(binding->action == ACTION_RELEASE && is_edited(walk)) &&
           !(binding->action == ACTION_VARIANTS && walk->challenge);
}

enum action walk_key(struct walk *walk, uint32_t key)
{
    enum action action = key_action(key);
    text_clear(&walk->notice);
    if (walk->overlay != OVERLAY_NONE)
        return overlay_key(walk, key);
    if (action == ACTION_VARIANTS && !walk->is_replay) {
        if (schedule_variant_count(walk->schedule) > 0 && !walk->challenge)
            walk_open_overlay(walk, OVERLAY_VARIANTS);
        else
            walk_notice(walk, false,
                        walk->challenge ? "A challenge keeps its variant." : "This program has no variants.");
        return ACTION_NONE;
    }
    /* What shows a finding lies over the walk that it is about. */
    if (walk->finding &&
        (action == ACTION_CLOSE || action == ACTION_CHECK || (action == ACTION_BACK && walk->position == 0)))
        return ACTION_QUIT;
    if (walk->is_excursion && key == KEYS_ESCAPE)
        return ACTION_QUIT;
    return obey(walk, key, action) ? ACTION_NONE : action;
}
