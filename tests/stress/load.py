#!/usr/bin/env python3
"""Many connections, mixed operations: no error, every client gets its own responses, and memory stays flat.

    tests/stress/load.py PROGRAM [--connections 256] [--seconds 60] [--data -] [--seed N] [--any-memory]

Items have a fixed number of keys and a fixed size, so after a while memory has no reason to grow. A run of less than 30
seconds is too short to decide, and only has a total bound. --any-memory: do not check it (sanitizers keep freed
memory).
"""
import argparse
import collections
import concurrent.futures
import json
import multiprocessing
import random
import sys
import tempfile
import threading
import time

from observe import (address_of, connect, create_table, fill, megabytes, require, require_no_leftovers,
                     resident_bytes)
from crowd import Crowd
from server import Server

TABLE = "load"
ITEMS = 4000
ITEM_BYTES = 1000
PROCESSES = 2
SHORT_SECONDS = 30
GROWTH_BYTES_MAX = 48_000_000   # a memtable of the store comes and goes
SHORT_BYTES_MAX = 400_000_000

# Legitimate refusals: another transaction holds the item.
CONFLICTS = ("TransactionConflictException", "TransactionCanceledException")


class Mixed:
    """Chooses operations and checks their responses."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.counts = collections.Counter()
        self.errors = []

    def key(self):
        return f"item{self.random.randrange(ITEMS)}"

    def keys(self, count):
        return [f"item{i}" for i in self.random.sample(range(ITEMS), count)]

    def item(self, key):
        return {"pk": {"S": key}, "v": {"S": self.random.choice("abcdefghij") * ITEM_BYTES}, "n": {"N": "0"}}

    def next(self, who):
        kind = self.random.choices(list(self.KINDS), list(self.KINDS.values()))[0]
        return kind(self)

    def answered(self, who, note, status, body):
        operation, keys = note
        if status == 200:
            self.counts[operation] += 1
            self.check(operation, keys, body)
            return
        error = json.loads(body).get("__type", "").rpartition("#")[2] if status < 500 else ""
        if error == "ConditionalCheckFailedException" and operation in ("put if", "delete if"):
            self.counts[operation + ", refused"] += 1
        elif error in CONFLICTS and (b"TransactionConflict" in body):
            self.counts["conflict"] += 1
        else:
            self.errors.append(f"{operation}: {status} {body[:300]!r}")

    def broken(self, who, note):
        self.errors.append(f"the connection broke during {note}")

    def check(self, operation, keys, body):
        """Checks that a response contains the requested keys only."""
        if operation == "get" and body != b"{}" and f'"{keys[0]}"'.encode() not in body:
            self.errors.append(f"asked for {keys[0]}, got {body[:200]!r}")
        if operation in ("batch get", "transact get"):
            found = json.loads(body)["Responses"]
            items = found[TABLE] if operation == "batch get" else [one["Item"] for one in found if one]
            strangers = {item["pk"]["S"] for item in items} - set(keys)
            if strangers:
                self.errors.append(f"{operation} of {keys} gave {strangers}")

    # ---- Operations: (operation, body, note) ----

    def get(self):
        key = self.key()
        return "GetItem", {"TableName": TABLE, "Key": {"pk": {"S": key}},
                           "ConsistentRead": self.random.random() < 0.5}, ("get", [key])

    def put(self):
        return "PutItem", {"TableName": TABLE, "Item": self.item(self.key())}, ("put", [])

    def put_if(self):
        return "PutItem", {"TableName": TABLE, "Item": self.item(self.key()),
                           "ConditionExpression": "attribute_exists(pk) AND n < :n",
                           "ExpressionAttributeValues": {":n": {"N": str(self.random.randrange(5))}}}, ("put if", [])

    def update(self):
        return "UpdateItem", {"TableName": TABLE, "Key": {"pk": {"S": self.key()}}, "UpdateExpression": "ADD n :one",
                              "ExpressionAttributeValues": {":one": {"N": "1"}},
                              "ReturnValues": self.random.choice(("NONE", "ALL_NEW", "UPDATED_OLD"))}, ("update", [])

    def delete_if(self):
        return "DeleteItem", {"TableName": TABLE, "Key": {"pk": {"S": self.key()}}, "ConditionExpression": "n > :n",
                              "ExpressionAttributeValues": {":n": {"N": "0"}}}, ("delete if", [])

    def query(self):
        return "Query", {"TableName": TABLE, "KeyConditionExpression": "pk = :pk",
                         "ExpressionAttributeValues": {":pk": {"S": self.key()}}}, ("query", [])

    def scan(self):
        return "Scan", {"TableName": TABLE, "Limit": 50, "FilterExpression": "n > :n", "TotalSegments": 8,
                        "Segment": self.random.randrange(8),
                        "ExpressionAttributeValues": {":n": {"N": "1"}}}, ("scan", [])

    def batch_write(self):
        writes = [{"PutRequest": {"Item": self.item(key)}} for key in self.keys(10)]
        return "BatchWriteItem", {"RequestItems": {TABLE: writes}}, ("batch write", [])

    def batch_get(self):
        keys = self.keys(10)
        return "BatchGetItem", {"RequestItems": {TABLE: {"Keys": [{"pk": {"S": key}} for key in keys]}}}, \
            ("batch get", keys)

    def transact_write(self):
        actions = [{"Update": {"TableName": TABLE, "Key": {"pk": {"S": key}}, "UpdateExpression": "ADD n :one",
                               "ExpressionAttributeValues": {":one": {"N": "1"}}}} for key in self.keys(3)]
        return "TransactWriteItems", {"TransactItems": actions}, ("transact write", [])

    def transact_get(self):
        keys = self.keys(3)
        gets = [{"Get": {"TableName": TABLE, "Key": {"pk": {"S": key}}}} for key in keys]
        return "TransactGetItems", {"TransactItems": gets}, ("transact get", keys)

    KINDS = {get: 25, put: 15, put_if: 8, update: 15, delete_if: 5, query: 8, scan: 4, batch_write: 5, batch_get: 5,
             transact_write: 5, transact_get: 5}


def run_crowd(address, size, until, seed):
    work = Mixed(seed)
    Crowd(address, size, work).run(until)
    return work.counts, work.errors


class MemoryWatch:
    """Samples the server's resident memory until stopped."""

    def __init__(self, server):
        self.samples = []
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._watch, args=(server,))
        self.thread.start()

    def _watch(self, server):
        while not self.stopped.wait(0.25):
            self.samples.append(resident_bytes(server))

    def stop(self):
        self.stopped.set()
        self.thread.join()
        return self.samples


def judge_memory(samples, seconds):
    quarter = max(len(samples) // 4, 1)
    early, late = max(samples[quarter:2 * quarter] or samples), max(samples[-quarter:])
    print(f"memory: {megabytes(samples[0])} at first, {megabytes(early)} in the second quarter, "
          f"{megabytes(late)} in the last, {megabytes(max(samples))} at most")
    if seconds >= SHORT_SECONDS:
        require(late - early < GROWTH_BYTES_MAX, f"memory grew by {megabytes(late - early)}")
    require(max(samples) < SHORT_BYTES_MAX, f"{megabytes(max(samples))} of memory")


def run(server, options):
    setup = connect(server)
    create_table(setup, TABLE)
    fill(setup, TABLE, ITEMS, ITEM_BYTES)
    setup.close()
    watch = MemoryWatch(server)
    started = time.monotonic()
    try:
        with concurrent.futures.ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("fork")) as pool:
            running = [pool.submit(run_crowd, address_of(server.url), options.connections // PROCESSES,
                                   started + options.seconds, f"{options.seed}/{i}") for i in range(PROCESSES)]
            results = [one.result() for one in running]
    finally:
        samples = watch.stop()
    counts = sum((one[0] for one in results), collections.Counter())
    errors = [error for one in results for error in one[1]]
    rate = sum(counts.values()) / (time.monotonic() - started)
    print(f"seed {options.seed}, {options.connections} connections, {options.seconds:.0f} s: "
          f"{sum(counts.values())} operations ({rate:.0f}/s)")
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    require(not errors, f"{len(errors)} errors, for example\n" + "\n".join(errors[:5]))
    for operation in ("get", "put", "put if", "update", "delete if", "query", "scan", "batch write", "batch get",
                      "transact write", "transact get"):
        require(counts[operation] > 0, f"no {operation} succeeded")
    require_no_leftovers(server)
    if not options.any_memory:
        judge_memory(samples, options.seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--connections", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--data", help="keep the data in this directory, or in a temporary one: -; else in memory")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--any-memory", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data" if options.data == "-" else options.data
        with Server(options.program, *(["--data", data] if data else ["--in-memory"])) as server:
            run(server, options)


if __name__ == "__main__":
    sys.exit(main())
