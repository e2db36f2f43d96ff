/* A log that is complete, in full screen. */
#ifndef HANDOFF_COMMAND_PLAYBACK_H
#define HANDOFF_COMMAND_PLAYBACK_H

#include "screen/walk.h"

/* Walks through what WALK holds until the reader leaves: 0, or the signal that ended it. The terminal has to
 * be open. */
int playback_run(struct walk *walk);

/* What n and r do in a walk that only looks: on by a step, and play; where a finding is being played, n goes
 * at once to where that leads; r pauses. AT_THE_END is said where nothing is left of the log. */
void playback_obey(struct walk *walk, enum action action, const char *at_the_end);

/* Makes a run that shows the finding of OVER's program, and plays it over that walk until the reader comes
 * back from it: 0, or the signal that ended it. Where there is no such run, OVER gets a notice. */
int playback_finding(struct walk *over, const struct order *order, const struct finding *finding);

#endif
