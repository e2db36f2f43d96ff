"""Holds docs/figures to what scripts/figures.sh makes now. Speaks TAP.

usage: figures.py HANDOFF
"""
import pathlib
import subprocess
import sys

from handoff import SOURCE, Handoff, Results


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    made, kept = handoff.scratch / "figures", SOURCE / "docs" / "figures"
    done = subprocess.run(["sh", SOURCE / "scripts" / "figures.sh", pathlib.Path(handoff.program).parent, made],
                          capture_output=True, text=True, check=False)
    results.check(done.returncode == 0, "the figures are made", done.stderr)
    names = sorted(path.name for path in made.iterdir())
    results.check(names == sorted(path.name for path in kept.iterdir()), "docs/figures has them and no others", names)
    for name in names:
        same = (kept / name).is_file() and (kept / name).read_bytes() == (made / name).read_bytes()
        results.check(same, f"docs/figures/{name} is current (else: sh scripts/figures.sh build)")
    readme = (SOURCE / "README.md").read_text(encoding="utf-8")
    for name in names:
        results.check(f"docs/figures/{name}" in readme, f"README.md shows {name}")
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
