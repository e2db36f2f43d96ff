/* Everything that a full screen shows, in one plain struct: a log, how far it is folded, and what the reader
 * chose. Commands feed it records and obey the actions that its keys ask for; frame.h draws it. */
#ifndef HANDOFF_SCREEN_WALK_H
#define HANDOFF_SCREEN_WALK_H

#include "lesson/challenge.h"
#include "log/log.h"
#include "log/view.h"
#include "order/finding.h"
#include "screen/canvas.h"
#include "screen/keys.h"
#include "screen/program_lines.h"

/* A rank's host program (STREAM NONE) or one of its streams: what can be released step by step. */
struct track {
    uint32_t rank, stream;
};

enum panel { PANEL_RANKS, PANEL_PROSE, PANEL_PROGRAM, PANEL_TIMELINE, PANEL_COUNT };
enum overlay {
    OVERLAY_NONE,
    OVERLAY_HELP,
    OVERLAY_MESSAGES,
    OVERLAY_VARIANTS,
    OVERLAY_FINDINGS,
    OVERLAY_REVIEW,
    OVERLAY_CHALLENGES,
    OVERLAY_FAULTS,
    OVERLAY_COMPARE
};

/* A question that is asked again. */
struct review {
    size_t step, question;
    int answered; /* -1 */
};

/* The program as C text, where a command made it. */
struct code {
    bool is_shown;
    const char **lines; /* visible already */
    size_t line_count;
    const uint32_t *lines_of_calls; /* by call; NONE */
};

/* Two runs on one scale: this program's and one with other variants. */
enum { COMPARED = 2 };
struct compared {
    const struct view *view; /* of a run that has ended */
    struct text name;
};

struct walk {
    /* What is walked through. Borrowed. */
    const struct lesson *lesson; /* NULL for a bare schedule */
    const struct schedule *schedule;
    const struct program *program; /* under VARIANTS */
    uint32_t variants;
    const struct log *log;
    bool is_held;      /* every track stops at its gates until it is released */
    bool is_under_way; /* the run has not come to where the reader sent it */
    bool is_replay;    /* nothing can be released, run or reset */
    bool is_presented; /* to a room: more space, and answers only when they are asked for */
    bool is_shared;    /* others see it: FOLLOWERS of them */
    size_t followers;
    bool is_led; /* it shows what a presenter's walk shows; then POSITION is the presenter's */
    const struct findings *findings; /* what the checker says of the program; NULL: it was not asked */
    const struct finding *finding;   /* the log shows this one: what it is about is marked; NULL */

    struct program_lines lines;        /* of the program, and what its variants change; owned */
    bool is_excursion;                 /* it lies over another walk */
    bool is_from_menu;                 /* where q leads back to */
    const struct challenge *challenge; /* that the reader is at; NULL */
    size_t hints;                      /* of it that are shown */
    bool is_judged, is_solved;
    struct text verdict;                /* why it is not solved; owned */
    bool *solved;                       /* by the lesson's challenge */
    struct code code;                   /* borrowed but for IS_SHOWN */
    struct compared compared[COMPARED]; /* names are owned */
    struct text faults;                 /* of a schedule that was edited, in lines; owned */

    struct text title; /* from the file's name; owned */

    /* The fold: VIEW is the state after the first POSITION records. Owned. */
    struct view *view;
    size_t position;
    int64_t first_time,
        first_work; /* when anything happened, and the first operation was asked for; TIME_NONE */
    size_t *steps;  /* of the lesson, in the walk of the variants that are on */
    size_t step_count;

    /* What the reader chose. */
    struct track *tracks;
    size_t track_count, chosen;
    enum panel focus;
    int scroll[PANEL_COUNT]; /* lines, from where the panel would stand by itself */
    enum overlay overlay;
    int overlay_scroll;
    uint32_t overlay_variants; /* chosen in the list, not yet taken */
    size_t overlay_chosen;
    int **answers; /* by step and question: what was answered; -1 */
    bool **wrong;  /* likewise: whether it was answered wrong, now or before, and not set right since */
    struct review *review;
    size_t review_count;
    int zoom, pan;      /* of the timeline: halvings, and quarters of what is shown */
    bool is_paced;      /* the log is being shown moment by moment, up to PACED_TO */
    size_t paced_to;    /* SIZE_MAX: to its end */
    int speed;          /* -5 .. 5; each is a factor of two */
    struct text notice; /* one line for the reader, until the next key */
    bool notice_is_error;
};

/* FILE gives the walk its title: "lessons/5-overlap.md" is "5 overlap". */
void walk_open(struct walk *walk, const char *file, const struct lesson *lesson,
               const struct schedule *schedule);
void walk_close(struct walk *walk);

/* A new run from its beginning. The order's program, the order and the log must stay until the next run. */
void walk_begin_run(struct walk *walk, const struct order *order, const struct log *log, uint32_t variants);

/* Folds the log up to POSITION; to go back it begins anew. */
void walk_seek(struct walk *walk, size_t position);
bool walk_is_live(const struct walk *walk);     /* nothing of the log is left to show */
bool walk_has_arrived(const struct walk *walk); /* nor is more to come until the reader asks for it */
/* Lets time go on to SHARE (0 to 1) of the way to the next record, without anything happening. */
void walk_pass_time(struct walk *walk, double share);

/* The position after all records of the next moment (those with the same time), or before the present one's.
 */
size_t walk_moment_after(const struct walk *walk);
size_t walk_moment_before(const struct walk *walk);
/* The end of the step after the one that is shown, where the log has it, else the log's end; and the end of
 * the one before. Without a lesson: moments. */
size_t walk_step_after(const struct walk *walk);
size_t walk_step_before(const struct walk *walk);

/* The step that is shown; NULL before the first and without a lesson. RECORD_STEP and VIEW have its index in
 * the lesson. */
const struct step *walk_step(const struct walk *walk);
/* How many of the walk's steps were begun when the lesson's step STEP is shown (-1: none). */
size_t walk_step_number(const struct walk *walk, int64_t step);
/* Whether the step's questions are shown: a reader is asked where the run is, and by who presents also when
 * looking back. */
bool walk_asks(const struct walk *walk);
/* The question that waits for an answer; NULL if none does. */
const struct question *walk_open_question(const struct walk *walk, size_t *index);

/* How many of the step's questions are answered, from the first on. walk_reveal() answers as many as that
 * with what is right, where the reader has not. */
size_t walk_answered(const struct walk *walk);
void walk_reveal(struct walk *walk, size_t count);

const struct track *walk_chosen_track(const struct walk *walk);

/* Whether it is known that the program is unsafe. */
bool walk_is_hazard(const struct walk *walk);
/* Whether the finding that is shown is about the call. */
bool walk_marks(const struct walk *walk, uint32_t call);

void walk_notice(struct walk *walk, bool is_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether leaving it leads back to another walk. */
bool walk_lies_over(const struct walk *walk);

/* Whether the key is of use in this walk. */
bool walk_offers(const struct walk *walk, const struct key_binding *binding);
void walk_open_overlay(struct walk *walk, enum overlay overlay);
void walk_open_challenges(struct walk *walk);

/* Does what the key asks for within the walk. What is left for the command to do is returned. */
enum action walk_key(struct walk *walk, uint32_t key);
/* The same for a click: on an operation it releases the next one of its track, on a line of the program it
 * says what that is at, on the timeline it goes to that moment. */
enum action walk_click(struct walk *walk, struct target target);

#endif
