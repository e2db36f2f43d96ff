"""Feeds a program keys from a script and compares whole screens with saved ones. Speaks TAP.

usage: run_script.py [--update] HANDOFF SCRIPT ...

A script is a text file of one command a line; blank lines and lines with # are skipped:
  size COLUMNSxROWS    of the terminal (80x24 at first); later on, it is resized
  env NAME=VALUE       in the environment of what is started; env NAME takes it away
  file NAME TEXT       puts a file into the scratch folder that the program runs in; \\n in TEXT is a new line
  terminal NAME        what follows is about another terminal, with a program of its own; the first has no name
  start ARGUMENT ...   starts handoff; $SOURCE stands for the sources' folder
  keys KEY ...         types: a character, or a name (UP ENTER ESC SPACE CTRL-C ...). Each waits for the screen to rest
  type TEXT            types TEXT at once
  click TEXT           clicks on the first place where TEXT is on the screen
  wait TEXT            goes on when TEXT is on the screen
  kill R               kills the worker of rank R (SIGKILL), by the pid on the screen
  stop R, continue R   the same with SIGSTOP and SIGCONT
  signal NAME          sends the program a signal
and these, each of which is a result:
  screen NAME          the whole screen is that in expected/NAME.txt, which --update writes
  colours NAME         the same, with every cell's colours and attributes
  shows TEXT           TEXT is on the screen, or comes to it
  lacks TEXT           TEXT is not
  mouse on, mouse off  the terminal was asked to report clicks, or it was not
  exit STATUS          the program ends with STATUS, gives the terminal back and leaves no process behind
"""
import itertools
import os
import pathlib
import re
import shlex
import signal
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tap import Results  # noqa: E402
from terminal import Terminal  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PID = re.compile(r"(pid )(\d+)")
SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "continue": signal.SIGCONT}
FILL = re.compile(r"(  |──|--)")


def without_pids(line):
    """The line with "pid #" for each pid, and as wide as before: what fills the line up takes the difference."""
    for match in reversed(list(PID.finditer(line))):
        rest = line[match.end():]
        fill = FILL.search(rest)
        if fill:
            rest = rest[:fill.start()] + fill.group()[0] * (len(match.group(2)) - 1) + rest[fill.start():]
        line = line[:match.start(2)] + "#" + rest
    return line


def same_line(expected, found):
    """A line with a pid may be cut off at another place, for a pid has more digits or fewer."""
    if "pid #" in expected and "…" in expected + found:
        cut = min(line.index("…") for line in (expected, found) if "…" in line)
        return expected[:cut] == found[:cut]
    return expected == found


def same_picture(expected, found):
    lines = expected.splitlines(), found.splitlines()
    return len(lines[0]) == len(lines[1]) and all(map(same_line, *lines))


def look(character):
    names = [name for name in ("bold", "italics", "underscore", "reverse", "strikethrough", "blink")
             if getattr(character, name, False)]
    names += [f"on-{character.bg}"] if character.bg != "default" else []
    return " ".join(([character.fg] if character.fg != "default" else []) + names)


class Script:
    def __init__(self, handoff, path, scratch, results, update):
        self.handoff, self.path, self.scratch, self.update = handoff, path, scratch, update
        self.results = results
        self.terminals, self.current = {}, ""
        self.size = (80, 24)
        self.environment = {
            "PATH": os.environ.get("PATH", ""), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "HOME": scratch,
            "XDG_STATE_HOME": f"{scratch}/state", "XDG_RUNTIME_DIR": scratch, "SOURCE": str(HERE.parent.parent),
        }

    @property
    def terminal(self):
        return self.terminals.get(self.current)

    def result(self, fine, name, *details):
        self.results.check(fine, f"{self.path.stem}: {name}", *details)

    def screen_text(self):
        return "\n".join(without_pids(line) for line in self.terminal.lines()) + "\n"

    def colours_text(self):
        lines = [self.screen_text().rstrip("\n")]
        for row in range(self.terminal.screen.lines):
            cells = [look(self.terminal.screen.buffer[row][column]) for column in range(self.terminal.screen.columns)]
            pid = PID.search(self.terminal.screen.display[row])
            if pid:
                del cells[pid.end(1):]  # where the rest stands depends on the pid's digits
            at = 0
            for style, group in itertools.groupby(cells):
                width = len(list(group))
                if style:
                    lines.append(f"{row}:{at}-{at + width - 1} {style}")
                at += width
        return "\n".join(lines) + "\n"

    def compare(self, name, picture):
        self.terminal.settle()
        expected_path = HERE / "expected" / f"{name}.txt"
        if self.update:
            expected_path.write_text(picture(), encoding="utf-8")
        expected = expected_path.read_text(encoding="utf-8") if expected_path.is_file() else ""
        self.terminal.wait_for(lambda: same_picture(expected, picture()), 10.0)
        found = picture()
        differences = [
            line for number, (wanted, got) in enumerate(
                itertools.zip_longest(expected.splitlines(), found.splitlines(), fillvalue=""), 1)
            if not same_line(wanted, got) for line in (f"{number} expected {wanted}", f"{number} found    {got}")
        ]
        self.result(same_picture(expected, found), name, *differences)

    def on_screen(self, text):
        return lambda: any(text in line for line in self.terminal.lines())

    def end(self, status):
        found = self.terminal.end()
        left = [pid for pid, _, _ in self.terminal.processes()]
        output = bytes(self.terminal.output)
        shown = [output.rfind(code) for code in (b"\x1b[?1049h", b"\x1b[?25l")]
        back = [output.rfind(code) for code in (b"\x1b[?1049l", b"\x1b[?25h")]
        # Where the terminal has no second screen, the shell goes on in the last row.
        given_back = all(s <= b for s, b in zip(shown, back)) and (shown[0] >= 0 or not self.terminal.lines()[-1].strip())
        self.result(found == status and not left and given_back, f"exit {status}", f"exit status {found}",
                    f"processes left: {left}", f"terminal given back: {given_back}", *self.terminal.lines())
        self.terminals.pop(self.current).close()

    def command(self, line):
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if word == "size":
            self.size = tuple(map(int, rest.split("x")))
            if self.terminal:
                self.terminal.resize(*self.size)
                self.terminal.settle()
        elif word == "env":
            name, equals, value = rest.partition("=")
            self.environment.pop(name, None)
            if equals:
                self.environment[name] = value
        elif word == "file":
            name, _, text = rest.partition(" ")
            pathlib.Path(self.scratch, name).write_text(text.replace("\\n", "\n"), encoding="utf-8")
        elif word == "terminal":
            self.current = rest
            if self.terminal:
                self.terminal.settle()
        elif word == "start":
            arguments = [argument.replace("$SOURCE", self.environment["SOURCE"]) for argument in shlex.split(rest)]
            self.terminals[self.current] = Terminal([self.handoff, *arguments], *self.size, self.environment, self.scratch)
            self.terminal.wait_for(lambda: self.terminal.output)
            self.terminal.settle()
        elif word == "keys":
            for key in rest.split():
                self.terminal.type(key)
                self.terminal.settle()
        elif word == "type":
            self.terminal.type(rest)
            self.terminal.settle()
        elif word == "click":
            places = [(row, line) for row, line in enumerate(self.terminal.screen.display) if rest in line]
            if not places:
                raise ValueError(f"{rest} is not on the screen")
            row, line = places[0]
            place = f"{line.index(rest) + 1};{row + 1}"
            self.terminal.type(f"\x1b[<0;{place}M")
            self.terminal.type(f"\x1b[<0;{place}m")
            self.terminal.settle()
        elif word == "wait":
            if not self.terminal.wait_for(self.on_screen(rest)):
                self.result(False, f"wait {rest}", *self.terminal.lines())
        elif word in SIGNALS:
            pid = re.search(rf"rank {rest}\b.*?pid (\d+)", "\n".join(self.terminal.lines()))
            os.kill(int(pid.group(1)), SIGNALS[word])
            self.terminal.settle()
        elif word == "signal":
            os.kill(self.terminal.pid, getattr(signal, f"SIG{rest}"))
            self.terminal.settle()
        elif word == "screen":
            self.compare(rest, self.screen_text)
        elif word == "colours":
            self.compare(rest, self.colours_text)
        elif word == "shows":
            self.result(self.terminal.wait_for(self.on_screen(rest)), line, *self.terminal.lines())
        elif word == "lacks":
            self.result(not self.on_screen(rest)(), line, *self.terminal.lines())
        elif word == "mouse":
            self.result((b"1000h" in self.terminal.output) == (rest == "on"), line)
        elif word == "exit":
            self.end(int(rest))
        else:
            raise ValueError(f"unknown command {word}")

    def run(self):
        try:
            for number, line in enumerate(self.path.read_text(encoding="utf-8").splitlines(), 1):
                if line.strip() and not line.startswith("#"):
                    try:
                        self.command(line.strip())
                    except (ValueError, AttributeError, OSError) as error:
                        self.result(False, f"line {number}: {line}", repr(error),
                                    *(self.terminal.lines() if self.terminal else ()))
                        return
        finally:
            for terminal in self.terminals.values():
                terminal.close()


def main():
    arguments = sys.argv[1:]
    update = arguments[:1] == ["--update"]
    handoff, *scripts = arguments[update:]
    handoff = str(pathlib.Path(handoff).resolve())
    results = Results()
    for path in scripts:
        with tempfile.TemporaryDirectory(prefix="handoff-test-") as scratch:
            Script(handoff, pathlib.Path(path), scratch, results, update).run()
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
