#!/usr/bin/env python3
"""Concurrent plain clients on governed tables: one wins where only one can, counters stay exact, and a killed server
leaves every copy consistent. Drift finds nothing after every test.

    tests/designs/governed_contention_test.py PROGRAM [--results FILE] [TEST ...]

TAVOLA_KILLS is the number of kills (5), TAVOLA_SEED decides their times.
"""
import collections
import concurrent.futures
import os
import pathlib
import random
import sys
import tempfile
import threading
import time
import unittest

import botocore.exceptions

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import governed  # noqa: E402
from governed import ClientError, GovernedTest, Served, drift  # noqa: E402

CLIENTS = 64
TRIES_MAX = 1000  # a conflicting transaction is sent again, as AWS's clients do
DESIGNS = ["InventorySystem", "fus-main", "text-analyzer-history"]
KILLS = int(os.environ.get("TAVOLA_KILLS", "5"))
SEED = int(os.environ.get("TAVOLA_SEED", "7"))
CONFLICTS = ("TransactionConflictException", "TransactionInProgressException", "ThrottlingException")


def is_conflict(error):
    """Returns whether another writer interfered: the outcome is open."""
    if error.response["Error"]["Code"] in CONFLICTS:
        return True
    return any(reason["Code"] == "TransactionConflict" for reason in error.response.get("CancellationReasons", []))


class AtOnce(GovernedTest):
    options = ("--threads", "16")  # so that they do meet

    def at_once(self, write):
        """Returns how often each outcome occurred for CLIENTS that begin together: "done", or the error's code."""
        gate = threading.Barrier(CLIENTS)

        def one(number):
            gate.wait()
            for _ in range(TRIES_MAX):
                try:
                    write(number)
                    return "done"
                except ClientError as error:
                    if not is_conflict(error):
                        return error.response["Error"]["Code"]
            self.fail("it came to no end")

        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
            return collections.Counter(clients.map(one, range(CLIENTS)))


class Files(AtOnce):
    design = "text-analyzer-history"
    file = ("FILE#f1", "META")

    def test_one_worker_claims_a_file(self):
        """Covers TA2, TA4."""
        self.put(*self.file, ownerId="anna", s3Bucket="b", s3Key="k", originalFileName="a.txt")
        outcomes = self.at_once(lambda _: self.update(self.file, "SET #status = :to", "#status = :from",
                                                      **{"to": "IN_PROGRESS", "from": "PENDING"}))
        self.assertEqual(outcomes, {"done": 1, "ConditionalCheckFailedException": CLIENTS - 1})
        self.assert_item(("OWNER#anna", "FILE#f1"), status="IN_PROGRESS")

    def test_one_worker_claims_a_file_though_nobody_asks(self):
        """Covers TA3, TA4."""
        self.put(*self.file, ownerId="anna", s3Bucket="b", s3Key="k", originalFileName="a.txt")
        outcomes = self.at_once(lambda _: self.update(self.file, "SET #status = :to", to="IN_PROGRESS"))
        self.assertEqual(outcomes, {"done": 1, "ConditionalCheckFailedException": CLIENTS - 1})
        self.assert_item(("OWNER#anna", "FILE#f1"), status="IN_PROGRESS")

    def test_a_file_is_completed_or_failed_though_nobody_asks(self):
        """Covers TA3, TA4."""
        self.put(*self.file, ownerId="anna", s3Bucket="b", s3Key="k", originalFileName="a.txt")
        self.update(self.file, "SET #status = :to", to="IN_PROGRESS")
        result = {"totalWords": 0, "uniqueWords": 0, "avgWordLength": 0, "top10Words": []}

        def end(number):
            if number % 2:
                self.update(self.file, "SET #status = :to, #result = :r", to="COMPLETED", r=result)
            else:
                self.update(self.file, "SET #status = :to, errorMessage = :m", to="FAILED", m="this is no text")

        self.assertEqual(self.at_once(end), {"done": 1, "ConditionalCheckFailedException": CLIENTS - 1})
        self.assert_item(("OWNER#anna", "FILE#f1"), status=self.get(*self.file)["status"])


class Registry(AtOnce):
    design = "aura-historia-data"
    keys = ("pk", "sk")
    shop = ("SHOP#example.com", "META#")

    def claim(self, number, condition=None):
        moment = f"2026-01-15T10:00:{number % 60:02}Z"
        values = {"k": f"PROGRESS#{moment}", "t": moment} | ({"never": "NEVER#"} if condition else {})
        self.update(self.shop, "SET gsi2_sk = :k, last_crawled_start = :t", condition, **values)

    def test_one_worker_claims_a_shop(self):
        """Covers AH8."""
        self.put(*self.shop, shop_country="DE")
        outcomes = self.at_once(lambda number: self.claim(number, "gsi2_sk = :never"))
        self.assertEqual(outcomes, {"done": 1, "ConditionalCheckFailedException": CLIENTS - 1})

    def test_one_moment_claims_a_shop_though_nobody_asks(self):
        """Covers AH8."""
        self.put(*self.shop, shop_country="DE")
        self.assertEqual(self.at_once(self.claim), {"done": 1, "ConditionalCheckFailedException": CLIENTS - 1})


class Inventory(AtOnce):
    design = "InventorySystem"
    product = ("SHOP#s1", "PRODUCT#p1")

    def setUp(self):
        super().setUp()
        self.put("SHOP#s1", "META", name="Corner Shop")

    def sell(self, number):
        change = self.update_request(self.product, "SET currentStock = currentStock - :n", "currentStock >= :n", n=1)
        self.table.update_item(**change)

    def test_what_is_in_stock_is_sold_and_no_more(self):
        """Covers INV3, INV4."""
        self.put(*self.product, name="Tea", sku="1", unitPrice=3, currentStock=50, reorderThreshold=5)
        self.assertEqual(self.at_once(self.sell), {"done": 50, "ConditionalCheckFailedException": CLIENTS - 50})
        self.assert_item(self.product, currentStock=0, GSI2PK="SHOP#s1#LOWSTOCK")

    def test_nor_by_those_who_do_not_look(self):
        """Covers INV3."""
        self.put(*self.product, name="Tea", sku="1", unitPrice=3, currentStock=50)
        outcomes = self.at_once(lambda _: self.update(self.product, "ADD currentStock :n", n=-1))
        self.assertEqual(outcomes, {"done": 50, "ValidationException": CLIENTS - 50})
        self.assert_item(self.product, currentStock=0)

    def test_whole_sales_at_once(self):
        """Covers INV3."""
        self.put(*self.product, name="Tea", sku="1", unitPrice=3, currentStock=50)

        def sell(number):
            moment = f"2026-01-15T10:00:{number % 60:02}Z"
            stock = self.update_request(self.product, "SET currentStock = currentStock - :n", "currentStock >= :n", n=1)
            sale = self.key("SHOP#s1", f"SALE#{moment}#x{number}") | {"productId": "p1", "quantity": 1}
            change = self.key("PRODUCT#p1", f"TX#{moment}#x{number}") | {"shopId": "s1", "quantityChange": -1,
                                                                         "type": "OUT"}
            self.transact(("Update", stock), ("Put", {"Item": sale}), ("Put", {"Item": change}))

        self.assertEqual(self.at_once(sell), {"done": 50, "TransactionCanceledException": CLIENTS - 50})
        self.assert_item(self.product, currentStock=0)
        self.assertEqual(len(self.scan()), 2 + 2 * 50)

    def test_sales_of_all_clients_leave_one_notice(self):
        """Covers INV4."""
        self.put(*self.product, name="Tea", sku="1", unitPrice=3, currentStock=CLIENTS, reorderThreshold=CLIENTS // 2)

        def sell(number):
            if number % 3 == 0:
                return self.sell(number)
            if number % 3 == 1:
                return self.transact(("Update", self.update_request(self.product, "ADD currentStock :n", n=-1)))
            return self.perform("recordSale", shopId="s1", productId="p1", saleId=f"x{number}", quantity=1)

        self.assertEqual(self.at_once(sell), {"done": CLIENTS})
        self.assert_item(self.product, currentStock=0)
        notices = [item for item in self.query(None, PK="SHOP#s1") if item["entityType"] == "NOTIFICATION"]
        self.assertEqual([notice["currentStock"] for notice in notices], [CLIENTS // 2 - 1])

    def test_a_sku_is_one_products(self):
        """Covers INV5."""
        outcomes = self.at_once(lambda number: self.put("SHOP#s1", f"PRODUCT#p{number}", name="Tea", sku="1",
                                                        unitPrice=3))
        self.assertEqual(outcomes, {"done": 1, "ConditionalCheckFailedException": CLIENTS - 1})
        self.assertEqual(len(self.scan()), 2)


class Catalogue(AtOnce):
    design = "fus-main"
    site = ("SITE#mdn", "METADATA")

    def setUp(self):
        super().setUp()
        self.put(*self.site, url="https://developer.mozilla.org/", title="MDN")

    def change_rating(self, number):
        """Makes three changes, one of a rating of 16 that others change, too."""
        choice = random.Random(SEED * 1000 + number)
        for _ in range(3):
            rating = (f"USER#u{choice.randrange(16)}", "SITE#mdn")
            change = choice.choice((self.put, self.put, self.delete, None))
            if change is None:
                self.transact(("Put", {"Item": self.key(*rating) | {"stars": choice.randint(1, 5)}}),
                              ("Put", {"Item": self.key(f"USER#v{number}", "SITE#mdn") | {"stars": 1}}))
            elif change == self.put:
                self.put(*rating, stars=choice.randint(1, 5))
            else:
                self.delete(*rating)

    def test_ratings_that_all_change_are_counted_exactly(self):
        """Covers FUS3."""
        self.assertEqual(self.at_once(self.change_rating), {"done": CLIENTS})
        items = self.scan()
        stars = [item["stars"] for item in items if item["PK"].startswith("USER#")]
        self.assertGreater(len(stars), 0)
        self.assert_item(self.site, ratingCount=len(stars), ratingSum=sum(stars))
        counted = {item["stars"]: item["ratings"] for item in items if item["SK"].startswith("STARS#")}
        self.assertEqual(counted, {value: stars.count(value) for value in counted})
        self.assertEqual(sum(counted.values()), len(stars))

    def test_a_site_that_goes_meanwhile_leaves_no_comment(self):
        """Covers FUS4, FUS10."""
        def write(number):
            if number == CLIENTS // 2:
                self.delete(*self.site)
            else:
                self.put(f"USER#u{number}", f"SITE#mdn#COMMENT#c{number}", body="Thank you")

        outcomes = self.at_once(write)
        self.assertEqual(outcomes["done"] + outcomes["ValidationException"], CLIENTS, outcomes)
        self.assertEqual(self.scan(), [])


# ---- A server that is killed ----

class Killed(unittest.TestCase):
    def test_every_copy_is_in_step_after_a_kill(self):
        """Covers TA2, FUS2, FUS3, FUS4, INV5."""
        chance = random.Random(SEED)
        print(f"{KILLS} kills, TAVOLA_SEED={SEED}", flush=True)
        with tempfile.TemporaryDirectory() as data:
            acknowledged = collections.Counter()
            for number in range(KILLS):
                self.write_until_killed(data, number, chance, acknowledged)
                for name in DESIGNS:
                    self.assertEqual(drift(name, "--data", data), [])
            with Served(DESIGNS, data=data) as served:
                found = {name: served.resource().Table(name).scan(Select="COUNT")["Count"] for name in DESIGNS}
            for name in DESIGNS:
                self.assertGreaterEqual(found[name], acknowledged[name], name)
                self.assertGreater(acknowledged[name], 0, name)

    def write_until_killed(self, data, number, chance, acknowledged):
        served = Served(DESIGNS, data=data)
        served.server.start()
        over = threading.Event()
        clients = [served.resource() for _ in range(4)]  # here: boto3 makes them in one thread only
        with concurrent.futures.ThreadPoolExecutor(4) as writers:
            work = [writers.submit(self.write, client, f"{number}-{writer}", random.Random(SEED + writer), over)
                    for writer, client in enumerate(clients)]
            time.sleep(chance.uniform(0.1, 0.6))  # not a wait: the time of the kill is what is tested
            served.server.kill()
            over.set()
            for one in work:
                acknowledged.update(one.result())
        served.folder.cleanup()

    def write(self, client, writer, choice, over):
        """Writes until the server is gone; returns the number of items acknowledged as new, by table."""
        written = collections.Counter()
        tables = {name: client.Table(name) for name in DESIGNS}
        step = 0
        while not over.is_set():
            step += 1
            try:
                for name, items in self.writes_of(tables, f"{writer}-{step}", choice):
                    written[name] += items
            except ClientError as error:
                self.assertLess(error.response["ResponseMetadata"]["HTTPStatusCode"], 500, error)
            except botocore.exceptions.BotoCoreError:
                break  # the server does not respond any more
        return written

    def writes_of(self, tables, tag, choice):
        """Writes a few items of each design with all their dependent writes; yields the acknowledged ones."""
        files, sites, shops = (tables[name] for name in ("text-analyzer-history", "fus-main", "InventorySystem"))
        file = {"PK": f"FILE#{tag}", "SK": "META"}
        files.put_item(Item=file | {"ownerId": "anna", "s3Bucket": "b", "s3Key": "k", "originalFileName": "a.txt"})
        yield "text-analyzer-history", 2
        files.update_item(Key=file, UpdateExpression="SET #s = :s", ExpressionAttributeNames={"#s": "status"},
                          ExpressionAttributeValues={":s": "IN_PROGRESS"})
        sites.put_item(Item={"PK": f"SITE#{tag}", "SK": "METADATA", "url": "https://example.com/", "title": "A site",
                             "tags": choice.sample(["css", "html", "web"], 2)})
        yield "fus-main", 3
        sites.put_item(Item={"PK": "USER#anna", "SK": f"SITE#{tag}", "stars": choice.randint(1, 5)})
        yield "fus-main", 1
        sites.put_item(Item={"PK": "USER#anna", "SK": f"SITE#{tag}#COMMENT#c", "body": "Thank you"})
        yield "fus-main", 2
        sites.put_item(Item={"PK": "USER#anna", "SK": f"SITE#{tag}", "stars": choice.randint(1, 5)})
        shops.put_item(Item={"PK": f"SHOP#{tag}", "SK": "META", "name": "A shop", "ownerId": "anna"})
        yield "InventorySystem", 2
        shops.put_item(Item={"PK": f"SHOP#{tag}", "SK": "PRODUCT#p", "name": "Tea", "sku": "1", "unitPrice": 3})
        yield "InventorySystem", 1
        shops.update_item(Key={"PK": f"SHOP#{tag}", "SK": "PRODUCT#p"}, UpdateExpression="SET sku = :s",
                          ExpressionAttributeValues={":s": "2"})
        if choice.random() < 0.3:
            yield "fus-main", -5  # no longer counted on: a killed server does not report whether it was deleted
            sites.delete_item(Key={"PK": f"SITE#{tag}", "SK": "METADATA"})


if __name__ == "__main__":
    governed.main()
