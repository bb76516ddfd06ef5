"""The generated modules in use: the systems of designs/, by their classes alone, against a server at ENDPOINT: directly with
boto3, or, if V1 is set, by /v1. If PLAIN is set, the server does not know the designs. mypy reads this file, too."""
from __future__ import annotations

import asyncio
import concurrent.futures
import datetime
import importlib
import json
import os
import unittest
import urllib.request
from decimal import Decimal
from typing import Any

import aura_historia_data as aura
import clinic
import fus_main as sites
import InventorySystem as shops
import members
import text_analyzer_history as files

ENDPOINT = os.environ["ENDPOINT"]
IS_SERVED = "V1" in os.environ
IS_PLAIN = "PLAIN" in os.environ
TOKENS: dict[str, str] = json.loads(os.environ.get("V1", "{}"))  # of persons


def to(who: str = "anna") -> dict[str, Any]:
    """Returns the options of connect."""
    if IS_SERVED:
        return {"v1": ENDPOINT, "token": TOKENS[who]}
    return {"client": importlib.import_module("boto3").client("dynamodb", endpoint_url=ENDPOINT)}


class Inventory(unittest.TestCase):
    db: shops.InventorySystem

    @classmethod
    def setUpClass(cls) -> None:
        cls.db = shops.connect(**to())

    def shop(self, shop: str, stock: int = 10) -> None:
        self.db.createShop(shopId=shop, name="Corner Shop", ownerId="anna-" + shop, notificationEmail="a@example.com")
        self.db.createProduct(shopId=shop, productId="p1-" + shop, name="Lamp", sku="SKU-001", category="Light",
                              unitPrice=Decimal("29.99"), currentStock=stock, reorderThreshold=3)

    def sell(self, shop: str, sale: str, quantity: int) -> shops.Sale:
        return self.db.recordSale(shopId=shop, productId="p1-" + shop, saleId=f"{shop}-{sale}", quantity=quantity)

    def stock(self, shop: str) -> int:
        product = self.db.getProduct(shopId=shop, productId="p1-" + shop)
        assert product is not None
        return product.currentStock

    def test_a_sale_is_recorded_once_however_often_it_is_sent(self) -> None:
        self.shop("s1")
        sale = self.sell("s1", "a", 2)
        total: Decimal = sale.totalAmount
        self.assertEqual((total, sale.productName), (Decimal("59.98"), "Lamp"))
        self.assertEqual(self.sell("s1", "a", 2).timestamp, sale.timestamp)
        self.assertEqual(self.stock("s1"), 8)
        (change,) = self.db.productHistory(productId="p1-s1")
        self.assertEqual((change.type, change.quantityChange), ("OUT", -2))
        with self.assertRaises(shops.DifferentRequest):
            self.sell("s1", "a", 3)

    @unittest.skipIf(IS_PLAIN, "the server has no /v1")
    def test_a_call_is_the_same_call_in_whatever_language_it_is_sent(self) -> None:
        self.shop("s2")
        here = self.sell("s2", "here", 1)
        body = {"quantity": 1, "saleId": "s2-here", "shopId": "s2", "productId": "p1-s2", "notes": None}
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{ENDPOINT}/v1/InventorySystem/recordSale", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as response:
            self.assertEqual(json.load(response)["timestamp"], here.timestamp)
        self.assertEqual(self.stock("s2"), 9)

    def test_refusals_are_exceptions_with_a_name_and_the_wrong_parameter(self) -> None:
        self.shop("s3")
        with self.assertRaises(shops.InsufficientStock) as stock:
            self.sell("s3", "b", 11)
        self.assertEqual((stock.exception.refusal, stock.exception.parameter), ("INSUFFICIENT_STOCK", None))
        self.assertRegex(str(stock.exception), "^INSUFFICIENT_STOCK: .* does not hold$")
        with self.assertRaises(shops.Invalid) as wrong:
            self.sell("s3", "b", 0)
        self.assertEqual((wrong.exception.refusal, wrong.exception.parameter), ("INVALID", "quantity"))
        with self.assertRaises(shops.AlreadyExists):
            self.db.createShop(shopId="s3", name="Again")
        with self.assertRaises(shops.SkuTaken):
            self.db.createProduct(shopId="s3", name="Other", sku="SKU-001", unitPrice=Decimal(1))
        with self.assertRaises(shops.ShopNotFound):
            self.db.createProduct(shopId="s9", name="Other", sku="x", unitPrice=Decimal(1))
        self.assertEqual(self.stock("s3"), 10)

    def test_of_sales_at_the_same_time_none_is_lost_and_none_sells_what_is_missing(self) -> None:
        self.shop("s4", stock=8)

        def sold(sale: str) -> bool:
            try:
                return self.sell("s4", sale, 2) is not None
            except shops.InsufficientStock:
                return False

        with concurrent.futures.ThreadPoolExecutor() as pool:
            self.assertEqual(sorted(pool.map(sold, "cdefg")), [False, True, True, True, True])
        self.assertEqual(self.stock("s4"), 0)
        self.assertEqual(len(list(self.db.notifications(shopId="s4"))), 1)
        self.assertEqual([one.productId for one in self.db.lowStock(shopId="s4")], ["p1-s4"])
        today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        self.assertEqual(len(list(self.db.salesByDate(shopId="s4", start=today, end=today))), 4)

    def test_what_follows_from_a_change_is_written_along(self) -> None:
        self.shop("s5")
        lamp = {"shopId": "s5", "productId": "p1-s5"}
        self.db.changeCategory(**lamp, category="Garden")
        self.assertEqual(list(self.db.productsByCategory(shopId="s5", category="Light")), [])
        self.assertEqual(len(list(self.db.productsByCategory(shopId="s5", category="Garden"))), 1)
        self.db.changeOwner(shopId="s5", ownerId="ben")
        self.assertEqual(list(self.db.shopsByOwner(ownerId="anna-s5")), [])
        self.assertEqual([shop.name for shop in self.db.shopsByOwner(ownerId="ben")], ["Corner Shop"])
        self.db.deleteProduct(**lamp)
        self.assertEqual(list(self.db.listProducts(shopId="s5")), [])
        with self.assertRaises(shops.Deleted):
            self.sell("s5", "h", 1)

    def test_a_page_has_a_limit_and_the_token_of_the_next_one(self) -> None:
        self.db.createShop(shopId="pages", name="Pages")
        for name in "abcde":
            self.db.createProduct(shopId="pages", productId=name, name=name, sku=name, unitPrice=Decimal("98765432109876543.21"))
        first = self.db.listProducts_page(shopId="pages", limit=2)
        self.assertEqual([one.productId for one in first.items], ["a", "b"])
        self.assertEqual(first.items[0].unitPrice, Decimal("98765432109876543.21"), "no digit is lost")
        second = self.db.listProducts_page(shopId="pages", limit=2, token=first.next)
        last = self.db.listProducts_page(shopId="pages", token=second.next)
        self.assertEqual([one.productId for one in [*second.items, *last.items]], ["c", "d", "e"])
        self.assertIsNone(last.next)
        for wrong in ({"limit": 0}, {"token": "nonsense"}):
            with self.assertRaises(shops.Invalid):
                self.db.listProducts_page(shopId="pages", **wrong)  # type: ignore[arg-type]

    def test_keys_are_those_of_the_table(self) -> None:
        self.assertEqual(shops.productKey(shopId="s1", productId="p1"), {"PK": "SHOP#s1", "SK": "PRODUCT#p1"})
        with self.assertRaises(shops.Invalid):
            shops.productKey(shopId="a#b", productId="p1")

    def test_reports_are_computed_in_a_time_zone(self) -> None:
        db = shops.connect(**to())
        db.createShop(shopId="s7", name="Reports")
        db.createProduct(shopId="s7", productId="pen", name="Pen", sku="PEN", unitPrice=Decimal("0.1"), currentStock=100)
        db.createProduct(shopId="s7", productId="ink", name="Ink", sku="INK", category="Office", unitPrice=Decimal("2.55"), currentStock=9)
        for at, product, quantity in (("2024-03-30T22:59:59Z", "pen", 1), ("2024-03-30T23:00:00Z", "ink", 2),
                                      ("2024-03-31T21:59:59Z", "pen", 3), ("2024-03-31T22:00:00Z", "pen", 4)):
            db.recordSale(shopId="s7", productId=product, saleId=at, quantity=quantity, timestamp=at)
        rows = db.salesReport(shopId="s7", zone="Europe/Berlin", firstDay="2024-03-31", lastDay="2024-04-01")
        self.assertEqual([(row.day, row.sales, row.quantity, row.revenue, row.average, row.smallest) for row in rows],
                         [("2024-03-31", 2, 5, Decimal("5.4"), Decimal("2.7"), Decimal("0.3")),
                          ("2024-04-01", 1, 4, Decimal("0.4"), Decimal("0.4"), Decimal("0.4"))])
        march = db.salesOfMonth(shopId="s7", zone="Europe/Berlin", month="2024-03")
        self.assertEqual([(row.sales, row.revenue, row.average) for row in march], [(3, Decimal("5.5"), Decimal("1.83"))])
        self.assertEqual([(row.sales, row.revenue) for row in db.salesToday(shopId="s7")], [(0, 0)])
        top = db.topProducts(shopId="s7", start="2024-03-01", end="2024-04-30", limit=1)
        self.assertEqual([(row.productId, row.productName, row.revenue) for row in top], [("ink", "Ink", Decimal("5.1"))])
        self.assertEqual([(row.category, row.products, row.units, row.value) for row in db.stockByCategory(shopId="s7")],
                         [(None, 1, 92, Decimal("9.2")), ("Office", 1, 7, Decimal("17.85"))])
        with self.assertRaises(shops.Invalid):
            db.salesToday(shopId="s7", zone="Europe/Belrin")

    def test_asyncio(self) -> None:
        async def run() -> list[str]:
            db = shops.AsyncInventorySystem(shops.connect(**to()))
            await db.createShop(shopId="s6", name="Async")
            await asyncio.gather(*(
                db.createProduct(shopId="s6", productId=name, name=name, sku=name, unitPrice=Decimal(1)) for name in "xyz"))
            self.assertIsNone(await db.getProduct(shopId="s6", productId="none"))
            page = await db.listProducts_page(shopId="s6", limit=1)
            self.assertIsNotNone(page.next)
            return [product.name async for product in db.listProducts(shopId="s6")]

        self.assertEqual(asyncio.run(run()), ["x", "y", "z"])


class Sites(unittest.TestCase):
    def test_ratings_are_summed_up_on_the_site(self) -> None:
        db = sites.connect(**to())
        db.createSite(site="mdn", url="https://developer.mozilla.org/", title="MDN", tags=["css", "html"])
        db.rateSite(site="mdn", user="anna", stars=3)
        for user in ("ben", "cleo", "dora"):
            sites.connect(**to(user)).rateSite(site="mdn", user=user, stars=4)
        db.rateSite(site="mdn", user="anna", stars=5, note="On second thoughts")
        sites.connect(**to("dora")).removeRating(site="mdn", user="dora")
        site = db.getSite(site="mdn")
        assert site is not None
        self.assertEqual((site.ratingCount, site.ratingSum), (3, 13))
        self.assertEqual([rating.user for rating in db.ratingsByStars(stars=5)], ["anna"])
        self.assertEqual([(one.ratings, one.average) for one in db.siteRating(site="mdn")], [(3, Decimal("4.33"))])
        self.assertEqual([(one.stars, one.ratings) for one in db.starsOfSite(site="mdn")], [(3, 0), (4, 2), (5, 1)])
        with self.assertRaises(sites.SiteNotFound):
            db.rateSite(site="none", user="anna", stars=1)
        with self.assertRaises(sites.Invalid):
            db.rateSite(site="mdn", user="anna", stars=6)

    def test_tags_and_comments_go_with_their_site(self) -> None:
        db = sites.connect(**to())
        db.createSite(site="w3c", url="https://www.w3.org/", title="W3C", tags=["svg", "xml"])
        db.updateSite(site="w3c", tags=["xml", "rdf"])
        self.assertEqual(list(db.sitesByTag(tag="svg")), [])
        self.assertEqual([(one.site, one.title) for one in db.sitesByTag(tag="rdf")], [("w3c", "W3C")])
        self.assertEqual([(one.site, one.tag) for one in db.siteIdsByTag(tag="rdf")], [("w3c", "rdf")])
        comment = db.addComment(site="w3c", user="anna", body="Thank you")
        db.editComment(site="w3c", user="anna", comment=comment.comment, body="Thanks")
        self.assertEqual([one.body for one in db.commentsForSite(site="w3c")], ["Thanks"])
        db.rateSite(site="w3c", user="anna", stars=2)
        db.deleteSite(site="w3c")
        self.assertEqual(list(db.commentsForSite(site="w3c")), [])
        self.assertEqual(list(db.myComments(site="w3c", user="anna")), [])
        self.assertEqual(list(db.sitesByTag(tag="rdf")), [])
        db.removeRating(site="w3c", user="anna")
        with self.assertRaises(sites.NotFound):
            db.updateSite(site="w3c", title="Ghost")


class Files(unittest.TestCase):
    def test_a_known_upload_is_the_file_that_exists(self) -> None:
        db = files.connect(**to())
        file = db.presign(ownerId="carl", s3Bucket="texts", s3Key="a", originalFileName="a.txt", fingerprint="abc")
        db.claim(fileId=file.fileId)
        found = db.presign(ownerId="carl", s3Bucket="texts", s3Key="b", originalFileName="b.txt", fingerprint="abc")
        self.assertEqual((found.fileId, found.originalFileName, found.status), (file.fileId, "a.txt", "IN_PROGRESS"))
        db.presign(ownerId="carl:abc", s3Bucket="texts", s3Key="c", originalFileName="c.txt", fingerprint="d")
        with self.assertRaises(files.AlreadyExists):
            db.presign(ownerId="carl", s3Bucket="texts", s3Key="c", originalFileName="c.txt", fingerprint="abc:d")
        self.assertEqual([one.fileId for one in db.listFilesByOwner(ownerId="carl")], [file.fileId])

    def test_of_two_workers_one_gets_the_file(self) -> None:
        db = files.connect(**to())
        file = db.presign(ownerId="anna", s3Bucket="texts", s3Key="a", originalFileName="a.txt", fingerprint="abc")
        self.assertEqual(file.status, "PENDING")
        db.claim(fileId=file.fileId)
        with self.assertRaises(files.WrongState):
            db.claim(fileId=file.fileId)
        done = db.complete(fileId=file.fileId, result={
            "totalWords": 3, "uniqueWords": 2, "avgWordLength": Decimal("2.33"), "top10Words": [{"word": "b", "count": 1}]})
        assert done.result is not None
        self.assertEqual(done.result["avgWordLength"], Decimal("2.33"))
        self.assertEqual([one.status for one in db.listFilesByOwner(ownerId="anna")], ["COMPLETED"])
        with self.assertRaises(files.WrongState):
            db.fail(fileId=file.fileId, errorMessage="too late")


class Members(unittest.TestCase):
    def test_an_item_that_exists_is_returned_if_it_is_the_same_one(self) -> None:
        db = members.connect(**to())
        self.assertEqual(db.enrol(id="m1", club="chess", phone="555-1").phone, "555-1")
        self.assertEqual(db.enrol(id="m1", club="chess", phone="555-2").phone, "555-1")
        with self.assertRaises(members.AlreadyExists):
            db.enrol(id="m1", club="go")
        db.leave(id="m1")
        with self.assertRaises(members.AlreadyExists):
            db.enrol(id="m1", club="chess")

    def test_of_concurrent_calls_one_creates_the_item_and_all_get_it(self) -> None:
        db = members.connect(**to())
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            joined = list(pool.map(lambda _: db.enrol(id="m2", club="chess", phone="555-3"), range(8)))
        self.assertEqual(joined, [joined[0]] * 8)

    def test_no_message_shows_a_sensitive_value_that_is_taken(self) -> None:
        db = members.connect(**to())
        db.enrol(id="m3", club="chess", phone="555-4")
        with self.assertRaises(members.NotUnique) as taken:
            db.enrol(id="m4", club="chess", phone="555-4")
        self.assertIn("another Member has the same phone", str(taken.exception))
        self.assertNotIn("555-4", str(taken.exception))


class Aura(unittest.TestCase):
    db: aura.AuraHistoriaData

    @classmethod
    def setUpClass(cls) -> None:
        cls.db = aura.connect(**to(), core_domain=lambda domain: domain.split(".")[-3])

    def test_a_shop_is_in_one_state_and_in_the_index_of_its_country(self) -> None:
        domain = "www.example.co.uk"
        self.assertEqual(self.db.registerShop(domain=domain, shop_country="DE").crawl, "NEVER")
        self.assertEqual(len(list(self.db.neverCrawled(shop_country="DE"))), 1)
        self.db.startCrawl(domain=domain)
        with self.assertRaisesRegex(aura.WrongState, "^WRONG_STATE: crawl: startCrawl is possible from NEVER or DONE$"):
            self.db.startCrawl(domain=domain)
        self.assertEqual([shop.domain for shop in self.db.crawlsInProgress(shop_country="COUNTRY#DE")], [domain])
        self.assertEqual(self.db.finishCrawl(domain=domain).crawl, "DONE")
        shop = self.db.getShop(domain=domain)
        assert shop is not None
        self.assertEqual((shop.crawl, shop.scrape, shop.core_domain_name), ("DONE", "NEVER", "example"))

    def test_a_page_of_a_union_goes_on_with_the_next_pattern(self) -> None:
        for domain in ("www.b.co.uk", "www.c.co.uk"):
            self.db.registerShop(domain=domain, shop_country="FR")
        self.db.startCrawl(domain="www.c.co.uk")
        self.db.finishCrawl(domain="www.c.co.uk")
        soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=1)
        cutoff = soon.strftime("%Y-%m-%dT%H:%M:%SZ")
        first = self.db.shopsNeedingCrawl_page(shop_country="FR", cutoff=cutoff, limit=1)
        self.assertEqual([shop.domain for shop in first.items], ["www.b.co.uk"])
        rest = self.db.shopsNeedingCrawl_page(shop_country="FR", cutoff=cutoff, token=first.next)
        self.assertEqual(([shop.domain for shop in rest.items], rest.next), (["www.c.co.uk"], None))
        self.assertEqual(len(list(self.db.shopsNeedingCrawl(shop_country="FR", cutoff=cutoff))), 2)

    @unittest.skipIf(IS_SERVED or IS_PLAIN, "the server computes the field, or governs nothing")
    def test_a_server_that_governs_the_table_refuses_by_the_same_exception(self) -> None:
        wrong = aura.connect(**to(), core_domain=lambda _: "other")
        with self.assertRaises(aura.Invalid) as refusal:
            wrong.registerShop(domain="www.d.co.uk", shop_country="DE")
        self.assertEqual(refusal.exception.parameter, "core_domain_name")

    def test_a_page_keeps_its_hash_and_an_unchanged_one_is_no_news(self) -> None:
        self.db.registerShop(domain="www.e.co.uk", shop_country="IT")
        domain, url = "www.e.co.uk", "https://www.e.co.uk/a#b"
        self.db.upsertUrl(domain=domain, url=url, type="product")
        changed = self.db.recordHash(domain=domain, url=url, status="in_stock", price="99.99")
        self.assertEqual(changed.hash, "6e74ec8d33d1c00ffc74de5cff6ea992a58a7cdad3bad329a3cccaf89e788801")
        with self.assertRaises(aura.Unchanged):
            self.db.recordHash(domain=domain, url=url, status="in_stock", price="99.99")
        self.assertEqual(self.db.upsertUrl(domain=domain, url=url).hash, changed.hash)
        self.assertEqual(len(list(self.db.urlsByType(domain="www.e.co.uk", type="product"))), 1)


class Clinic(unittest.TestCase):
    def test_a_trail_and_refusals_show_no_sensitive_value(self) -> None:
        db = clinic.connect(**to())
        phone = "+491"
        db.register(id="p1", name="Anna", mail="mango@example.com", code="mango", weight=Decimal(60), contact={"city": "Rome", "phone": phone},
                    calls=[{"about": "pain", "number": phone}], file={"word": "mango"})
        db.correct(id="p1", name="Anne", code="mango-tree")
        masked: dict[str, Any] = {"id": "p1", "mail": "***", "code": "***", "loud": "***", "weight": "***", "contact": {"city": "Rome", "phone": "***"},
                  "calls": [{"about": "pain", "number": "***"}], "file": "***", "status": "WAITING"}
        if IS_SERVED:
            masked["doctor"] = "***"  # the caller
        wrong: list[dict[str, Any]] = [{"code": "mango 1"}, {"mail": "mango"}, {"kind": "mango"}, {"weight": Decimal(98765)}, {"weight": Decimal("1.98765")},
                                       {"contact": {"phone": "mango"}}, {"contact": "mango"}, {"calls": [{"number": "mango"}]}, {"calls": "mango"},
                                       {"file": {"word": "mango 1"}}, {"mail": "mango@example.com"}]
        for given in wrong:
            with self.subTest(given), self.assertRaises(clinic.Refused) as refused:
                db.register(id="p2", **given)
            self.assertNotRegex(str(refused.exception), "mango|9876")
        db.remove(id="p1")
        shown = [(entry.how, *({name: value for name, value in (image or {}).items() if name not in ("since", "moved", "born")}
                               for image in (entry.before, entry.after))) for entry in db.trail(what="PATIENT#p1|META")]
        self.assertEqual(sorted(shown, key=lambda entry: ("create", "update", "delete").index(entry[0] or "")), [
            ("create", {}, {"name": "Anna", **masked}), ("update", {"name": "Anna", **masked}, {"name": "Anne", **masked}),
            ("delete", {"name": "Anne", **masked}, {})])


if __name__ == "__main__":
    unittest.main()
