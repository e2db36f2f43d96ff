"""A schedule from standard input, from a pipe or a FIFO: read to its end as a file is, and with the same limits. Speaks TAP.

usage: standard_input.py HANDOFF
"""
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time

from handoff import Handoff, Results

RACE = """variant waits "B waits for A"
rank 0
  buffer x float32[4]
  buffer y float32[4]
  stream s nonblocking
  stream t nonblocking
  launch A -> x on s
  record E on s
  wait E on t [only waits]
  launch B x -> y on t
"""
LIMIT = "larger than the limit of 67108864 bytes"
SILENT = "nobody writes to this pipe"


class Input:
    """Ways in which the same text comes to the program."""

    def __init__(self, handoff):
        self.handoff = handoff

    def piped(self, text, *arguments):
        """On standard input."""
        end, other = os.pipe()
        os.write(other, text.encode())
        os.close(other)
        done = self.handoff.run(*arguments, stdin=end)
        os.close(end)
        return done

    def substituted(self, text, *arguments):
        """As a shell's <(...) gives it; its name is put behind the arguments."""
        end, other = os.pipe()
        os.write(other, text.encode())
        os.close(other)
        done = self.handoff.run(*arguments, f"/dev/fd/{end}", pass_fds=[end])
        os.close(end)
        return done, f"/dev/fd/{end}"

    def late(self, text, *arguments, opens_after, writes_after):
        """Through a FIFO whose writer takes its time."""
        path = self.handoff.scratch / "late.schedule"
        os.mkfifo(path)

        def write():
            time.sleep(opens_after)
            with open(path, "w") as fifo:
                time.sleep(writes_after)
                fifo.write(text)

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        done = self.handoff.run(*arguments, path.name)
        writer.join(timeout=20)
        path.unlink()
        return done


def whole(done):
    return done.returncode, done.stdout, done.stderr


def fold(done, name="race.schedule"):
    """What a command said, had the schedule been read from the file, and without what differs from run to run."""
    def plain(text):
        for shown in (name, name.replace("<", "&lt;").replace(">", "&gt;")):
            text = text.replace(shown, "race.schedule")
        text = text.partition("\n#include")[2] or text  # behind the names that a C program's head makes of it
        return re.sub(r"pid \d+|process \d+", "pid", re.sub(r"\s+|\u2500+", " ", text))
    return done.returncode, plain(done.stdout), plain(done.stderr)


def check_sources(handoff, results, given, file):
    """Every command says of a pipe what it says of a file."""
    for words in ("check", "check --json", "check --variant waits", "check --fix", "run --backend sim", "run --backend sim --pace",
                  "explore", "explore --json", "export c", "export mermaid", "export perfetto", "export svg --beside waits", "export cast"):
        expected = fold(handoff.run(*words.split(), file))
        for name in ("-", "/dev/stdin"):
            said = fold(given.piped(RACE, *words.split(), name), "<stdin>")
            results.check(said == expected, f"{words} {name}", said, expected)
        done, name = given.substituted(RACE, *words.split())
        said = fold(done, name)
        if {"c", "svg", "cast"} & set(words.split()):  # they show the name without its folder
            results.check(done.stdout and said[::2] == expected[::2], f"{words} <(...)", said, expected)
        else:
            results.check(said == expected, f"{words} <(...)", said, expected)


def check_places(handoff, results, given):
    done = given.piped(RACE.replace("record", "recrod"), "check", "-")
    results.check(done.returncode == 2 and done.stderr.startswith("<stdin>:8:3: error: "), "an error names <stdin>", whole(done))
    done = given.piped(RACE, "check", "-", "--variant", "wait")
    results.check(done.returncode == 2 and "<stdin>: there is no variant" in done.stderr, "an unknown variant", whole(done))
    (handoff.scratch / "-").write_text("not a schedule\n")
    done = given.piped(RACE, "check", "./-")
    results.check(done.returncode == 2 and done.stderr.startswith("./-:1:1: "), "a file of that name", whole(done))
    os.mkfifo(handoff.scratch / "\x1b[31m.schedule")
    done = handoff.run("check", "\x1b[31m.schedule")
    results.check(done.returncode == 2 and "\\x1B[31m.schedule" in done.stderr, "a FIFO's name with escapes", whole(done))


def check_log(handoff, results, given):
    done = given.piped(RACE, "run", "--backend", "sim", "-", "--log", "saved.log")
    replayed = handoff.run("replay", "--text", "saved.log")
    header = json.loads((handoff.scratch / "saved.log").read_text().splitlines()[0])
    results.check((header["file"], header["schedule"]) == ("<stdin>", RACE), "the log holds the schedule", header)
    results.check(replayed.returncode == 0 and replayed.stdout == done.stdout, "and can be replayed", whole(replayed))


def check_refusals(handoff, results, given):
    for arguments, words in ((["learn", "-"], "the keyboard steers"), (["present", "-"], "the keyboard steers"),
                             (["learn", "/dev/stdin"], "the keyboard steers"), (["replay", "-"], "the keyboard steps"),
                             (["replay", "--text", "-"], "the keyboard steps"), (["lint", "-"], "handoff check -"),
                             (["check", "--fix", "--write", "-"], "--write has no file to change")):
        done = given.piped(RACE, *arguments)
        results.check(done.returncode == 2 and not done.stdout and words in done.stderr and done.stderr.count("\n") == 1,
                      f"{' '.join(arguments)} is refused in one sentence", whole(done))
    done, _ = given.substituted(RACE, "check", "--fix", "--write")
    results.check(done.returncode == 2 and "--write has no file to change" in done.stderr, "and so is --write to a pipe", whole(done))


def check_ends(handoff, results, given):
    """What never ends, and what never begins."""
    with open("/dev/zero") as zeros:
        done = handoff.run("check", "-", stdin=zeros)
    results.check(done.returncode == 2 and f"<stdin>: {LIMIT}" in done.stderr, "a device without an end", whole(done))
    with subprocess.Popen(["cat", "/dev/zero"], stdout=subprocess.PIPE) as endless:
        done = handoff.run("check", f"/dev/fd/{endless.stdout.fileno()}", pass_fds=[endless.stdout.fileno()])
        endless.kill()
    results.check(done.returncode == 2 and LIMIT in done.stderr, "a pipe without an end", whole(done))
    for path, words in ("/dev/zero", "neither a regular file nor a pipe"), ("/dev", "is a directory"):
        done = handoff.run("check", path)
        results.check(done.returncode == 2 and words in done.stderr, f"{path} by its name", whole(done))
    folder = os.open(handoff.scratch, os.O_RDONLY)
    done = handoff.run("check", "-", stdin=folder)
    os.close(folder)
    results.check(done.returncode == 2 and "<stdin>: is a directory" in done.stderr, "a directory on standard input", whole(done))
    for done in (given.piped("", "check", "-"), given.substituted("", "check")[0], handoff.run("check", "-")):
        results.check(done.returncode == 2 and "found no `rank`" in done.stderr, "nothing at all", whole(done))

    os.mkfifo(handoff.scratch / "silent.schedule")
    done = handoff.run("check", "silent.schedule", timeout=20)
    results.check(done.returncode == 2 and f"silent.schedule: {SILENT}" in done.stderr, "a FIFO without a writer", whole(done))
    for name in ("saved.log", "silent.schedule"):
        done = handoff.run("replay", "--text", name, timeout=20)
        results.check(done.returncode == (0 if name == "saved.log" else 2), f"replay {name}: a log is a regular file", whole(done))
    for opens, writes in ((0.5, 0), (0, 3)):
        done = given.late(RACE, "check", opens_after=opens, writes_after=writes)
        results.check(done.returncode == 1 and done.stdout.startswith("late.schedule:10:3: error: race"),
                      f"a writer that comes after {opens} s and writes {writes} s later", whole(done))

    end, other = os.pipe()
    os.set_blocking(end, False)
    threading.Timer(0.5, lambda: (os.write(other, RACE.encode()), os.close(other))).start()
    done = handoff.run("check", "-", stdin=end)
    os.close(end)
    results.check(done.returncode == 1 and done.stdout.startswith("<stdin>:10:3:"), "standard input that does not block", whole(done))


def check_terminal(handoff, results):
    """Typed and ended by ctrl-D, or left by ctrl-C."""
    for keys, status in ((RACE + "\x04", 1), ("rank 0\n\x03", -signal.SIGINT)):
        keyboard, terminal = pty.openpty()
        with subprocess.Popen([handoff.program, "check", "-"], cwd=handoff.scratch, stdin=terminal, stdout=subprocess.PIPE,
                              preexec_fn=lambda: (os.setsid(), os.close(os.open(os.ttyname(0), os.O_RDWR)))) as check:
            time.sleep(0.5)
            os.write(keyboard, keys.encode())
            try:
                said = check.communicate(timeout=20)[0].decode()
            except subprocess.TimeoutExpired:
                check.kill()
                said = "it goes on"
        os.close(terminal)
        os.close(keyboard)
        results.check(check.returncode == status and (status < 0 or said.startswith("<stdin>:10:3: error: race")),
                      "typed at a terminal" if status == 1 else "ctrl-C while it reads", check.returncode, said)


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    given, file = Input(handoff), handoff.file("race.schedule", RACE)
    check_sources(handoff, results, given, file)
    check_places(handoff, results, given)
    check_log(handoff, results, given)
    check_refusals(handoff, results, given)
    check_ends(handoff, results, given)
    check_terminal(handoff, results)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
