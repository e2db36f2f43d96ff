#include "command/editor.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "command/fullscreen.h"
#include "screen/terminal.h"

enum { WORDS_MAX = 32, CANNOT_RUN = 127 };

struct words {
    char *words[WORDS_MAX + 2]; /* the file's name and a NULL come behind them */
    size_t count;
};

static void words_free(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->words[i]);
}

/* Reads one word from *AT on, with quotes and backslashes as a shell takes them. */
static char *read_word(const char **at)
{
    struct text word = {0};
    char quote = '\0';
    for (; **at && (quote || !strchr(" \t\n", **at)); (*at)++) {
        if (**at == quote) {
            quote = '\0';
        } else if (!quote && (**at == '\'' || **at == '"')) {
            quote = **at;
        } else {
            if (**at == '\\' && quote != '\'' && (*at)[1])
                (*at)++;
            text_append_bytes(&word, *at, 1);
        }
    }
    char *copy = memory_copy_string(text_string(&word));
    text_free(&word);
    return copy;
}

static void split(const char *command, struct words *words)
{
    while (words->count < WORDS_MAX) {
        command += strspn(command, " \t\n");
        if (*command == '\0')
            return;
        words->words[words->count++] = read_word(&command);
    }
}

static const char *chosen_editor(void)
{
    const char *const names[] = {getenv("VISUAL"), getenv("EDITOR")};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] && names[i][strspn(names[i], " \t\n")])
            return names[i];
    return "vi";
}

/* Runs it in the foreground. Ctrl-C and Ctrl-\ there are the editor's own affair. */
static int run_in_foreground(char *const *words)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGQUIT, SIG_DFL);
        signal(SIGPIPE, SIG_DFL);
        execvp(words[0], words);
        _exit(CANNOT_RUN);
    }
    int status = pid > 0 ? fullscreen_await(pid) : -1;
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    return status;
}

bool editor_run(const char *path, struct error *error)
{
    struct words words = {0};
    split(chosen_editor(), &words);
    char *name = memory_copy_string(path);
    words.words[words.count] = name;
    terminal_lend();
    int status = run_in_foreground(words.words);
    terminal_take_back();
    bool fine = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (status == -1)
        error_set(error, "no process for the editor %s", words.words[0]);
    else if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_RUN)
        error_set(error, "the editor %s cannot be run: set $EDITOR to one that can", words.words[0]);
    else if (!fine)
        error_set(error, "the editor %s failed", words.words[0]);
    free(name);
    words_free(&words);
    return fine;
}
