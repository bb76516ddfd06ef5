#!/usr/bin/env python3
"""Concurrent clients through /v1: counters stay exact, one wins where only one can, and no request gets a server error.

    tests/designs/contention_test.py PROGRAM
"""
import collections
import concurrent.futures
import http.client
import json
import pathlib
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/clients"), str(ROOT / "tests/designs")]

import harness  # noqa: E402
from access import Access  # noqa: E402
from server import Server  # noqa: E402

CLIENTS = 64
DESIGNS = [word for name in ("InventorySystem", "fus-main", "text-analyzer-history")
           for word in ("--design", ROOT / f"designs/{name}.yaml")]


class Contention(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        access = Access(harness.PROGRAM, folder)
        self.access = access
        self.server = Server(harness.PROGRAM, "--in-memory", "--threads", 16, *DESIGNS,  # so that they do meet
                             *access.options())
        self.server.start()
        self.addCleanup(self.server.stop)

    def send(self, method, path, body=None):
        """Returns the status and the JSON of the response."""
        connection = http.client.HTTPConnection(self.server.url.removeprefix("http://"), timeout=60)
        try:
            body = None if body is None else json.dumps(body).encode()
            connection.request(method, "/v1/" + path, body=body,
                               headers=self.access.signed(method, self.server.url + "/v1/" + path, body))
            response = connection.getresponse()
            text = response.read()
            return response.status, json.loads(text) if text else None
        finally:
            connection.close()

    def perform(self, operation, **parameters):
        status, body = self.send("POST", operation, parameters)
        self.assertIn(status, (200, 204), body)
        return body

    def get(self, path):
        status, body = self.send("GET", path)
        self.assertEqual(status, 200, body)
        return body

    def at_once(self, operation, parameters_of):
        """Returns how often each outcome occurred for CLIENTS that begin together: "done", or the name of a refusal."""
        gate = threading.Barrier(CLIENTS)

        def one(number):
            gate.wait()
            status, body = self.send("POST", operation, parameters_of(number))
            self.assertIn(status, (200, 204, 409), body)
            return "done" if status != 409 else body["refusal"]

        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
            return collections.Counter(clients.map(one, range(CLIENTS)))

    def test_what_is_in_stock_is_sold_and_no_more(self):
        stock = 50
        self.perform("InventorySystem/createShop", shopId="s", name="Shop", ownerId="anna")
        self.perform("InventorySystem/createProduct", shopId="s", productId="p", sku="1", name="Tea", category="food",
                     unitPrice=3, currentStock=stock)
        outcomes = self.at_once("InventorySystem/recordSale", lambda number: {
            "shopId": "s", "productId": "p", "saleId": f"sale-{number}", "quantity": 1})
        self.assertEqual(outcomes, {"done": stock, "INSUFFICIENT_STOCK": CLIENTS - stock})
        self.assertEqual(self.get("InventorySystem/getProduct?shopId=s&productId=p")["currentStock"], 0)
        for pattern in ("productSales?shopId=s&", "productHistory?"):
            self.assertEqual(len(self.get(f"InventorySystem/{pattern}productId=p")["items"]), stock)

    def test_the_same_sale_sent_by_all_happens_once(self):
        self.perform("InventorySystem/createShop", shopId="s", name="Shop", ownerId="anna")
        self.perform("InventorySystem/createProduct", shopId="s", productId="p", sku="1", name="Tea", category="food",
                     unitPrice=3, currentStock=CLIENTS)
        outcomes = self.at_once("InventorySystem/recordSale", lambda _: {
            "shopId": "s", "productId": "p", "saleId": "one", "quantity": 1})
        self.assertEqual(outcomes, {"done": CLIENTS})
        self.assertEqual(self.get("InventorySystem/getProduct?shopId=s&productId=p")["currentStock"], CLIENTS - 1)

    def test_the_same_upload_announced_by_all_is_one_file(self):
        """Covers TA7."""
        upload = {"ownerId": "anna", "fingerprint": "abc", "s3Bucket": "b", "s3Key": "k"}
        outcomes = self.at_once("text-analyzer-history/presign", lambda number: {**upload, "originalFileName": f"{number}.txt"})
        self.assertEqual(outcomes, {"done": CLIENTS})
        files = self.get("text-analyzer-history/listFilesByOwner?ownerId=anna")["items"]
        found = self.send("POST", "text-analyzer-history/presign", {**upload, "originalFileName": "late.txt"})
        self.assertEqual([(200, file["originalFileName"], file["fileId"]) for file in files],
                         [(found[0], found[1]["originalFileName"], found[1]["fileId"])])

    def test_one_worker_claims_a_file(self):
        file = self.perform("text-analyzer-history/presign", ownerId="anna", s3Bucket="b", s3Key="k",
                            originalFileName="a.txt")
        outcomes = self.at_once("text-analyzer-history/claim", lambda _: {"fileId": file["fileId"]})
        self.assertEqual(outcomes, {"done": 1, "WRONG_STATE": CLIENTS - 1})

    def test_ratings_are_counted_exactly(self):
        self.perform("fus-main/createSite", site="mdn", url="https://developer.mozilla.org", title="MDN")
        stars = [1 + number % 5 for number in range(CLIENTS)]
        outcomes = self.at_once("fus-main/rateSite", lambda number: {
            "user": f"u{number}", "site": "mdn", "stars": stars[number]})
        self.assertEqual(outcomes, {"done": CLIENTS})
        site = self.get("fus-main/getSite?site=mdn")
        self.assertEqual((site["ratingCount"], site["ratingSum"]), (CLIENTS, sum(stars)))

    def test_one_user_who_rates_again_and_again_is_counted_once(self):
        self.perform("fus-main/createSite", site="mdn", url="https://developer.mozilla.org", title="MDN")
        outcomes = self.at_once("fus-main/rateSite", lambda number: {
            "user": "anna", "site": "mdn", "stars": 1 + number % 5})
        self.assertEqual(outcomes, {"done": CLIENTS})
        site = self.get("fus-main/getSite?site=mdn")
        rating = self.get("fus-main/myRating?user=anna&site=mdn")
        self.assertEqual((site["ratingCount"], site["ratingSum"]), (1, rating["stars"]))


if __name__ == "__main__":
    harness.main()
