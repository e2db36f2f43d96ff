/* A run, or two beside one another, as a figure for slides and papers. */
#ifndef HANDOFF_EXPORT_SVG_H
#define HANDOFF_EXPORT_SVG_H

#include "export/run.h"

enum svg_theme { SVG_AUTO, SVG_LIGHT, SVG_DARK }; /* AUTO: what the reader's system asks for */

struct svg_options {
    enum svg_theme theme;
    const char *title; /* untrusted */
};

/* More operations than this in a run are no figure. */
enum { SVG_MOST_OPERATIONS = 2000 };

/* Appends the SVG: for each rank its calls, below them what its streams execute, below that who uses its
 * buffers. COUNT is 1 or 2; two runs share a scale. False and ERROR where a run has too many operations. */
bool export_svg(const struct export_run *const *runs, int count, const struct svg_options *options,
                struct text *out, struct error *error);

#endif
