"""Holds the sources to the layers of docs/architecture.md: who may include whom.

usage: architecture.py SOURCE_ROOT
"""
import pathlib
import re
import sys

# What a folder may include, besides itself. A name with an ending is one header.
MAY_INCLUDE = {
    "base": set(),
    "progress": {"base"},
    "schedule": {"base"},
    "order": {"base", "schedule"},
    "log": {"base", "schedule", "order"},
    "lesson": {"base", "schedule", "order", "log"},
    "export": {"base", "schedule", "order", "log", "lesson", "screen"},
    "share": {"base", "schedule", "order", "log"},
    "device": {"base", "schedule", "order", "log/record.h", "process/board.h", "kernels"},
    "process": {"base", "schedule", "order", "log/record.h", "device"},
    "screen": {"progress", "base", "schedule", "order", "log", "lesson"},
    "command": {"progress", "base", "schedule", "order", "log", "lesson", "device", "process", "screen", "export", "share"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def is_generated(header):
    build = header.parent / "meson.build"
    return build.is_file() and f"output: '{header.name}'" in build.read_text(encoding="utf-8")


def faults(root):
    source = root / "src"
    for path in sorted(source.rglob("*.[ch]")):
        folder = path.relative_to(source).parts[0]
        if folder == "main.c":
            continue
        if folder not in MAY_INCLUDE:
            yield path, 1, f"the folder {folder} is not among the layers"
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            header = match.group(1)
            if not any((place / header).is_file() for place in (source, root)) and not is_generated(source / header):
                yield path, number, f'"{header}" is not named from src/ or the top'
            elif header.split("/")[0] not in MAY_INCLUDE[folder] | {folder} and header not in MAY_INCLUDE[folder]:
                yield path, number, f"{folder} must not include {header}"


def main():
    root = pathlib.Path(sys.argv[1])
    found = list(faults(root))
    for path, line, text in found:
        print(f"{path.relative_to(root)}:{line}: {text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
