#!/usr/bin/env python3
"""Clean data for each test: /admin/reset and /admin/branches of a server with --test-admin.

    tests/kit/admin_test.py PROGRAM
"""
import json
import pathlib
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "clients"))

import boto3  # noqa: E402
import botocore.config  # noqa: E402
import harness  # noqa: E402

ONCE = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0}, read_timeout=60)
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
DESIGN = """design: 1
name: notes
table: { name: notes, hash: PK, range: SK }
entities:
  Note:
    key: { PK: NOTE#<note>, SK: NOTE }
    ids: { note: string }
    attributes:
      text: { type: string }
patterns:
  getNote: { get: Note }
"""


class Kit(unittest.TestCase):
    """The common parts; each test runs in memory and on disk."""

    def start(self, *options):
        server = self.enterContext(harness.Server(harness.PROGRAM, *options))
        self.use(server)
        return server

    def use(self, server):
        self.server = server
        self.client = boto3.client("dynamodb", endpoint_url=server.url, config=ONCE)
        self.streams = boto3.client("dynamodbstreams", endpoint_url=server.url, config=ONCE)

    def admin(self, method, path, body=None):
        """Returns the status and the JSON of a page."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def done(self, method, path, body=None):
        status, answer = self.admin(method, path, body)
        self.assertEqual(status, 200, answer)
        return answer

    def create(self, name, **more):
        self.client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST",
                                 AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
                                 KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}], **more)

    def put(self, table, key, value="1"):
        self.client.put_item(TableName=table, Item={"k": {"S": key}, "v": {"S": value}})

    def items(self, table):
        return {item["k"]["S"]: item["v"]["S"] for item in self.client.scan(TableName=table, ConsistentRead=True)["Items"]}

    def records(self, arn):
        """All records that are in a stream."""
        found = []
        for shard in self.streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
            at = self.streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")
            found += self.streams.get_records(ShardIterator=at["ShardIterator"])["Records"]
        return sorted(record["dynamodb"]["Keys"]["k"]["S"] for record in found)


class Branches(Kit):
    def each(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        for options in (["--in-memory"], ["--data", folder + "/data"]):
            self.start("--test-admin", *options)
            yield options

    def test_a_branch_is_returned_to_as_often_as_asked(self):
        for _ in self.each():
            self.create("orders", StreamSpecification=STREAM)
            arn = self.client.describe_table(TableName="orders")["Table"]["LatestStreamArn"]
            self.put("orders", "a")
            taken = self.done("POST", "/admin/branches/clean")
            self.assertEqual((taken["name"], taken["restores"]), ("clean", 0))
            for round_ in range(3):
                self.put("orders", "a", "2")
                self.put("orders", "b", "2")
                self.create("other")
                self.put("other", "x")
                self.client.update_time_to_live(TableName="orders",
                                                TimeToLiveSpecification={"Enabled": True, "AttributeName": "t"})
                self.assertEqual(self.records(arn), ["a", "a", "b"])
                self.assertEqual(self.done("POST", "/admin/branches/clean/restore")["restores"], round_ + 1)
                self.assertEqual(self.items("orders"), {"a": "1"})
                self.assertEqual(self.client.list_tables()["TableNames"], ["orders"])
                self.assertEqual(self.client.describe_table(TableName="orders")["Table"]["ItemCount"], 1)
                self.assertEqual(self.records(arn), ["a"])
                ttl = self.client.describe_time_to_live(TableName="orders")["TimeToLiveDescription"]
                self.assertEqual(ttl["TimeToLiveStatus"], "DISABLED")

    def test_a_table_of_the_same_name_is_the_one_of_the_branch(self):
        """Caches by name or by the number of a table must not keep the other one."""
        for _ in self.each():
            self.create("orders")
            self.put("orders", "a")
            self.done("POST", "/admin/branches/clean")
            self.client.delete_table(TableName="orders")
            self.client.create_table(TableName="orders", BillingMode="PAY_PER_REQUEST",
                                     AttributeDefinitions=[{"AttributeName": "other", "AttributeType": "N"}],
                                     KeySchema=[{"AttributeName": "other", "KeyType": "HASH"}])
            self.client.put_item(TableName="orders", Item={"other": {"N": "1"}})
            self.done("POST", "/admin/branches/clean/restore")
            self.assertEqual(self.items("orders"), {"a": "1"})
            self.put("orders", "b")
            self.create("second")  # gets the number that the deleted table had
            self.assertEqual(self.items("second"), {})
            self.assertEqual(self.items("orders"), {"a": "1", "b": "1"})

    def test_a_reader_of_a_stream_goes_on_after_a_restore(self):
        for _ in self.each():
            self.create("orders", StreamSpecification=STREAM)
            arn = self.client.describe_table(TableName="orders")["Table"]["LatestStreamArn"]
            self.done("POST", "/admin/branches/clean")
            self.put("orders", "undone")
            shards = self.streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
            iterators = []
            for shard in shards:
                at = self.streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"],
                                                     ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
                iterators.append(self.streams.get_records(ShardIterator=at)["NextShardIterator"])
            self.done("POST", "/admin/branches/clean/restore")
            self.put("orders", "new")
            found = [record["dynamodb"]["Keys"]["k"]["S"] for at in iterators
                     for record in self.streams.get_records(ShardIterator=at)["Records"]]
            self.assertEqual(found, ["new"])

    def test_backups_stay(self):
        for _ in self.each():
            self.create("orders")
            self.put("orders", "a")
            early = self.client.create_backup(TableName="orders", BackupName="early")["BackupDetails"]["BackupArn"]
            self.done("POST", "/admin/branches/clean")
            self.put("orders", "b")
            late = self.client.create_backup(TableName="orders", BackupName="late")["BackupDetails"]["BackupArn"]
            self.client.delete_backup(BackupArn=early)
            self.done("POST", "/admin/branches/clean/restore")
            listed = self.client.list_backups()["BackupSummaries"]
            self.assertEqual([backup["BackupArn"] for backup in listed], [late])
            self.client.restore_table_from_backup(TargetTableName="restored", BackupArn=late)
            self.client.get_waiter("table_exists").wait(TableName="restored", WaiterConfig={"Delay": 1, "MaxAttempts": 60})
            self.assertEqual(self.items("restored"), {"a": "1", "b": "1"})
            self.assertEqual(self.items("orders"), {"a": "1"})

    def test_list_delete_and_mistakes(self):
        for _ in self.each():
            self.create("orders")
            for name in ("first", "second"):
                self.done("POST", "/admin/branches/" + name)
            names = [branch["name"] for branch in self.done("GET", "/admin/branches")["branches"]]
            self.assertEqual(names, ["first", "second"])
            self.done("DELETE", "/admin/branches/first")
            self.assertEqual(self.admin("POST", "/admin/branches/first/restore")[0], 404)
            self.assertEqual(self.admin("GET", "/admin/branches/first")[0], 404)
            self.assertEqual(self.admin("DELETE", "/admin/branches/first")[0], 404)
            self.assertEqual(self.admin("POST", "/admin/branches/a%20b")[0], 400)
            self.assertEqual(self.admin("GET", "/admin/branches/second/restore")[0], 405)
            self.assertEqual(self.admin("GET", "/admin/reset")[0], 405)
            self.assertEqual(self.admin("POST", "/admin/reset", {"tables": "orders"})[0], 400)
            self.assertEqual(self.admin("POST", "/admin/reset", {"table": "missing"})[0], 404)
            self.assertEqual(self.client.list_tables()["TableNames"], ["orders"])

    def test_reset(self):
        for _ in self.each():
            self.create("orders", StreamSpecification=STREAM)
            self.client.update_continuous_backups(TableName="orders",
                                                  PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
            self.create("other")
            for table in ("orders", "other"):
                self.put(table, "a")
            self.done("POST", "/admin/reset", {"table": "orders"})
            self.assertEqual((self.items("orders"), self.items("other")), ({}, {"a": "1"}))
            table = self.client.describe_table(TableName="orders")["Table"]
            self.assertEqual((table["ItemCount"], table["StreamSpecification"]), (0, STREAM))
            self.put("orders", "b")
            self.assertEqual(self.items("orders"), {"b": "1"})
            self.done("POST", "/admin/reset", {"keepTables": True})
            self.assertEqual((self.items("orders"), self.items("other")), ({}, {}))
            self.done("POST", "/admin/reset")
            self.assertEqual(self.client.list_tables()["TableNames"], [])
            self.create("orders")
            self.assertEqual(self.items("orders"), {})

    def test_only_where_it_is_allowed(self):
        self.start("--in-memory")
        self.create("orders")
        for path in ("/admin/reset", "/admin/branches/x", "/admin/branches/x/restore"):
            status, answer = self.admin("POST", path)
            self.assertEqual(status, 403)
            self.assertIn("--test-admin", answer["detail"])
        self.assertEqual(self.client.list_tables()["TableNames"], ["orders"])

    def test_keys_guard_it(self):
        with tempfile.TemporaryDirectory() as folder:
            keys = pathlib.Path(folder) / "keys"
            keys.write_text("KEY secret\n")
            keys.chmod(0o600)
            server = self.start("--in-memory", "--test-admin", "--credentials", keys)
            request = urllib.request.Request(server.url + "/admin/reset", b"", method="POST")
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request, timeout=60)
            with refused.exception as answer:
                self.assertIn(answer.code, (401, 403))

    def test_under_load(self):
        """Writers put numbered pairs in one request each. After each restore nothing of the time before is seen, and a pair is
        never torn."""
        for _ in self.each():
            self.create("pairs")
            self.done("POST", "/admin/branches/clean")
            stop = threading.Event()
            problems = []

            def write(name):
                client = boto3.client("dynamodb", endpoint_url=self.server.url, config=ONCE)
                number = 0
                while not stop.is_set() and not problems:
                    number += 1
                    try:
                        client.transact_write_items(TransactItems=[
                            {"Put": {"TableName": "pairs", "Item": {"k": {"S": f"{name}-{half}"}, "v": {"S": str(number)}}}}
                            for half in "lr"])
                    except Exception as problem:  # noqa: BLE001
                        problems.append(problem)
            writers = [threading.Thread(target=write, args=(name,)) for name in "ab"]
            for writer in writers:
                writer.start()
            try:
                for _round in range(10):
                    self.done("POST", "/admin/branches/clean/restore")
                    found = self.items("pairs")
                    for name in "ab":
                        self.assertEqual(found.get(f"{name}-l"), found.get(f"{name}-r"))
            finally:
                stop.set()
                for writer in writers:
                    writer.join()
            self.assertEqual(problems, [])
            self.done("POST", "/admin/branches/clean/restore")
            self.assertEqual(self.items("pairs"), {})

    def test_designs_are_those_of_the_state(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "notes.yaml"
            file.write_text(DESIGN)
            self.start("--in-memory", "--test-admin", "--design", file)
            self.done("POST", "/admin/branches/clean")
            wrong = {"PK": {"S": "NOTE#1"}, "SK": {"S": "OTHER"}}
            right = {"PK": {"S": "NOTE#1"}, "SK": {"S": "NOTE"}, "note": {"S": "1"}, "text": {"S": "hello"}}
            with self.assertRaises(self.client.exceptions.ClientError):
                self.client.put_item(TableName="notes", Item=wrong)
            self.client.put_item(TableName="notes", Item=right)
            for path in ("/admin/branches/clean/restore", "/admin/reset"):
                self.done("POST", path)
                self.assertEqual(self.client.scan(TableName="notes")["Count"], 0)
                with self.assertRaises(self.client.exceptions.ClientError):
                    self.client.put_item(TableName="notes", Item=wrong)
                self.client.put_item(TableName="notes", Item=right)

    def test_what_is_written_after_a_restore_survives_a_kill(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        server = harness.Server(harness.PROGRAM, "--test-admin", "--data", folder + "/data")
        server.start()
        self.addCleanup(lambda: server.process.poll() is None and server.kill())
        self.use(server)
        self.create("orders")
        self.put("orders", "before")
        self.done("POST", "/admin/branches/clean")
        self.put("orders", "undone")
        self.client.delete_item(TableName="orders", Key={"k": {"S": "before"}})
        self.done("POST", "/admin/branches/clean/restore")
        self.put("orders", "after")
        server.kill()
        self.start("--test-admin", "--data", folder + "/data")
        self.assertEqual(self.items("orders"), {"before": "1", "after": "1"})
        self.assertEqual(self.done("GET", "/admin/branches")["branches"], [])  # they end with the server


if __name__ == "__main__":
    harness.main()
