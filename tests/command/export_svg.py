"""Holds `handoff export svg` to what a figure needs: well-formed, nothing that runs, all names, nothing outside. Speaks
TAP.

usage: export_svg.py HANDOFF LESSONS CASES...
"""
import sys
import xml.etree.ElementTree as tree

from export_c import sources
from handoff import Handoff, Results

SVG = "{http://www.w3.org/2000/svg}"
NAMED = """variant odd "<script>alert('&')</script> ]]> --> \\\\ é"
rank 0
  buffer x float32[4]
  stream S0
  launch forward -> x on S0 takes 5ms
  record E on S0
  wait E on S0
  sync S0
"""


def texts(figure):
    return {"".join(text.itertext()) for text in figure.iter(f"{SVG}text")}


def faults(source):
    figure = tree.fromstring(source)
    width, height = float(figure.get("width")), float(figure.get("height"))
    for element in figure.iter():
        if element.tag.rsplit("}")[-1] in ("script", "image", "foreignObject", "use", "a"):
            yield f"there is a {element.tag}"
    for box in figure.iter(f"{SVG}rect"):
        x, y, wide, high = (float(box.get(key, 0)) for key in ("x", "y", "width", "height"))
        if x < 0 or y < 0 or x + wide > width + 1 or y + high > height + 1 or wide <= 0:
            yield f"a rectangle is outside: {box.attrib}"
    for text in figure.iter(f"{SVG}text"):
        if not 0 <= float(text.get("x")) <= width or not 0 <= float(text.get("y")) <= height:
            yield f"a text is outside: {''.join(text.itertext())}"


def bars(figure, kind):
    """(left, width, middle) of the bars of a class, the legend's left out."""
    return [(float(b.get("x")), float(b.get("width")), float(b.get("y")) + float(b.get("height")) / 2)
            for b in figure.iter(f"{SVG}rect") if b.get("class") == kind and b.get("height") == "18.0"]


def check_overlap(handoff, results):
    """The overlap lesson: A 30 ms, then the transfer 30 ms, C 50 ms beside both, then B 20 ms."""
    figure = tree.fromstring(handoff.run("export", "svg", "overlap").stdout)
    kernels, transfers = sorted(bars(figure, "kernel")), sorted(bars(figure, "transfer"))
    widths = [round(width / kernels[0][1], 1) for _, width, _ in kernels]
    results.check(sorted(widths) == [0.7, 1.0, 1.7], "A, C and B are as wide as they take", widths)
    results.check(len(transfers) == 2 and transfers[0][0] == transfers[1][0], "send and receive are one transfer")
    results.check({"A", "C", "B", "send x", "recv x", "wait E", "record E", "copy y"} <= texts(figure),
                  "every operation is named", texts(figure))
    pair = tree.fromstring(handoff.run("export", "svg", "overlap", "--beside", "one-stream").stdout)
    a_widths = {round(width) for _, width, _ in bars(pair, "kernel")}
    results.check(len(bars(pair, "kernel")) == 6 and len(a_widths) == 3, "two variants share one scale", a_widths)
    results.check(any("all work done after 130.1 ms" in text for text in texts(pair)), "the second says how long it takes")


def check_themes(handoff, results):
    auto, light, dark = (handoff.run("export", "svg", "overlap", *choice).stdout
                         for choice in ([], ["--theme", "light"], ["--theme=dark"]))
    results.check("prefers-color-scheme" in auto, "by itself it follows the reader's system")
    results.check("prefers-color-scheme" not in light + dark and light != dark, "a theme is fixed")
    results.check(auto == handoff.run("export", "svg", "overlap").stdout, "the same every time")
    done = handoff.run("export", "svg", "overlap", "--theme", "pink")
    results.check(done.returncode == 2 and "expected auto, light or dark" in done.stderr, "an unknown theme", done.stderr)


def check_names(handoff, results):
    name = handoff.file("a&b<c.schedule", NAMED)
    figure = tree.fromstring(handoff.run("export", "svg", name, "--variant", "odd").stdout)
    results.check(name in texts(figure), "a file's name is a title", texts(figure))
    results.check(any("<script>alert('&')</script> ]]> -->" in text for text in texts(figure)), "a description is text")
    many = "rank 0\n stream s\n repeat 3000\n launch k on s\n end\n"
    done = handoff.run("export", "svg", handoff.file("many.schedule", many), "-o", "many.svg")
    results.check(done.returncode == 2 and "at most 2000" in done.stderr, "too much for a figure", done.stderr)
    results.check(not (handoff.scratch / "many.svg").exists(), "then no file is there")


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    check_overlap(handoff, results)
    check_themes(handoff, results)
    check_names(handoff, results)
    for path, variant in sources(sys.argv[2], sys.argv[3:]):
        done = handoff.run("export", "svg", *(["--variant", variant] if variant else []), path)
        found = [done.stderr] if done.returncode else list(faults(done.stdout))
        results.check(not found, f"export svg {path.stem} {variant or ''}".rstrip(), *found[:5])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
