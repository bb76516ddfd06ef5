"""Observes a server from outside: its memory, its metrics, its data."""
import hashlib
import json
import os
import pathlib
import re
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "history")]  # server.py, connection.py

from connection import Connection, address_of  # noqa: E402

SETTLE_SECONDS = 60  # for connections to be closed; far more than it takes


def connect(server):
    return Connection(*address_of(server.url))


def resident_bytes(server):
    pages = int(pathlib.Path(f"/proc/{server.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def peak_bytes(server):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) * 1024


def megabytes(size):
    return f"{size / 1e6:.1f} MB"


def metric(server, name):
    connection = connect(server)
    text = connection.get("/metrics")
    connection.close()
    return float(re.search(rf"^{name} (\S+)$", text, re.MULTILINE).group(1))


def require(condition, words):
    """A check that also holds with -O."""
    if not condition:
        raise AssertionError(words)


def require_no_leftovers(server):
    """Waits until no connection but this one is left, and no memory of requests."""
    for name, expected in (("tavola_http_connections_open", 1), ("tavola_http_request_memory_bytes", 0)):
        deadline = time.monotonic() + SETTLE_SECONDS
        while (value := metric(server, name)) > expected and time.monotonic() < deadline:
            time.sleep(0.05)
        require(value <= expected, f"{name} stays at {value:.0f}")


# ---- Data ----

def create_table(connection, name):
    connection.must("CreateTable", {
        "TableName": name, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]})


def scan(connection, table, **parameters):
    """Returns every item of a table."""
    request = {"TableName": table, "ConsistentRead": True, **parameters}
    while True:
        page = connection.must("Scan", request)
        yield from page.get("Items", [])
        if "LastEvaluatedKey" not in page:
            return
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def digest(connection, table):
    """Returns a hash of everything in a table."""
    items = sorted(json.dumps(item, sort_keys=True) for item in scan(connection, table))
    return len(items), hashlib.sha256("\n".join(items).encode()).hexdigest()


def fill(connection, table, count, size):
    """Puts items item0, item1 ... with a text of so many bytes."""
    for first in range(0, count, 25):
        writes = [{"PutRequest": {"Item": {"pk": {"S": f"item{i}"}, "v": {"S": chr(97 + i % 26) * size}}}}
                  for i in range(first, min(first + 25, count))]
        connection.must("BatchWriteItem", {"RequestItems": {table: writes}})
