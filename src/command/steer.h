/* A live walk's inside, and how its run is moved: what the keys n, r and space do, and what goes on by
 * itself. */
#ifndef HANDOFF_COMMAND_STEER_H
#define HANDOFF_COMMAND_STEER_H

#include "command/aside.h"
#include "command/learner.h"
#include "command/live.h"
#include "command/verdict.h"

struct live {
    struct prepared *prepared;
    const struct live_options *options;
    struct session *session; /* NULL where it could not be opened */
    struct log log;
    struct view *tip;        /* the fold of the whole log, ahead of what the walk shows */
    int64_t target;          /* the step to be reached without being shown; -1 */
    bool is_running;         /* on from moment to moment, until it is paused */
    bool is_releasing;       /* the chosen track's next, as soon as nothing moves */
    bool is_playing;         /* what happens next is shown moment by moment; else at once */
    size_t past;             /* so much of the log had happened when it began to be played from within */
    int ending;              /* the status with which what lay over the walk ended everything; 0 */
    bool is_leaving;         /* the reader goes back to the editor */
    struct sharing *sharing; /* NULL where nobody else sees the walk */
    struct verdict verdict;
    struct learner learner;
    struct aside aside;
    struct walk walk;
};

/* A record of the session. */
void steer_take(struct live *live, const struct record *record);

void steer_next(struct live *live);
void steer_run(struct live *live);
void steer_release(struct live *live);

/* Whether the run is on its way to where it was sent, with nothing to watch until it is there. */
bool steer_is_under_way(const struct live *live);

/* On to the target without showing the way; from moment to moment while it runs. */
void steer_go_on(struct live *live);

#endif
