#!/usr/bin/env python3
"""Random writes of every kind, through DynamoDB's protocol and under /v1, on the table of each design. Many are
refused; none makes the server fail, and afterwards drift finds nothing.

    tests/designs/governed_model_test.py PROGRAM [--results FILE] [TEST ...]

TAVOLA_SEED is the seed, TAVOLA_WRITES the number of requests for each design, TAVOLA_EVERY the number between checks of
drift.
"""
import collections
import json
import os
import pathlib
import random
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import boto3.dynamodb.types  # noqa: E402
import botocore.exceptions  # noqa: E402
import governed  # noqa: E402
from cases import load  # noqa: E402
from governed import ClientError, Served, design_file  # noqa: E402
from random_writes import MOMENTS, RandomWrites  # noqa: E402

SEED = int(os.environ.get("TAVOLA_SEED", "7"))
WRITES = int(os.environ.get("TAVOLA_WRITES", "1500"))
EVERY = int(os.environ.get("TAVOLA_EVERY", "500"))
LATEST = 20
KINDS = {"put": 6, "update": 6, "delete": 1, "batch": 2, "transaction": 4, "operation": 5}


class Player:
    """Sends writes to the table of one design."""

    def __init__(self, served, name):
        self.served = served
        self.chance = random.Random(f"{SEED} {name}")
        self.writes = RandomWrites(load(design_file(name)), self.chance)
        self.client = served.resource().meta.client
        self.table = self.client.list_tables()["TableNames"][0]
        paths = served.send("GET", "openapi.json")[1]["paths"]
        bodies = {path.removeprefix("/v1/"): said["post"]["requestBody"]["content"]
                  for path, said in paths.items() if "requestBody" in said.get("post", {})}
        self.operations = {path: body["application/json"]["schema"] for path, body in bodies.items()}
        self.outcomes = collections.Counter()
        self.last = []  # the latest requests, for the analysis of a failure

    def play(self):
        if self.chance.random() < 0.02:
            self.served.clock.set(self.chance.choice(MOMENTS))
        (kind,) = self.chance.choices(list(KINDS), KINDS.values())
        try:
            getattr(self, kind)()
            self.outcomes[kind, "done"] += 1
        except ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] >= 500:
                raise
            self.outcomes[kind, error.response["Error"]["Code"]] += 1
            self.last.pop()  # refused: it changed nothing

    def note(self, *request):
        self.last = [*self.last[-LATEST:], " ".join(map(str, request))]

    def put(self):
        item = self.writes.item()
        self.note("put", item)
        self.client.put_item(TableName=self.table, Item=item)

    def update(self):
        update = self.writes.update()
        self.note("update", update)
        self.client.update_item(TableName=self.table, **update)

    def delete(self):
        key = self.writes.any_key()
        self.note("delete", key)
        self.client.delete_item(TableName=self.table, Key=key)

    def batch(self):
        requests = self.writes.batch_write()
        self.note("batch", requests)
        self.client.batch_write_item(RequestItems={self.table: requests})

    def transaction(self):
        actions = self.writes.transaction(self.table)
        self.note("transaction", actions)
        self.client.transact_write_items(TransactItems=actions)

    def operation(self):
        path = self.chance.choice(list(self.operations))
        parameters = self.writes.parameters(self.operations[path])
        self.note(path, parameters)
        status, body = self.served.perform(path, parameters)
        if status >= 500:
            raise AssertionError(f"{status}: {body}")
        if status >= 400:
            raise ClientError({"Error": {"Code": body.get("refusal", str(status)), "Message": str(body)},
                               "ResponseMetadata": {"HTTPStatusCode": status}}, path)

    def count(self):
        pages = self.client.get_paginator("scan").paginate(TableName=self.table, Select="COUNT")
        return sum(page["Count"] for page in pages)


class Model(unittest.TestCase):
    @staticmethod
    def drift(served, name):
        """A reference is checked when it is written; deleting its target is allowed."""
        return [line for line in served.drift(name) if not re.match(r"reference \w+\.\w+:", line)]

    def adopt(self, served, name):
        """Items that no design checked, which the design then takes over."""
        client = served.resource().meta.client
        (table,) = client.list_tables()["TableNames"]
        served.enforce(name, "off")
        deserializer = boto3.dynamodb.types.TypeDeserializer()
        sample = governed.tavola("design", "sample", design_file(name)).stdout.splitlines()
        for line in sample:
            item = json.loads(line)
            client.put_item(TableName=table, Item={name: deserializer.deserialize(value) for name, value in item.items()})
        adopted = governed.tavola("design", "adopt", design_file(name), "--endpoint", served.server.url)
        self.assertEqual(adopted.returncode, 0, adopted.stdout + adopted.stderr)

    def play(self, name, *, adopts=False):
        with Served([name]) as served:
            writes = WRITES
            if adopts:
                self.adopt(served, name)
                writes = WRITES // 3
            player = Player(served, name)
            try:
                for number in range(1, writes + 1):
                    player.play()
                    if number % EVERY == 0 or number == writes:
                        self.assertEqual(self.drift(served, name), [])
            except (AssertionError, ClientError, botocore.exceptions.BotoCoreError) as error:
                error.add_note(f"TAVOLA_SEED={SEED}, request {number} on {name}; the latest that were not refused:\n"
                               + "\n".join(player.last))
                raise
            described = player.client.describe_table(TableName=player.table)["Table"]
            self.assertGreaterEqual(described["ItemCount"], player.count())
            if not governed.HAS_FRONT:  # whose records are items of the table
                self.assertEqual(described["ItemCount"], player.count())
            done = {kind: player.outcomes[kind, "done"] for kind in KINDS}
            print(f"{name}: TAVOLA_SEED={SEED}, {writes} requests, done: {done}, {described['ItemCount']} items",
                  flush=True)
            for kind in KINDS:
                self.assertGreater(done[kind], 0, f"no {kind} succeeded: {player.outcomes}")

    def test_inventory(self):
        """Covers INV3, INV4, INV5, INV8."""
        self.play("InventorySystem")

    def test_registry(self):
        """Covers AH8, AH15."""
        self.play("aura-historia-data")

    def test_first_registry(self):
        """Covers AH14."""
        self.play("aura-historia-data.r000")

    def test_catalogue(self):
        """Covers FUS2, FUS3, FUS4, FUS5, FUS10."""
        self.play("fus-main")

    def test_after_an_adoption(self):
        for name in ("InventorySystem", "aura-historia-data", "fus-main", "text-analyzer-history"):
            with self.subTest(name):
                self.play(name, adopts=True)

    def test_files(self):
        """Covers TA2, TA3."""
        self.play("text-analyzer-history")


if __name__ == "__main__":
    governed.main()
