#include "command/choose.h"

#include <poll.h>
#include <signal.h>
#include <string.h>

#include "command/command.h"
#include "command/copies.h"
#include "command/editor.h"
#include "command/fullscreen.h"
#include "command/learner.h"
#include "command/message.h"
#include "screen/keys.h"
#include "screen/menu.h"
#include "screen/terminal.h"

/* The reason why a lesson cannot be walked, in one line. */
static void take_reason(struct menu *menu, const struct prepared *prepared, const struct diagnostics *faults,
                        const struct error *error)
{
    bool is_copy = menu->chosen >= menu->library->count;
    const char *file = prepared->source.file;
    text_clear(&menu->notice);
    if (is_copy && file && strrchr(file, '/'))
        file = strrchr(file, '/') + 1;
    if (is_copy)
        text_append(&menu->notice, "e edits it: ");
    if (faults->count > 0)
        text_format(&menu->notice, "%s:%u:%u: %s", file, faults->items[0].place.line,
                    faults->items[0].place.column, faults->items[0].text);
    else
        text_append(&menu->notice, error->message);
}

/* With the variants that the reader had on, where they are known and there still. */
static bool prepare_chosen(struct prepared *prepared, const struct menu *menu,
                           const struct live_options *options, struct diagnostics *faults,
                           struct error *error)
{
    const struct lesson_entry *entry = menu_entry(menu, menu->chosen);
    const char *variants = options->run.variants;
    bool is_lesson = menu->chosen < menu->library->count;
    if (!variants && is_lesson && menu->progress && !study_is_finished(menu->progress, entry->name))
        variants = study_variants(menu->progress, entry->name);
    if (variants && variants[0] == '\0')
        variants = NULL;
    if (prepare_quietly(prepared, entry->path, variants, faults, error))
        return true;
    if (variants == options->run.variants)
        return false;
    diagnostics_free(faults);
    prepared_free(prepared);
    return prepare_quietly(prepared, entry->path, options->run.variants, faults, error);
}

/* There may be others after each walk. */
static void read_copies(struct menu *menu, struct lesson_library *copies)
{
    library_free(copies);
    copies_open(copies);
    menu->copies = copies;
    if (menu->chosen >= menu_count(menu))
        menu->chosen = 0;
}

static int walk_chosen(struct menu *menu, struct lesson_library *copies, const struct live_options *options)
{
    struct live_options live = *options;
    struct prepared prepared;
    struct diagnostics faults = {0};
    struct error error;
    int status = EXIT_FINE;
    if (prepare_chosen(&prepared, menu, options, &faults, &error)) {
        live.is_from_menu = true;
        live.progress = menu->progress;
        if (live.step == 0 && live.progress && prepared.source.lesson)
            live.step = learner_place(live.progress, prepared.source.lesson, prepared.variants);
        status = live_walk(&prepared, &live);
    } else {
        take_reason(menu, &prepared, &faults, &error);
    }
    diagnostics_free(&faults);
    prepared_free(&prepared);
    read_copies(menu, copies);
    return status;
}

/* A schedule of one's own; lessons stay as they are. */
static void edit_chosen(struct menu *menu)
{
    struct error error;
    text_clear(&menu->notice);
    if (menu->chosen < menu->library->count)
        text_append(&menu->notice, "A lesson is edited from its walk, as a copy of your own.");
    else if (!editor_run(menu_entry(menu, menu->chosen)->path, &error))
        text_append(&menu->notice, error.message);
}

/* Returns when the reader leaves, a walk ends other than by that, or the terminal is gone. */
static int run_menu(struct menu *menu, struct lesson_library *copies, const struct live_options *options)
{
    for (;;) {
        menu_draw(menu, terminal_canvas());
        terminal_show();
        struct pollfd fds[TERMINAL_DESCRIPTORS];
        terminal_descriptors(fds);
        poll(fds, TERMINAL_DESCRIPTORS, -1);
        uint32_t key;
        enum terminal_event event;
        while ((event = terminal_event(&key)) != TERMINAL_NOTHING) {
            if (event == TERMINAL_GONE)
                return 128 + (terminal_signal() ? terminal_signal() : SIGHUP);
            if (event != TERMINAL_KEY)
                continue;
            if (key_action(key) == ACTION_QUIT)
                return EXIT_FINE;
            if (key_action(key) == ACTION_REDRAW)
                terminal_redraw();
            int status = EXIT_FINE;
            if (key_action(key) == ACTION_EDIT)
                edit_chosen(menu);
            else if (menu_key(menu, key))
                status = walk_chosen(menu, copies, options);
            if (status != EXIT_FINE)
                return status;
        }
    }
}

static void begin_where_left(struct menu *menu)
{
    menu->progress = study_open();
    study_take_notice(menu->progress, &menu->notice);
    const char *last = study_last_lesson(menu->progress);
    for (size_t i = 0; last && i < menu->library->count; i++)
        if (strcmp(menu->library->entries[i].name, last) == 0)
            menu->chosen = i;
}

int choose_and_walk(const struct live_options *options)
{
    struct lesson_library library;
    struct error error;
    if (!library_open(&library, &error)) {
        complain(options->command, "%s", error.message);
        library_free(&library);
        return EXIT_BAD_INPUT;
    }
    int status = EXIT_BAD_INPUT;
    if (fullscreen_open(options->command, "run", "LESSON", options->run.ascii)) {
        struct menu menu = {.library = &library};
        if (!options->is_presented)
            begin_where_left(&menu);
        struct lesson_library copies = {0};
        read_copies(&menu, &copies);
        status = run_menu(&menu, &copies, options);
        library_free(&copies);
        terminal_close();
        learner_keep(menu.progress, options->command);
        text_free(&menu.notice);
    }
    library_free(&library);
    return status;
}
