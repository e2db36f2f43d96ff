"""scripts/start.sh: what it installs, builds and says, with stand-ins for the tools that it calls. Speaks TAP."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from handoff import SOURCE, Results

STAND_INS = {
    "apt-get": 'echo "apt-get $*" >>"$CALLS"; case "$*" in *install*) touch "$INSTALLED" ;; esac',
    "sudo": 'echo "sudo" >>"$CALLS"; exec "$@"',
    "id": "echo 1000",
    "pkg-config": '[ -e "$INSTALLED" ] || [ "$2" != md4c ]',
    "cc": "exit 0",
    "meson": 'echo "meson $*" >>"$CALLS"; mkdir -p build; echo >build/build.ninja',
    "ninja": 'echo "ninja $*" >>"$CALLS"; [ -z "${BREAK-}" ] || { echo "src/main.c: broken"; exit 1; };'
             ' printf \'#!/bin/sh\\necho "program $# $*"; pwd\\n\' >build/handoff; chmod +x build/handoff',
}
NEEDED = ["sh", "cat", "chmod", "dirname", "env", "find", "head", "mkdir", "mktemp", "mv", "readlink", "rm", "tail", "touch", "true"]


class Tree:
    """A copy of the scripts in a folder whose name has blanks, and a PATH with nothing but the stand-ins."""

    def __init__(self, *without):
        self.temporary = tempfile.TemporaryDirectory(prefix="handoff test ")
        top = pathlib.Path(self.temporary.name)
        self.root, self.tools, self.calls_file = top / "the tree", top / "tools", top / "calls"
        shutil.copytree(SOURCE / "scripts", self.root / "scripts")
        (self.root / "src").mkdir()
        (self.root / "src" / "main.c").write_text("")
        for name in ("meson.build", "meson_options.txt"):
            (self.root / name).write_text("")
        self.tools.mkdir()
        for name in NEEDED:
            (self.tools / name).symlink_to(shutil.which(name))
        for name, text in STAND_INS.items():
            if name not in without:
                (self.tools / name).write_text(f"#!/bin/sh\n{text}\n")
                (self.tools / name).chmod(0o755)

    def start(self, *arguments, folder="/", **environment):
        self.calls_file.write_text("")
        done = subprocess.run(
            ["sh", str(self.root / "scripts" / "start.sh"), *arguments], cwd=folder, capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=60,
            env={"PATH": str(self.tools), "CALLS": str(self.calls_file), "INSTALLED": f"{self.root}/installed", **environment})
        return done

    def calls(self):
        return self.calls_file.read_text().splitlines()

    def has(self, name):
        (self.root / name).write_text("")


def missing_package(results):
    tree = Tree()
    done = tree.start("run", "two words")
    results.check(done.returncode == 0 and done.stdout == "program 2 run two words\n/\n", "installs, builds, runs", done)
    install = [call for call in tree.calls() if call.startswith("apt-get") and " install " in call]
    results.check(len(install) == 1 and install[0].endswith(" libmd4c-dev"), "installs only what is missing", tree.calls())
    results.check("libmd4c-dev" in done.stderr and "reads the lessons" in done.stderr, "says what and why", done.stderr)
    results.check("sudo" in tree.calls(), "installs with sudo where it is not root", tree.calls())
    done = tree.start()
    results.check(not tree.calls() and not done.stderr, "a second start does and says nothing", tree.calls(), done.stderr)
    future = (tree.root / "build" / "started").stat().st_mtime + 10
    os.utime(tree.root / "src" / "main.c", (future, future))
    tree.start()
    results.check(tree.calls() == ["ninja -C build program"], "builds again after a change, without meson", tree.calls())
    moved = tree.root.rename(tree.root.parent / "moved")
    tree.root = moved
    tree.has("installed")
    done = tree.start(folder=moved.parent)
    results.check(done.returncode == 0 and any(call.startswith("meson setup") for call in tree.calls()),
                  "a tree that moved is configured again", done, tree.calls())


def nothing_missing(results):
    tree = Tree("apt-get", "sudo")
    tree.has("installed")
    done = tree.start()
    results.check(done.returncode == 0 and done.stdout.startswith("program 0"), "needs no apt-get where nothing is missing", done)


def cannot_install(results):
    done = Tree("sudo").start()
    results.check(done.returncode != 0 and "apt-get install libmd4c-dev" in done.stderr and not done.stdout,
                  "neither root nor sudo: the command to run", done)
    done = Tree("apt-get").start()
    results.check(done.returncode != 0 and "libmd4c-dev" in done.stderr and "neither Debian nor Ubuntu" in done.stderr,
                  "another distribution: the packages by name", done)


def broken_build(results):
    tree = Tree()
    tree.has("installed")
    done = tree.start(BREAK="1")
    results.check(done.returncode != 0 and "src/main.c: broken" in done.stderr and not done.stdout,
                  "a build that fails is shown", done)
    done = tree.start()
    results.check(done.returncode == 0 and done.stdout.startswith("program"), "and is tried again", done)


def main():
    results = Results()
    for part in (missing_package, nothing_missing, cannot_install, broken_build):
        part(results)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
