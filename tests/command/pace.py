"""`handoff run --pace`: every lesson and variant as a text that needs no picture. Speaks TAP.

usage: pace.py HANDOFF
"""
import re
import sys

from handoff import SOURCE, Handoff, Results

BOXES = re.compile("[\u2500-\u25ff|]")


def titles(text, variant):
    """The steps of the walk with VARIANT on, as the lesson's file has them."""
    for heading in re.findall(r"^## (?!Challenge: )(.*)$", text, re.MULTILINE):
        title = re.sub(r" *\[(only|not) [^]]*\]", "", heading)
        only = re.search(r"\[only ([^]]*)\]", heading)
        without = re.search(r"\[not ([^]]*)\]", heading)
        if (not only or variant in only[1].split()) and (not without or variant not in without[1].split()):
            yield title.replace("`", "")


def check_walk(handoff, results, file, variant):
    name = file.stem.partition("-")[2]
    what = f"{name} {variant}".strip()
    run = handoff.run("run", name, "--pace", *(["--variant", variant] if variant else []))
    text = run.stdout
    results.check(run.returncode == (1 if what == "submit no-send" else 0) and not run.stderr, f"{what}: exit status",
                  run.returncode, run.stderr)
    wide = [line for line in text.splitlines() if len(line) > 78]
    results.check(not wide and not BOXES.search(text), f"{what}: 78 columns, and nothing drawn", wide,
                  BOXES.findall(text))
    found = [" ".join(heading.split()) for heading in re.findall(r"^Step \d+ of \d+: (.*(?:\n  .*)?)", text, re.MULTILINE)]
    results.check(found == list(titles(file.read_text(), variant)), f"{what}: every step of the walk, in order", found)
    questions, answers = (len(re.findall(f"^{word}", text, re.MULTILINE)) for word in ("Question: ", "Answer to step "))
    results.check(questions == answers > 0, f"{what}: an answer to each question", questions, answers)
    ended = text.rfind("What the buffers hold at the end:")
    results.check(ended > text.rfind("Step ") and "Rank 0: x (float32[4])" in text[ended:], f"{what}: the buffers at the end")


def check_order(handoff, results):
    """In lesson 5 the question of step 4 is answered behind the event that shows it: C done, B waits."""
    text = handoff.run("run", "overlap", "--pace").stdout
    asked, shown, answered = (text.find(words) for words in (
        "When C is", "launch C -> c on compute is done.", "Answer to step 4: 2. wait for the receive"))
    results.check(0 < asked < shown < answered, "an answer stands behind the event that shows it", asked, shown, answered)
    results.check("Rank 1: y (float32[4]) holds 2 4 6 8." in text, "what y holds", text[-600:])


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    for file in sorted((SOURCE / "lessons").glob("*.md")):
        for variant in ["", *re.findall(r"^variant (\S+) +\"", file.read_text(), re.MULTILINE)]:
            check_walk(handoff, results, file, variant)
    check_order(handoff, results)
    stuck = handoff.run("run", "submit", "--variant", "no-send", "--pace").stdout
    results.check("It cannot go on. What waits, and for what:" in stuck, "a run that is stuck says what waits", stuck[-800:])
    handoff.file("bare.schedule", "rank 0\n  buffer x float32[2]\n  stream s\n  launch A -> x on s\n  sync s\n")
    bare = handoff.run("run", "bare.schedule", "--pace")
    results.check(bare.returncode == 0 and "Rank 0: x (float32[2]) holds 1 2." in bare.stdout, "a schedule without a lesson",
                  bare.stdout, bare.stderr)
    results.check(handoff.run("run", "overlap", "--pace", "--json").returncode == 2, "--pace and --json do not go together")
    narrow = handoff.run("run", "overlap", "--pace", environment={"COLUMNS": "50"}).stdout
    results.check(max(map(len, narrow.splitlines())) <= 50, "as narrow as the terminal")
    ascii_only = handoff.run("run", "overlap", "--pace", "--ascii").stdout
    results.check(ascii_only.isascii(), "--ascii")
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
