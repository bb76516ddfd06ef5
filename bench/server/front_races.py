#!/usr/bin/env python3
"""How often fronts of one table come into each other's way: eight servers with --upstream, one client of each, on few items.

    bench/server/front_races.py build/release/tavola [--fronts 8] [--seconds 10]

Prints, for 40 and for 4 items, the lost races per call and the times of the calls. The goals: on 40 items fewer than 0.1 lost races a
call, on 4 items 99 % of the calls within 50 ms. The times are those of clients on this machine: other load shows in them.
"""
import argparse
import http.client
import json
import multiprocessing
import pathlib
import random
import re
import sys
import tempfile
import time
import urllib.request

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from operations import ACCESS_KEY, SECRET_KEY, Signer  # noqa: E402
from servers import MEMORY, Kind, start  # noqa: E402

DESIGN = """design: 1
name: races
table: { name: races, hash: PK, range: SK }
indexes:
  byGrade: { hash: gradeKey, range: SK, project: all }
entities:
  Shop:
    key: { PK: SHOP#<shop>, SK: META }
    ids: { shop: string }
    attributes: { orders: { type: integer, default: 0 } }
  Product:
    key: { PK: PRODUCT#<product>, SK: META }
    ids: { product: string }
    index: { byGrade: { hash: GRADE#<category>#<grade>, range: META } }
    attributes: { category: string, grade: string, stock: { type: integer, default: 0 } }
  Order:
    key: { PK: SHOP#<shop>, SK: ORDER#<order> }
    ids: { shop: string, order: string }
    attributes: { quantity: { type: integer, min: 1 } }
copies:
  counting: { kind: counter, from: Order, to: Shop, count: orders }
"""


def put(item):
    return "PutItem", {"TableName": "races", "Item": item}


def update(key, expression, values):
    return "UpdateItem", {"TableName": "races", "Key": key, "UpdateExpression": expression, "ExpressionAttributeValues": values}


def request_of(chance, items, tag):
    """Returns one call: three of four change a product, the others put an order of a shop."""
    product = {"PK": {"S": f"PRODUCT#{chance.randrange(items)}"}, "SK": {"S": "META"}}
    kind = chance.randrange(4)
    if kind == 0:
        return put({"PK": {"S": f"SHOP#{chance.randrange(items)}"}, "SK": {"S": f"ORDER#{tag}"}, "quantity": {"N": "1"}})
    if kind == 1:
        return update(product, "ADD stock :one", {":one": {"N": "1"}})
    field = ("category", "grade")[kind - 2]
    return update(product, f"SET {field} = :v", {":v": {"S": tag}})


def client(authority, seed, items, seconds, results):
    chance = random.Random(seed)
    signer = Signer(authority)
    connection = http.client.HTTPConnection(authority, timeout=60)
    times, failures, end = [], 0, time.monotonic() + seconds
    while time.monotonic() < end:
        head, _, body = signer.request(*request_of(chance, items, f"{seed}-{len(times)}")).partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
        began = time.perf_counter()
        connection.request("POST", "/", body, headers)
        answer = connection.getresponse()
        answer.read()
        times.append(time.perf_counter() - began)
        failures += answer.status != 200
    results.put((times, failures))


def counter(server, name):
    with urllib.request.urlopen(f"http://{server.authority}/metrics") as metrics:
        return int(re.search(rf"^{name} (\d+)$", metrics.read().decode(), re.MULTILINE)[1])


def run(fronts, items, seconds):
    lost = sum(counter(front, "tavola_upstream_lost_races_total") for front in fronts)
    for number in range(items):
        for item in ({"PK": {"S": f"SHOP#{number}"}, "SK": {"S": "META"}}, {"PK": {"S": f"PRODUCT#{number}"}, "SK": {"S": "META"}}):
            fronts[0].call(*put(item))
    results = multiprocessing.Queue()
    clients = [multiprocessing.Process(target=client, args=(front.authority, number, items, seconds, results))
               for number, front in enumerate(fronts)]
    for one in clients:
        one.start()
    answers = [results.get() for _ in clients]
    for one in clients:
        one.join()
    times = sorted(time for of_client, _ in answers for time in of_client)
    lost = sum(counter(front, "tavola_upstream_lost_races_total") for front in fronts) - lost
    print(f"{items:3} items, {len(fronts)} fronts: {len(times)} calls, {sum(failed for _, failed in answers)} failed, "
          f"{lost / len(times):.3f} lost races a call, median {times[len(times) // 2] * 1000:.1f} ms, "
          f"99 % within {times[len(times) * 99 // 100] * 1000:.1f} ms", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--fronts", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()
    program = options.program.resolve()
    credentials = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY, "AWS_REGION": "us-east-1"}
    servers = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        design = folder / "races.yaml"
        design.write_text(DESIGN)

        def launch(name, *arguments):
            (folder / name).mkdir()
            servers.append(start(Kind("tavola", MEMORY, lambda port, data: [program, "serve", "--port", port, "--quiet", *arguments],
                                      lambda port, data: credentials), folder / name))
            return servers[-1]
        try:
            upstream = launch("upstream", "--in-memory")
            fronts = [launch(f"front{number}", "--upstream", f"http://{upstream.authority}", "--design", design)
                      for number in range(options.fronts)]
            for items in (40, 4):
                run(fronts, items, options.seconds)
        finally:
            for server in servers:
                server.stop()


if __name__ == "__main__":
    main()
