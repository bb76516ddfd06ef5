#!/usr/bin/env python3
"""The scrapes of tavola-crawler: what changed, and the webhook that learns of it (crawling.py says how to run it)."""
import hashlib
import hmac
import json
import re
import signal
import subprocess
import threading

import crawling
import local_web as web
from crawling import PATIENCE, Crawling
from local_web import Page, html


class Scrapes(Crawling):
    SECRET = "a secret of the tests"

    def setUp(self):
        super().setUp()
        self.secret_file = self.folder / "secret"
        self.secret_file.write_text(self.SECRET + "\n")

    def prepare(self, host="shop.example.com", **options):
        """Registers and crawls a shop."""
        shop = self.add_shop(host, **options)
        self.register(host)
        self.crawl()
        return shop

    def scrape(self, *options):
        """Scrapes what is due; returns the changes by page, and the reports by domain."""
        lines = self.crawler("scrape", *self.network(*options))
        changes = {line["url"].split(".com", 1)[1]: line for line in lines if line["event"] == "changed"}
        return changes, {line["domain"]: line for line in lines if line["event"] == "scraped"}

    def recrawl(self):
        """Crawls once more, in a later second than the last scrape: the registry's times are seconds."""
        before = self.crawler("status", "shop.example.com")[0]["last_scraped_end"]
        while self.crawler("crawl", *self.network("--older-than", "0s")) == [] or (
                self.crawler("status", "shop.example.com")[0]["last_crawled_end"] <= before):
            pass

    def webhook(self, receiver, *more):
        return ["--on-change", receiver.url, "--secret-file", str(self.secret_file), "--outbox", str(self.folder / "outbox"), *more]

    def test_changes_are_reported_once(self):
        """Covers AH17, AH13, AH10, C6."""
        shop = self.prepare(products=8)
        changes, reports = self.scrape()
        self.assertEqual({target: (change["status"], change["price"], change["currency"], change["first"]) for target, change in changes.items()},
                         {f"/p/{n}": ("available", f"{n + 1}.5", "EUR", True) for n in range(8)})
        self.assertEqual((reports["shop.example.com"]["changed"], reports["shop.example.com"]["outcome"]), (8, "complete"))
        self.assertEqual(self.scrape(), ({}, {}))  # nothing is due before the next crawl
        shop["/p/0"] = Page(html("Product 0", head=web.product_json_ld("Product 0", "1.50", availability="OutOfStock")))
        shop["/p/1"] = Page(html("Product 1", body='<div itemscope itemtype="https://schema.org/Product"><div itemprop="offers" itemscope>'
                                                   '<b itemprop="price">1.299,00 €</b><link itemprop="availability" href="InStock"></div></div>'))
        shop["/p/2"] = Page(html("Product 2", head=web.product_json_ld("Product 2", "3.50")))  # in another form
        self.recrawl()
        changes, reports = self.scrape()
        self.assertEqual({target: (change["status"], change["price"], change["first"]) for target, change in changes.items()},
                         {"/p/0": ("sold", "1.5", False), "/p/1": ("available", "1299", False)})
        self.assertEqual(reports["shop.example.com"]["unchanged"], 6)
        hashes = {page["url"].split(".com", 1)[1]: page.get("hash") for page in self.crawler("pages", "shop.example.com", "--type", "product")}
        self.assertEqual(hashes["/p/1"], changes["/p/1"]["hash"])

    def test_a_product_that_is_gone_is_removed(self):
        """Covers AH17."""
        shop = self.prepare(products=2)
        self.scrape()
        self.recrawl()
        del shop["/p/0"]
        changes, _ = self.scrape()
        self.assertEqual({target: (change["status"], change["price"]) for target, change in changes.items()}, {"/p/0": ("removed", None)})

    def test_a_hash_survives_a_crawl(self):
        """Covers AH13."""
        self.prepare(products=4)
        self.scrape()
        before = {page["url"]: page["hash"] for page in self.crawler("pages", "shop.example.com", "--type", "product")}
        for page in self.web.shops["shop.example.com"].values():
            page.headers["ETag"] = '"another"'  # each page is read and stored again
        self.recrawl()
        self.assertEqual({page["url"]: page["hash"] for page in self.crawler("pages", "shop.example.com", "--type", "product")}, before)
        self.assertEqual(self.scrape()[0], {})

    def test_changes_are_delivered_and_signed(self):
        """Covers AH17."""
        self.prepare(products=4)
        with web.Receiver(refusals=3) as receiver:
            changes, _ = self.scrape(*self.webhook(receiver))
            self.assertEqual({change["id"] for change in receiver.changes()}, {change["id"] for change in changes.values()})
            self.assertEqual(len(receiver.changes()), 4)
            for headers, body in receiver.posts:
                seconds, signature = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", headers["X-Tavola-Signature"]).groups()
                expected = hmac.new(self.SECRET.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
                self.assertEqual(signature, expected)
                self.assertEqual(headers["X-Tavola-Delivery"], json.loads(body)["id"])
        self.assertEqual(list((self.folder / "outbox").glob("*.json")), [])
        done = subprocess.run([crawling.CRAWLER, "scrape", *self.where, "--on-change", "http://127.0.0.1:1/"], capture_output=True, text=True, check=False,
                              timeout=PATIENCE)
        self.assertIn("needs a secret", done.stderr)

    def test_no_change_is_lost_by_kill_9(self):
        """Covers AH17."""
        shop = self.prepare(products=60)
        reached, held = threading.Event(), threading.Event()
        self.addCleanup(held.set)
        page = shop["/p/40"]

        def wait(_):
            reached.set()
            held.wait(PATIENCE)
            return page
        shop["/p/40"] = wait
        with web.Receiver(refusals=10**9) as deaf:
            process = self.start("scrape", *self.network(*self.webhook(deaf)))
            self.assertTrue(reached.wait(PATIENCE))
            process.send_signal(signal.SIGKILL)
            process.wait()
            held.set()
        self.assertGreater(len(list((self.folder / "outbox").glob("*.json"))), 0)
        shop["/p/40"] = page
        self.assertEqual(self.crawler("reset", "shop.example.com", "--reason", "killed")[0]["work"], "scrape")
        with web.Receiver() as receiver:
            self.scrape(*self.webhook(receiver))
            delivered = [change["url"] for change in receiver.changes()]
        self.assertEqual(set(delivered), {f"http://shop.example.com/p/{n}" for n in range(60)})
        self.assertLessEqual(len(delivered), 61)  # the one that was in hand may come twice


class ScrapesOnAServer(crawling.OnAServer, Scrapes):
    """The same with the registry on a server."""


if __name__ == "__main__":
    crawling.main()
