"""What is installed works, also from a prefix that moved. Speaks TAP.

usage: install.py MESON BUILD
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from handoff import Handoff, Results


def links(page):
    """Where the links of a Markdown page lead, on this machine."""
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    return [target for target in targets if "://" not in target]


def main():
    meson, build = sys.argv[1:]
    results = Results()
    with tempfile.TemporaryDirectory(prefix="handoff-test-") as scratch:
        done = subprocess.run([meson, "install", "-C", build, "--no-rebuild", "--destdir", scratch],
                              capture_output=True, text=True)
        if not results.check(done.returncode == 0, "installs", done.stdout, done.stderr):
            return results.finish()
        program = next(pathlib.Path(scratch).rglob("bin/handoff"))
        moved = pathlib.Path(scratch, "a prefix that moved")
        shutil.move(program.parent.parent, moved)

        handoff = Handoff(moved / "bin" / "handoff")
        done = handoff.run("list")
        results.check(done.returncode == 0 and "overlap" in done.stdout, "finds its lessons", done)
        results.check("a prefix that moved" in handoff.run("doctor").stdout, "and those of its own prefix")
        done = handoff.run("run", "--quiet", "overlap")
        results.check(done.returncode == 0, "runs a lesson", done)

        for part in ("share/handoff/lessons/5-overlap.md", "share/doc/handoff/README.md",
                     "share/bash-completion/completions/handoff", "share/zsh/site-functions/_handoff",
                     "share/fish/vendor_completions.d/handoff.fish"):
            results.check((moved / part).is_file(), f"installs {part}")
        for page in sorted((moved / "share/doc/handoff").rglob("*.md")):
            broken = [link for link in links(page) if not (page.parent / link).exists()]
            results.check(not broken, f"what {page.name} links to is installed", *broken)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
