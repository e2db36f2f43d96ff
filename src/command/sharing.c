#include "command/sharing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "share/connect.h"
#include "share/folder.h"
#include "share/server.h"

struct sharing {
    struct share *share;
    char *group;   /* NULL: private */
    char *backend; /* as the present run's header told it; NULL: it was not told yet */
    struct service service;
};

/* "overlap-4101": what a name cannot hold is a hyphen. */
static void append_own_name(const struct prepared *prepared, struct text *name)
{
    enum { LONGEST = 40 };
    const char *file = prepared->source.file, *slash = strrchr(file, '/');
    const char *from = prepared->source.lesson ? prepared->source.lesson->name : slash ? slash + 1 : file;
    for (size_t i = 0; i < LONGEST && from[i] != '\0'; i++) {
        char byte = isalnum((unsigned char)from[i])  ? from[i]
                    : i > 0 && strchr("._", from[i]) ? from[i]
                                                     : '-';
        if (name->length > 0 || byte != '-')
            text_append_bytes(name, &byte, 1);
    }
    text_format(name, "%s%ld", name->length > 0 ? "-" : "", (long)getpid());
}

static int descriptor(const void *context, int *timeout_ms)
{
    const struct sharing *sharing = context;
    int timeout = share_timeout_ms(sharing->share);
    if (timeout >= 0 && (*timeout_ms < 0 || timeout < *timeout_ms))
        *timeout_ms = timeout;
    return share_descriptor(sharing->share);
}

/* The notes speak to the walk that is shared, not to what lies over it. */
static void pump(void *context, bool is_covered)
{
    struct sharing *sharing = context;
    share_pump(sharing->share);
    while (is_covered && share_key(sharing->share))
        continue;
}

struct sharing *sharing_open(const struct sharing_options *options, const struct prepared *prepared,
                             struct error *error)
{
    struct text name = {0};
    if (options->name)
        text_append(&name, options->name);
    else
        append_own_name(prepared, &name);
    struct share *share = NULL;
    if (session_name_is_fit(text_string(&name)))
        share = share_open(text_string(&name), options->group, error);
    else
        error_set(error, "--name %s: expected letters, digits, \".\", \"_\" and \"-\", up to %d of them",
                  text_string(&name), SESSION_MAX_NAME);
    text_free(&name);
    if (!share)
        return NULL;
    struct sharing *sharing = memory_zeroed(1, sizeof *sharing);
    sharing->share = share;
    sharing->group = options->group ? memory_copy_string(options->group) : NULL;
    sharing->service = (struct service){sharing, descriptor, pump};
    fullscreen_serve(&sharing->service);
    return sharing;
}

void sharing_close(struct sharing *sharing)
{
    if (!sharing)
        return;
    fullscreen_serve(NULL);
    share_close(sharing->share);
    free(sharing->group);
    free(sharing->backend);
    free(sharing);
}

void sharing_describe(const struct sharing *sharing, struct text *out)
{
    const char *name = share_name(sharing->share);
    char title[2 * SESSION_MAX_NAME];
    session_title_for_others(geteuid(), name, title, sizeof title);
    if (sharing->group)
        text_format(out, "Open to group %s, who see the lesson and what you show: handoff follow %s",
                    sharing->group, title);
    else
        text_format(out, "For your own terminals: handoff follow %s, handoff notes %s", name, name);
}

void sharing_begin(struct sharing *sharing)
{
    free(sharing->backend);
    sharing->backend = NULL;
}

static void append_variants(const struct prepared *prepared, struct text *out)
{
    for (size_t i = 0; i < schedule_variant_count(prepared->source.schedule); i++)
        if (prepared->variants >> i & 1)
            text_format(out, "%s%s", out->length > 0 ? "," : "",
                        schedule_variant(prepared->source.schedule, i)->name);
}

/* The backend is known for certain only after a while: when it changes, the run is told once more. */
static void tell_header(struct sharing *sharing, const struct prepared *prepared, bool eager,
                        const struct log_header *known)
{
    const char *backend = known->backend ? known->backend : "";
    if (sharing->backend && strcmp(sharing->backend, backend) == 0)
        return;
    struct text variants = {0};
    append_variants(prepared, &variants);
    struct log_header header = prepared_header(prepared, text_string(&variants), backend, eager);
    memcpy(header.gpus, known->gpus, sizeof header.gpus);
    header.gpu_count = known->gpu_count;
    share_begin(sharing->share, &header);
    log_header_free(&header);
    text_free(&variants);
    free(sharing->backend);
    sharing->backend = memory_copy_string(backend);
}

void sharing_show(struct sharing *sharing, const struct prepared *prepared, bool eager, struct walk *walk)
{
    tell_header(sharing, prepared, eager, &walk->log->header);
    share_show(sharing->share, walk->log, walk->position, walk_answered(walk));
}

bool sharing_take_followers(const struct sharing *sharing, struct walk *walk)
{
    size_t before = walk->followers;
    walk->followers = share_follower_count(sharing->share);
    return walk->followers != before;
}

uint32_t sharing_key(struct sharing *sharing)
{
    return (unsigned char)share_key(sharing->share);
}
