"""Runs handoff without a terminal, for the tests of its commands."""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tap import Results  # noqa: E402, F401  (the tests take it from here)

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


class Handoff:
    """The program with a scratch folder as its home and working folder."""

    def __init__(self, program):
        self.program = str(pathlib.Path(program).resolve())
        self.temporary = tempfile.TemporaryDirectory(prefix="handoff-test-")
        self.scratch = pathlib.Path(self.temporary.name)

    def file(self, name, content):
        """Puts a file of text or bytes into the scratch folder; its name."""
        path = self.scratch / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def run(self, *arguments, environment=None, timeout=60, **others):
        """What the program printed (as text) and its exit status; a hang is status None."""
        home = str(self.scratch)
        settings = {
            "PATH": os.environ.get("PATH", ""), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "HOME": home,
            "XDG_STATE_HOME": f"{home}/state", "XDG_RUNTIME_DIR": home, **(environment or {}),
        }
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                settings[name] = os.environ[name]
        others.setdefault("stdin", subprocess.DEVNULL)
        try:
            return subprocess.run(
                [self.program, *map(str, arguments)], cwd=self.scratch, env=settings, timeout=timeout,
                stdout=others.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, text=True, errors="replace",
                **others)
        except subprocess.TimeoutExpired as expired:
            return subprocess.CompletedProcess(expired.cmd, None, expired.stdout or "", expired.stderr or "")
