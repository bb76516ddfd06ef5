#!/usr/bin/env python3
"""Stops the server under load, and checks that all acknowledged writes are in its directory afterwards.

    tests/stress/ending.py PROGRAM --signal TERM|KILL [--rounds 3] [--connections 32] [--seed N]

TERM: it finishes running requests and ends with exit code 0. KILL: it cannot finish anything. Unacknowledged writes may
be stored or not, but a transaction's items only together, and a counter is between the acknowledged and the sent
increments.
"""
import argparse
import random
import sys
import tempfile
import threading
import time

from observe import address_of, connect, create_table, require, scan
from crowd import Crowd
from server import Server

TABLE = "ending"
COUNTERS = 8
ANSWERS_BEFORE_THE_END = 1000  # of a round: then it is under load
ROUND_SECONDS_MAX = 120        # a server that does not answer so much in this time hangs


class Work:
    """Puts, transactions of two puts, and counters; records the sent and the acknowledged ones."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.next_key = 0
        self.acknowledged = {}            # key: value
        self.sent = {}                    # key: value, of puts without an answer
        self.pairs = {}                   # key: the other key of its transaction
        self.counted = [0] * COUNTERS     # acknowledged
        self.attempted = [0] * COUNTERS   # sent
        self.answers = 0
        self.errors = []
        self.is_ending = False
        self.enough = threading.Event()

    def new_item(self):
        self.next_key += 1
        key, value = f"k{self.next_key}", str(self.random.getrandbits(256))
        return key, value, {"pk": {"S": key}, "v": {"S": value}}

    def next(self, who):
        chance = self.random.random()
        if chance < 0.2:
            counter = self.random.randrange(COUNTERS)
            self.attempted[counter] += 1
            return "UpdateItem", {"TableName": TABLE, "Key": {"pk": {"S": f"counter{counter}"}},
                                  "UpdateExpression": "ADD n :one",
                                  "ExpressionAttributeValues": {":one": {"N": "1"}}}, (counter, {})
        if chance < 0.7:
            key, value, item = self.new_item()
            self.sent[key] = value
            return "PutItem", {"TableName": TABLE, "Item": item}, (None, {key: value})
        first, second = self.new_item(), self.new_item()
        values = {first[0]: first[1], second[0]: second[1]}
        self.sent.update(values)
        self.pairs.update({first[0]: second[0], second[0]: first[0]})
        if chance < 0.9:
            actions = [{"Put": {"TableName": TABLE, "Item": one[2]}} for one in (first, second)]
            return "TransactWriteItems", {"TransactItems": actions}, (None, values)
        for key in values:
            del self.pairs[key]
        writes = [{"PutRequest": {"Item": one[2]}} for one in (first, second)]
        return "BatchWriteItem", {"RequestItems": {TABLE: writes}}, (None, values)

    def answered(self, who, note, status, body):
        counter, values = note
        if status == 200:
            self.acknowledged.update(values)
            for key in values:
                self.sent.pop(key)
            if counter is not None:
                self.counted[counter] += 1
        elif b"TransactionConflict" not in body:
            self.errors.append(f"{status} {body[:300]!r}")
        self.answers += 1
        if self.answers >= ANSWERS_BEFORE_THE_END:
            self.enough.set()

    def broken(self, who, note):
        if not self.is_ending:
            self.errors.append("a connection broke before the end")


def run_round(program, data, options, work):
    server = Server(program, "--data", data)
    server.start()
    try:
        if work.next_key == 0:
            connection = connect(server)
            create_table(connection, TABLE)
            connection.close()
        end_under_load(server, options, work)
    finally:
        server.kill()  # if it still runs
    require(not work.errors, "\n".join(work.errors[:5]))


def end_under_load(server, options, work):
    work.answers = 0
    work.enough.clear()
    work.is_ending = False
    crowd = Crowd(address_of(server.url), options.connections, work)
    thread = threading.Thread(target=crowd.run, args=(time.monotonic() + ROUND_SECONDS_MAX,), daemon=True)
    thread.start()
    require(work.enough.wait(ROUND_SECONDS_MAX), "the server answers too little")
    work.is_ending = True
    if options.signal == "TERM":
        server.stop()  # fails unless the exit code is 0
    else:
        server.kill()
    thread.join()


def verify(program, data, work):
    """Opens the directory again and compares."""
    with Server(program, "--data", data) as server:
        connection = connect(server)
        stored = {item["pk"]["S"]: item for item in scan(connection, TABLE)}
        connection.close()
    lost = [key for key, value in work.acknowledged.items()
            if stored.get(key, {}).get("v") != {"S": value}]
    require(not lost, f"{len(lost)} acknowledged items are lost or changed, e.g. {lost[:5]}")
    for key, item in stored.items():
        if not key.startswith("counter"):
            value = work.acknowledged.get(key, work.sent.get(key))
            require(item["v"] == {"S": value}, f"{key} has a value that nobody sent")
            require(work.pairs.get(key, key) in stored, f"{key} is there without the other half of its transaction")
    for i in range(COUNTERS):
        count = int(stored.get(f"counter{i}", {"n": {"N": "0"}})["n"]["N"])
        require(work.counted[i] <= count <= work.attempted[i],
                f"counter {i} is {count}: {work.counted[i]} were acknowledged, {work.attempted[i]} sent")
    unanswered = [key for key in work.sent if key in stored]
    print(f"{len(work.acknowledged)} acknowledged items and {sum(work.counted)} counts are there; of "
          f"{len(work.sent)} unanswered items {len(unanswered)} are")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--signal", choices=("TERM", "KILL"), required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    options = parser.parse_args()
    print(f"seed {options.seed}, SIG{options.signal}")
    work = Work(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data"
        for _ in range(options.rounds):
            run_round(options.program, data, options, work)
            verify(options.program, data, work)


if __name__ == "__main__":
    sys.exit(main())
