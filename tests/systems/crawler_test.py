#!/usr/bin/env python3
"""tavola-crawler as people run it: its commands and its crawls, with an embedded registry and one on a server (crawling.py says how to run it)."""
import json
import re
import signal
import subprocess
import threading
import unittest

import crawling
import local_web as web
from crawling import PATIENCE, Crawling
from local_web import Page, html, make_shop


class Commands(Crawling):
    def test_shops_are_registered_in_one_form(self):
        """Covers AH1, AH12, AH15."""
        lines = self.crawler("register", "https://WWW.Example.CO.UK:443/x", "--country", "gb")
        self.assertEqual(lines, [{"event": "registered", "domain": "www.example.co.uk", "country": "GB", "core_domain_name": "example"}])
        self.assertEqual(self.crawler("register", "www.example.co.uk")[0]["event"], "known")
        self.assertEqual(self.crawler("register", "www.example.co.uk", "--country", "COUNTRY#IE")[0],
                         {"event": "changed", "domain": "www.example.co.uk", "country": "IE", "core_domain_name": "example"})
        refused = self.crawler("register", "127.0.0.1", "ok.example.com", code=1)
        self.assertEqual([line["event"] for line in refused], ["refused", "registered"])

    def test_shops_without_a_country_are_reported(self):
        """Covers AH15."""
        self.assertEqual(self.crawler("report"), [])
        self.crawler("register", "lost.example.com")
        self.assertEqual(self.crawler("report", code=1), [
            {"event": "not schedulable", "domain": "lost.example.com", "problem": "not schedulable: no country"}])
        self.assertEqual(self.crawl(), {})
        self.register("lost.example.com")
        self.assertEqual(self.crawler("report"), [])

    def test_mistakes_are_explained(self):
        for words, problem in ((["crawl", "--depht", "3"], "--depht is not an option of crawl"), (["crawl", "--delay", "3"], "--delay must be a time"),
                               (["crawl", "--time", "3h"], "--time must be below 110m"), (["fetch"], 'there is no command "fetch"'),
                               (["report", "x"], "report takes no arguments"), (["crawl", "--pages"], "--pages needs a value"),
                               (["register"], "register needs domains"), (["crawl", "--country", "XX"], "shop_country")):
            with self.subTest(words):
                done = subprocess.run([crawling.CRAWLER, *words, *self.where], capture_output=True, text=True, check=False, timeout=PATIENCE)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(problem, done.stderr)

    def test_it_tells_its_version(self):
        shown = subprocess.run([crawling.CRAWLER, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertRegex(shown, r"^tavola-crawler \d+\.\d+\.\d+\n$")

    def test_every_command_has_help(self):
        shown = subprocess.run([crawling.CRAWLER, "--help"], capture_output=True, text=True, check=True).stdout
        commands = re.findall(r"^  (\w+) ", shown, re.MULTILINE)
        self.assertGreaterEqual(set(commands), {"register", "crawl", "status", "reset", "report"})
        for command in commands:
            text = subprocess.run([crawling.CRAWLER, command, "--help"], capture_output=True, text=True, check=True).stdout
            self.assertIn("Usage: tavola-crawler " + command, text)
            self.assertIn("--json", text)


class Crawls(Crawling):
    def test_a_shop_is_walked(self):
        """Covers AH17, AH8, AH2, AH3."""
        self.add_shop("shop.example.com", products=8)
        self.register("shop.example.com")
        report = self.crawl()["shop.example.com"]
        self.assertEqual(report["outcome"], "complete")
        self.assertEqual((report["product"], report["listing"], report["other"], report["disallowed"]), (8, 1, 2, 1))
        self.assertEqual(report["standards"], ["json-ld", "microdata", "opengraph", "rdfa"])
        self.assertEqual(self.pages("shop.example.com"), {"/": None, "/about": None, "/list": "listing",
                                                          **{f"/p/{n}": "product" for n in range(8)}})
        self.assertEqual(self.web.targets("shop.example.com")[0], "/robots.txt")
        self.assertNotIn("/private/secret", self.web.targets("shop.example.com"))
        self.assertEqual(self.web.most_open["shop.example.com"], 1)
        status, = self.crawler("status")
        self.assertEqual((status["crawl_done"], status["crawl_in_progress"], status["scrape_never"]), (1, 0, 1))

    def test_unchanged_pages_are_not_sent_again(self):
        """Covers AH17, AH13."""
        shop = self.add_shop("shop.example.com", products=4)
        self.register("shop.example.com")
        self.crawl()
        before = self.pages("shop.example.com")
        self.web.forget()
        self.assertEqual(self.crawl(), {})  # nothing is due
        del shop["/p/0"]
        shop["/p/9"] = Page(html("Product 9", head=web.product_json_ld("Product 9", "9.00")))
        shop["/list"] = Page(html("All", "/p/1", "/p/2", "/p/3", "/p/9"))
        report = self.crawl("--older-than", "0s")["shop.example.com"]
        self.assertEqual((report["unchanged"], report["stored"], report["removed"]), (5, 2, 1))
        self.assertEqual(set(self.pages("shop.example.com")), set(before) - {"/p/0"} | {"/p/9"})
        self.assertIn(("/p/1", 304), self.web.requests("shop.example.com"))

    def test_sitemaps_are_read(self):
        """Covers AH17."""
        host = "maps.example.com"
        products = {f"/hidden/{n}": Page(html(f"Product {n}", head=web.product_json_ld(f"Product {n}", "1"))) for n in range(30)}
        entries = [(f"http://{host}{target}", "2020-01-01") for target in products]
        self.web.add(host, {
            "/": Page(html("Front")), **products,
            "/robots.txt": Page(f"Sitemap: http://{host}/index.xml\nSitemap: /plain.txt\nSitemap: http://other.example.com/x.xml\n"),
            "/index.xml": web.xml_page(web.sitemap_index(f"http://{host}/a.xml.gz", f"http://{host}/b.xml", f"http://{host}/broken.xml")),
            "/a.xml.gz": web.gzip_page(web.sitemap(*entries[:20], ("http://other.example.com/p", None))),
            "/b.xml": web.xml_page(web.sitemap(*entries[20:29])),
            "/broken.xml": web.xml_page("<urlset><url><loc>http://" + host + "/hidden/29</loc></url><url>"),
            "/plain.txt": Page(f"http://{host}/hidden/0\n", content_type="text/plain")})
        self.register(host)
        report = self.crawl()[host]
        self.assertEqual((report["outcome"], report["product"], report["sitemaps"]), ("complete", 30, 5))
        self.web.forget()
        self.crawl("--older-than", "0s")  # lastmod is before the first crawl: none is read again
        self.assertEqual([target for target in self.web.targets(host) if target.startswith("/hidden")],
                         ["/hidden/0", "/hidden/29"])  # those without lastmod, in one of the sitemaps
        # A page that changed while the crawl ran may have been read before: it is read again.
        ended = self.crawler("status", host)[0]["last_crawled_end"]
        self.web.shops[host]["/b.xml"] = web.xml_page(web.sitemap(*[(url, ended) for url, _ in entries[20:29]]))
        self.web.forget()
        self.crawl("--older-than", "0s")
        self.assertEqual(sum(target.startswith("/hidden") for target in self.web.targets(host)), 11)

    def test_a_huge_sitemap_is_read_as_a_stream(self):
        """Covers AH17."""
        host = "huge.example.com"
        self.web.add(host, {"/": Page(html("Front")), "/sitemap.xml": web.xml_page(web.sitemap(*[(f"http://{host}/{n}", None) for n in range(50_000)]))})
        self.register(host)
        report = self.crawl("--pages", "20")[host]
        self.assertEqual((report["outcome"], report["sitemap_entries"], report["requests"]), ("page limit", 50_000, 22))

    def test_robots_txt_decides(self):
        """Covers AH17."""
        front = {"/": Page(html("Front", "/a")), "/a": Page(html("A"))}
        self.web.add("missing.example.com", front)
        self.web.add("gone.example.com", {**front, "/robots.txt": Page("Disallow: /", status=403)})
        self.web.add("failing.example.com", {**front, "/robots.txt": Page("", status=503)})
        self.web.add("closed.example.com", {**front, "/robots.txt": Page("User-agent: *\nDisallow: /\nUser-agent: other\nAllow: /\n")})
        self.web.add("named.example.com", {**front, "/robots.txt": Page("User-agent: *\nDisallow: /\nUser-agent: tavola-crawler\nDisallow: /a\n")})
        self.web.add("moved.example.com", {**front, "/robots.txt": Page("", status=302, headers={"Location": "/r2"}),
                                           "/r2": Page("User-agent: *\nDisallow: /a\n")})
        self.register(*self.web.shops)
        reports = self.crawl("--retries", "1")
        stored = {host.split(".")[0]: report["stored"] for host, report in reports.items()}
        self.assertEqual(stored, {"missing": 2, "gone": 2, "failing": 0, "closed": 0, "named": 1, "moved": 1})
        self.assertEqual(reports["failing.example.com"]["outcome"], "robots.txt is not available (503)")
        self.assertEqual(self.web.targets("failing.example.com"), ["/robots.txt"] * 2)
        status, = self.crawler("status")
        self.assertEqual((status["crawl_done"], status["crawl_in_progress"]), (6, 0))

    def test_addresses_have_one_form(self):
        """Covers AH17."""
        host = "forms.example.com"
        product = html("Lamp", head='<link rel="canonical" href="/lamp">' + web.product_json_ld("Lamp", "1"))
        self.web.add(host, lambda target: {
            "/": Page(html("Front", "/x/../lamp?utm_source=a#top", f"http://{host.upper()}:80/lamp", "/lamp?variant=red", "/old",
                           "/%6Camp", "/lamp;jsessionid=1", "http://other.example.com/", "/file?as=pdf", "/picture.jpg")),
            "/lamp": Page(product), "/lamp?variant=red": Page(product),
            "/old": Page("", status=301, headers={"Location": "/lamp?utm_campaign=x"}),
            "/file?as=pdf": Page(b"%PDF", content_type="application/pdf")}.get(target))
        self.register(host)
        self.crawl()
        self.assertEqual(self.pages(host), {"/": None, "/lamp": "product"})
        self.assertEqual(self.web.targets(host).count("/lamp"), 1)
        self.assertNotIn("/picture.jpg", self.web.targets(host))

    def test_traps_end(self):
        """Covers AH17."""
        host = "trap.example.com"

        def endless(target):
            if target in ("/robots.txt", "/sitemap.xml"):
                return None
            number = len(self.web.log)
            return Page(html("Trap", f"/calendar?month={number}", f"/events/{2000 + number % 50}/{1 + number % 12}", target.rstrip("/") + "/more",
                             f"/list?a={number}&b=1&c=2", f"/page?PHPSESSID={number}"), has_etag=False)
        self.web.add(host, endless)
        self.register(host)
        report = self.crawl("--depth", "200")[host]
        self.assertGreater(report["traps"], 0)
        self.assertLess(report["pages"], 1000)

    def test_a_shop_that_is_asked_for_and_not_crawled_is_explained(self):
        self.add_shop("new.example.com", products=1)
        self.register("new.example.com")
        skipped, = self.crawler("crawl", "none.example.com", *self.network(), code=1)
        self.assertEqual((skipped["event"], skipped["domain"], skipped["problem"]), ("skipped", "none.example.com", "is not registered"))
        skipped, = self.crawler("scrape", "new.example.com", *self.network(), code=1)
        self.assertEqual(skipped["problem"], "was not crawled yet")
        self.crawl()
        self.crawler("scrape", "new.example.com", *self.network())
        skipped, = self.crawler("scrape", "new.example.com", *self.network(), code=1)
        self.assertEqual(skipped["problem"], "was not crawled since its last scrape")
        self.crawler("pages", "none.example.com", code=2)

    def test_limits_end_a_crawl(self):
        """Covers AH17, AH8."""
        def chain(target):
            number = int(target[1:] or 0) if target[1:].isdigit() or target == "/" else None
            return None if number is None else Page(html("Next", f"/{number + 1}") + "x" * 1000)
        for name in ("deep", "wide", "heavy", "late"):
            self.web.add(f"{name}.example.com", chain)
            self.register(f"{name}.example.com")
        deep, = self.crawler("crawl", "deep.example.com", *self.network("--depth", "5"))
        self.assertEqual((deep["outcome"], deep["pages"]), ("depth limit", 6))
        wide, = self.crawler("crawl", "wide.example.com", *self.network("--pages", "5"))
        self.assertEqual((wide["outcome"], wide["pages"]), ("page limit", 5))
        heavy, = self.crawler("crawl", "heavy.example.com", *self.network("--bytes", "10KB", "--depth", "100"))
        self.assertEqual((heavy["outcome"], heavy["pages"] < 12), ("byte limit", True))
        late, = self.crawler("crawl", "late.example.com", *self.network("--time", "0s"))
        self.assertEqual(late["outcome"], "time limit")
        self.assertEqual(self.crawler("status")[0]["crawl_done"], 4)

    def test_a_host_that_asks_for_long_pauses_holds_no_claim(self):
        """Covers AH8, AH17."""
        front = Page(html("Front", "/a", "/b"))
        self.web.add("lazy.example.com", {"/": front, "/robots.txt": Page("User-agent: *\nCrawl-delay: 7200\n")})
        self.web.add("busy.example.com", {"/": front, "/a": Page("", status=503, headers={"Retry-After": "3600"})})
        self.web.add("dated.example.com", {"/": Page("", status=429, headers={"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"})})
        self.web.add("brief.example.com", {"/": front, "/a": Page("", status=503, headers={"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"})})
        self.register(*self.web.shops)
        reports = self.crawl("--time", "60s")
        self.assertEqual({host: re.sub(r"\d{5,}", "…", report["outcome"]) for host, report in reports.items()},
                         {"lazy.example.com": "time limit", "busy.example.com": "asks to wait for 3600 s",
                          "dated.example.com": "asks to wait for … s", "brief.example.com": "complete but for pages that failed"})
        self.assertEqual(self.web.targets("busy.example.com").count("/a"), 1)
        self.assertEqual(self.web.targets("brief.example.com").count("/a"), 4)
        self.assertEqual(self.crawler("status")[0]["crawl_done"], 4)

    def test_slow_broken_and_failing_pages(self):
        """Covers AH17, AH8."""
        shop = self.add_shop("rough.example.com", products=2)
        attempts = []

        def flaky(_):
            attempts.append(1)
            return Page("busy", status=503) if len(attempts) < 3 else Page(html("At last"))
        shop["/"] = Page(html("Front", "/list", "/slow", "/cut", "/flaky", "/error", "/latin", "/huge"))
        shop["/slow"] = Page(html("Slow"), seconds=1)
        shop["/cut"] = Page(html("Cut") * 100, cut=True)
        shop["/flaky"] = flaky
        shop["/error"] = Page("error", status=500)
        shop["/latin"] = Page('<meta charset="iso-8859-1">'.encode() + 'Gr\u00f6\u00dfe <a href="/größe">'.encode("latin-1"), content_type="text/html")
        shop["/gr%C3%B6%C3%9Fe"] = Page(html("Size"))
        shop["/huge"] = Page(html("Huge", body="x" * 300_000 + '<a href="/behind">'))
        self.register("rough.example.com")
        report = self.crawl("--timeout", "300ms", "--retries", "2", "--page-bytes", "100KB")["rough.example.com"]
        self.assertEqual((report["outcome"], report["failed"]), ("complete but for pages that failed", 3))
        self.assertLessEqual({"/flaky", "/p/0", "/gr%C3%B6%C3%9Fe", "/huge"}, set(self.pages("rough.example.com")))
        self.assertEqual(self.web.targets("rough.example.com").count("/error"), 3)
        self.assertNotIn("/behind", self.web.targets("rough.example.com"))

    def test_private_addresses_are_refused(self):
        """Covers AH17."""
        self.add_shop("inside.example.com")
        self.register("inside.example.com")
        options = [option for option in self.network() if option != "--allow-private"]
        report, = self.crawler("crawl", *options)
        self.assertIn("refused: its address is private", report["outcome"])
        self.assertEqual(self.web.targets("inside.example.com"), [])
        self.assertEqual(self.crawler("status")[0]["crawl_done"], 1)

    def test_shops_that_moved_or_are_not_there(self):
        """Covers AH17, AH8."""
        self.web.add("moved.example.com", {"/": Page("", status=301, headers={"Location": "http://new.example.org/"})})
        self.web.add("loop.example.com", lambda target: Page("", status=302, headers={"Location": target + "x"}))
        self.web.add("www.example.net", make_shop("www.example.net", products=1))
        self.web.add("example.net", {"/": Page("", status=301, headers={"Location": "http://www.example.net/"})})
        self.register("moved.example.com", "loop.example.com", "example.net")
        reports = self.crawl()
        self.assertIn("moved to new.example.org", reports["moved.example.com"]["outcome"])
        self.assertEqual(reports["example.net"]["product"], 1)
        self.assertEqual(self.crawler("status")[0]["crawl_done"], 3)

    def test_many_shops_at_once_each_with_one_connection(self):
        """Covers AH17."""
        hosts = [f"s{n}.example.com" for n in range(60)]
        for host in hosts:
            self.add_shop(host, products=3)
        self.register(*hosts)
        reports = self.crawl("--shops", "30")
        self.assertEqual({report["outcome"] for report in reports.values()}, {"complete"})
        self.assertEqual(set(reports), set(hosts))
        self.assertEqual(max(self.web.most_open.values()), 1)

    def test_a_signal_ends_claims(self):
        """Covers AH8."""
        self.add_shop("held.example.com")
        self.register("held.example.com")
        self.web.hold = threading.Event()
        process = self.start("crawl", *self.network())
        self.web.wait_for(lambda: self.web.targets("held.example.com"))
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=PATIENCE)
        self.web.hold.set()
        self.assertEqual((process.returncode, errors), (0, ""))
        self.assertEqual(json.loads(output)["outcome"], "stopped")
        self.assertEqual(self.crawler("status")[0]["crawl_done"], 1)

    def test_a_killed_crawler_is_found_and_nothing_is_lost(self):
        """Covers AH11, AH17."""
        shop = self.add_shop("dies.example.com", products=250)
        self.register("dies.example.com")
        reached = threading.Event()
        held = threading.Event()
        self.addCleanup(held.set)
        last = shop["/p/200"]

        def wait(_):
            reached.set()
            held.wait(PATIENCE)
            return last
        shop["/p/200"] = wait
        process = self.start("crawl", *self.network())
        self.assertTrue(reached.wait(PATIENCE))
        process.send_signal(signal.SIGKILL)
        process.wait()
        held.set()
        status = self.crawler("status")
        self.assertEqual((status[0]["crawl_in_progress"], status[1]["domain"]), (1, "dies.example.com"))
        self.assertEqual(self.crawl(), {})  # the claim stands
        self.assertEqual(self.crawler("reset"), [])  # and is not stuck yet
        reset, = self.crawler("reset", "--stuck-for", "0s", "--reason", "killed", "--by", "test")
        self.assertEqual((reset["domain"], reset["work"]), ("dies.example.com", "crawl"))
        report = self.crawl()["dies.example.com"]
        self.assertEqual(report["outcome"], "complete")
        self.assertEqual(sum(1 for kind in self.pages("dies.example.com").values() if kind == "product"), 250)


class CrawlsOnAServer(crawling.OnAServer, Crawls):
    """The same with the registry on a server, and what only more than one process shows."""

    def test_two_crawlers_share_the_work(self):
        """Covers AH8, AH17."""
        hosts = [f"s{n}.example.com" for n in range(40)]
        for host in hosts:
            self.add_shop(host, products=3)
        self.register(*hosts)
        processes = [self.start("crawl", *self.network("--shops", "4")) for _ in range(2)]
        reports = []
        for process in processes:
            output, errors = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, errors), (0, ""))
            reports += [json.loads(line) for line in output.splitlines()]
        self.assertEqual(sorted(report["domain"] for report in reports), sorted(hosts))
        for host in hosts:
            self.assertEqual(len(self.web.targets(host)), len(set(self.web.targets(host))), host)


if __name__ == "__main__":
    crawling.main()
