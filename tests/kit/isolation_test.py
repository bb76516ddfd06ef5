#!/usr/bin/env python3
"""A database for each access key and region: --isolate key.

    tests/kit/isolation_test.py PROGRAM
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "clients"))

import boto3  # noqa: E402
import botocore.config  # noqa: E402
import botocore.exceptions  # noqa: E402
import harness  # noqa: E402

ONCE = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0}, read_timeout=60)
OPEN_MAX = 100


class Isolation(unittest.TestCase):
    def start(self, *options):
        return self.enterContext(harness.Server(harness.PROGRAM, "--isolate", "key", *options))

    def client(self, server, key, region="local"):
        return boto3.client("dynamodb", endpoint_url=server.url, config=ONCE, region_name=region, aws_access_key_id=key,
                            aws_secret_access_key="any")

    def create(self, client, name="things"):
        client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}],
                            AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}])

    def names(self, client):
        return client.list_tables()["TableNames"]

    def test_each_key_and_region_is_alone(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        for options in (["--in-memory"], ["--data", folder + "/data"]):
            server = self.start(*options)
            one, two, there = self.client(server, "one"), self.client(server, "two"), self.client(server, "one", "eu-west-1")
            self.create(one)
            one.put_item(TableName="things", Item={"k": {"S": "a"}})
            self.create(there, "others")
            self.assertEqual([self.names(client) for client in (one, two, there)], [["things"], [], ["others"]])
            self.create(two)
            self.assertEqual(two.scan(TableName="things")["Count"], 0)
            self.assertEqual(one.scan(TableName="things")["Count"], 1)
            with urllib.request.urlopen(server.url + "/metrics", timeout=60) as answer:
                metrics = answer.read().decode()
            self.assertIn("tavola_isolated_databases 3\n", metrics)
            self.assertIn('tavola_isolated_requests_total{database="one@eu-west-1"} 2\n', metrics)

    def test_on_disk_they_stay(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        server = harness.Server(harness.PROGRAM, "--isolate", "key", "--data", folder + "/data")
        server.start()
        self.addCleanup(lambda: server.process.poll() is None and server.kill())
        for key in ("one", ".._one"):
            self.create(self.client(server, key), "of-one")
            self.client(server, key).put_item(TableName="of-one", Item={"k": {"S": key}})
        server.kill()  # acknowledged writes survive in each
        folders = sorted(path.name for path in pathlib.Path(folder, "data/databases").iterdir())
        self.assertEqual(folders, ["%2E%2E%5Fone@local", "one@local"])
        again = self.start("--data", folder + "/data")
        for key in ("one", ".._one"):
            self.assertEqual(self.client(again, key).scan(TableName="of-one")["Items"], [{"k": {"S": key}}])

    def test_their_number_is_bounded(self):
        server = self.start("--in-memory")
        clients = [self.client(server, f"key{number}") for number in range(OPEN_MAX + 1)]
        for client in clients[:-1]:
            self.assertEqual(self.names(client), [])
        with self.assertRaises(botocore.exceptions.ClientError) as refused:
            self.names(clients[-1])
        self.assertEqual(refused.exception.response["Error"]["Code"], "LimitExceededException")
        self.assertEqual(self.names(clients[0]), [])

    def test_what_contradicts_it(self):
        done = subprocess.run([harness.PROGRAM, "serve", "--in-memory", "--port", "0", "--isolate", "key", "--test-admin"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--isolate and --test-admin contradict each other", done.stderr)


if __name__ == "__main__":
    harness.main()
