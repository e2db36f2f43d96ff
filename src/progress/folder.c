#include "progress/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/memory.h"

/* Makes the folder and those above it. */
static bool make_folders(const char *path)
{
    char *part = memory_copy_string(path);
    bool made = true;
    for (char *at = part + 1; made && *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        made = mkdir(part, 0700) == 0 || errno == EEXIST || errno == EROFS;
        *at = '/';
    }
    struct stat status;
    made = made && (mkdir(part, 0700) == 0 || errno == EEXIST) && stat(part, &status) == 0 &&
           S_ISDIR(status.st_mode);
    free(part);
    return made;
}

bool state_folder(const char *sub, struct text *out)
{
    struct text path = {0};
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && state[0] == '/') /* one that is relative is to be ignored, says the XDG specification */
        text_format(&path, "%s/handoff", state);
    else if (home && home[0] == '/')
        text_format(&path, "%s/.local/state/handoff", home);
    if (sub && path.length > 0)
        text_format(&path, "/%s", sub);
    bool there = path.length > 0 && make_folders(text_string(&path));
    if (there)
        text_append(out, text_string(&path));
    text_free(&path);
    return there;
}
