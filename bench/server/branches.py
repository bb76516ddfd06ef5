#!/usr/bin/env python3
"""Measures branches (/admin/branches) on a server with 100,000 items, in memory and on disk: the time and the CPU time of taking one, of
returning after a test that wrote some items, and of the resets.

    bench/server/branches.py PROGRAM [ITEMS]
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROUNDS = 15
WRITTEN = 100  # items that a test writes between two returns
SCOPE = "AKID/20260101/local/dynamodb/aws4_request"


def call(url, operation, **request):
    headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810." + operation,
               "X-Amz-Date": "20260101T000000Z",
               "Authorization": f"AWS4-HMAC-SHA256 Credential={SCOPE}, SignedHeaders=host, Signature={'0' * 64}"}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(request).encode(), headers), timeout=600) as answer:
        return json.load(answer)


def post(url, path, body=None):
    data = b"" if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url + path, data, method="POST"), timeout=600) as answer:
        answer.read()


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def put(url, first, count):
    for start in range(first, first + count, 25):
        puts = [{"PutRequest": {"Item": {"k": {"S": f"item-{number:08}"}, "v": {"S": str(time.monotonic_ns()) + "x" * 80}}}}
                for number in range(start, min(start + 25, first + count))]
        call(url, "BatchWriteItem", RequestItems={"items": puts})


def measure(name, pid, rounds, before, act):
    """Prints the times of `act`, whose setup is `before`."""
    times, cpu = [], 0.0
    for _ in range(rounds):
        before()
        began_cpu, began = cpu_seconds(pid), time.monotonic()
        act()
        times.append((time.monotonic() - began) * 1000)
        cpu += cpu_seconds(pid) - began_cpu
    print(f"  {name:<46} median {statistics.median(times):8.1f} ms   least {min(times):8.1f} ms   CPU {cpu / rounds * 1000:7.1f} ms")


def run(program, items, *where):
    print(f"{items} items, {' '.join(where)[:11].strip()}")
    command = [program, "serve", "--port", "0", "--console", "off", "--quiet", "--test-admin", "--ready-fd", "1",
               "--die-with-parent", *where]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            url = json.loads(server.stdout.readline())["endpoint"]
            call(url, "CreateTable", TableName="items", BillingMode="PAY_PER_REQUEST",
                 AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
                 KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}])
            put(url, 0, items)
            nothing = lambda: None  # noqa: E731
            measure("take a branch", server.pid, ROUNDS, nothing, lambda: post(url, "/admin/branches/clean"))
            measure(f"return after {WRITTEN} writes", server.pid, ROUNDS, lambda: put(url, 0, WRITTEN),
                    lambda: post(url, "/admin/branches/clean/restore"))
            measure("return after all items were removed", server.pid, 3,
                    lambda: post(url, "/admin/reset", {"keepTables": True}), lambda: post(url, "/admin/branches/clean/restore"))
            measure("remove the items of the table", server.pid, 3, lambda: post(url, "/admin/branches/clean/restore"),
                    lambda: post(url, "/admin/reset", {"table": "items"}))
            measure("remove all tables", server.pid, 3, lambda: post(url, "/admin/branches/clean/restore"),
                    lambda: post(url, "/admin/reset"))
        finally:
            server.terminate()


def main():
    program = sys.argv[1]
    items = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    run(program, items, "--in-memory")
    with tempfile.TemporaryDirectory() as folder:
        run(program, items, "--data", folder + "/data")


if __name__ == "__main__":
    main()
