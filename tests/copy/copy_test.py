#!/usr/bin/env python3
"""`tavola copy` as an operator uses it: server to server, directory to server and back, cut with kill -9 and resumed, compared.

    tests/copy/copy_test.py PATH/TO/tavola [TEST ...]
"""
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "clients"))
sys.dont_write_bytecode = True

import harness  # noqa: E402

TEXT = "x" * 600


def fill(server, table, count, first=0):
    """Returns items with their number."""
    for start in range(first, first + count, 25):
        numbers = range(start, min(start + 25, first + count))
        harness.call(server, "BatchWriteItem", RequestItems={table: [{"PutRequest": {"Item": item(n)}} for n in numbers]})


def item(number, **more):
    return {"pk": {"S": f"p{number % 97}"}, "sk": {"N": str(number)}, "text": {"S": TEXT}, "deep": {
        "M": {"list": {"L": [{"N": "1.5"}, {"NULL": True}, {"B": "AP8="}]}, "set": {"SS": ["a", "b"]}}}, **more}


def key(number):
    return {"pk": {"S": f"p{number % 97}"}, "sk": {"N": str(number)}}


def count(server, table):
    return harness.call(server, "DescribeTable", TableName=table)["Table"]["ItemCount"]


class Copying(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.source = self.enterContext(harness.Server(harness.PROGRAM, "--in-memory"))
        self.target = self.enterContext(harness.Server(harness.PROGRAM, "--in-memory"))
        harness.create_table(self.source, "music")

    def command(self, source, target, *options):
        return [harness.PROGRAM, "copy", str(source), str(target), *options]

    def copy(self, source, target, *options, code=0):
        done = subprocess.run(self.command(source, target, *options), cwd=self.folder, capture_output=True, text=True,
                              check=False, timeout=300)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def states(self):
        return list(self.folder.glob("tavola-copy-*.json"))

    def test_server_to_server(self):
        fill(self.source, "music", 500)
        tags = [{"Key": "team", "Value": "green"}]
        harness.call(self.source, "CreateTable", TableName="orders", BillingMode="PROVISIONED", Tags=tags,
                     ProvisionedThroughput={"ReadCapacityUnits": 7, "WriteCapacityUnits": 8},
                     AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"},
                                           {"AttributeName": "sk", "AttributeType": "N"}],
                     KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}])
        fill(self.source, "orders", 30)
        harness.call(self.source, "UpdateTimeToLive", TableName="orders",
                     TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})
        planned = self.copy(self.source.url, self.target.url, "--all", "--dry-run")
        self.assertIn("music: would be created; about 500 items", planned)
        self.assertEqual(harness.call(self.target, "ListTables")["TableNames"], [])
        told = self.copy(self.source.url, self.target.url, "--all", "--verify")
        self.assertIn("music: created, 500 items copied", told)
        self.assertIn("music: compared, 500 items the same and none different", told)
        self.assertIn("orders: created, 30 items copied", told)
        self.assertEqual(self.states(), [], "all is copied: nothing is left to remember")
        copied = harness.call(self.target, "DescribeTable", TableName="orders")["Table"]
        self.assertEqual(copied["ProvisionedThroughput"]["WriteCapacityUnits"], 8)
        self.assertEqual(harness.call(self.target, "ListTagsOfResource", ResourceArn=copied["TableArn"])["Tags"], tags)
        lives = harness.call(self.target, "DescribeTimeToLive", TableName="orders")["TimeToLiveDescription"]
        self.assertEqual(lives["AttributeName"], "until")
        self.assertEqual(harness.call(self.target, "GetItem", TableName="music", Key=key(7))["Item"], item(7))

    def test_directory_to_server_and_back(self):
        data = self.folder / "data"
        with harness.Server(harness.PROGRAM, "--data", data) as server:
            harness.create_table(server, "music")
            fill(server, "music", 300)
        self.copy(data, self.target.url, "--tables", "music", "--verify")
        self.assertEqual(count(self.target, "music"), 300)
        told = self.copy(self.target.url, self.folder / "again", "--all", "--verify")
        self.assertIn("300 items the same and none different", told)
        with harness.Server(harness.PROGRAM, "--data", self.folder / "again") as server:
            self.assertEqual(harness.call(server, "GetItem", TableName="music", Key=key(42))["Item"], item(42))

    def test_killed_in_the_middle_it_goes_on(self):
        fill(self.source, "music", 8000)
        command = self.command(self.source.url, self.target.url, "--tables", "music", "--parallel", "2")
        for enough in (300, 2500):
            running = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while running.poll() is None and self.copied() < enough:
                time.sleep(0.005)
            running.send_signal(signal.SIGKILL)
            self.assertEqual(running.wait(), -signal.SIGKILL, "it was done before it was killed")
            self.assertLess(self.copied(), 8000)
        self.assertEqual(len(self.states()), 1)
        told = self.copy(self.source.url, self.target.url, "--tables", "music", "--verify")
        self.assertIn("music: 8000 items copied, including those of the interrupted copy", told)
        self.assertIn("8000 items the same and none different", told)
        self.assertEqual(self.copied(), 8000)
        self.assertEqual(self.states(), [])

    def copied(self):
        try:
            return count(self.target, "music")
        except urllib.error.HTTPError:
            return 0  # the table does not exist yet

    def test_a_target_that_goes_away_is_told_and_the_copy_goes_on(self):
        fill(self.source, "music", 200)
        data = self.folder / "data"
        with harness.Server(harness.PROGRAM, "--data", data) as server:
            self.copy(self.source.url, server.url, "--tables", "music", "--state", "mine.json")
        self.assertFalse((self.folder / "mine.json").exists())
        told = self.copy(self.source.url, "http://127.0.0.1:1", "--tables", "music", code=1)
        self.assertIn("cannot reach http://127.0.0.1:1", told)

    def test_a_wrong_item_on_the_target_is_found(self):
        fill(self.source, "music", 200)
        self.copy(self.source.url, self.target.url, "--tables", "music")
        harness.call(self.target, "PutItem", TableName="music", Item=item(5, text={"S": "other"}))
        harness.call(self.target, "DeleteItem", TableName="music", Key=key(6))
        harness.call(self.target, "PutItem", TableName="music", Item=item(1000))
        told = self.copy(self.source.url, self.target.url, "--tables", "music", "--verify-only", code=1)
        self.assertIn("198 items the same, 1 different, 1 only in", told)
        self.assertIn('{"pk":{"S":"p5"},"sk":{"N":"5"}}: different in text', told)
        self.assertIn(f'{{"pk":{{"S":"p6"}},"sk":{{"N":"6"}}}}: only in {self.source.url}', told)
        self.assertIn(f'{{"pk":{{"S":"p30"}},"sk":{{"N":"1000"}}}}: only in {self.target.url}', told)

    def test_items_that_are_there_are_not_overwritten_unasked(self):
        fill(self.source, "music", 10)
        harness.create_table(self.target, "music")
        fill(self.target, "music", 5, first=100)
        told = self.copy(self.source.url, self.target.url, "--tables", "music", code=1)
        self.assertIn("has items already; --overwrite", told)
        self.assertEqual(count(self.target, "music"), 5)
        self.copy(self.source.url, self.target.url, "--tables", "music", "--overwrite")
        self.assertEqual(count(self.target, "music"), 15)

    def test_what_a_design_refuses_is_told(self):
        design = pathlib.Path(__file__).resolve().parents[2] / "designs/InventorySystem.yaml"
        with harness.Server(harness.PROGRAM, "--in-memory", "--design", design) as governed:
            plain = harness.call(governed, "DescribeTable", TableName="InventorySystem")["Table"]
            harness.call(self.source, "CreateTable", TableName="InventorySystem", BillingMode="PAY_PER_REQUEST",
                         AttributeDefinitions=plain["AttributeDefinitions"], KeySchema=plain["KeySchema"],
                         GlobalSecondaryIndexes=[{name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
                                                 for index in plain["GlobalSecondaryIndexes"]])
            good = {"PK": {"S": "SHOP#s1"}, "SK": {"S": "METADATA"}, "name": {"S": "Corner"}}
            wrong = {"PK": {"S": "nonsense"}, "SK": {"S": "here"}}
            for one in (good, wrong):
                harness.call(self.source, "PutItem", TableName="InventorySystem", Item=one)
            told = self.copy(self.source.url, governed.url, "--all", code=3)
            self.assertIn("refused by", told)
            self.assertIn("nonsense", told)
            self.assertIn("tavola design status", told)
            self.assertEqual(len(self.states()), 1, "what was refused is tried again")

    def test_throttled_and_left_unprocessed_it_gets_through(self):
        fill(self.source, "music", 300)
        with harness.Server(harness.PROGRAM, "--in-memory", "--fault", "throttle=0.2,unprocessed=0.3") as server:
            told = self.copy(self.source.url, server.url, "--tables", "music", "--verify")
            self.assertIn("300 items the same and none different", told)

    def test_what_is_wrong_is_told(self):
        for words, part in (((self.source.url, self.target.url), "name the tables to copy"),
                            ((self.source.url, self.source.url, "--all"), "are the same"),
                            ((self.source.url, "htp://127.0.0.1", "--all"), "is not the URL of a server"),
                            ((self.source.url, self.target.url, "--all", "--tables", "music"), "name the tables to copy")):
            self.assertIn(part, self.copy(*words, code=2))
        self.assertIn("no data in", self.copy(self.folder / "nothing", self.target.url, "--all", code=1))
        self.assertIn("no table none in", self.copy(self.source.url, self.target.url, "--tables", "none", code=1))


if __name__ == "__main__":
    harness.main()
