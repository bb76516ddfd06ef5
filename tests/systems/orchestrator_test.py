#!/usr/bin/env python3
"""tavola-crawler orchestrate: many workers on one registry, some of which are killed (crawling.py says how to run it).

LONG=yes crawls a web of 200 shops instead of 10, in some minutes.
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request

import crawling
from crawling import PATIENCE, Crawling
from local_web import Page, Receiver, html, product_json_ld
from web_of_shops import COUNTRIES, web_of_shops

IS_LONG = bool(os.environ.get("LONG"))


class Orchestrator:
    """A process that prints into a file: nobody reads what it prints before its end."""

    def __init__(self, command, folder):
        self.printed = pathlib.Path(tempfile.mkstemp(dir=folder)[1])
        with self.printed.open("w") as printed:
            self.process = subprocess.Popen(command, stdout=printed, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + PATIENCE
        while not self.lines() and time.monotonic() < deadline and self.process.poll() is None:
            time.sleep(0.005)
        self.url = self.lines()[0]["url"]

    def lines(self):
        """Returns the whole lines that it has printed."""
        return [json.loads(line) for line in self.printed.read_text().split("\n")[:-1]]

    def kill(self):
        self.process.kill()
        self.process.wait()


class Orchestrating(crawling.OnAServer, Crawling):
    def orchestrate(self, *options):
        started = Orchestrator(self.command("orchestrate", "--listen", "127.0.0.1:0", "--look-every", "50ms",
                                            *(word for country in COUNTRIES for word in ("--country", country)), *self.network(*options)), self.folder)
        self.addCleanup(started.kill)
        return started

    def get(self, url):
        with urllib.request.urlopen(url, timeout=PATIENCE) as response:
            return response.read().decode()

    def status_of(self, url):
        return json.loads(self.get(url + "/status.json"))

    def done(self, url):
        """Returns how many shops are crawled and how many are scraped."""
        shops = self.status_of(url)["shops"]
        return [sum(entry["done"] for entry in shops if entry["work"] == work) for work in ("crawl", "scrape")]

    def stop(self, *orchestrators):
        """Ends them as an operator does; returns the lines that they printed."""
        for one in orchestrators:
            one.process.send_signal(signal.SIGTERM)
        for one in orchestrators:
            self.assertEqual(one.process.wait(PATIENCE), 0, one.printed.read_text())
        return [line for one in orchestrators for line in one.lines()]


class Orchestrates(Orchestrating):
    def test_shops_are_crawled_and_scraped_by_several_processes(self):
        """Covers AH17, AH8, AH10."""
        hosts = [f"s{n}.example.com" for n in range(20)]
        for host in hosts:
            self.add_shop(host, products=3)
        self.register(*hosts)
        started = [self.orchestrate("--workers", "2") for _ in range(2)]
        self.web.wait_for(lambda: self.done(started[0].url) == [20, 20], PATIENCE)
        self.assertIn('tavola_crawler_shops{country="DE",work="scrape",state="done"} 20', self.get(started[0].url + "/metrics"))
        page = self.get(started[0].url + "/")
        self.assertIn("<h1>tavola-crawler</h1>", page)
        lines = self.stop(*started)
        for event in ("crawled", "scraped"):
            self.assertEqual(sorted(line["domain"] for line in lines if line["event"] == event), sorted(hosts))

    def test_work_of_a_dead_worker_is_done_by_another(self):
        """Covers AH11, AH17."""
        shop = self.add_shop("dies.example.com", products=5)
        self.register("dies.example.com")
        reached, held = threading.Event(), threading.Event()
        self.addCleanup(held.set)
        front = shop["/"]

        def wait(_):
            reached.set()
            held.wait(PATIENCE)
            return front
        shop["/"] = wait
        first = self.orchestrate()
        self.assertTrue(reached.wait(PATIENCE))
        first.kill()
        held.set()
        shop["/"] = front
        second = self.orchestrate("--time", "0s", "--reset-stuck", "1s")
        self.web.wait_for(lambda: self.done(second.url)[0] == 1, PATIENCE)
        reset = [line for line in self.stop(second) if line["event"] == "reset"]
        self.assertEqual([(line["domain"], line["work"]) for line in reset], [("dies.example.com", "crawl")])


    def test_the_work_of_other_processes_is_shown(self):
        shop = self.add_shop("busy.example.com")
        self.register("busy.example.com")
        reached, held = threading.Event(), threading.Event()
        self.addCleanup(held.set)
        front = shop["/"]

        def wait(_):
            reached.set()
            held.wait(PATIENCE)
            return front
        shop["/"] = wait
        crawler = self.start("crawl", *self.network())
        self.assertTrue(reached.wait(PATIENCE))
        orchestrator = self.orchestrate()
        self.web.wait_for(lambda: self.status_of(orchestrator.url)["shops"], PATIENCE)
        status = self.status_of(orchestrator.url)
        self.assertEqual([(one["work"], one["domain"]) for one in status["elsewhere"]], [("crawl", "busy.example.com")])
        self.assertEqual(status["running"], [])
        self.assertRegex(self.get(orchestrator.url + "/"), "Running elsewhere.*busy.example.com")
        held.set()
        self.assertEqual(crawler.wait(PATIENCE), 0)
        self.web.wait_for(lambda: self.status_of(orchestrator.url)["elsewhere"] == [], PATIENCE)
        self.stop(orchestrator)


class WebOfShops(Orchestrating):
    """Every kind of shop at once, two of every process, and orchestrators that are killed again and again."""
    SHOPS = 200 if IS_LONG else 10
    KILLS = 12 if IS_LONG else 1

    def setUp(self):
        super().setUp()
        self.shops = web_of_shops(self.web, self.SHOPS)
        for country in COUNTRIES:
            self.register(*(shop.host for shop in self.shops if shop.country == country), country=country)
        self.secret = self.folder / "secret"
        self.secret.write_text("a secret of the tests\n")
        self.receiver = self.enterContext(Receiver(refusals=5))
        self.printed = []

    def begin(self):
        """Starts an orchestrator. In the long form those that live find by themselves what a dead one left."""
        policy = ("--time", "30s", "--reset-stuck", "31s") if IS_LONG else ()
        return self.orchestrate("--workers", "2", "--shops", "8", "--on-change", self.receiver.url, "--secret-file", str(self.secret),
                                "--outbox", str(self.folder / "outbox"), *policy)

    def reset_what_is_left(self, living):
        """Resets, as an operator does, what is in progress and on the list of no orchestrator that lives."""
        if IS_LONG:
            return
        running = {(one["work"], one["domain"]) for orchestrator in living for one in self.status_of(orchestrator.url)["running"]}
        for line in self.crawler("status"):
            if line["event"] == "in progress" and (line["work"], line["domain"]) not in running:
                self.crawler("reset", line["domain"], "--work", line["work"], "--reason", "its worker was killed")

    def wait_for_all(self, living):
        def is_done():
            self.reset_what_is_left(living)
            return self.done(living[0].url) == [self.SHOPS, self.SHOPS] and self.status_of(living[0].url)["deliveries_waiting"] == 0
        self.web.wait_for(is_done, 10 * PATIENCE)

    def test_nothing_is_lost_when_orchestrators_are_killed(self):
        """Covers AH8, AH11, AH13, AH17."""
        living = [self.begin() for _ in range(2)]
        choose = random.Random(19)
        for kill in range(1, self.KILLS + 1):
            pages = kill * self.SHOPS * 12 // (self.KILLS + 1)
            self.web.wait_for(lambda pages=pages: self.reset_what_is_left(living) or len(self.web.log) >= pages, PATIENCE)
            dead = living.pop(choose.randrange(len(living)))
            dead.kill()
            self.printed += dead.lines()
            living.append(self.begin())
        self.wait_for_all(living)
        self.check_pages()
        self.check_changes({(shop.host, path): ("available", price) for shop in self.shops for path, price in shop.products.items()})
        changed = self.change_some()
        self.crawl_again()
        self.wait_for_all(living)
        self.check_changes(changed)
        self.printed += self.stop(*living)
        self.check_outcomes()

    def check_pages(self):
        for shop in self.shops:
            stored = {page["url"].removeprefix(f"http://{shop.host}") for page in self.crawler("pages", shop.host, "--type", "product")}
            self.assertEqual(stored, set(shop.products), shop.host)

    def check_changes(self, expected):
        """Every change was delivered, and one that was delivered twice has one id."""
        delivered = {}
        for change in self.receiver.changes():
            key = (change["domain"], change["url"].removeprefix(f"http://{change['domain']}"))
            delivered.setdefault(key, set()).add((change["id"], change["status"], change["price"]))
        self.assertEqual({key: {(status, price) for _, status, price in changes} for key, changes in delivered.items()},
                         {key: {change} for key, change in expected.items()})
        self.assertEqual({key for key, changes in delivered.items() if len(changes) > 1}, set())
        with self.receiver.lock:
            self.receiver.posts.clear()

    def change_some(self):
        """Sells the first product of each plain shop and gives the second one another price."""
        changed = {}
        for shop in self.shops[::10]:
            shop.pages["/p/0"] = Page(html("Product 0", head=product_json_ld("Product 0", "1.50", availability="SoldOut")))
            shop.pages["/p/1"] = Page(html("Product 1", head=product_json_ld("Product 1", "1999.99")))
            changed.update({(shop.host, "/p/0"): ("sold", "1.5"), (shop.host, "/p/1"): ("available", "1999.99")})
        return changed

    def crawl_again(self):
        """Crawls all shops in a later second than their last scrape, by two processes, while two orchestrators scrape what is crawled."""
        last = max(self.crawler("status", shop.host)[0]["last_scraped_end"] for shop in self.shops[-10:])
        self.web.wait_for(lambda: crawling.now() > last)
        crawlers = [self.start("crawl", "--older-than", "0s", *self.network()) for _ in range(2)]
        crawled = set()  # a shop that the one crawled before the other began is due for the other
        for process in crawlers:
            output, errors = process.communicate(timeout=10 * PATIENCE)
            self.assertEqual((process.returncode, errors), (0, ""))
            crawled |= {json.loads(line)["domain"] for line in output.splitlines()}
        self.assertEqual(crawled, {shop.host for shop in self.shops})

    def check_outcomes(self):
        for shop in self.shops:
            self.assertEqual(self.crawler("status", shop.host)[0]["crawl_outcome"], shop.outcome, shop.host)
        self.assertEqual({line["event"] for line in self.printed} - {"listening", "crawled", "scraped", "changed", "reset"}, set())


if __name__ == "__main__":
    crawling.main()
