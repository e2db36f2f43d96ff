#include "export/run.h"

struct view *export_run_view(const struct export_run *run)
{
    struct view *view = view_open(run->order);
    for (size_t i = 0; i < run->log->count; i++)
        view_apply(view, &run->log->records[i]);
    return view;
}
