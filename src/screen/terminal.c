#include "screen/terminal.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "base/memory.h"
#include "screen/keys.h"
#include "screen/theme.h"

enum { ESCAPE_DELAY_MS = 25, RESTORE_LENGTH = 256 };

static struct {
    bool is_open, is_hung_up;
    SCREEN *screen;
    struct canvas canvas; /* what is to be shown */
    struct canvas shown;  /* what is on the terminal */
    int colours;
    int pipe[2]; /* the numbers of signals that came, from their handler to poll */
    int signal;
    struct termios before;
    char restore[RESTORE_LENGTH]; /* gives the terminal back; fit for a signal handler */
    size_t restore_length;
} terminal = {.pipe = {-1, -1}};

static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH};
static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT};
enum { CAUGHT_COUNT = sizeof caught / sizeof *caught, FATAL_COUNT = sizeof fatal / sizeof *fatal };

static void note_signal(int number)
{
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    ssize_t written = write(terminal.pipe[1], &byte, 1); /* a full pipe has signals enough in it */
    (void)written;
    errno = saved;
}

/* Only what a signal handler may do. */
static void restore_at_once(void)
{
    ssize_t written = write(STDOUT_FILENO, terminal.restore, terminal.restore_length);
    (void)written;
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
}

static void die_of_signal(int number)
{
    restore_at_once();
    signal(number, SIG_DFL);
    raise(number);
}

static bool uses_mouse;
static struct target clicked;

/* What turns reports of clicks on and off: XM, or what most terminals know. */
static const char *mouse_mode(void)
{
    const char *mode = tigetstr("XM");
    return mode && mode != (const char *)-1 ? mode : "\033[?1000%?%p1%{1}%=%th%el%;";
}

/* Adds a capability's string without its padding. */
static void add_restore_string(const char *string)
{
    for (; *string && terminal.restore_length < sizeof terminal.restore; string++) {
        if (string[0] == '$' && string[1] == '<') {
            string = strchr(string, '>');
            if (!string)
                return;
            continue;
        }
        terminal.restore[terminal.restore_length++] = *string;
    }
}

static void add_restore(const char *capability)
{
    const char *string = tigetstr(capability);
    if (string && string != (const char *)-1)
        add_restore_string(string);
}

static void set_handlers(void (*on_caught)(int), void (*on_fatal)(int))
{
    struct sigaction action = {.sa_handler = on_caught, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < CAUGHT_COUNT; i++)
        sigaction(caught[i], &action, NULL);
    action.sa_handler = on_fatal;
    for (size_t i = 0; i < FATAL_COUNT; i++)
        sigaction(fatal[i], &action, NULL);
}

static void choose_colours(void)
{
    const char *no_color = getenv("NO_COLOR");
    terminal.colours = 0;
    if ((no_color && *no_color) || !has_colors() || start_color() == ERR || use_default_colors() == ERR)
        return;
    terminal.colours = COLORS >= 256 ? 256 : COLORS >= 8 ? 8 : 0;
    for (int style = 0; terminal.colours && style < STYLE_COUNT; style++)
        init_pair((short)(style + 1), (short)theme_look((enum style)style, terminal.colours).colour, -1);
}

/* Takes over the size that the terminal has now; true where it is another one. */
static bool take_size(void)
{
    struct winsize size;
    int rows = LINES, columns = COLS;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        rows = size.ws_row;
        columns = size.ws_col;
    }
    if (rows == terminal.canvas.rows && columns == terminal.canvas.columns)
        return false;
    if (rows != LINES || columns != COLS)
        resizeterm(rows, columns);
    bool ascii = terminal.canvas.ascii;
    canvas_free(&terminal.canvas);
    canvas_free(&terminal.shown);
    canvas_open(&terminal.canvas, rows, columns, ascii);
    canvas_open(&terminal.shown, rows, columns, ascii);
    terminal_redraw();
    return true;
}

/* Some terminals send these whatever their terminfo entry says. */
static void know_common_keys(void)
{
    static const struct {
        const char *sequence;
        int code;
    } common[] = {
        {"\033[A", KEY_UP},    {"\033[B", KEY_DOWN}, {"\033[C", KEY_RIGHT},
        {"\033[D", KEY_LEFT},  {"\033[H", KEY_HOME}, {"\033[F", KEY_END},
        {"\033[1~", KEY_HOME}, {"\033[4~", KEY_END}, {"\033[Z", KEY_BTAB},
    };
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (key_defined(common[i].sequence) == 0)
            define_key(common[i].sequence, common[i].code);
}

static bool check_terminal(struct error *error)
{
    const char *name = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return error_set(error, "input and output are no terminal");
    if (!name || !*name)
        return error_set(error, "TERM is not set: it has to name the terminal's kind");
    if (strcmp(name, "dumb") == 0)
        return error_set(error, "TERM=dumb is a terminal without a screen");
    if (tcgetattr(STDIN_FILENO, &terminal.before) < 0)
        return error_set_errno(error, "the terminal's settings cannot be read");
    return true;
}

static bool open_pipe(struct error *error)
{
    if (pipe(terminal.pipe) < 0)
        return error_set_errno(error, "no pipe for signals");
    for (int i = 0; i < 2; i++) {
        fcntl(terminal.pipe[i], F_SETFD, FD_CLOEXEC);
        fcntl(terminal.pipe[i], F_SETFL, O_NONBLOCK);
    }
    return true;
}

static void close_pipe(void)
{
    close(terminal.pipe[0]);
    close(terminal.pipe[1]);
    terminal.pipe[0] = terminal.pipe[1] = -1;
}

static void prepare_restore(void)
{
    terminal.restore_length = 0;
    if (uses_mouse)
        add_restore_string(tiparm(mouse_mode(), 0));
    add_restore("sgr0");
    add_restore("rmkx");
    add_restore("cnorm");
    add_restore("rmcup");
}

void terminal_use_mouse(bool used)
{
    uses_mouse = used;
}

static bool locale_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool terminal_open(bool ascii, struct error *error)
{
    if (!check_terminal(error) || !open_pipe(error))
        return false;
    terminal.canvas.ascii = ascii || !locale_is_utf8();
    /* Where only ASCII is drawn: without a UTF-8 locale curses repeats characters by REP, and not every
     * terminal that calls itself an xterm obeys that. */
    if (!locale_is_utf8())
        setlocale(LC_CTYPE, "C.UTF-8");
    terminal.screen = newterm(NULL, stdout, stdin);
    const char *move = terminal.screen ? tigetstr("cup") : NULL;
    if (!move || move == (const char *)-1) {
        if (terminal.screen) {
            endwin();
            delscreen(terminal.screen);
        }
        close_pipe();
        return error_set(error, "TERM=%s is a terminal without a screen, or not known here", getenv("TERM"));
    }
    terminal.is_open = true;
    terminal.is_hung_up = false;
    terminal.signal = 0;
    prepare_restore();
    memory_before_exit(terminal_close);
    set_handlers(note_signal, die_of_signal);
    cbreak();
    noecho();
    nonl();
    set_escdelay(ESCAPE_DELAY_MS);
    keypad(stdscr, TRUE);
    know_common_keys();
    nodelay(stdscr, TRUE);
    curs_set(0);
    if (uses_mouse) {
        mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED, NULL);
        mouseinterval(0);
    }
    choose_colours();
    take_size();
    return true;
}

/* What is shown goes with the terminal's second screen. Where it has none, it stays, but for the row on which
 * the shell goes on. */
static void leave_screen(void)
{
    const char *leave = tigetstr("rmcup");
    if (!leave || leave == (const char *)-1) {
        move(LINES - 1, 0);
        clrtoeol();
        refresh();
    }
    endwin();
}

void terminal_close(void)
{
    if (!terminal.is_open)
        return;
    terminal.is_open = false;
    leave_screen();
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
    set_handlers(SIG_DFL, SIG_DFL);
    delscreen(terminal.screen);
    close_pipe();
    canvas_free(&terminal.canvas);
    canvas_free(&terminal.shown);
    memory_before_exit(NULL);
    setlocale(LC_CTYPE, "");
}

struct canvas *terminal_canvas(void)
{
    canvas_clear(&terminal.canvas);
    return &terminal.canvas;
}

static attr_t curses_attributes(unsigned attributes)
{
    return (attributes & LOOK_BOLD ? A_BOLD : 0) | (attributes & LOOK_DIM ? A_DIM : 0) |
           (attributes & LOOK_UNDERLINE ? A_UNDERLINE : 0) | (attributes & LOOK_REVERSE ? A_REVERSE : 0);
}

static void send_cell(int row, int column, const struct cell *cell)
{
    wchar_t characters[2 + CELL_MARKS] = {(wchar_t)cell->code_point};
    for (int i = 0; i < CELL_MARKS && cell->marks[i]; i++)
        characters[1 + i] = (wchar_t)cell->marks[i];
    attr_t attributes = curses_attributes(theme_look((enum style)cell->style, terminal.colours).attributes);
    cchar_t character;
    setcchar(&character, characters, attributes, (short)(terminal.colours ? cell->style + 1 : 0), NULL);
    mvadd_wch(row, column, &character);
}

static bool is_same(const struct cell *a, const struct cell *b)
{
    return a->code_point == b->code_point && a->style == b->style &&
           memcmp(a->marks, b->marks, sizeof a->marks) == 0;
}

static bool show_row(int row)
{
    bool changed = false;
    for (int column = 0; column < terminal.canvas.columns; column++) {
        size_t at = (size_t)row * (size_t)terminal.canvas.columns + (size_t)column;
        const struct cell *cell = &terminal.canvas.cells[at];
        if (is_same(cell, &terminal.shown.cells[at]))
            continue;
        changed = true;
        terminal.shown.cells[at] = *cell;
        if (cell->code_point)
            send_cell(row, column, cell);
    }
    return changed;
}

void terminal_show(void)
{
    /* A changed row is sent whole. Else curses may scroll a part of the screen instead (SU, SD), and not
     * every terminal that calls itself an xterm obeys that. */
    for (int row = 0; row < terminal.canvas.rows; row++)
        if (show_row(row))
            wredrawln(stdscr, row, 1);
    refresh();
}

void terminal_redraw(void)
{
    erase();
    clearok(stdscr, TRUE);
    canvas_clear(&terminal.shown);
}

void terminal_descriptors(struct pollfd fds[TERMINAL_DESCRIPTORS])
{
    fds[0] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = terminal.pipe[0], .events = POLLIN};
}

void terminal_lend(void)
{
    leave_screen();
    set_handlers(SIG_DFL, SIG_DFL);
}

void terminal_take_back(void)
{
    set_handlers(note_signal, die_of_signal);
    refresh();
    take_size();
    terminal_redraw();
}

/* Stops until somebody continues the process, with the terminal given back meanwhile. */
static void stop(void)
{
    leave_screen();
    signal(SIGTSTP, SIG_DFL);
    raise(SIGTSTP);
    set_handlers(note_signal, die_of_signal);
    refresh();
    take_size();
    terminal_redraw();
}

static enum terminal_event signal_event(int number)
{
    if (number == SIGWINCH)
        return take_size() ? TERMINAL_CHANGE : TERMINAL_NOTHING;
    if (number == SIGTSTP) {
        stop();
        return TERMINAL_CHANGE;
    }
    terminal.signal = number;
    return TERMINAL_GONE;
}

static uint32_t own_key(int code)
{
    static const struct {
        int code;
        uint32_t key;
    } known[] = {
        {KEY_UP, KEYS_UP},       {KEY_DOWN, KEYS_DOWN},     {KEY_LEFT, KEYS_LEFT},
        {KEY_RIGHT, KEYS_RIGHT}, {KEY_PPAGE, KEYS_PAGE_UP}, {KEY_NPAGE, KEYS_PAGE_DOWN},
        {KEY_HOME, KEYS_HOME},   {KEY_END, KEYS_END},       {KEY_BTAB, KEYS_BACK_TAB},
        {KEY_ENTER, KEYS_ENTER},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == code)
            return known[i].key;
    return KEYS_NONE;
}

/* The next character, if that is what comes next. A key that curses knows stays for the next reader. */
static bool take_character(wint_t *character)
{
    int status = get_wch(character);
    if (status == KEY_CODE_YES)
        ungetch((int)*character);
    return status == OK;
}

/* Takes the rest of an escape sequence that no known key sends, so that its letters and digits are not taken
 * for keys. False where the escape character that came was the key itself. */
static bool skip_sequence(void)
{
    wint_t character;
    if (!take_character(&character))
        return false;
    if (character != '[' && character != 'O') {
        unget_wch((wchar_t)character);
        return false;
    }
    while (take_character(&character)) {
        bool is_parameter = character >= 0x20 && character <= 0x3f,
             is_last = character >= 0x40 && character <= 0x7e;
        if (is_parameter)
            continue;
        if (!is_last)
            unget_wch((wchar_t)character);
        break;
    }
    return true;
}

/* Whether nobody is at the other end any more. */
static bool is_hung_up(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int waiting = 0;
    if (poll(&input, 1, 0) <= 0)
        return false;
    return (input.revents & (POLLHUP | POLLERR | POLLNVAL)) ||
           (ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting == 0);
}

/* Whether the report that has come is a click on something; what it is on is kept. */
static bool take_click(void)
{
    MEVENT event;
    if (getmouse(&event) != OK || !(event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED)) || event.y < 0 ||
        event.x < 0 || event.y >= terminal.canvas.rows || event.x >= terminal.canvas.columns)
        return false;
    clicked = terminal.canvas.cells[event.y * terminal.canvas.columns + event.x].target;
    return clicked.kind != TARGET_NONE;
}

struct target terminal_clicked(void)
{
    return clicked;
}

enum terminal_event terminal_event(uint32_t *key)
{
    unsigned char number;
    while (read(terminal.pipe[0], &number, 1) == 1) {
        enum terminal_event event = signal_event(number);
        if (event != TERMINAL_NOTHING)
            return event;
    }
    for (;;) {
        wint_t character;
        int status = get_wch(&character);
        if (status == ERR)
            return is_hung_up() ? TERMINAL_GONE : TERMINAL_NOTHING;
        if (status == KEY_CODE_YES && character == KEY_MOUSE) {
            if (take_click())
                return TERMINAL_CLICK;
            continue;
        }
        *key = status == KEY_CODE_YES ? own_key((int)character)
               : character == '\r'    ? KEYS_ENTER
                                      : (uint32_t)character;
        if (*key == KEYS_ESCAPE && status == OK && skip_sequence())
            continue;
        if (*key != KEYS_NONE)
            return TERMINAL_KEY;
    }
}

int terminal_signal(void)
{
    return terminal.signal;
}
