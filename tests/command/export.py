"""What all formats of `handoff export` share: arguments, bad input, and files that are whole or not there. Speaks TAP.

usage: export.py HANDOFF
"""
import os
import resource
import signal
import stat
import subprocess
import sys

from handoff import Handoff, Results

FORMATS = ("c", "perfetto", "svg", "cast", "mermaid")


def limit_files():
    """No file may become larger than this: writing fails as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def check_refusals(handoff, results):
    bad = handoff.file("bad.schedule", "rank 0\n stream s\n luanch A on s\n")
    for words, status, said in [
            ((), 2, "a format is missing"), (("c",), 2, "a lesson or a file is missing"),
            (("svgg", "overlap"), 2, "did you mean svg?"), (("pdf", "overlap"), 2, "no format pdf"),
            (("c", "overlap", "--log", "x.log"), 2, "--log is not for the format c"),
            (("mermaid", "overlap", "--theme", "dark"), 2, "--theme is not for the format mermaid"),
            (("svg", "overlap", "--steps", "3"), 2, "--steps is not for the format svg"),
            (("c", "overlap", "--variant", "no-wiat"), 2, "no-wait"), (("svg", "--log", "none.log"), 2, "none.log"),
            (("svg", "overlap", "--log", "none.log"), 2, "--log names the run"), (("c", "overlop"), 2, "overlap"),
            (("svg", "overlap", "--beside", "nowhere"), 2, "nowhere"), (("c", "overlap", "more"), 2, "one argument too many")]:
        done = handoff.run("export", *words)
        results.check(done.returncode == status and said in done.stderr and not done.stdout,
                      f"export {' '.join(words)} is refused", done)
    for name in FORMATS:
        done = handoff.run("export", name, bad, "-o", "out")
        results.check(done.returncode == 2 and "bad.schedule:3:2: error:" in done.stderr, f"{name}: faults of the file", done)
        results.check(not (handoff.scratch / "out").exists(), f"{name}: and no file")
        done = handoff.run("export", name, "overlap", "-o", "no/such/folder/out")
        results.check(done.returncode == 1 and "no/such/folder/out cannot be written" in done.stderr, f"{name}: no folder", done)


def check_files(handoff, results):
    output = handoff.scratch / "kept.cu"
    output.write_text("mine", encoding="utf-8")
    output.chmod(0o640)
    before = set(handoff.scratch.iterdir())
    done = handoff.run("export", "c", "overlap", "-o", "kept.cu", preexec_fn=limit_files)
    results.check(done.returncode == 1 and "kept.cu cannot be written" in done.stderr, "a full disk is an error", done)
    results.check(output.read_text(encoding="utf-8") == "mine", "what was there stays")
    results.check(set(handoff.scratch.iterdir()) == before, "nothing half-written is left")
    done = handoff.run("export", "c", "overlap", "-o", "kept.cu")
    results.check(done.returncode == 0 and output.read_text(encoding="utf-8").startswith("/* "), "else it is replaced", done)
    results.check(stat.S_IMODE(output.stat().st_mode) == 0o640, "its permissions stay", oct(output.stat().st_mode))
    link = handoff.scratch / "link.cu"
    link.symlink_to("kept.cu")
    handoff.run("export", "c", "submit", "-o", "link.cu")
    results.check(link.is_symlink() and "submit" in output.read_text(encoding="utf-8")[:40], "through a link, not in its place")
    old = os.umask(0o027)
    handoff.run("export", "c", "submit", "-o", "new.cu")
    os.umask(old)
    results.check(stat.S_IMODE((handoff.scratch / "new.cu").stat().st_mode) == 0o640, "a new file obeys the umask")
    shown = handoff.run("export", "c", "submit", "-o", "-")
    results.check(shown.stdout == (handoff.scratch / "new.cu").read_text(encoding="utf-8"), "-o - is standard output")
    done = handoff.run("export", "c", "submit", "-o", "/dev/full")
    results.check(done.returncode == 1 and "/dev/full cannot be written" in done.stderr, "/dev/full is written to, not replaced")
    results.check(stat.S_ISCHR(os.stat("/dev/full").st_mode), "and stays what it is")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = handoff.run("export", "c", "submit", stdout=full)
    results.check(done.returncode == 1 and "standard output cannot be written" in done.stderr, "standard output that is full", done)


def check_interrupt(handoff, results):
    """Ctrl-C while the file is being written beside its place."""
    loop = handoff.file("long.schedule", "rank 0\n buffer x float32[4]\n stream s\n repeat 20000\n  launch A -> x on s\n end\n")
    (handoff.scratch / "long.json").write_text("old", encoding="utf-8")
    with subprocess.Popen([handoff.program, "export", "perfetto", loop, "-o", "long.json"], cwd=handoff.scratch) as exporting:
        while exporting.poll() is None and not list(handoff.scratch.glob("long.json.*")):
            pass
        exporting.send_signal(signal.SIGINT)
    left = list(handoff.scratch.glob("long.json.*"))
    results.check(not left, "an interrupt leaves no part of a file", left)


def check_warning(handoff, results):
    done = handoff.run("export", "c", "overlap", "--variant", "no-wait")
    results.check(done.returncode == 0 and "the program will have this race" in done.stderr, "a hazard is said", done.stderr)
    done = handoff.run("export", "c", handoff.file("*/ evil /*.schedule".replace("/", "_"), "rank 0\n stream s\n"))
    results.check(done.returncode == 0 and "_kernel" not in done.stdout, "an odd name", done)


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    check_refusals(handoff, results)
    check_files(handoff, results)
    check_interrupt(handoff, results)
    check_warning(handoff, results)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
