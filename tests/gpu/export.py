"""Holds the programs of `handoff export c` to the values that the walk shows, on a machine with a GPU.

usage: export.py pack HANDOFF FOLDER   on the machine that has the build and nvcc: all programs as one, FOLDER/programs
       export.py run FOLDER [REGEX]    on the machine with the GPU, which needs NCCL and this file: those whose names match

A program is made of every lesson and case, and every variant, that `handoff check` finds nothing in.
"""
import concurrent.futures
import json
import math
import pathlib
import re
import struct
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
AT_A_TIME = 8
LIMIT_SECONDS = 30
# A process that communicates on one GPU while it does on the other: on a machine with one GPU the two take turns and hang.
NEEDS_TWO_GPUS = {"transfers-of-two-gpus-take-no-turns", "two-devices-take-no-turns"}


def print_to(handoff, *arguments):
    return subprocess.run([handoff, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False)


def expected_buffers(run):
    """{"rank 0 x": {"type": "float32", "values": [1, 2, None, ...], ...}} of what `handoff run --json` printed."""
    return {f"rank {rank['rank']} {name}": buffer
            for rank in run["ranks"] for name, buffer in rank["buffers"].items()}


def pack(handoff, folder):
    sys.path.insert(0, str(SOURCE / "tests" / "command"))
    from export_c import NVCC, sources, together
    programs, expected = [], []
    for path, variant in sources(SOURCE / "lessons", [SOURCE / "tests" / "cases", SOURCE / "tests" / "cases-more"]):
        choice = ["--variant", variant] if variant else []
        if print_to(handoff, "check", *choice, path).stdout:
            continue
        name = f"{path.stem} {variant or ''}".rstrip()
        if name in NEEDS_TWO_GPUS:
            continue
        run = print_to(handoff, "run", "--backend", "sim", "--json", *choice, path)
        programs.append(print_to(handoff, "export", "c", *choice, path).stdout)
        expected.append({"name": name, "buffers": expected_buffers(json.loads(run.stdout))})
    folder.mkdir(parents=True, exist_ok=True)
    cases = "".join(f"case {i}: return program_{i}::main();" for i in range(len(programs)))
    text = together(programs) + f"int main(int, char **argv) {{ switch (atoi(argv[1])) {{ {cases} }} return 1; }}\n"
    (folder / "programs.cu").write_text(text, encoding="utf-8")
    (folder / "expected.json").write_text(json.dumps(expected), encoding="utf-8")
    subprocess.run([NVCC, "-arch=sm_90", "-o", folder / "programs", folder / "programs.cu", "-lnccl"], check=True)
    return 0


def element(word, element_type):
    """The element that is written so: a float of up to 32 bits may be written with fewer digits than its double has."""
    if element_type == "float64":
        return float(word)
    if "float" in element_type:
        return struct.unpack("f", struct.pack("f", float(word)))[0]
    return int(word)


def is_equal(word, value, element_type):
    if value is None:
        return True
    printed, expected = element(word, element_type), element(value, element_type)
    return printed == expected or math.isnan(printed) and math.isnan(expected)


def faults(printed, expected):
    lines = dict(line.split(":", 1) for line in printed.splitlines() if ":" in line)
    for name, buffer in expected.items():
        values = buffer["values"]
        if name not in lines:
            if any(value is not None for value in values):
                yield f"{name} was not printed"
            continue
        words = lines[name].split()
        is_cut = words[-1:] == ["..."]
        found = words[:-1] if is_cut else words
        is_whole = 0 < len(found) < len(values) if is_cut else len(found) == len(values)
        equal = [is_equal(word, value, buffer["type"]) for word, value in zip(found, values)]
        if not is_whole or not all(equal):
            yield f"{name}: {' '.join(found)}, expected {values[:len(found)]}"


def run_one(folder, number, case):
    try:
        done = subprocess.run([folder / "programs", str(number)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=LIMIT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return [f"it did not end in {LIMIT_SECONDS} s"]
    found = list(faults(done.stdout, case["buffers"]))
    return found if done.returncode == 0 else [f"status {done.returncode}", done.stdout[-2000:], *found]


def run(folder, pattern):
    cases = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    chosen = [(number, case) for number, case in enumerate(cases) if re.search(pattern, case["name"])]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        names = {pool.submit(run_one, folder, number, case): case["name"] for number, case in chosen}
        for done in concurrent.futures.as_completed(names):
            found = done.result()
            failed += bool(found)
            print("FAIL" if found else "ok  ", names[done], flush=True)
            print(*[f"     {line}\n" for line in found], sep="", end="", flush=True)
    print(f"{len(chosen)} programs, {failed} failed")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    if sys.argv[1] == "pack":
        sys.exit(pack(pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])))
    sys.exit(run(pathlib.Path(sys.argv[2]).resolve(), (sys.argv[3:] or ["."])[0]))
