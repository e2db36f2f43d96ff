"""Walks a lesson in full screen on the GPUs with scripted keys, and saves what the terminal was sent.

usage: walk.py HANDOFF LESSON OUT [KEYS]

Prints when the first bytes of a frame came and how long each key took until the screen was quiet, and exits with the
program's status. OUT gets the raw bytes, for a terminal emulator to draw.
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

QUIET = 0.4  # seconds without output: the screen rests


def drain(terminal, out, limit):
    """Returns when the screen rests or the program ends: the seconds until its last output, or None at its end."""
    begin = last = time.monotonic()
    while time.monotonic() - begin < limit:
        if not select.select([terminal], [], [], QUIET)[0]:
            break
        try:
            data = os.read(terminal, 65536)
        except OSError:
            return None
        out.write(data)
        last = time.monotonic()
    return last - begin


def main():
    program, lesson, out_path = sys.argv[1:4]
    keys = sys.argv[4] if len(sys.argv) > 4 else "nnnbbnnRnnnnnnnq"
    begin = time.monotonic()
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(program, [program, "learn", lesson, "--backend", os.environ.get("BACKEND", "cuda")])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    with open(out_path, "wb") as out:
        select.select([terminal], [], [], 10)
        print(f"first bytes after {1000 * (time.monotonic() - begin):.0f} ms")
        time.sleep(2.5)
        drain(terminal, out, 10)
        for key in keys:
            os.write(terminal, key.encode())
            taken = drain(terminal, out, 10)
            out.write(f"\x1b]0;after {key}\x07".encode())
            print(f"{key}: {'the program ended' if taken is None else f'{1000 * taken:.0f} ms'}")
    _, status = os.waitpid(child, 0)
    print(f"status {os.waitstatus_to_exitcode(status)}")
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
