#!/usr/bin/env python3
"""Archiving end to end (INV6): old transactions leave the table for a folder or for S3, and come back as they were.

    tests/archive/archive_test.py PROGRAM
"""
import gzip
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/clients"), str(ROOT / "tests/archive")]

import boto3  # noqa: E402

import harness  # noqa: E402
import s3_server  # noqa: E402
from server import Server  # noqa: E402

DESIGN = ROOT / "designs/InventorySystem.yaml"
TABLE = "InventorySystem"
OLD = [f"2020-01-{day:02}T10:00:00Z" for day in range(1, 8)]
NEW = "2099-01-01T00:00:00Z"
WAIT_SECONDS = 60


def run(*words):
    return subprocess.run([harness.PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120, check=False,
                          env={**os.environ, **s3_server.ENVIRONMENT})


def post(server, operation, **parameters):
    request = urllib.request.Request(f"{server.url}/v1/{TABLE}/{operation}", data=json.dumps(parameters).encode(),
                                     headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def fill(server):
    """Records seven old sales and a new one, each with its transaction."""
    post(server, "createShop", shopId="s1", name="Corner Shop")
    post(server, "createProduct", shopId="s1", productId="p1", name="Lamp", sku="L", unitPrice=2, currentStock=100)
    for number, moment in enumerate([*OLD, NEW]):
        post(server, "recordSale", saleId=f"sa{number}", shopId="s1", productId="p1", quantity=1, timestamp=moment)


def stored(server):
    """Returns all items of the table, by key."""
    client = boto3.client("dynamodb", endpoint_url=server.url, region_name="local", aws_access_key_id="x",
                          aws_secret_access_key="x")
    items = client.scan(TableName=TABLE)["Items"]
    return {(item["PK"]["S"], item["SK"]["S"]): item for item in items}


def transactions(items):
    return sorted(range_key for hash_key, range_key in items if range_key.startswith("TX#"))


class Archive(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def succeed(self, *words):
        done = run(*words)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def check_round_trip(self, place):
        with Server(harness.PROGRAM, "--in-memory", "--design", DESIGN) as server:
            fill(server)
            before = stored(server)
            endpoint = ("--endpoint", server.url)
            self.assertIn("Archived 7 items in 1 batch", self.succeed("archive", "run", DESIGN, *place, *endpoint))
            after = stored(server)
            self.assertEqual(transactions(after), [f"TX#{NEW}#sa7"])
            gone = {key: item for key, item in before.items() if key not in after}
            self.assertEqual(len(gone), len(OLD))
            self.assertEqual({**after, **gone}, before)  # the sales are kept forever, and nothing else has changed
            self.assertIn("Nothing in InventorySystem is old enough",
                          self.succeed("archive", "run", DESIGN, *place, *endpoint))

            self.assertIn(f"{OLD[0]} to {OLD[-1]}  Transaction of {TABLE}, 7 items",
                          self.succeed("archive", "list", *place))
            listed = json.loads(self.succeed("archive", "list", *place, "--format", "json"))
            self.assertEqual([batch["manifest"]["count"] for batch in listed], [7])
            self.assertTrue(listed[0]["removed"])
            self.assertIn("7 items in 1 batch are intact", self.succeed("archive", "verify", *place))

            self.assertIn("Restored 2 items", self.succeed("archive", "restore", DESIGN, *place, *endpoint, "--from",
                                                           "2020-01-03", "--through", "2020-01-04"))
            self.assertIn("Restored 5 items; 2 already existed",
                          self.succeed("archive", "restore", DESIGN, *place, *endpoint, "--entity", "Transaction"))
            self.assertEqual(stored(server), before)
            return gone, listed[0]

    def test_a_folder(self):
        gone, batch = self.check_round_trip(("--to", self.folder / "archive"))
        data = self.folder / "archive" / (batch["name"] + ".jsonl.gz")
        lines = gzip.decompress(data.read_bytes()).decode().splitlines()
        self.assertEqual([json.loads(line) for line in lines],
                         sorted(gone.values(), key=lambda item: item["timestamp"]["S"]))
        manifest = batch["manifest"]
        self.assertEqual(manifest["compressed"]["sha256"], hashlib.sha256(data.read_bytes()).hexdigest())
        self.assertEqual(manifest["plain"]["sha256"],
                         hashlib.sha256(gzip.decompress(data.read_bytes())).hexdigest())

        data.write_bytes(data.read_bytes()[:-1])
        done = run("archive", "verify", "--to", self.folder / "archive")
        self.assertEqual(done.returncode, 1)
        self.assertIn("damaged: " + batch["name"], done.stdout)
        done = run("archive", "restore", DESIGN, "--to", self.folder / "archive", "--data", self.folder / "data")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is damaged", done.stderr)

    def test_s3_with_a_prefix_that_must_be_encoded_and_a_server_that_is_busy(self):
        busy = iter([503, None, 500, 503])
        with s3_server.S3Server("bucket", lambda *_: next(busy, None)) as s3:
            self.check_round_trip(("--to", "s3://bucket/old things/ä+b", "--s3-endpoint", s3.url))
            self.assertEqual(s3.wrong_signatures, [])
            names = sorted(s3.objects)
            self.assertEqual(len(names), 3)
            self.assertTrue(all(name.startswith("old things/ä+b/InventorySystem/Transaction/") for name in names), names)

    def test_s3_lists_page_by_page(self):
        with s3_server.S3Server("bucket") as s3, Server(harness.PROGRAM, "--in-memory", "--design", DESIGN) as server:
            place = ("--to", "s3://bucket", "--s3-endpoint", s3.url)
            fill(server)
            self.succeed("archive", "run", DESIGN, *place, "--endpoint", server.url)
            for number in range(4):
                for name in [name for name in s3.objects if "-again" not in name]:
                    table, entity, rest = name.split("/")
                    s3.objects[f"{table}/{entity}/{rest.replace('Z-', f'Z-again{number}')}"] = s3.objects[name]
            self.assertIn("35 items in 5 batches", self.succeed("archive", "list", *place))
            self.assertEqual(s3.wrong_signatures, [])

    def test_s3_that_refuses_is_told(self):
        with s3_server.S3Server("bucket") as s3:
            done = run("archive", "list", "--to", "s3://other", "--s3-endpoint", s3.url)
            self.assertEqual(done.returncode, 1)
            self.assertIn("NoSuchBucket", done.stderr)

    def test_a_run_that_is_killed_anywhere_is_gone_on_with(self):
        data = self.folder / "data"
        with Server(harness.PROGRAM, "--data", data, "--design", DESIGN) as server:
            fill(server)
            before = stored(server)
        process = None

        def kill_at(number, _method, _name):
            if number == len(seen):
                process.kill()
                process.wait()
                raise ConnectionAbortedError
            return None

        seen = []  # one for each request at which the process is killed
        with s3_server.S3Server("bucket", kill_at) as s3:
            place = ("--to", "s3://bucket", "--s3-endpoint", s3.url)
            command = [harness.PROGRAM, "archive", "run", DESIGN, *place, "--data", data]
            killed = 0
            while True:
                s3.requests.clear()
                seen = [None] * (killed + 1)
                process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                           text=True, env={**os.environ, **s3_server.ENVIRONMENT})
                _, told = process.communicate(timeout=120)
                if process.returncode == 0:
                    break
                self.assertEqual(process.returncode, -9, told)
                killed += 1
            seen = []
            self.assertGreaterEqual(killed, 3)  # each run resumes where the previous one ended
            self.assertEqual(s3.wrong_signatures, [])
            batches = json.loads(self.succeed("archive", "list", *place, "--format", "json"))
            self.assertEqual(sum(batch["manifest"]["count"] for batch in batches), len(OLD))
            with Server(harness.PROGRAM, "--data", data, "--design", DESIGN) as server:
                self.assertEqual(transactions(stored(server)), [f"TX#{NEW}#sa7"])
            self.succeed("archive", "restore", DESIGN, *place, "--data", data)
            with Server(harness.PROGRAM, "--data", data, "--design", DESIGN) as server:
                self.assertEqual(stored(server), before)

    def test_a_server_archives_by_itself(self):
        data = self.folder / "data"
        with Server(harness.PROGRAM, "--data", data, "--design", DESIGN) as server:
            fill(server)
        with Server(harness.PROGRAM, "--data", data, "--design", DESIGN, "--archive-to",
                    self.folder / "archive") as server:
            until = time.monotonic() + WAIT_SECONDS
            while "tavola_archived_items_total 7" not in self.metrics(server):
                self.assertLess(time.monotonic(), until, "nothing was archived")
                time.sleep(0.05)
            self.assertEqual(transactions(stored(server)), [f"TX#{NEW}#sa7"])
        self.assertTrue(any("archived" in line and "items=7" in line for line in server.log), server.log)
        self.assertIn("7 items in 1 batch are intact",
                      self.succeed("archive", "verify", "--to", self.folder / "archive"))

    def metrics(self, server):
        with urllib.request.urlopen(server.url + "/metrics") as response:
            return response.read().decode()

    def test_what_cannot_be_is_refused(self):
        for words, told in [
                (("archive", "run", ROOT / "designs/text-analyzer-history.yaml", "--to", self.folder), "archives nothing"),
                (("archive", "run", DESIGN, "--to", self.folder, "--data", self.folder / "none"), "there is no data"),
                (("archive", "list", "--to", "ftp://x"), "a folder or in s3://bucket/prefix"),
                (("archive", "list", "--to", self.folder, "--from", "yesterday"), "--since must be a day or a time"),
                (("archive", "restore", DESIGN, "--to", self.folder, "--entity", "Nobody"), "has no entity Nobody"),
                (("serve", "--in-memory", "--port", "0", "--archive-to", self.folder), "needs a --design")]:
            done = run(*words)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(told, done.stderr, words)
        self.assertIn("No matching items are archived", run("archive", "list", "--to", self.folder).stderr)


if __name__ == "__main__":
    harness.main()
