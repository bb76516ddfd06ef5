#!/usr/bin/env python3
"""boto3 and aws-cli 2 with global indexes that are created and deleted while their table is written.

    tests/clients/indexes_test.py PATH/TO/tavola [TEST ...]

The clients retry nothing.
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

import boto3
import botocore.config

import harness

AWS = shutil.which("aws", path="/usr/bin" + os.pathsep + os.environ["PATH"])  # Debian's first: others may be version 1
CONFIG = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0}, read_timeout=30)
CREDENTIALS = "AKIDADMIN secretOfAll\nAKIDREADS secretOfReads read-only\nAKIDOTHER secretOfOther tables=other\n"
SECRETS = {line.split()[0]: line.split()[1] for line in CREDENTIALS.splitlines()}
ITEMS = 3000
SERVER = None
CLIENT = None


def setUpModule():
    global SERVER, CLIENT
    print(f"boto3 {boto3.__version__}, botocore {botocore.__version__}", flush=True)
    folder = pathlib.Path(unittest.enterModuleContext(tempfile.TemporaryDirectory()))
    keys = folder / "credentials"
    keys.touch(mode=0o600)
    keys.write_text(CREDENTIALS)
    SERVER = unittest.enterModuleContext(
        harness.Server(harness.PROGRAM, "--data", folder / "data", "--credentials", keys))
    CLIENT = client("AKIDADMIN")


def client(key):
    return boto3.client("dynamodb", endpoint_url=SERVER.url, config=CONFIG, aws_access_key_id=key,
                        aws_secret_access_key=SECRETS[key])


def create_table(name, items):
    CLIENT.create_table(TableName=name, BillingMode="PAY_PER_REQUEST",
                        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "N"}],
                        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])
    for first in range(0, items, 25):
        batch = [{"PutRequest": {"Item": thing(i)}} for i in range(first, min(first + 25, items))]
        CLIENT.batch_write_item(RequestItems={name: batch})


def thing(number, colour=None):
    return {"id": {"N": str(number)}, "colour": {"S": colour or f"colour {number % 7}"}, "text": {"S": "x" * 200}}


def new_index(name):
    return {"IndexName": name, "KeySchema": [{"AttributeName": "colour", "KeyType": "HASH"},
                                             {"AttributeName": "id", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "ALL"}}


DEFINITIONS = [{"AttributeName": "colour", "AttributeType": "S"}, {"AttributeName": "id", "AttributeType": "N"}]


def index_of(table, name):
    described = CLIENT.describe_table(TableName=table)["Table"]
    return next((index for index in described.get("GlobalSecondaryIndexes", []) if index["IndexName"] == name), None)


def wait_for_index(table, name):
    """Polls, because boto3 has no waiter for an index."""
    deadline = time.monotonic() + 60
    while index_of(table, name)["IndexStatus"] != "ACTIVE":
        if time.monotonic() > deadline:
            raise AssertionError(f"index {name} of {table} is not there after a minute")
        time.sleep(0.01)


def scanned(**request):
    pages = CLIENT.get_paginator("scan").paginate(**request)
    return sorted((item for page in pages for item in page["Items"]), key=lambda item: int(item["id"]["N"]))


class Indexes(unittest.TestCase):
    def test_an_index_is_built_while_others_write(self):
        create_table("busy", ITEMS)
        stop = threading.Event()
        written = []

        def write(connection, first):
            number = first
            while not stop.is_set():
                connection.put_item(TableName="busy", Item=thing(number % (ITEMS + 200), f"new {number}"))
                written.append(number)
                number += 7

        writers = [threading.Thread(target=write, args=(client("AKIDADMIN"), first)) for first in range(3)]
        for writer in writers:
            writer.start()
        try:
            table = CLIENT.update_table(TableName="busy", AttributeDefinitions=DEFINITIONS,
                                        GlobalSecondaryIndexUpdates=[{"Create": new_index("byColour")}])
            self.assertEqual(table["TableDescription"]["TableStatus"], "UPDATING")
            created = table["TableDescription"]["GlobalSecondaryIndexes"][0]
            self.assertEqual(created["IndexStatus"], "CREATING")
            self.assertIn("Backfilling", created)
            wait_for_index("busy", "byColour")
            CLIENT.get_waiter("table_exists").wait(TableName="busy", WaiterConfig={"Delay": 1, "MaxAttempts": 20})
        finally:
            stop.set()
            for writer in writers:
                writer.join()
        self.assertGreater(len(written), 0)
        self.assertNotIn("Backfilling", index_of("busy", "byColour"))
        items = scanned(TableName="busy")
        self.assertEqual(scanned(TableName="busy", IndexName="byColour"), items)
        self.assertEqual(index_of("busy", "byColour")["ItemCount"], len(items))

        table = CLIENT.update_table(TableName="busy", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "byColour"}}])
        self.assertEqual(table["TableDescription"]["GlobalSecondaryIndexes"][0]["IndexStatus"], "DELETING")
        self.assertIsNone(index_of("busy", "byColour"))
        CLIENT.delete_table(TableName="busy")

    def test_one_at_a_time(self):
        create_table("one", 1)
        with self.assertRaises(CLIENT.exceptions.LimitExceededException) as refused:
            CLIENT.update_table(TableName="one", AttributeDefinitions=DEFINITIONS,
                                GlobalSecondaryIndexUpdates=[{"Create": new_index("first")},
                                                             {"Create": new_index("second")}])
        self.assertIn("Only 1 online index", str(refused.exception))
        with self.assertRaises(CLIENT.exceptions.ResourceNotFoundException):
            CLIENT.update_table(TableName="one", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "nowhere"}}])
        CLIENT.delete_table(TableName="one")

    def test_who_may_do_it(self):
        create_table("guarded", 1)
        for key in ("AKIDREADS", "AKIDOTHER"):
            with self.assertRaises(CLIENT.exceptions.ClientError) as refused:
                client(key).update_table(TableName="guarded", AttributeDefinitions=DEFINITIONS,
                                         GlobalSecondaryIndexUpdates=[{"Create": new_index("byColour")}])
            self.assertEqual(refused.exception.response["Error"]["Code"], "AccessDeniedException")
        CLIENT.delete_table(TableName="guarded")


class AwsCli(unittest.TestCase):
    def aws(self, *words, **parameters):
        options = [part for name, value in parameters.items() for part in
                   ("--" + name.replace("_", "-"), value if isinstance(value, str) else json.dumps(value))]
        environment = dict(os.environ, AWS_ACCESS_KEY_ID="AKIDADMIN", AWS_SECRET_ACCESS_KEY=SECRETS["AKIDADMIN"])
        done = subprocess.run([AWS, "dynamodb", *words, *options, "--endpoint-url", SERVER.url], text=True, timeout=120,
                              env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout) if done.stdout.strip() else None

    def test_an_index_comes_and_goes(self):
        create_table("shell", 100)
        table = self.aws("update-table", table_name="shell", attribute_definitions=DEFINITIONS,
                         global_secondary_index_updates=[{"Create": new_index("byColour")}])["TableDescription"]
        self.assertEqual(table["GlobalSecondaryIndexes"][0]["IndexStatus"], "CREATING")
        self.aws("wait", "table-exists", table_name="shell")
        wait_for_index("shell", "byColour")
        found = self.aws("query", table_name="shell", index_name="byColour", key_condition_expression="colour = :c",
                         expression_attribute_values={":c": {"S": "colour 3"}})
        self.assertEqual(found["Count"], 14)
        self.aws("update-table", table_name="shell",
                 global_secondary_index_updates=[{"Delete": {"IndexName": "byColour"}}])
        self.assertIsNone(index_of("shell", "byColour"))


if __name__ == "__main__":
    harness.main()
