#!/usr/bin/env python3
"""Data that exists is brought into governed tables: `dump` and `load`, `copy`, samples, plain JSON, restores and ImportTable. Items in later
states, counters, copies and internal records come along, in any order; afterwards the table follows its design.

    tests/designs/import_test.py PROGRAM [TEST ...]
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import governed  # noqa: E402, F401 (finds the modules below)
import harness  # noqa: E402
from access import ask  # noqa: E402
from governed import ClientError, Served, design_file, environment, tavola  # noqa: E402
from governed_model_test import Player  # noqa: E402

DESIGNS = ("InventorySystem", "aura-historia-data", "fus-main", "text-analyzer-history")
SHOP = "InventorySystem"
WRITES = 150
ORDERS = """design: 1
name: orders
table: { name: orders, hash: PK, range: SK }
entities:
  Customer:
    key: { PK: CUSTOMER#<customer>, SK: META }
    ids: { customer: string }
    attributes:
      name: { type: string, required: true }
      orders: { type: integer, default: 0 }
  Order:
    key: { PK: CUSTOMER#<customer>, SK: ORDER#<order> }
    ids: { customer: string, order: string }
    attributes:
      status: { type: enum, values: [OPEN, PAID, SENT] }
      created: { type: timestamp, auto: create }
    lifecycles:
      progress:
        in: status
        states: { OPEN: { initial: true }, PAID: {}, SENT: { terminal: true } }
        transitions:
          pay: { from: [OPEN], to: PAID }
          send: { from: [PAID], to: SENT }
copies:
  counted: { kind: counter, from: Order, to: Customer, count: orders, mode: transaction }
roles:
  clerk: { is: logged-in, read: [Customer, Order], write: [Customer, Order] }
  mover: { is: manager, extends: clerk, import: true }
"""


def as_somebody(key):
    return {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": governed.SECRETS[key]}


class ImportTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_well(self, *words, **more):
        done = tavola(*words, **more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def fill(self, served, name):
        """Sample data, and random writes through every door."""
        sample = self.run_well("design", "sample", design_file(name)).stdout
        table = served.resource().meta.client.list_tables()["TableNames"][0]
        self.run_well("load", table, "-", "--format", "jsonl", "--endpoint", served.server.url, input=sample)
        self.assertEqual(served.drift(name), [])
        player = Player(served, name)
        for _ in range(WRITES):
            player.play()
        return table, len(sample.splitlines())

    def dumped(self, served, table, name):
        file = self.folder / name
        self.run_well("dump", table, "-o", file, "--overwrite", "--endpoint", served.server.url)
        return file, sorted(file.read_text().splitlines())


class Moves(ImportTest):
    def test_dump_and_load_of_every_design(self):
        for name in DESIGNS:
            with self.subTest(name), Served([name]) as one, Served([name]) as other:
                table, _ = self.fill(one, name)
                file, items = self.dumped(one, table, "one.jsonl")
                random.Random(7).shuffle(shuffled := items[:])  # in any order
                file.write_text("\n".join(shuffled))
                loaded = tavola("load", table, file, "--endpoint", other.server.url)
                drift = one.drift(name)  # references whose target was deleted
                self.assertEqual(loaded.returncode, 1 if drift else 0, loaded.stderr)
                visible = sum('{"S":"$' not in line for line in items)
                self.assertIn(f"Checked {visible} items of {table}", loaded.stderr)
                self.assertIn("nothing had to be repaired", loaded.stderr)
                self.assertEqual(self.dumped(other, table, "other.jsonl")[1], items)
                self.assertEqual(other.drift(name), drift)
                hidden = [line for line in items if '"S":"$unique' in line]
                self.assertEqual(len(hidden) > 0, name == SHOP, "the dump has the internal records")
                self.assertNotIn("$unique", str(other.resource().Table(table).scan()["Items"]), "other clients never see them")

    def test_a_sale_sent_again_after_a_move_is_recognised(self):
        sale = {"saleId": "sa1", "shopId": "s1", "productId": "p1", "quantity": 2}
        product = {"shopId": "s1", "productId": "p1", "name": "Lamp", "sku": "A-1", "unitPrice": 5, "currentStock": 10}
        with Served([SHOP]) as one, Served([SHOP]) as other, Served([SHOP]) as third:
            one.perform(f"{SHOP}/createShop", {"shopId": "s1", "name": "Corner", "ownerId": "anna", "address": "1 Main St",
                                               "email": "shop@example.com"})
            self.assertLess(one.perform(f"{SHOP}/createProduct", product)[0], 300)
            status, sold = one.perform(f"{SHOP}/recordSale", sale)
            self.assertLess(status, 300, sold)
            file, _ = self.dumped(one, SHOP, "one.jsonl")
            self.run_well("load", SHOP, file, "--endpoint", other.server.url)
            copied = self.run_well("copy", one.server.url, third.server.url, "--all", "--verify", cwd=self.folder)
            self.assertIn("none different", copied.stdout)
            for moved in (other, third):
                self.assertEqual(moved.perform(f"{SHOP}/recordSale", sale)[1], sold)
                self.assertEqual(moved.send("GET", f"{SHOP}/getProduct?shopId=s1&productId=p1")[1]["currentStock"], 8)
                status, refused = moved.perform(f"{SHOP}/createProduct", product | {"productId": "p2"})
                self.assertEqual(refused.get("refusal"), "SKU_TAKEN", refused)

    def test_what_follows_is_repaired_and_what_cannot_is_reported(self):
        with Served([SHOP]) as served:
            shop = {"PK": {"S": "SHOP#s1"}, "SK": {"S": "META"}, "name": {"S": "Corner"}, "ownerId": {"S": "anna"},
                    "address": {"S": "1 Main St"}, "email": {"S": "shop@example.com"}}
            product = {"PK": {"S": "SHOP#s1"}, "SK": {"S": "PRODUCT#p1"}, "name": {"S": "Lamp"}, "sku": {"S": "A-1"},
                       "unitPrice": {"N": "5"}, "currentStock": {"N": "1"}, "reorderThreshold": {"N": "3"}}
            twin = product | {"SK": {"S": "PRODUCT#p2"}}
            text = "".join(json.dumps(item) + "\n" for item in (twin, product, shop))
            done = tavola("load", SHOP, "-", "--format", "jsonl", "--endpoint", served.server.url, input=text)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("not-unique", done.stderr)
            self.assertIn("PRODUCT#p", done.stderr)
            found = served.send("GET", f"{SHOP}/lowStock?shopId=s1")[1]["items"]
            self.assertEqual(len(found), 2, "index keys were made")
            for wrong in ({"PK": {"S": "X"}, "SK": {"S": "Y"}}, product | {"unitPrice": {"N": "-1"}}):
                done = tavola("load", SHOP, "-", "--format", "jsonl", "--endpoint", served.server.url, input=json.dumps(wrong))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("standard input:1: Tavola: ", done.stderr)


class Samples(ImportTest):
    def test_a_server_with_sample_data(self):
        data = self.folder / "data"
        for name in DESIGNS:
            with self.subTest(name), Served([name], "--sample", "200") as served:
                table = served.resource().meta.client.list_tables()["TableNames"][0]
                count = served.resource().meta.client.scan(TableName=table, Select="COUNT")["Count"]
                self.assertTrue(100 <= count <= 400, count)
                self.assertEqual(served.drift(name), [])
        with Served([SHOP], "--sample", "small", data=data) as served:
            first = served.resource().Table(SHOP).scan()["Items"]
        with Served([SHOP], "--sample", "medium", data=data) as served:
            self.assertEqual(served.resource().Table(SHOP).scan()["Items"], first, "only empty tables are filled")
        refused = tavola("serve", "--port", "0", "--in-memory", "--design", design_file(SHOP), "--sample", "huge")
        self.assertIn("--sample must be small, medium, large or a number", refused.stderr)


class PlainJson(ImportTest):
    def setUp(self):
        super().setUp()
        design = self.folder / "orders.yaml"
        design.write_text(ORDERS)
        self.served = self.enterContext(Served([], "--design", design))
        self.table = self.served.resource().Table("orders")

    def load(self, text, *words, name="data.json", key="AKIDTEST"):
        file = self.folder / name
        file.write_text(text)
        return tavola("load", "orders", file, "--endpoint", self.served.server.url, *words, env=as_somebody(key))

    def test_arrays_and_lines_by_entity(self):
        objects = [{"entity": "Order", "customer": "c1", "order": "1", "status": "SENT", "created": "2020-01-01T00:00:00Z"},
                   {"entity": "Customer", "fields": {"customer": "c1", "name": "Anna [\"}"}}]
        done = self.load(json.dumps(objects, indent=2))
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = "".join(json.dumps({"customer": "c1", "order": str(number)}) + "\n" for number in (2, 3))
        done = self.load(lines, "--entity", "Order", name="more.jsonl")
        self.assertEqual(done.returncode, 0, done.stderr)
        order = self.table.get_item(Key={"PK": "CUSTOMER#c1", "SK": "ORDER#1"})["Item"]
        self.assertEqual((order["status"], order["created"]), ("SENT", "2020-01-01T00:00:00Z"))
        self.assertEqual(self.table.get_item(Key={"PK": "CUSTOMER#c1", "SK": "META"})["Item"]["orders"], 3)
        for text, words in ((json.dumps([{"entity": "Ordr"}]), "Did you mean `Order`?"),
                            (json.dumps({"customer": "c1"}), "does not name its entity"),
                            (json.dumps([{"entity": "Order", "customer": "c1", "order": "9", "state": "x"}]), "has no field state"),
                            (json.dumps([{"entity": "Order", "customer": "c1"}]), "order is required"),
                            ("[1]", "expected an object"), ('[{"entity": "Order"', "does not end")):
            done = self.load(text)
            self.assertEqual(done.returncode, 1, text)
            self.assertIn(words, done.stderr)

    def test_a_role_may_import(self):
        self.table.put_item(Item={"PK": "CUSTOMER#c1", "SK": "META", "name": "Anna"})
        sent = {"PK": "CUSTOMER#c1", "SK": "ORDER#1", "status": "SENT", "created": "2020-01-01T00:00:00Z"}
        for key in ("AKIDTEST", "AKIDANNA"):  # the first stands for nobody, and writes by the design, too
            with self.assertRaises(ClientError) as refused:
                self.served.resource(key=key).Table("orders").put_item(Item=sent)
            self.assertIn("begins as OPEN", str(refused.exception))
            self.assertIn("`tavola load`", str(refused.exception))
            self.assertIn("`import: true`", str(refused.exception))
        self.served.resource(key="AKIDBEN").Table("orders").put_item(Item=sent)
        self.assertEqual(self.table.get_item(Key={"PK": "CUSTOMER#c1", "SK": "ORDER#1"})["Item"]["status"], "SENT")
        paid = json.dumps({"entity": "Order", "customer": "c1", "order": "2", "status": "PAID"})
        self.assertEqual(self.load(paid, "--design", self.folder / "orders.yaml", key="AKIDANNA").returncode, 1)
        done = self.load(paid, key="AKIDBEN")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.table.get_item(Key={"PK": "CUSTOMER#c1", "SK": "META"})["Item"]["orders"], 2)
        status, _, _ = ask(self.served.server, "PUT", "/admin/imports/orders",
                           self.served.access.signed("PUT", f"{self.served.server.url}/admin/imports/orders", b"{}", "AKIDANNA"),
                           b"{}")
        self.assertEqual(status, 403)


class Restores(ImportTest):
    def await_active(self, client, table):
        deadline = time.monotonic() + 60
        while client.describe_table(TableName=table)["Table"]["TableStatus"] != "ACTIVE":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def assert_governed(self, served):
        deadline = time.monotonic() + 60
        while served.send("GET", f"{SHOP}/getShop?shopId=s1")[0] == 503:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.assertEqual(served.drift(SHOP), [])
        with self.assertRaises(ClientError) as refused:
            served.resource().Table(SHOP).put_item(Item={"PK": "X", "SK": "Y"})
        self.assertIn("Tavola: no entity", str(refused.exception))

    def test_a_restored_table_is_governed_again(self):
        with Served([SHOP], "--sample", "small", data=self.folder / "data") as served:
            client = served.resource().meta.client
            before = client.scan(TableName=SHOP)["Items"]
            backup = client.create_backup(TableName=SHOP, BackupName="daily")["BackupDetails"]["BackupArn"]
            client.delete_table(TableName=SHOP)
            client.restore_table_from_backup(TargetTableName=SHOP, BackupArn=backup)
            self.await_active(client, SHOP)
            self.assert_governed(served)
            self.assertEqual(client.scan(TableName=SHOP)["Items"], before)

    def test_an_imported_table_is_governed(self):
        bucket = self.folder / "buckets" / "mine"
        bucket.mkdir(parents=True)
        sample = self.run_well("design", "sample", design_file(SHOP)).stdout
        (bucket / "items.json").write_text("".join(f'{{"Item":{line}}}\n' for line in reversed(sample.splitlines())))
        with Served([SHOP], "--buckets", self.folder / "buckets", data=self.folder / "data") as served:
            client = served.resource().meta.client
            table = client.describe_table(TableName=SHOP)["Table"]
            client.delete_table(TableName=SHOP)
            creation = {"TableName": SHOP, "BillingMode": "PAY_PER_REQUEST", "KeySchema": table["KeySchema"],
                        "AttributeDefinitions": [a for a in table["AttributeDefinitions"] if a["AttributeName"] in ("PK", "SK")]}
            client.import_table(S3BucketSource={"S3Bucket": "mine"}, InputFormat="DYNAMODB_JSON", TableCreationParameters=creation)
            self.await_active(client, SHOP)
            self.assertNotEqual(served.send("GET", f"{SHOP}/getShop?shopId=s1")[0], 503, "its items are checked already")
            self.assert_governed(served)
            self.assertEqual(client.scan(TableName=SHOP, Select="COUNT")["Count"], len(sample.splitlines()))


class Interrupted(ImportTest):
    """Loads that are killed before their items are checked against the design."""
    shop = {"PK": {"S": "SHOP#s1"}, "SK": {"S": "META"}, "name": {"S": "Corner"}, "ownerId": {"S": "anna"}, "address": {"S": "1 Main St"},
            "email": {"S": "shop@example.com"}, "shopId": {"S": "s1"}}

    def lines(self, count):
        """A shop and its products, without index keys, copies and guards."""
        product = {"PK": {"S": "SHOP#s1"}, "shopId": {"S": "s1"}, "name": {"S": "Lamp"}, "unitPrice": {"N": "5"}, "currentStock": {"N": "1"}, "reorderThreshold": {"N": "3"}}
        return [json.dumps(self.shop), *(json.dumps(product | {"SK": {"S": f"PRODUCT#p{at}"}, "productId": {"S": f"p{at}"}, "sku": {"S": f"S-{at}"}})
                                         for at in range(count))]

    def begin(self, *where):
        """Starts a load and gives it items, but no end."""
        load = subprocess.Popen([harness.PROGRAM, "load", SHOP, "-", "--format", "jsonl", *map(str, where)], env=environment(), text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(load.wait)
        self.addCleanup(load.kill)
        self.addCleanup(load.stdin.close)
        load.stdin.write("".join(line + "\n" for line in self.lines(2000)))  # more than a pipe holds: the first ones are loaded
        load.stdin.flush()
        return load

    def status(self, *where):
        return self.run_well("design", "status", design_file(SHOP), *where).stdout

    def await_status(self, served, wanted):
        deadline = time.monotonic() + 120
        while ("brought in" in (text := served.enforce(SHOP))) != wanted:
            self.assertLess(time.monotonic(), deadline, text)
            time.sleep(0.05)
        return text

    def test_a_killed_load_is_shown_and_a_restart_checks_its_items(self):
        data = self.folder / "data"
        served = Served([SHOP], data=data)
        self.addCleanup(served.folder.cleanup)
        served.server.start()
        try:
            load = self.begin("--endpoint", served.server.url)
            text = self.await_status(served, True)
            load.kill()
            self.assertIn("and not checked against the design", text)
            self.assertIn("`tavola design adopt FILE`", text)
            page = json.loads(self.status("--endpoint", served.server.url, "--format", "json"))
            self.assertEqual(page["unchecked"]["checking"], False)
            items = served.resource().Table(SHOP).scan()["Items"]
            self.assertNotIn("$import", str(items), "other clients do not see the mark")
        finally:
            served.server.kill()
        with Served([SHOP], data=data) as served:
            self.assertIn("items were brought in and not checked; this is done now", served.server.log_text())
            self.await_status(served, False)
            self.assertEqual(served.drift(SHOP), [])
        with Served([SHOP], data=data) as served:
            self.assertNotIn("brought in", served.server.log_text())

    def test_the_directory_of_a_killed_load_is_checked_by_the_next_server(self):
        data = self.folder / "data"
        with Served([SHOP], data=data):
            pass
        load = self.begin("--data", data)
        load.kill()
        load.wait()
        where = ("--data", data)
        self.assertIn("not checked against the design", self.status(*where))
        with Served([SHOP], data=data) as served:
            self.await_status(served, False)
            self.assertEqual(served.drift(SHOP), [])

    def test_a_repeated_load_and_an_adoption_check_what_a_killed_one_left(self):
        with Served([SHOP]) as served:
            where = ("--endpoint", served.server.url)
            for check in (lambda: tavola("load", SHOP, "-", "--format", "jsonl", *where, input=json.dumps(self.shop)),
                          lambda: tavola("design", "adopt", design_file(SHOP), *where)):
                load = self.begin(*where)
                self.await_status(served, True)
                load.kill()
                load.wait()
                check()
                self.await_status(served, False)


if __name__ == "__main__":
    harness.main()
