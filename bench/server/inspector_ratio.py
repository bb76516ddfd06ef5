#!/usr/bin/env python3
"""The cost of the request inspector: one server, with somebody who looks at its requests and without, in turns.

    bench/server/inspector_ratio.py build/release/tavola [--other PROGRAM] [--connections 32] [--seconds 3] [--rounds 5]

Drives GetItem and PutItem with wrk (operations.py, replay.lua). The viewer asks as a page does: it holds the stream of events and reads every
batch. Prints the rates, the server's processor time per request, and the ratios of the medians. With --other, another build of the server takes
turns, too, without a viewer: the cost of what nobody looks at.
"""
import argparse
import http.client
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from operations import OPERATIONS, loads, table_request, write_requests  # noqa: E402
from servers import MEMORY, Kind, start  # noqa: E402

RECORDS_ON_SECONDS = 5  # after the last viewer has left


class Viewer:
    """Reads the events of a console as a browser does, and counts what it got."""

    def __init__(self, url):
        self.address = url.removeprefix("http://")
        self.bytes = self.batches = 0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.read)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()

    def read(self):
        connection = http.client.HTTPConnection(self.address, timeout=60)
        last = b"0"
        while not self.is_over.is_set():
            connection.request("GET", "/console/requests/events", headers={"Last-Event-ID": last.decode(), "Accept": "text/event-stream"})
            events = connection.getresponse().read()
            found = re.search(rb"^id: (\d+)$", events, re.MULTILINE)
            last = found[1] if found else last
            self.bytes += len(events)
            self.batches += 1
            time.sleep(0.02)  # as the server asks
        connection.close()


def launch(program, folder):
    """Returns a server with its table, and the address of its console."""
    kind = Kind("tavola", MEMORY, lambda port, data: [program, "serve", "--port", port, "--in-memory", "--quiet", "--console-port", "0"])
    server = start(kind, folder)
    for api, body in [("CreateTable", table_request()), *(("BatchWriteItem", body) for body in loads())]:
        status, text = server.call(api, body)
        if status != 200:
            sys.exit(f"{api}: {status} {text[:300]}")
    return server, re.search(r"console url=(\S+)", server.log.read_text())[1]


def measure(server, requests, options):
    """Returns (requests per second, microseconds of the server's processor time per request)."""
    before = server.cpu_seconds()
    done = subprocess.run(["wrk", "--threads", "1", "--connections", str(options.connections), "--duration", f"{options.seconds}s",
                           "--script", HERE / "replay.lua", f"http://{server.authority}", "--", requests], capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout.strip().splitlines()[-1])
    if figures["refused"] or figures["broken"]:
        sys.exit(f"requests failed: {figures}")
    return figures["requests"] / figures["microseconds"] * 1e6, (server.cpu_seconds() - before) / figures["requests"] * 1e6


def report(name, lines):
    rates = {who: statistics.median(rate for rate, _ in measured) for who, measured in lines.items()}
    costs = {who: statistics.median(cost for _, cost in measured) for who, measured in lines.items()}
    for who in lines:
        print(f"{name:4} {who:16} {rates[who]:9,.0f}/s {costs[who]:7.2f} us of processor time each")
    for who in lines:
        if who != "nobody looks":
            print(f"{name:4} {who}: rate {rates[who] / rates['nobody looks']:.3f}, processor time {costs[who] / costs['nobody looks']:.3f} of nobody looking")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--other", type=pathlib.Path)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "own").mkdir()
        (folder / "other").mkdir()
        server, console = launch(options.program.resolve(), folder / "own")
        other = launch(options.other.resolve(), folder / "other")[0] if options.other else None
        try:
            for operation in (one for one in OPERATIONS if one.name in ("get", "put")):
                requests, others = folder / operation.name, folder / f"other-{operation.name}"
                write_requests(operation, server.authority, requests)
                if other:
                    write_requests(operation, other.authority, others)
                lines = {"nobody looks": [], "somebody looks": [], **({"other build": []} if other else {})}
                measure(server, requests, options)  # warms up
                for _ in range(options.rounds):
                    lines["nobody looks"].append(measure(server, requests, options))
                    if other:
                        lines["other build"].append(measure(other, others, options))
                    with Viewer(console) as viewer:
                        lines["somebody looks"].append(measure(server, requests, options))
                    if viewer.batches < 5 * options.seconds:
                        print(f"the viewer got {viewer.batches} batches in {options.seconds} s", file=sys.stderr)
                    time.sleep(RECORDS_ON_SECONDS + 1)
                report(operation.name, lines)
        finally:
            server.stop()
            if other:
                other.stop()


if __name__ == "__main__":
    main()
