#!/usr/bin/env python3
"""dynamodb-admin (npm) on top of the server, used through the HTTP interface that its pages use.

    tests/clients/dynamodb_admin_test.py PATH/TO/tavola [TEST ...]
"""
import json
import queue
import re
import subprocess
import threading
import unittest
import urllib.error
import urllib.parse
import urllib.request

import harness
import node_packages

START_SECONDS = 120  # far more than it takes


class Admin:
    """dynamodb-admin as a process, on a port that the kernel chose."""

    def __init__(self, endpoint):
        self.environment = {**harness.environment(), "DYNAMO_ENDPOINT": endpoint}
        self.url = None
        self.lines = queue.Queue()  # its output; None at the end
        self.log = []

    def __enter__(self):
        program = node_packages.MODULES / "dynamodb-admin/dist/dynamodb-admin.js"
        self.process = subprocess.Popen(["node", program, "--host", "127.0.0.1", "--port", "0"], env=self.environment,
                                        text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        while self.url is None:
            line = self.lines.get(timeout=START_SECONDS)
            if line is None:
                raise AssertionError("dynamodb-admin ended:\n" + "".join(self.log))
            found = re.search(r"listening on (http://\S+)", line)
            self.url = found and found[1]
        return self

    def __exit__(self, *problem):
        self.process.kill()
        self.process.wait()
        self.reader.join()

    def read(self):
        with self.process.stdout as stream:
            for line in stream:
                self.log.append(line)
                self.lines.put(line)
        self.lines.put(None)

    def request(self, method, path, body=None):
        """Returns status and text."""
        data = None if body is None else json.dumps(body).encode()
        message = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(message, timeout=60) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()


class DynamodbAdmin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(harness.Server(harness.PROGRAM, "--in-memory"))
        cls.admin = cls.enterClassContext(Admin(cls.server.url))

    def get(self, path, **query):
        if query:
            path += "?" + urllib.parse.urlencode(query)
        return self.send("GET", path)

    def send(self, method, path, body=None):
        status, text = self.admin.request(method, path, body)
        self.assertIn(status, (200, 204), text)
        return text

    def search(self, table, **query):
        if "filters" in query:
            query["filters"] = json.dumps(query["filters"])
        return json.loads(self.get(f"/tables/{table}/items", **query))

    def numbers(self, table, **query):
        return [item["sk"] for item in self.search(table, **query)["Items"]]

    def fill(self, table, count):
        harness.create_table(self.server, table)
        for number in range(count):
            harness.call(self.server, "PutItem", TableName=table, Item={
                "pk": {"S": "a" if number % 2 else "b"}, "sk": {"N": str(number)}, "text": {"S": f"text {number}"}})

    def test_tables(self):
        self.send("POST", "/create-table", {
            "TableDefinition": {"TableName": "made-here", "HashAttributeName": "id", "HashAttributeType": "S",
                                "RangeAttributeName": "at", "RangeAttributeType": "N",
                                "ReadCapacityUnits": 3, "WriteCapacityUnits": 4},
            "SecondaryIndexes": [
                {"IndexName": "byName", "IndexType": "global", "HashAttributeName": "name", "HashAttributeType": "S",
                 "ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
                {"IndexName": "bySize", "IndexType": "local", "HashAttributeName": "id", "HashAttributeType": "S",
                 "RangeAttributeName": "size", "RangeAttributeType": "N"}]})
        tables = {table["TableName"]: table for table in json.loads(self.get("/api/tables"))}
        self.assertEqual(tables["made-here"]["ProvisionedThroughput"]["WriteCapacityUnits"], 4)
        self.assertEqual(tables["made-here"]["LocalSecondaryIndexes"][0]["IndexName"], "bySize")
        self.assertIn("made-here", self.get("/"))
        self.assertIn("byName", self.get("/tables/made-here/meta"))
        self.assertIn("made-here", self.get("/tables/made-here"))
        self.send("DELETE", "/tables/made-here")
        self.assertNotIn("made-here", self.get("/"))

    def test_an_item_from_its_form_to_its_end(self):
        harness.create_table(self.server, "forms")
        self.assertIn("forms", self.get("/tables/forms/add-item"))
        item = {"pk": "è, no", "sk": 7, "list": [1, {"deep": None}], "yes": True}
        self.assertEqual(json.loads(self.send("PUT", "/tables/forms/add-item", item)), {"pk": "è, no", "sk": 7})
        self.assertEqual(self.search("forms")["Items"], [{**item, "__key": {"pk": "è, no", "sk": 7}}])
        self.send("PUT", "/tables/forms/add-item", {"pk": "plain", "sk": 8})
        self.assertIn("plain", self.get("/tables/forms/items/plain,8"))
        changed = {"pk": "plain", "sk": 8, "more": "x" * 50_000}
        self.assertEqual(json.loads(self.send("PUT", "/tables/forms/items/plain,8", changed)), changed)
        self.send("DELETE", "/tables/forms/items/plain,8")
        self.assertEqual(self.admin.request("GET", "/tables/forms/items/plain,8"), (404, "Not found"))

    def test_scans_and_queries(self):
        self.fill("searched", 30)
        first = self.search("searched", pageSize=20)
        self.assertEqual(len(first["Items"]), 20)
        rest = self.search("searched", pageSize=20, startKey=urllib.parse.unquote(first["nextKey"]))
        self.assertEqual(sorted(item["sk"] for item in first["Items"] + rest["Items"]), list(range(30)))
        self.assertIsNone(rest["nextKey"])
        hash_key = {"pk": {"type": "S", "operator": "=", "value": "a"}}
        self.assertEqual(self.numbers("searched", operationType="query", filters=hash_key), list(range(1, 30, 2)))
        both = {**hash_key, "sk": {"type": "N", "operator": ">", "value": "20"},
                "text": {"type": "S", "operator": "begins_with", "value": "text 2"}}
        self.assertEqual(self.numbers("searched", operationType="query", filters=both), [21, 23, 25, 27, 29])
        self.assertEqual(sorted(self.numbers("searched", operationType="scan", filters={
            "sk": {"type": "N", "operator": "<", "value": "3"}})), [0, 1, 2])

    def test_a_refusal_is_shown(self):
        status, text = self.admin.request("GET", "/tables/nowhere/items")
        self.assertEqual(status, 500)
        self.assertIn("ResourceNotFoundException", text)

    def test_everything_in_a_table_is_deleted(self):
        self.fill("purged", 10)
        self.send("DELETE", "/tables/purged/all")
        self.assertEqual(self.search("purged")["Items"], [])


if __name__ == "__main__":
    node_packages.install_once()
    harness.main()
