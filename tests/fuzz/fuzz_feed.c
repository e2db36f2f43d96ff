/* Any bytes as what a session says, in two pieces: read, and folded into a view as a follower does. */
#include "log/view.h"
#include "share/feed.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void begun(void *context, struct log_input *run)
{
    (void)context;
    (void)run;
}

static void show(const struct log_input *run, size_t position)
{
    struct view *view = view_open(run->order);
    for (size_t i = 0; i < position; i++)
        view_apply(view, &run->log.records[i]);
    view_close(view);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct feed feed = {.begun = begun};
    struct error error;
    const char *text = (const char *)bytes;
    if (feed_take(&feed, text, length / 2, &error))
        feed_take(&feed, text + length / 2, length - length / 2, &error);
    if (feed.run)
        show(feed.run, feed.position);
    feed_free(&feed);
    return 0;
}
