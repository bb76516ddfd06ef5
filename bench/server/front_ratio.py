#!/usr/bin/env python3
"""The cost of a server with --upstream: the processor time of a front per request beside that of a server with data of its own, in turns.

    bench/server/front_ratio.py build/release/tavola [--connections 32] [--seconds 3] [--rounds 5]

Drives GetItem, PutItem and UpdateItem with wrk (operations.py, replay.lua): at a server, at a front that forwards to one like it, and at a
front that keeps a design. Prints the rates, the processor time of the measured server (for a front: without the server behind it), and
the ratios to the server with data of its own. The goal: a forwarded GetItem and PutItem cost at most 1.5 of it. Then the audit of a stream:
changes for a second of processor time, with the goal of 10,000.
"""
import argparse
import json
import pathlib
import statistics
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from operations import ACCESS_KEY, OPERATIONS, SECRET_KEY, loads, table_request, write_requests  # noqa: E402
from servers import MEMORY, Kind, start  # noqa: E402

LOCAL, FORWARDS, GOVERNS = "data of its own", "forwards", "keeps a design"
GOAL = 1.5
DESIGN = """design: 1
name: bench
table: { name: bench, hash: pk, range: sk }
entities:
  Entry:
    key: { pk: "<partition>", sk: "<name>" }
    ids: { partition: string, name: string }
    attributes:
      n: { type: integer, min: 0 }
      flag: boolean
      tags: { type: set<string> }
      text: string
"""


def launch(program, folder, *options):
    folder.mkdir()
    credentials = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY, "AWS_REGION": "us-east-1"}
    return start(Kind("tavola", MEMORY, lambda port, data: [program, "serve", "--port", port, "--quiet", *options],
                      lambda port, data: credentials), folder)


def load(server):
    for body in loads():
        status, text = server.call("BatchWriteItem", body)
        if status != 200:
            sys.exit(f"BatchWriteItem: {status} {text[:300]}")


def measure(server, requests, options):
    """Returns (requests per second, microseconds of the server's processor time per request)."""
    before = server.cpu_seconds()
    done = subprocess.run(["wrk", "--threads", "1", "--connections", str(options.connections), "--duration", f"{options.seconds}s",
                           "--script", HERE / "replay.lua", f"http://{server.authority}", "--", requests],
                          capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout.strip().splitlines()[-1])
    if figures["refused"] or figures["broken"]:
        sys.exit(f"requests failed: {figures}")
    return figures["requests"] / figures["microseconds"] * 1e6, (server.cpu_seconds() - before) / figures["requests"] * 1e6


def audited(front):
    with urllib.request.urlopen(f"http://{front.authority}/metrics") as metrics:
        return int(re.search(r"^tavola_audited_changes_total (\d+)$", metrics.read().decode(), re.MULTILINE)[1])


def audit(front, upstream, requests, options):
    """Prints how many changes of a stream the front audits in a second of processor time."""
    upstream.call("UpdateTable", {"TableName": "bench", "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}})
    while not audited(front):  # it begins with what is written after it has found the stream
        load(upstream)
        time.sleep(1)
    while (before := audited(front)) != (time.sleep(2), audited(front))[1]:
        pass
    seconds = front.cpu_seconds()
    measure(upstream, requests, options)
    while (after := audited(front)) != (time.sleep(2), audited(front))[1]:
        pass
    print(f"audit  {after - before} changes, {(after - before) / (front.cpu_seconds() - seconds):,.0f} for a second of processor time")


def report(name, lines):
    costs = {who: statistics.median(cost for _, cost in measured) for who, measured in lines.items()}
    for who, measured in lines.items():
        rate = statistics.median(rate for rate, _ in measured)
        print(f"{name:6} {who:16} {rate:9,.0f}/s {costs[who]:8.2f} us of processor time each, {costs[who] / costs[LOCAL]:.2f} of a local one")
    if name in ("get", "put"):
        ratio = costs[FORWARDS] / costs[LOCAL]
        print(f"{name:6} goal: forwarded at most {GOAL} of a local one: {ratio:.2f}{'' if ratio <= GOAL else ', missed'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    program = options.program.resolve()
    servers = {}
    others = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        design = folder / "bench.yaml"
        design.write_text(DESIGN)
        try:
            servers[LOCAL] = launch(program, folder / "local", "--in-memory")
            others += [launch(program, folder / name, "--in-memory") for name in ("first", "second")]
            servers[FORWARDS] = launch(program, folder / "forwards", "--upstream", f"http://{others[0].authority}")
            servers[GOVERNS] = launch(program, folder / "governs", "--upstream", f"http://{others[1].authority}", "--design", design)
            for who, server in servers.items():
                if who != GOVERNS:
                    server.call("CreateTable", table_request())
                load(server)
            for operation in (one for one in OPERATIONS if one.name in ("get", "put", "update")):
                lines = {who: [] for who in servers}
                for turn in range(options.rounds + 1):
                    for number, (who, server) in enumerate(servers.items()):
                        requests = folder / f"{operation.name}-{number}"
                        if turn == 0:
                            write_requests(operation, server.authority, requests)
                        measured = measure(server, requests, options)
                        if turn:  # the first warms up
                            lines[who].append(measured)
                report(operation.name, lines)
            puts = folder / "puts"
            write_requests(next(one for one in OPERATIONS if one.name == "put"), others[1].authority, puts)
            audit(servers[GOVERNS], others[1], puts, options)
        finally:
            for server in [*servers.values(), *others]:
                server.stop()


if __name__ == "__main__":
    main()
