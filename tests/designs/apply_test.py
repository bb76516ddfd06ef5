#!/usr/bin/env python3
"""A design changes while its table is used: `design apply` on a data directory and at a server, `serve --watch`, and `design init`.

    tests/designs/apply_test.py PROGRAM [TEST ...]
"""
import copy
import http.client
import json
import os
import pathlib
import pty
import random
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import governed  # noqa: E402, F401 (finds the modules below)
import harness  # noqa: E402
from cases import load, to_json  # noqa: E402
from governed import KEY, ClientError, Served, design_file, environment  # noqa: E402
from random_writes import RandomWrites  # noqa: E402

SHOP = """design: 1
name: Shop
table: { name: Shop, hash: PK, range: SK }
entities:
  Product:
    key: { PK: SHOP#<shopId>, SK: PRODUCT#<productId> }
    ids: { shopId: string, productId: string }
    attributes:
      name: { type: string, required: true }
      sku: string
patterns:
  getProduct: { get: Product }
  listProducts: { query: Product, hash: SHOP#<shopId>, range: begins_with PRODUCT# }
"""
INDEX = """indexes:
  GSI1: { hash: GSI1PK, range: GSI1SK, project: all }
entities:
  Product:
    index:
      GSI1: { hash: SKU#<sku>, range: <productId> }
"""
BY_SKU = "  bySku: { query: Product, via: GSI1, hash: SKU#<sku> }\n"


def changed(*more):
    """Returns the design with an index, a derived field, and further attributes."""
    text = SHOP.replace("entities:\n  Product:\n", INDEX) + BY_SKU
    lines = ["label: { type: string, derive: upper(name) }", *more]
    return text.replace("      sku: string\n", "".join(f"      {line}\n" for line in ["sku: string", *lines]))


def product(number, **more):
    return {"PK": "SHOP#s1", "SK": f"PRODUCT#{number}", "name": f"lamp {number}", "sku": f"S-{number}", **more}


def tavola(*words):
    return subprocess.run([harness.PROGRAM, *map(str, words)], text=True, capture_output=True, check=False, env=environment(),
                          stdin=subprocess.DEVNULL)


def at_terminal(words, answers):
    """Runs the program at a terminal where somebody gives these answers. Returns the exit code, its output, and what the terminal shows."""
    terminal, inside = pty.openpty()
    try:
        with subprocess.Popen([harness.PROGRAM, *map(str, words)], stdin=inside, stderr=inside, stdout=subprocess.PIPE, text=True,
                              env=environment()) as process:
            os.write(terminal, "".join(f"{answer}\n" for answer in answers).encode())
            out = process.communicate(timeout=60)[0]
        return process.returncode, out, os.read(terminal, 65536).decode()
    finally:
        os.close(terminal)
        os.close(inside)


class ChangeTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.data = self.folder / "data"
        self.file = self.folder / "shop.yaml"

    def apply(self, text, *words, where=None, code=0):
        self.file.write_text(text, encoding="utf-8")
        done = tavola("design", "apply", self.file, *(where or ("--data", self.data)), *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def plan(self, text, where=None, code=0):
        return json.loads(self.apply(text, "--dry-run", "--format", "json", where=where, code=code).stdout)["plan"]

    @staticmethod
    def fill(served, items):
        with served.resource().Table("Shop").batch_writer() as batch:
            for item in items:
                batch.put_item(Item=item)

    def fill_data(self, items):
        self.apply(SHOP, "--yes")
        with Served([], data=self.data) as served:
            self.fill(served, items)

    @staticmethod
    def admin(served, table="Shop"):
        path = f"/admin/tables/{table}/design"
        connection = http.client.HTTPConnection(served.server.url.removeprefix("http://"), timeout=60)
        try:
            connection.request("GET", path, headers=served.access.signed("GET", served.server.url + path, None, KEY))
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def wait_for(self, what):
        """Calls it until it returns something true, and returns that."""
        deadline = time.monotonic() + 120
        while not (found := what()):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        return found

    def assert_no_drift(self, *where):
        done = tavola("design", "drift", self.file, *where, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Apply(ChangeTest):
    def test_an_index_and_a_derived_field(self):
        self.fill_data([product(i) for i in range(5)])
        plan = self.plan(changed())
        self.assertEqual(plan["indexes"], {"create": ["GSI1"], "replace": [], "delete": []})
        self.assertEqual((plan["breaking"], plan["left"], plan["items"]["itemsToWrite"]), (0, 0, 5))
        refused = self.apply(changed(), code=3)
        self.assertIn("create   GSI1 (GSI1PK, GSI1SK)", refused.stdout)
        self.assertIn("backfill  Product.label: is new and computed", refused.stdout)
        self.assertIn("--yes", refused.stderr)
        self.assertEqual(self.plan(changed())["indexes"]["create"], ["GSI1"])  # nothing was done
        self.apply(changed(), "--yes")
        self.assert_no_drift("--data", self.data)
        self.assertIn("Nothing is to be done", self.apply(changed()).stdout)
        with Served([], data=self.data) as served:
            found = served.resource().Table("Shop").query(IndexName="GSI1", KeyConditionExpression="GSI1PK = :k",
                                                          ExpressionAttributeValues={":k": "SKU#S-3"})["Items"]
            self.assertEqual([(item["SK"], item["label"]) for item in found], [("PRODUCT#3", "LAMP 3")])

    def test_items_that_cannot_follow_are_counted_before_and_after(self):
        self.fill_data([product(1), product(2, sku="S-1"), product(3)])
        later = changed("brand: { type: string, required: true }", "stock: { type: integer, required: true, default: 7 }")
        later = later.replace("sku: string", "sku: { type: string, unique: true }")
        plan = self.plan(later, code=1)
        found = {(finding["rule"], finding["about"]): (finding["count"], finding["computable"])
                 for finding in plan["items"]["findings"]}
        self.assertEqual(found["field", "Product.brand"], (3, 0))
        self.assertEqual(found["field", "Product.stock"], (3, 3))  # the default
        self.assertEqual(found["not-unique", "Product.sku"], (1, 0))
        self.assertEqual(found["guard-missing", "Product.sku"], (2, 2))
        self.assertEqual(plan["left"], 4)
        self.assertIn({"class": "breaks", "part": "Product.brand", "message": "is new and required"}, plan["differences"])
        done = json.loads(self.apply(later, "--yes", "--format", "json", code=1).stdout)["applied"]
        self.assertTrue(done["enforced"])
        self.assertEqual({(one["rule"], one["count"]) for one in done["left"]["findings"]}, {("field", 3), ("not-unique", 1)})
        with Served([], data=self.data) as served:
            table = served.resource().Table("Shop")
            self.assertEqual(table.get_item(Key={"PK": "SHOP#s1", "SK": "PRODUCT#1"})["Item"]["stock"], 7)
            with self.assertRaises(ClientError):
                table.put_item(Item=product(4, brand="b", sku="S-3"))

    def test_a_removed_pattern_breaks_and_unused_indexes_are_deleted_on_request(self):
        self.apply(changed(), "--yes")
        plan = self.plan(SHOP, code=1)
        self.assertEqual((plan["breaking"], plan["indexes"]["delete"]), (3, ["GSI1"]))
        self.assertIn({"class": "breaks", "part": "pattern bySku", "message": "is gone"}, plan["differences"])
        self.apply(SHOP, code=3)
        self.apply(SHOP, "--yes")
        self.assertEqual(self.plan(SHOP)["indexes"]["delete"], ["GSI1"])
        self.apply(SHOP, "--yes", "--delete-indexes")
        self.assertEqual(self.plan(SHOP)["indexes"]["delete"], [])
        self.apply(changed(), "--yes")
        other = changed().replace("hash: GSI1PK, range: GSI1SK", "hash: GSI1SK, range: GSI1PK")
        self.assertIn("--delete-indexes", self.apply(other, "--yes", code=2).stderr)
        self.apply(other, "--yes", "--delete-indexes")
        self.assert_no_drift("--data", self.data)

    def test_the_question_at_a_terminal(self):
        self.file.write_text(SHOP, encoding="utf-8")
        words = ("design", "apply", self.file, "--data", self.data)
        code, out, shown = at_terminal(words, ["n"])
        self.assertEqual((code, self.data.exists()), (3, False), out + shown)
        code, out, shown = at_terminal(words, ["y"])
        self.assertEqual(code, 0, out + shown)
        self.assertIn("Apply? [y/N]", shown)
        self.assertIn("the table does not exist and will be created", out)
        self.assertIn("table Shop: created", out)

    def test_other_keys_of_the_table_need_a_migration(self):
        self.apply(SHOP, "--yes")
        text = SHOP.replace("hash: PK, range: SK }", "hash: id, range: SK }").replace("key: { PK:", "key: { id:")
        refused = self.apply(text, "--yes", code=2)
        self.assertIn(f"tavola migrate {self.file} --from REVISION --data {self.data}", refused.stderr)
        served = tavola("serve", "--port", "0", "--data", self.data, "--design", self.file)
        self.assertEqual(served.returncode, 1)
        self.assertIn("the table has the keys PK HASH, SK RANGE, not id HASH, SK RANGE", served.stderr)
        self.assertIn(f"tavola migrate {self.file} --from REVISION --data {self.data}", served.stderr)

    def test_a_local_index_needs_a_migration(self):
        self.fill_data([product(1)])
        text = SHOP.replace("entities:\n  Product:\n", '''indexes:
  byPrice: { local: true, hash: PK, range: { name: price, type: number } }
entities:
  Product:
    index: { byPrice: { hash: SHOP#<shopId>, range: <price> } }
''').replace("      sku: string\n", "      sku: string\n      price: number\n")
        text = text.replace("range: SK }", "range: SK, index_keys: shared }")
        refused = self.apply(text, "--yes", code=2)
        adopt = tavola("design", "adopt", self.file, "--data", self.data)
        served = tavola("serve", "--port", "0", "--data", self.data, "--design", self.file)
        self.assertEqual((adopt.returncode, served.returncode), (2, 1))
        for done in (refused, adopt, served):
            self.assertIn("index byPrice is missing", done.stderr)
            self.assertIn("the local indexes of a table cannot change", done.stderr)
            self.assertIn("`tavola migrate` does", done.stderr)
        for done in (refused, served):
            self.assertIn(f"tavola migrate {self.file} --from REVISION --data {self.data}", done.stderr)
        self.file.write_text(SHOP, encoding="utf-8")
        self.assert_no_drift("--data", self.data)  # nothing was done


class ApplyAtAServer(ChangeTest):
    def where(self, served):
        return ("--endpoint", served.server.url)

    def test_v1_serves_the_change_without_a_restart(self):
        self.file.write_text(SHOP, encoding="utf-8")
        served_file = self.folder / "served.yaml"
        served_file.write_text(SHOP, encoding="utf-8")
        with Served([], "--design", served_file) as served:
            self.fill(served, [product(i) for i in range(3)])
            self.assertEqual(served.send("GET", "Shop/bySku?sku=S-1")[0], 404)
            done = self.apply(changed(), "--yes", where=self.where(served))
            self.assertIn(f"note: the server was started with --design {served_file}", done.stderr)
            status, page = served.send("GET", "Shop/bySku?sku=S-1")
            self.assertEqual((status, [one["label"] for one in page["items"]]), (200, ["LAMP 1"]))
            self.assertIn("/v1/Shop/bySku", served.send("GET", "openapi.json")[1]["paths"])
            self.assert_no_drift(*self.where(served))
            served.server.wait_for_log("the design has changed")
            self.apply(changed().replace("label: {", "label: { nonsense: 1,"), "--yes", where=self.where(served), code=2)

    def test_a_kill_in_the_middle(self):
        """The same command continues after the server was killed."""
        count = 4000
        text = changed("stock: { type: integer, required: true, default: 7 }")
        first = Served([], data=self.data)
        self.addCleanup(first.folder.cleanup)
        first.server.start()
        self.addCleanup(first.server.kill)
        self.apply(SHOP, "--yes", where=self.where(first))
        self.fill(first, (product(i) for i in range(count)))
        self.file.write_text(text, encoding="utf-8")
        with subprocess.Popen([harness.PROGRAM, "design", "apply", self.file, "--yes", "--no-scan", *self.where(first)],
                              env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as command:
            self.wait_for(lambda: self.admin(first)["adopting"])
            first.server.kill()
            self.assertEqual(command.wait(60), 2)
        with Served([], data=self.data) as served:
            self.assertTrue(self.plan(text, where=self.where(served))["resumes"])
            self.apply(text, "--yes", where=self.where(served))
            self.assert_no_drift(*self.where(served))
            self.assertIn("Nothing is to be done", self.apply(text, where=self.where(served)).stdout)

    def test_random_writes_before_and_after(self):
        """The design without an index and with less computed governs the table, then the whole one."""
        whole = load(design_file("InventorySystem"))
        older = copy.deepcopy(whole)
        del older["capacity"], older["indexes"]["GSI2"], older["patterns"]["lowStock"], older["entities"]["Product"]["index"]["GSI2"]
        for entity in older["entities"].values():
            entity.pop("examples", None)
        self.file.write_text(to_json(older), encoding="utf-8")
        with Served([], "--design", self.file) as served:
            self.write(served, RandomWrites(older, random.Random("before")))
            done = tavola("design", "apply", design_file("InventorySystem"), "--yes", "--endpoint", served.server.url)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(self.drift(served), [])
            self.write(served, RandomWrites(whole, random.Random("after")))
            self.assertEqual(self.drift(served), [])

    @staticmethod
    def drift(served):
        """A reference is checked when it is written; deleting its target is allowed."""
        return [line for line in served.drift("InventorySystem") if not line.startswith("reference ")]

    @staticmethod
    def write(served, writes):
        client = served.resource().meta.client
        table = client.list_tables()["TableNames"][0]
        for number in range(300):
            try:
                if number % 3 == 0:
                    client.put_item(TableName=table, Item=writes.item())
                elif number % 3 == 1:
                    client.update_item(TableName=table, **writes.update())
                else:
                    client.transact_write_items(TransactItems=writes.transaction(table))
            except ClientError as error:
                if error.response["ResponseMetadata"]["HTTPStatusCode"] >= 500:
                    raise


class Watch(ChangeTest):
    def test_a_changed_file_is_applied(self):
        self.file.write_text(SHOP, encoding="utf-8")
        with Served([], "--design", self.file, "--watch") as served:
            self.fill(served, [product(1)])
            self.file.write_text(SHOP.replace("sku: string", "sku: nonsense"), encoding="utf-8")
            served.server.wait_for_log("the one before it stays")
            served.server.wait_for_log("nonsense")
            self.assertEqual(served.send("GET", "Shop/listProducts?shopId=s1")[0], 200)
            newer = self.folder / "shop.yaml.new"
            newer.write_text(changed(), encoding="utf-8")
            newer.rename(self.file)  # as editors do
            self.wait_for(lambda: served.send("GET", "Shop/bySku?sku=S-1")[0] == 200)
            self.assertEqual(served.send("GET", "Shop/bySku?sku=S-1")[1]["items"][0]["label"], "LAMP 1")
            self.assertIn("backfill  Product.label: is new and computed", served.server.log_text())
            self.assert_no_drift("--endpoint", served.server.url)

    def test_a_file_with_errors_stops_no_other(self):
        self.file.write_text(SHOP, encoding="utf-8")
        other = self.folder / "other.yaml"
        other.write_text(SHOP.replace("Shop", "Other"), encoding="utf-8")
        with Served([], "--design", self.file, "--design", other, "--watch") as served:
            self.file.write_text(SHOP.replace("sku: string", "sku: nonsense"), encoding="utf-8")
            served.server.wait_for_log("the one before it stays")
            other.write_text(changed().replace("Shop", "Other"), encoding="utf-8")
            self.wait_for(lambda: served.send("GET", "Other/bySku?sku=S-1")[0] == 200)

    def test_watch_needs_a_design(self):
        done = tavola("serve", "--port", "0", "--in-memory", "--watch")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--watch needs a --design", done.stderr)

    def test_an_index_is_created_for_an_empty_table_when_the_server_starts(self):
        self.apply(SHOP, "--yes")
        self.file.write_text(changed(), encoding="utf-8")
        with Served([], "--design", self.file, data=self.data) as served:
            self.assertEqual(served.send("GET", "Shop/bySku?sku=S-1")[0], 200)
            served.server.wait_for_log("change=\"backfill  index GSI1: is new\"")


class Init(ChangeTest):
    def init(self, *words, code=0):
        done = tavola("design", "init", self.file, *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def assert_sound(self):
        done = tavola("design", "lint", self.file)
        self.assertEqual(done.returncode, 0, done.stdout + self.file.read_text(encoding="utf-8"))
        return load(self.file)

    def test_questions_at_a_terminal(self):
        answers = ["Bookshop", "books", "", "", "Author, Book",
                   "", "", "name!, country", "country",
                   "AUTHOR#<authorId", "", "", "",  # a mistake: the entity is asked for once more
                   "AUTHOR#<authorId>", "BOOK#<bookId>", "title!, price: number", ""]
        code, out, shown = at_terminal(("design", "init", self.file), answers)
        self.assertEqual(code, 0, out + shown)
        self.assertIn("Once more", shown)
        design = self.assert_sound()
        self.assertEqual((design["name"], design["table"]["name"]), ("Bookshop", "books"))
        self.assertEqual(design["entities"]["Book"]["key"], {"PK": "AUTHOR#<authorId>", "SK": "BOOK#<bookId>"})
        self.assertEqual(set(design["patterns"]), {"getAuthor", "getBook", "authorByCountry", "listBook"})
        for command in (f"tavola design check {self.file}", f"tavola serve --design {self.file} --watch"):
            self.assertIn(command, out)
        with Served([], "--design", self.file) as served:
            added = served.perform("Bookshop/addAuthor", {"authorId": "a1", "name": "Anna", "country": "DE"})
            self.assertIn(added[0], (200, 204), added)
            self.assertEqual(served.send("GET", "Bookshop/authorByCountry?country=DE")[1]["items"][0]["name"], "Anna")

    def test_without_a_terminal(self):
        self.init("--entity", "Customer", "--entity", "Order", "--range", "-")
        design = self.assert_sound()
        self.assertEqual(design["entities"]["Order"]["key"], {"PK": "ORDER#<orderId>"})
        self.assertIn("--force", self.init(code=1).stderr)
        self.init("--force")
        self.assertIn("others with --name", self.init("--force", "--name", "x", code=1).stderr)  # no table may be called so

    def test_from_samples_and_from_a_table(self):
        samples = self.folder / "samples.jsonl"
        samples.write_text("".join(json.dumps(product(i, GSI1PK=f"SKU#S-{i}", GSI1SK=str(i))) + "\n" for i in range(3)), encoding="utf-8")
        self.init("--from", "samples", samples)
        drafted = self.assert_sound()
        self.assertEqual(drafted["indexes"]["GSI1"]["hash"], "GSI1PK")
        self.assertIn("--hash", self.init("--from", "samples", samples, "--force", "--hash", "nothing", code=2).stderr)
        self.fill_data([product(i) for i in range(3)])
        self.init("--from", "table", "Shop", "--data", self.data, "--force")
        self.assertEqual(self.assert_sound()["table"]["name"], "Shop")


if __name__ == "__main__":
    harness.main()
