"""Sessions between terminals, where things go wrong: who stands still, who is killed, who says what no session says.

usage: sessions.py HANDOFF
"""
import contextlib
import json
import os
import pathlib
import signal
import socket
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tap import Results  # noqa: E402
from terminal import Terminal  # noqa: E402

FOLLOWERS = 50
HELLO = '{"handoff-session":1,"name":"hostile","began":1}\n'
HEADER = json.dumps({"handoff-log": 1, "file": "x.schedule", "schedule": "rank 0\n  buffer x float32[4]\n", "first-line": 1,
                     "variants": "", "backend": "simulated", "eager": False, "gpus": [0]}, separators=(",", ":")) + "\n"


class Follower(threading.Thread):
    """Reads everything that a session says, as a program that has no screen."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.heard = b""

    def run(self):
        try:
            while data := self.socket.recv(65536):
                self.heard += data
        except OSError:
            pass


class Sessions:
    def __init__(self, handoff, scratch, results):
        self.handoff, self.scratch, self.results = handoff, scratch, results
        self.terminals = []
        self.environment = {"PATH": os.environ.get("PATH", ""), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8",
                            "HOME": scratch, "XDG_RUNTIME_DIR": scratch, "XDG_STATE_HOME": f"{scratch}/state"}

    def start(self, *arguments):
        terminal = Terminal([self.handoff, *arguments], 100, 30, self.environment, self.scratch)
        self.terminals.append(terminal)
        return terminal

    def shows(self, terminal, text, name, limit=20.0):
        fine = terminal.wait_for(lambda: any(text in line for line in terminal.lines()), limit)
        return self.results.check(fine, name, *terminal.lines())

    def ends(self, terminal, status, text, name):
        found = terminal.end()
        output = bytes(terminal.output).decode(errors="replace")
        self.results.check(found == status and text in output, name, found, output)

    def close(self):
        for terminal in self.terminals:
            terminal.close()

    def path(self, name):
        return f"{self.scratch}/handoff/{name}.follow"

    def many_followers(self):
        """A run of many records before fifty followers, one of which is stopped."""
        calls = "".join(f"  launch k -> x on s{i % 2}\n" for i in range(3000))
        pathlib.Path(self.scratch, "long.schedule").write_text(
            f"rank 0\n  buffer x float32[1024]\n  stream s0\n  stream s1\n{calls}  sync device\n")
        presenter = self.start("learn", "long.schedule", "--backend", "sim", "--name", "long")
        self.shows(presenter, "0 follow", "a session begins")
        stopped = self.start("follow", "long")
        self.shows(stopped, "(long)", "a follower is there")
        os.kill(stopped.pid, signal.SIGSTOP)
        followers = [Follower(self.path("long")) for _ in range(FOLLOWERS - 1)]
        for follower in followers:
            follower.start()
        self.shows(presenter, f"{FOLLOWERS} follow", "fifty follow")
        presenter.type("r")
        presenter.settle()
        for _ in range(5):
            presenter.type("+")
        self.shows(presenter, f"{FOLLOWERS - 1} follow", "the one that stands still is dropped", 90)
        os.kill(stopped.pid, signal.SIGCONT)
        self.shows(stopped, "did not keep up and was dropped", "and told so when it wakes")
        presenter.type("q")
        self.ends(presenter, 0, "", "the presenter leaves")
        for follower in followers:
            follower.join(20)
        stories = {follower.heard for follower in followers}
        story = stories.pop()
        self.results.check(not stories and story.endswith(b'{"end":"over"}\n'), "the others got all of it, to the end",
                           len(stories), story[-200:])

    def by_lesson_and_process(self):
        presenter = self.start("present", "overlap", "--backend", "sim")
        self.shows(presenter, f"handoff follow overlap-{presenter.pid},", "a session without a name")
        self.shows(self.start("follow", f"overlap-{presenter.pid}"), f"(overlap-{presenter.pid})", "followed by what it is called")
        os.kill(presenter.pid, signal.SIGTERM)
        self.results.check(presenter.end() == 128 + signal.SIGTERM, "ended by a signal")
        left = list(pathlib.Path(self.scratch, "handoff").iterdir())
        self.results.check(not left, "which leaves no socket", left)

    def killed(self):
        presenter = self.start("present", "overlap", "--backend", "sim", "--name", "killed")
        self.shows(presenter, "0 follow", "another session")
        follower, notes = self.start("follow"), self.start("notes")
        self.shows(follower, "(killed)", "the only session needs no name")
        self.shows(notes, "(killed)", "for notes as well")
        os.kill(presenter.pid, signal.SIGKILL)
        for terminal in follower, notes:
            self.shows(terminal, "has gone without a word", "a killed presenter is no end that was said")
        follower.type("q")
        self.ends(follower, 0, "", "and the follower leaves as ever")
        self.ends(self.start("follow"), 2, "there is no session here", "what it left is no session")
        left = list(pathlib.Path(self.scratch, "handoff").iterdir())
        self.results.check(not left, "and is cleared away", left)

    def several(self):
        one, two = (self.start("present", "overlap", "--backend", "sim", "--name", name) for name in ("one", "two"))
        self.shows(one, "0 follow", "two sessions: one")
        self.shows(two, "0 follow", "two sessions: two")
        self.ends(self.start("follow"), 2, "handoff follow two", "several sessions are listed")
        self.ends(self.start("follow", "--list"), 0, "one\r\ntwo\r\n", "--list names them and nothing else")
        self.ends(self.start("follow", "three"), 2, "there is no session three", "one that is not there")
        self.ends(self.start("present", "overlap", "--name", "one"), 2, "there is a session called one already", "a name that is taken")
        self.ends(self.start("present", "overlap", "--name", "a/b"), 2, "expected letters", "a name that cannot be one")
        self.ends(self.start("present", "overlap", "--share", "no-such-group"), 2, "there is no such group", "a group that is not there")
        for terminal in one, two:
            terminal.type("q")
            self.ends(terminal, 0, "", "both end")

    def hostile(self, name, said, expected, before_the_screen=True):
        """A session of this user that is not handoff's."""
        path = self.path("hostile")
        server = socket.socket(socket.AF_UNIX)
        server.bind(path)
        server.listen()

        def serve():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection, contextlib.suppress(OSError):
                    connection.sendall(said)

        threading.Thread(target=serve, daemon=True).start()
        follower = self.start("follow", "hostile")
        if before_the_screen:
            self.ends(follower, 2, expected, name)
        else:
            self.shows(follower, expected, name)
            follower.type("q")
            self.ends(follower, 0, "", f"{name}: left by q")
        output = bytes(follower.output)
        self.results.check(b"\x1b]0;" not in output and b"\x1b[31mred" not in output, f"{name}: nothing raw reaches the terminal", output)
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        os.unlink(path)


def main():
    results = Results()
    with tempfile.TemporaryDirectory(prefix="handoff-test-") as scratch:
        sessions = Sessions(str(pathlib.Path(sys.argv[1]).resolve()), scratch, results)
        try:
            sessions.several()
            sessions.by_lesson_and_process()
            sessions.killed()
            sessions.hostile("garbage", b"\x00\xff\x1b]0;owned\x07 garbage\n" * 3, "not a session")
            sessions.hostile("a line without an end", b"x" * (9 << 20), "a line of more than")
            sessions.hostile("no word", b"", "")
            sessions.hostile("escape sequences in names", HELLO.encode() + HEADER.replace("x.schedule", "\\u001b]0;t\\u0007\\u001b[31mred").encode(),
                             "red", False)
            sessions.hostile("a record of nothing", (HELLO + HEADER + '{"t":0,"kind":"done","rank":0,"call":7}\n').encode(),
                             '"call"', False)
            sessions.hostile("a look beyond the log", (HELLO + HEADER + '{"look":5,"answered":0}\n').encode(), '"look"', False)
            sessions.many_followers()
        finally:
            sessions.close()
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
