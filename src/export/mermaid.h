/* What is guaranteed to happen before what, as a Mermaid flowchart for Markdown. */
#ifndef HANDOFF_EXPORT_MERMAID_H
#define HANDOFF_EXPORT_MERMAID_H

#include "order/finding.h"

/* More operations and waiting calls than this are no picture. */
enum { MERMAID_MOST_NODES = 500 };

/* Appends the flowchart: operations by rank and stream, the host's own work and waits by rank; an arrow where
 * every execution has the order and no other arrows say so already. Of each finding, the order that is
 * missing is dashed. False and ERROR where there is too much to show. */
bool export_mermaid(const struct order *order, const struct findings *findings, struct text *out,
                    struct error *error);

#endif
