"""Holds `handoff export mermaid` to the syntax of flowcharts, and to the order that the schedules have. Speaks TAP.

usage: export_mermaid.py HANDOFF LESSONS CASES...
"""
import re
import sys

from export_c import sources
from handoff import SOURCE, Handoff, Results

NODE = re.compile(r'\s*(c\d+|n\d+)\["([^"<>]*)"\]')
BOX = re.compile(r'\s*subgraph (r\d+(?:b\d+)?)\["[\w ]+"\]')
EDGE = re.compile(r'  (\w+) (-->|==>|<-->|-\. "[\w :-]+" \.->) (\w+)')


def read(text):
    """({id: words}, [(from, arrow, to)], [faults])"""
    nodes, edges, found, depth = {}, [], [], 0
    first, *lines = text.splitlines()
    if first != "flowchart TD":
        found.append(f"begins with {first}")
    for line in lines:
        node, box, edge = NODE.fullmatch(line), BOX.fullmatch(line), EDGE.fullmatch(line)
        if node:
            nodes[node.group(1)] = node.group(2).replace("&gt;", ">").replace("&lt;", "<")
        elif box:
            depth += 1
        elif line.strip() == "end":
            depth -= 1
        elif edge:
            edges.append((edge.group(1), edge.group(2), edge.group(3)))
        else:
            found.append(f"no line of a flowchart: {line}")
    if depth:
        found.append("a subgraph has no end")
    found += [f"no node {end}" for edge in edges for end in (edge[0], edge[2]) if end not in nodes]
    return nodes, edges, found


def reduced_faults(edges):
    """An arrow that says what a way of others says already; ways that begin with a transfer say less."""
    behind = {}
    for begin, arrow, end in edges:
        if arrow in ("-->", "==>"):
            behind.setdefault(begin, {})[end] = arrow

    def reaches(begin, end, skip=None):
        seen, stack = set(), [n for n, arrow in behind.get(begin, {}).items() if n != skip and arrow == "-->"]
        while stack:
            node = stack.pop()
            if node == end:
                return True
            if node not in seen:
                seen.add(node)
                stack += behind.get(node, {})
        return False

    if any(reaches(node, node) for node in behind):
        return []  # what waits in a circle for ever has no first and last
    return [f"{a} {arrow} {b} is said twice" for a, arrow, b in edges if arrow == "-->" and reaches(a, b, b)]


def check_overlap(handoff, results):
    """The order of the overlap lesson, arrow by arrow, from its rules."""
    nodes, edges, _ = read(handoff.run("export", "mermaid", "overlap").stdout)
    named = {(nodes[a], arrow, nodes[b]) for a, arrow, b in edges}
    results.check(named == {
        ("launch A -> x", "-->", "send x to 1"), ("send x to 1", "-->", "sync S0"),
        ("send x to 1", "==>", "recv x from 0"), ("recv x from 0", "-->", "record E"), ("record E", "-->", "wait E"),
        ("launch C -> c", "-->", "wait E"), ("wait E", "-->", "launch B x -> y"),
        ("launch B x -> y", "-->", "copy y to result"), ("copy y to result", "-->", "sync compute"),
        ("sync compute", "-->", "read result"), ("read result", "-->", "sync device")}, "the order of overlap", named)
    nodes, edges, _ = read(handoff.run("export", "mermaid", "overlap", "--variant", "no-wait").stdout)
    dashed = [(nodes[a], nodes[b]) for a, arrow, b in edges if arrow.startswith("-.")]
    results.check(dashed == [("recv x from 0", "launch B x -> y")], "the missing order is dashed", dashed)
    stuck = SOURCE / "tests" / "cases" / "both-send-first.schedule"
    nodes, edges, _ = read(handoff.run("export", "mermaid", stuck).stdout)
    cycle = {a: b for a, arrow, b in edges if "waits for" in arrow}
    results.check(len(cycle) == 4 and set(cycle) == set(cycle.values()), "a deadlock is a dashed circle", cycle)


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    check_overlap(handoff, results)
    for path, variant in sources(sys.argv[2], sys.argv[3:]):
        done = handoff.run("export", "mermaid", *(["--variant", variant] if variant else []), path)
        nodes, edges, found = read(done.stdout) if done.returncode == 0 else ({}, [], [done.stderr])
        found += reduced_faults(edges)
        if done.returncode == 0 and not nodes:
            found.append("no node")
        results.check(not found, f"export mermaid {path.stem} {variant or ''}".rstrip(), *found[:5])
    many = handoff.file("many.schedule", "rank 0\n stream s\n repeat 501\n launch k on s\n end\n")
    done = handoff.run("export", "mermaid", many)
    results.check(done.returncode == 2 and "at most 500" in done.stderr and not done.stdout, "too much for a chart", done)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
