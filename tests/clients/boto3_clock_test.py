#!/usr/bin/env python3
"""A server whose time tests set (`tavola serve --test-clock`): time to live, stuck items, the time of one request.

    tests/clients/boto3_clock_test.py PATH/TO/tavola [TEST ...]
"""
import calendar
import json
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import boto3
import botocore.config
import botocore.exceptions

import harness

ONCE = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0}, read_timeout=30)
DESIGN = harness.ROOT / "designs/aura-historia-data.yaml"
SHOP = {"pk": {"S": "SHOP#example.com"}, "sk": {"S": "META#"}}
NOTES = """design: 1
name: notes
table: { name: notes, hash: PK, range: SK }
entities:
  Note:
    key: { PK: NOTE#<note>, SK: NOTE }
    ids: { note: string }
    attributes:
      createdAt: { type: timestamp, auto: create }
patterns:
  getNote: { get: Note }
"""
NOW = "2026-01-15T10:00:00Z"


def seconds(moment):
    return calendar.timegm(time.strptime(moment, "%Y-%m-%dT%H:%M:%SZ"))


class Clock(unittest.TestCase):
    def start(self, *options):
        self.server = self.enterContext(harness.Server(harness.PROGRAM, "--in-memory", *options))
        self.client = boto3.client("dynamodb", endpoint_url=self.server.url, config=ONCE)

    def admin(self, method, body=None, path="/admin/clock"):
        """Returns the status and the JSON of a page."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def at(self, moment):
        """A client whose requests all have this time."""
        client = boto3.client("dynamodb", endpoint_url=self.server.url, config=ONCE)
        client.meta.events.register("before-sign.dynamodb", lambda request, **_: request.headers.add_header("x-tavola-now", moment))
        return client

    def test_the_time_is_set_advanced_and_given_back(self):
        self.start("--test-clock")
        status, shown = self.admin("GET")
        self.assertEqual((status, shown["set"]), (200, False))
        self.assertLess(abs(seconds(shown["now"]) - time.time()), 60)
        self.assertEqual(self.admin("PUT", {"now": NOW}), (200, {"now": NOW, "set": True}))
        self.assertEqual(self.admin("PUT", {"advance": "2h"}), (200, {"now": "2026-01-15T12:00:00Z", "set": True}))
        self.assertEqual(self.admin("GET")[1]["now"], "2026-01-15T12:00:00Z")
        harness.create_table(self.server, "orders")
        created = self.client.describe_table(TableName="orders")["Table"]["CreationDateTime"]
        self.assertEqual(created.timestamp(), seconds("2026-01-15T12:00:00Z"))
        self.assertFalse(self.admin("DELETE")[1]["set"])

    def test_wrong_times_are_refused(self):
        self.start("--test-clock")
        for body, said in (({}, "the body must be"), ({"now": 5}, "the body must be"), ({"now": "noon"}, "was noon"),
                           ({"now": NOW, "advance": "1s"}, "the body must be"), ({"advance": "2 hours"}, "was 2 hours"),
                           ({"advance": "-1h"}, "was -1h"), ({"advance": "9000000w"}, "before the year 10000"), ([], "JSON object")):
            status, told = self.admin("PUT", body)
            self.assertEqual(status, 400, told)
            self.assertIn(said, told["detail"])
        self.assertEqual(self.admin("POST", {})[0], 405)
        self.assertFalse(self.admin("GET")[1]["set"])

    def test_items_expire_when_the_time_is_advanced(self):
        self.start("--test-clock")
        self.admin("PUT", {"now": NOW})
        harness.create_table(self.server, "orders")
        self.client.update_time_to_live(TableName="orders", TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})
        for number, until in ((1, "2026-01-15T11:00:00Z"), (2, "2026-01-16T10:00:00Z")):
            self.client.put_item(TableName="orders", Item={"pk": {"S": "a"}, "sk": {"N": str(number)}, "until": {"N": str(seconds(until))}})
        self.assertEqual(self.client.scan(TableName="orders")["Count"], 2)
        self.admin("PUT", {"advance": "59m"})
        self.assertEqual(self.client.scan(TableName="orders")["Count"], 2)
        self.admin("PUT", {"advance": "2h"})
        self.assertEqual([item["sk"]["N"] for item in self.client.scan(TableName="orders")["Items"]], ["2"])

    def test_an_item_is_stuck_after_its_time(self):
        self.start("--test-clock", "--design", DESIGN)
        table = self.client.list_tables()["TableNames"][0]
        self.admin("PUT", {"now": NOW})
        self.client.put_item(TableName=table, Item=SHOP | {"shop_country": {"S": "COUNTRY#DE"}})
        self.client.update_item(TableName=table, Key=SHOP, UpdateExpression="SET gsi2_sk = :k, last_crawled_start = :t",
                                ExpressionAttributeValues={":k": {"S": f"PROGRESS#{NOW}"}, ":t": {"S": NOW}})
        status = "/admin/designs/aura-historia-data"
        self.admin("PUT", {"advance": "119m"})
        self.assertEqual(self.admin("GET", path=status)[1]["stuck"], 0)
        self.admin("PUT", {"advance": "2m"})
        self.assertEqual(self.admin("GET", path=status)[1]["stuck"], 1)
        found = self.admin("GET", path="/v1/aura-historia-data/stuckCrawls?shop_country=COUNTRY%23DE")[1]["items"]
        self.assertEqual([shop["domain"] for shop in found], ["example.com"])

    def test_a_header_sets_the_time_of_one_request(self):
        self.start("--test-clock", "--test-clock-header")
        self.admin("PUT", {"now": NOW})
        past = self.at("2020-02-29T00:00:00Z")
        request = {"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                   "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}
        for client, table in ((past, "old"), (self.client, "new")):
            client.create_table(TableName=table, **request)
        created = {table: self.client.describe_table(TableName=table)["Table"]["CreationDateTime"].timestamp() for table in ("old", "new")}
        self.assertEqual(created, {"old": seconds("2020-02-29T00:00:00Z"), "new": seconds(NOW)})
        with self.assertRaisesRegex(botocore.exceptions.ClientError, "x-tavola-now must be a time like"):
            self.at("yesterday").list_tables()

    def test_the_next_request_of_a_connection_has_the_time_of_the_server(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as design:
            design.write(NOTES)
            design.flush()
            self.start("--test-clock", "--test-clock-header", "--threads", "1", "--design", design.name)
        self.admin("PUT", {"now": NOW})

        def request(note, *headers):
            item = {"PK": {"S": f"NOTE#{note}"}, "SK": {"S": "NOTE"}}
            body = json.dumps({"TableName": "notes", "Item": item})
            return "\r\n".join(["POST / HTTP/1.1", "Host: localhost", "X-Amz-Target: DynamoDB_20120810.PutItem",
                                "Content-Type: application/x-amz-json-1.0", f"Content-Length: {len(body)}",
                                "Authorization: AWS4-HMAC-SHA256 Credential=x/20260115/local/dynamodb/aws4_request, "
                                "SignedHeaders=host, Signature=x", "X-Amz-Date: 20260115T100000Z", *headers, "", body])

        host, port = self.server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            connection.sendall((request("old", "x-tavola-now: 2020-02-29T00:00:00Z") + request("new", "Connection: close")).encode())
            while connection.recv(65536):
                pass
        created = {item["PK"]["S"]: item["createdAt"]["S"] for item in self.client.scan(TableName="notes")["Items"]}
        self.assertEqual(created, {"NOTE#old": "2020-02-29T00:00:00Z", "NOTE#new": NOW})

    def test_without_the_options_nobody_sets_the_time(self):
        self.start()
        for method, body in (("GET", None), ("PUT", {"now": NOW}), ("DELETE", None)):
            status, told = self.admin(method, body)
            self.assertEqual(status, 403)
            self.assertIn("--test-clock", told["detail"])
        with self.assertRaisesRegex(botocore.exceptions.ClientError, "ValidationException.*--test-clock-header"):
            self.at(NOW).list_tables()

    def test_options_that_contradict_each_other_are_refused(self):
        for options, said in ((["--test-clock-header"], "needs --test-clock"), (["--test-clock", "--clock", NOW], "contradict")):
            done = subprocess.run([harness.PROGRAM, "serve", "--in-memory", *options], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    harness.main()
