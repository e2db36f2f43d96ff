#!/usr/bin/env python3
"""Measures what followers cost the presenter: from a key to the last change of the screen, without and with them.

usage: followers.py HANDOFF [FOLLOWERS]

One of the followers is stopped (SIGSTOP). Each is a process that reads all that the session says.
"""
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from terminal import Terminal  # noqa: E402

READER = """
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
while s.recv(65536): pass
"""
KEYS = "nnbnnbnn" * 5


def first_change(terminal, limit=0.5):
    """When the picture first changes."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if terminal.feed(0.01):
            return terminal.arrived
    return None


def delays(terminal):
    found = []
    for key in KEYS:
        terminal.settle()
        sent = time.monotonic()
        terminal.type(key)
        changed = first_change(terminal)
        if changed:
            found.append((changed - sent) * 1e3)
    return found


def measure(handoff, followers):
    with tempfile.TemporaryDirectory(prefix="handoff-bench-") as scratch:
        environment = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "HOME": scratch,
                       "XDG_STATE_HOME": f"{scratch}/state", "XDG_RUNTIME_DIR": scratch}
        terminal = Terminal([handoff, "present", "overlap", "--backend", "sim", "--name", "bench"], 120, 40, environment)
        terminal.wait_for(lambda: any("0 follow" in line for line in terminal.lines()))
        readers = [subprocess.Popen([sys.executable, "-c", READER, f"{scratch}/handoff/bench.follow"])
                   for _ in range(followers)]
        try:
            if followers:
                terminal.wait_for(lambda: any(f"{followers} follow" in line for line in terminal.lines()))
                readers[0].send_signal(signal.SIGSTOP)
            return delays(terminal)
        finally:
            for reader in readers:
                reader.kill()
                reader.wait()
            terminal.close()


def main():
    handoff = str(pathlib.Path(sys.argv[1]).resolve())
    followers = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    for count in (0, followers, 0, followers):
        found = measure(handoff, count)
        print(f"{count} followers: key to screen median {statistics.median(found):.1f} ms"
              f"  (from {min(found):.1f} to {max(found):.1f}, {len(found)} keys)")


if __name__ == "__main__":
    main()
