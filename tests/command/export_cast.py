"""Holds `handoff export cast` to the asciicast v2 format, to the walk, and to a terminal. Speaks TAP.

usage: export_cast.py HANDOFF LESSONS
"""
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys

from handoff import Handoff, Results

try:
    import pyte
except ImportError:
    pyte = None


def parts(text):
    header, *events = map(json.loads, text.splitlines())
    return header, events


def titles(lesson):
    return re.findall(r"^## (?:Step: )?(.+?)(?: \[(?:only|not) .*)?$", lesson.read_text(encoding="utf-8"), re.MULTILINE)


def faults(text, lesson):
    header, events = parts(text)
    if (header["version"], header["width"], header["height"]) != (2, 80, 24) or "timestamp" in header:
        yield f"header {header}"
    if any(len(e) != 3 or e[1] not in ("o", "m") or not isinstance(e[2], str) for e in events):
        yield "an event is not [time, kind, text]"
    times = [event[0] for event in events]
    if times != sorted(times) or times[0] < 0:
        yield "times go back"
    markers = [event[2] for event in events if event[1] == "m"]
    if [marker.split(" ", 1)[0] for marker in markers] != [f"{i + 1}/{len(markers)}" for i in range(len(markers))]:
        yield f"markers {markers}"
    if not markers or not {marker.split(" ", 1)[1] for marker in markers} <= set(titles(lesson)):
        yield f"markers {markers} are not the lesson's steps {titles(lesson)}"


def displayed(output):
    """What a terminal of the usual size shows after it."""
    screen = pyte.Screen(80, 24)
    pyte.Stream(screen).feed(output)
    return screen.display


def output_of(events):
    return "".join(event[2] for event in events if event[1] == "o")


def played(path):
    """The exit status of the real player, on a terminal."""
    terminal, other = pty.openpty()
    player = subprocess.Popen(["asciinema", "play", "-i", "0.001", "-s", "1000", path], stdin=other, stdout=other,
                              stderr=other, env={"PATH": "/usr/bin:/bin", "TERM": "xterm-256color",
                                                 "LC_ALL": "C.UTF-8", "HOME": str(path.parent)})
    os.close(other)
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    return player.wait(), shown.decode(errors="replace")


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    for lesson in sorted(pathlib.Path(sys.argv[2]).resolve().glob("*.md")):
        done = handoff.run("export", "cast", lesson)
        found = [done.stderr] if done.returncode else list(faults(done.stdout, lesson))
        results.check(not found, f"export cast {lesson.stem}", *found)
    text = handoff.run("export", "cast", "overlap").stdout
    plain = handoff.run("export", "cast", "overlap", environment={"LC_ALL": "C"}).stdout
    results.check(text == plain, "the same every time, in any locale")
    if pyte:
        display = displayed(output_of(parts(text)[1][:-1]))  # the last event gives the screen back
        results.check("step 7/7" in display[0] and "simulated" in display[0], "the last step is shown", display[0])
        results.check(any("2 │ 4" in line.replace("│  ", "│ ") or "│ 2 │ 4 │ 6 │ 8" in line for line in display),
                      "y has its values", *display)
    wide = handoff.run("export", "cast", "overlap", "--size", "120x40", "--steps", "5").stdout
    header, events = parts(wide)
    results.check((header["width"], header["height"]) == (120, 40), "another size", header)
    results.check([event[2][:2] for event in events if event[1] == "m"] == ["5/"], "one step")
    for size in ("79x24", "80x23", "80", "x", "80x24x", "10000x24"):
        done = handoff.run("export", "cast", "overlap", "--size", size)
        results.check(done.returncode == 2 and "--size" in done.stderr, f"--size {size} is refused", done.stderr)
    if shutil.which("asciinema"):
        text = handoff.run("export", "cast", "overlap", "--steps", "7").stdout
        (handoff.scratch / "walk.cast").write_text(text, encoding="utf-8")
        status, shown = played(handoff.scratch / "walk.cast")
        results.check(status == 0 and shown, "asciinema plays it", status, shown[-200:])
        if pyte:
            results.check(displayed(shown) == displayed(output_of(parts(text)[1])), "and shows what it holds", *displayed(shown))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
