"""A terminal for tests and measurements: runs a program on a pseudo-terminal and keeps the picture of its screen."""
import errno
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

import pyte

NAMED_KEYS = {
    "UP": "\x1b[A", "DOWN": "\x1b[B", "RIGHT": "\x1b[C", "LEFT": "\x1b[D", "HOME": "\x1b[H", "END": "\x1b[F",
    "PGUP": "\x1b[5~", "PGDN": "\x1b[6~", "ENTER": "\r", "ESC": "\x1b", "TAB": "\t", "SPACE": " ",
    "BACKSPACE": "\x7f", "CTRL-RIGHT": "\x1b[1;5C",
    "CTRL-C": "\x03", "CTRL-Z": "\x1a", "CTRL-L": "\x0c",
}


class Screen(pyte.Screen):
    """pyte's, with what ncurses asks of an xterm besides."""

    last_drawn = " "

    def draw(self, data):
        super().draw(data)
        self.last_drawn = data[-1:] or self.last_drawn

    def repeat(self, count=1):
        super().draw(self.last_drawn * count)

    def scroll_up(self, count=1):
        self.scroll(count, (self.margins or self.whole).bottom, self.index)

    def scroll_down(self, count=1):
        self.scroll(count, (self.margins or self.whole).top, self.reverse_index)

    @property
    def whole(self):
        return pyte.screens.Margins(0, self.lines - 1)

    def scroll(self, count, row, step):
        row, self.cursor.y = self.cursor.y, row
        for _ in range(count or 1):
            step()
        self.cursor.y = row

    def select_graphic_rendition(self, *attributes, private=False):
        if not private:  # xterm's options for modified keys look like it, and change nothing on the picture
            super().select_graphic_rendition(*attributes)


class Stream(pyte.ByteStream):
    csi = {**pyte.ByteStream.csi, "b": "repeat", "S": "scroll_up", "T": "scroll_down"}
    events = pyte.ByteStream.events | {"repeat", "scroll_up", "scroll_down"}


class Terminal:
    def __init__(self, argv, columns, rows, environment, folder=None):
        self.screen = Screen(columns, rows)
        self.stream = Stream(self.screen)
        self.output = bytearray()
        self.status = None
        self.started = self.arrived = time.monotonic()
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            # The parent may not have set the size when the program asks for it.
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            try:
                if folder:
                    os.chdir(folder)
                os.execvpe(argv[0], argv, environment)
            except OSError as error:
                print(f"{argv[0]}: {error}")
            os._exit(127)

    def feed(self, timeout):
        """Takes in what the program writes within TIMEOUT s. None: nothing came; else whether the picture changed."""
        if not select.select([self.descriptor], [], [], timeout)[0]:
            return None
        data = self.read()
        if not data:
            time.sleep(min(timeout, 0.005))
            return None
        before = list(self.screen.display)
        self.output += data
        self.stream.feed(data)
        return before != list(self.screen.display)

    def read(self):
        """What the program has written, to the end: what comes in pieces is one picture, and takes long to draw here."""
        data = b""
        while len(data) < 1 << 20 and select.select([self.descriptor], [], [], 0.0005 if data else 0)[0]:
            try:
                piece = os.read(self.descriptor, 65536)
            except OSError as error:
                if error.errno != errno.EIO:  # the last process closed its end
                    raise
                piece = b""
            if not piece:
                break
            data += piece
            self.arrived = time.monotonic()
        return data

    def processes(self):
        """(pid, state, CPU ticks) of every process of the program's session that lives."""
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as stat:
                    fields = stat.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[3]) == self.pid and fields[0] not in "ZX":
                yield int(entry), fields[0], int(fields[11]) + int(fields[12])

    def settle(self, quiet=0.03, limit=20.0):
        """Waits until the program has nothing more to say: no output for QUIET s, and all its processes sleep."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if self.feed(quiet) is None and all(state != "R" for _, state, _ in self.processes()):
                return True
        return False

    def wait_for(self, condition, limit=20.0):
        end = time.monotonic() + limit
        while not condition():
            if time.monotonic() > end:
                return False
            self.feed(0.02)
        return True

    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def type(self, key):
        os.write(self.descriptor, NAMED_KEYS.get(key, key).encode())

    def resize(self, columns, rows):
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def end(self, limit=20.0):
        """Waits until the program ends; its exit status, minus the signal's number, or None where it goes on."""
        def ended():
            if self.status is None:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self.status = os.waitstatus_to_exitcode(status)
            return self.status is not None

        self.wait_for(ended, limit)
        while self.feed(0):
            pass
        return self.status

    def close(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.status is None:
                os.kill(self.pid, number)
                self.end(2.0)
        for pid, _, _ in list(self.processes()):
            os.kill(pid, signal.SIGKILL)
        os.close(self.descriptor)
