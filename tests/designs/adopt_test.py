#!/usr/bin/env python3
"""A design takes over a table that has items: missing indexes, index keys, copies and guards are made, items that cannot follow the design
are reported, and from then on the design is enforced. By `serve --design`, by `design adopt`, and after a kill.

    tests/designs/adopt_test.py PROGRAM [TEST ...]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import governed  # noqa: E402, F401 (finds the modules below)
import harness  # noqa: E402
from governed import ClientError, Served, design_file, environment, tavola  # noqa: E402

NAME = "InventorySystem"
DESIGN = design_file(NAME)
SHOP = {"PK": "SHOP#s1", "SK": "META", "name": "Corner Shop", "ownerId": "anna", "address": "1 Main St",
        "email": "shop@example.com"}


def product(number, sku, **more):
    return {"PK": "SHOP#s1", "SK": f"PRODUCT#{number}", "name": f"Product {number}", "sku": sku, "category": "Light",
            "unitPrice": 5, "currentStock": 1, "reorderThreshold": 3, **more}


class Adoption(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.data = pathlib.Path(self.folder.name) / "data"

    def fill(self, items):
        """A program that knows nothing of designs writes the items, to a table without indexes."""
        with Served([], data=self.data) as served:
            client = served.resource().meta.client
            client.create_table(TableName=NAME, BillingMode="PAY_PER_REQUEST",
                                KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
                                AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"},
                                                      {"AttributeName": "SK", "AttributeType": "S"}])
            with served.resource().Table(NAME).batch_writer() as batch:
                for item in items:
                    batch.put_item(Item=item)

    def adopt(self, *words):
        return tavola("design", "adopt", DESIGN, *words)

    def assert_governed(self, served):
        table = served.resource().Table(NAME)
        status, page = served.send("GET", f"{NAME}/shopsByOwner?ownerId=anna")
        self.assertEqual((status, [shop["shopId"] for shop in page["items"]]), (200, ["s1"]))
        status, page = served.send("GET", f"{NAME}/lowStock?shopId=s1")
        self.assertEqual(status, 200, page)
        self.assertGreater(len(page["items"]), 0)
        with self.assertRaises(ClientError) as refused:
            table.put_item(Item=product("new", "A-1"))
        self.assertIn("A-1", str(refused.exception))

    def test_a_server_takes_a_table_over_when_it_starts(self):
        self.fill([SHOP, product(1, "A-1"), product(2, "A-2")])
        with Served([NAME], data=self.data) as served:
            self.assert_governed(served)
            self.assertEqual(served.drift(NAME), [])
        with Served([NAME], data=self.data) as served:  # nothing is left to do
            self.assert_governed(served)

    def test_what_cannot_follow_is_reported_and_the_design_is_enforced(self):
        self.fill([SHOP, product(1, "A-1"), product(2, "A-1"), product(3, "A-3", unitPrice=-1), {"PK": "X", "SK": "Y"}])
        before = self.adopt("--data", self.data, "--dry-run")
        self.assertEqual(before.returncode, 1, before.stderr)
        self.assertIn("GSI1", before.stdout)
        done = self.adopt("--data", self.data, "--format", "json")
        self.assertEqual(done.returncode, 1, done.stderr)
        report = json.loads(done.stdout)
        self.assertTrue(report["enforced"])
        self.assertEqual(report["createdIndexes"], ["GSI1", "GSI2"])
        rules = {finding["rule"] for finding in report["left"]["findings"]}
        self.assertLessEqual({"not-unique", "field", "unmatched-item"}, rules)
        with Served([NAME], data=self.data) as served:
            self.assert_governed(served)
            table = served.resource().Table(NAME)
            table.delete_item(Key={"PK": "SHOP#s1", "SK": "PRODUCT#2"})
            table.update_item(Key={"PK": "SHOP#s1", "SK": "PRODUCT#3"}, UpdateExpression="SET unitPrice = :p",
                              ExpressionAttributeValues={":p": 1})
            at_the_server = self.adopt("--endpoint", served.server.url)
            self.assertEqual(at_the_server.returncode, 1, at_the_server.stdout + at_the_server.stderr)
            self.assertIn("unmatched-item", at_the_server.stdout)
            self.assertNotIn("not-unique", at_the_server.stdout)

    def test_a_dry_run_changes_nothing(self):
        self.fill([SHOP, product(1, "A-1")])
        first = self.adopt("--data", self.data, "--dry-run")
        self.assertEqual(self.adopt("--data", self.data, "--dry-run").stdout, first.stdout)
        with Served([], data=self.data) as served:
            self.assertEqual(served.resource().meta.client.describe_table(TableName=NAME)["Table"].get("GlobalSecondaryIndexes"), None)

    def test_other_keys_are_refused(self):
        with Served([], data=self.data) as served:
            table = served.resource().create_table(TableName=NAME, BillingMode="PAY_PER_REQUEST",
                                                   KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
                                                   AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}])
            table.put_item(Item={"id": "1"})
        done = self.adopt("--data", self.data)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the table has the keys id HASH, not PK HASH, SK RANGE", done.stderr)
        served = tavola("serve", "--port", "0", "--data", self.data, "--design", DESIGN)
        self.assertNotEqual(served.returncode, 0)
        self.assertIn("cannot take over", served.stderr)

    def test_adopt_and_apply_agree_on_what_is_complete(self):
        """An index that the table has in addition does not matter."""
        for command in ("adopt", "apply"):
            with self.subTest(command):
                self.data = pathlib.Path(self.folder.name) / command
                self.fill([SHOP])
                with Served([], data=self.data) as served:
                    served.resource().meta.client.update_table(
                        TableName=NAME, AttributeDefinitions=[{"AttributeName": "email", "AttributeType": "S"}],
                        GlobalSecondaryIndexUpdates=[{"Create": {"IndexName": "other", "Projection": {"ProjectionType": "ALL"},
                                                                 "KeySchema": [{"AttributeName": "email", "KeyType": "HASH"}]}}])
                done = tavola("design", command, DESIGN, "--data", self.data, *(["--yes"] if command == "apply" else []))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_kill_in_the_middle(self):
        """After a kill the next server goes on where the first one was, and nothing is missing."""
        count = 5000
        self.fill([SHOP, *(product(i, f"S-{i}") for i in range(count)), product("old", "A-1")])
        with subprocess.Popen([harness.PROGRAM, "design", "adopt", DESIGN, "--data", self.data], env=environment(),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
            time.sleep(0.5)
            first.kill()
        with Served([NAME], data=self.data) as served:
            deadline = time.monotonic() + 300
            while served.send("GET", f"{NAME}/lowStock?shopId=s1")[0] == 503:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.2)
            self.assert_governed(served)
            pages, start = 0, {}
            while True:
                page = served.resource().meta.client.query(
                    TableName=NAME, IndexName="GSI2", Select="COUNT", KeyConditionExpression="GSI2PK = :k",
                    ExpressionAttributeValues={":k": "SHOP#s1#LOWSTOCK"}, **start)
                pages += page["Count"]
                if "LastEvaluatedKey" not in page:
                    break
                start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
            self.assertEqual(pages, count + 1)


if __name__ == "__main__":
    harness.main()
