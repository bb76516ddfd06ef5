#!/usr/bin/env python3
"""Governed tables under programs that do not know designs: writes of boto3 are completed, propagated or refused, and
operations under /v1 have the same effect. Drift finds nothing after every test.

    tests/designs/governed_test.py PROGRAM [--results FILE] [TEST ...]
"""
import datetime
import decimal
import hashlib
import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import governed  # noqa: E402
import harness  # noqa: E402
from access import ask  # noqa: E402
from governed import HAS_FRONT, NOW, GovernedTest, design_file, environment  # noqa: E402

LATER = "2026-01-15T13:00:00Z"
NOW_MS, LATER_MS = 1768471200000, 1768482000000


class Registry(GovernedTest):
    design = "aura-historia-data"
    keys = ("pk", "sk")
    shop = ("SHOP#example.com", "META#")

    def setUp(self):
        super().setUp()
        self.served.clock.set(NOW)

    def test_a_shop_of_three_words_is_complete(self):
        """Covers AH1, AH4, AH5, AH6, AH7, AH12."""
        self.put(*self.shop, shop_country="COUNTRY#DE")
        self.assert_item(self.shop, domain="example.com", core_domain_name="example", gsi2_pk="COUNTRY#DE",
                         gsi2_sk="NEVER#", gsi3_pk="COUNTRY#DE", gsi3_sk="NEVER#", gsi4_pk="example",
                         gsi4_sk="example.com")
        self.assertEqual(len(self.query("GSI2", gsi2_pk="COUNTRY#DE", gsi2_sk="NEVER#")), 1)
        by_name = self.served.send("GET", "aura-historia-data/neverCrawled?shop_country=COUNTRY%23DE")[1]["items"]
        self.assertEqual([shop["domain"] for shop in by_name], ["example.com"])

    def test_a_crawl_goes_its_way_by_keys(self):
        """Covers AH7, AH8."""
        self.put(*self.shop, shop_country="COUNTRY#DE")
        self.assert_condition_failed("possible: startCrawl to PROGRESS", self.update, self.shop,
                                     "SET gsi2_sk = :k, last_crawled_end = :t", k=f"DONE#{NOW}", t=NOW)
        self.update(self.shop, "SET gsi2_sk = :k, last_crawled_start = :t", k=f"PROGRESS#{NOW}", t=NOW)
        self.assert_condition_failed("cannot become", self.update, self.shop,
                                     "SET gsi2_sk = :k, last_crawled_start = :t", k=f"PROGRESS#{LATER}", t=LATER)
        self.assertEqual(self.refusal("startCrawl", domain="example.com"), "WRONG_STATE")
        self.update(self.shop, "SET gsi2_sk = :k, last_crawled_end = :t", k=f"DONE#{LATER}", t=LATER)
        self.assert_item(self.shop, gsi2_sk=f"DONE#{LATER}", gsi3_sk="NEVER#", last_crawled_start=NOW,
                         last_crawled_end=LATER)

    def test_a_crawl_goes_its_way_by_name(self):
        """Covers AH8."""
        self.perform("registerShop", domain="example.com", shop_country="COUNTRY#DE")
        self.perform("startCrawl", domain="example.com")
        self.assert_item(self.shop, gsi2_sk=f"PROGRESS#{NOW}")
        self.assert_condition_failed("cannot become", self.update, self.shop, "SET gsi2_sk = :k", k="NEVER#")
        self.perform("finishCrawl", domain="example.com")
        self.assert_item(self.shop, gsi2_sk=f"DONE#{NOW}", last_crawled_end=NOW)

    def test_who_comes_second_gets_the_shop_as_it_is(self):
        """Covers AH8."""
        self.put(*self.shop, shop_country="COUNTRY#DE")
        first, second = ({"ReturnValuesOnConditionCheckFailure": "ALL_OLD"} | self.update_request(
            self.shop, "SET gsi2_sk = :k, last_crawled_start = :t", k=f"PROGRESS#{moment}", t=moment)
            for moment in (NOW, LATER))
        self.transact(("Update", first))
        answer = self.assert_cancelled("possible: finishCrawl to DONE", ("Update", second))
        reason = answer["CancellationReasons"][0]
        self.assertEqual((reason["Code"], reason["Item"]["gsi2_sk"]),
                         ("ConditionalCheckFailed", {"S": f"PROGRESS#{NOW}"}))

    def test_what_is_stuck_is_reset_by_somebody_for_a_reason(self):
        """Covers AH11."""
        self.put(*self.shop, shop_country="COUNTRY#DE")
        self.perform("startCrawl", domain="example.com")
        self.served.clock.set(LATER)
        stuck = self.served.send("GET", "aura-historia-data/stuckCrawls?shop_country=COUNTRY%23DE")[1]["items"]
        self.assertEqual([shop["domain"] for shop in stuck], ["example.com"])
        self.assert_condition_failed("forgetCrawl to NEVER with crawl_reset_by, crawl_reset_reason", self.update,
                                     self.shop, "SET gsi2_sk = :k", k="NEVER#")
        self.update(self.shop, "SET gsi2_sk = :k, crawl_reset_by = :b, crawl_reset_reason = :r",
                    k="NEVER#", b="anna", r="the worker died")
        self.assert_item(self.shop, gsi2_sk="NEVER#", crawl_reset_at=LATER, crawl_reset_by="anna",
                         crawl_reset_reason="the worker died")
        self.perform("startCrawl", domain="example.com")
        self.perform("resetCrawl", domain="example.com", by="bela", reason="again")
        self.assert_item(self.shop, gsi2_sk="NEVER#", crawl_reset_by="bela", crawl_reset_reason="again")

    def test_a_country_is_a_country_however_it_is_written(self):
        """Covers AH15."""
        self.put(*self.shop, shop_country="DE")
        self.assert_item(self.shop, shop_country="COUNTRY#DE", gsi2_pk="COUNTRY#DE", gsi3_pk="COUNTRY#DE")
        self.update(self.shop, "SET shop_country = :c", c="AT")
        self.assert_item(self.shop, shop_country="COUNTRY#AT", gsi2_pk="COUNTRY#AT", gsi2_sk="NEVER#")
        self.assert_invalid("Shop.shop_country", self.update, self.shop, "SET shop_country = :c", c="Germany")
        self.perform("updateShop", domain="example.com", shop_country="COUNTRY#CH")
        self.assert_item(self.shop, shop_country="COUNTRY#CH", gsi2_pk="COUNTRY#CH")

    def test_a_shop_without_a_country_is_reported(self):
        """Covers AH15."""
        self.put(*self.shop)
        self.put("SHOP#example.org", "META#", shop_country="DE")
        self.update(("SHOP#example.org", "META#"), "REMOVE shop_country")
        self.assert_item(("SHOP#example.org", "META#"), shop_country=None, gsi2_pk=None, gsi3_pk=None)
        found = self.served.send("GET", "aura-historia-data/notSchedulable")[1]["items"]
        self.assertEqual({shop["domain"] for shop in found}, {"example.com", "example.org"})
        self.update(self.shop, "SET shop_country = :c", c="DE")
        self.assertEqual(len(self.query("GSI2", gsi2_pk="COUNTRY#DE", gsi2_sk="NEVER#")), 1)

    def test_pages_follow_their_type(self):
        """Covers AH2, AH3, AH14."""
        page = ("SHOP#example.com", "URL#https://example.com/a#b")
        self.put(*self.shop)
        self.table.meta.client.batch_write_item(RequestItems={self.name: [{"PutRequest": {"Item": self.key(*page) | {
            "type": "listing", "standards_used": ["json-ld"]}}}]})
        self.assert_item(page, url="https://example.com/a#b", gsi1_pk="SHOP#example.com", gsi1_sk="listing")
        self.update(page, "SET #type = :t", t="product")
        self.assert_item(page, gsi1_sk="product", standards_used=["json-ld"])
        self.update(page, "REMOVE #type")
        self.assert_item(page, gsi1_pk=None, gsi1_sk=None)


class FirstRegistry(GovernedTest):
    design = "aura-historia-data.r000"

    def perform(self, operation, **parameters):
        status, body = self.served.perform(f"aura-historia-data/{operation}", parameters)
        self.assertIn(status, (200, 204), body)
        return body

    def test_the_first_revision_is_kept_as_well(self):
        """Covers AH14."""
        shop, page = ("SHOP#example.com", "META#"), ("SHOP#example.com", "URL#https://example.com/a")
        self.put(*shop, standards_used=["microdata"])
        self.assert_item(shop, domain="example.com")
        self.assert_invalid("Url.is_product", self.put, *page, is_product="yes")
        self.assert_invalid("Url.hash", self.put, *page, hash=hashlib.sha256(b"in_stock|99.99").hexdigest())
        self.put(*page, is_product=True, standards_used=["json-ld", "opengraph"])
        self.perform("recordHash", domain="example.com", url="https://example.com/a", status="in_stock", price="99.99")
        self.assert_item(page, url="https://example.com/a", hash="559ceaf45a28778f6e88c3301ecd7d93", is_product=True)


class Files(GovernedTest):
    design = "text-analyzer-history"
    file, history = ("FILE#f1", "META"), ("OWNER#anna", "FILE#f1")
    RESULT = {"totalWords": 3, "uniqueWords": 2, "avgWordLength": decimal.Decimal("2.33"), "top10Words": []}

    def setUp(self):
        super().setUp()
        self.served.clock.set(NOW)

    def announce(self, **attributes):
        self.put(*self.file, ownerId="anna", s3Bucket="b", s3Key="k", originalFileName="a.txt", **attributes)

    def set_status(self, status, more="", **values):
        return self.update(self.file, "SET #status = :status" + more, status=status, **values)

    def test_the_owner_has_the_file_too(self):
        """Covers TA1, TA2."""
        self.announce()
        self.assert_item(self.file, fileId="f1", status="PENDING", createdAt=NOW_MS, updatedAt=NOW_MS)
        self.assertEqual({**self.get(*self.file), **self.key(*self.history)}, self.get(*self.history))
        self.announce()  # again: the same file
        self.assert_item(self.history, createdAt=NOW_MS)
        self.update(self.file, "SET s3Key = :k", k="elsewhere")
        self.assert_item(self.history, s3Key="elsewhere")
        self.perform("represign", fileId="f1", s3Bucket="c", s3Key="l", originalFileName="b.txt")
        self.assert_item(self.history, s3Bucket="c", s3Key="l", originalFileName="b.txt")
        self.delete(*self.file)
        self.assertEqual(self.scan(), [])

    def test_a_program_that_writes_both_is_understood(self):
        """Covers TA2."""
        both = {"fileId": "f1", "ownerId": "anna", "s3Bucket": "b", "s3Key": "k", "originalFileName": "a.txt",
                "status": "PENDING", "createdAt": 1700000000000, "updatedAt": 1700000000000}
        self.transact(("Put", {"Item": self.key(*self.file) | both}), ("Put", {"Item": self.key(*self.history) | both}))
        self.assert_item(self.history, createdAt=1700000000000)
        moved = {"s": "IN_PROGRESS", "t": 1700000060000}
        change = "SET #status = :s, updatedAt = :t"
        self.transact(("Update", self.update_request(self.file, change, **moved)),
                      ("Update", self.update_request(self.history, change, **moved)))
        self.assert_item(self.history, status="IN_PROGRESS", updatedAt=1700000060000)
        differs = self.update_request(self.history, "SET #status = :s", s="PENDING")
        source = self.update_request(self.file, "SET s3Key = :k", k="l")
        self.assert_cancelled("OwnerHistory is a copy", ("Update", source), ("Update", differs))

    def test_the_owners_item_alone_is_refused(self):
        """Covers TA2."""
        hint = "OwnerHistory is a copy; change the File it is copied from"
        self.announce()
        self.assert_invalid(hint, self.update, self.history, "SET s3Key = :k", k="elsewhere")
        self.assert_invalid(hint, self.delete, *self.history)
        self.assert_invalid(hint, self.put, "OWNER#ben", "FILE#f2", s3Bucket="b", s3Key="k", originalFileName="a.txt",
                            status="PENDING", createdAt=1, updatedAt=1)
        batch = [{"DeleteRequest": {"Key": self.key(*self.history)}}]
        self.assert_invalid(hint, self.client.batch_write_item, RequestItems={self.name: batch})

    def test_states_follow_each_other(self):
        """Covers TA3."""
        self.announce()
        wrong = [("COMPLETED", ", #result = :r", {"r": self.RESULT}), ("FAILED", ", errorMessage = :m", {"m": "no"})]
        for status, more, values in wrong:
            self.assert_condition_failed("possible: claim to IN_PROGRESS", self.set_status, status, more, **values)
        self.served.clock.set(LATER)
        self.set_status("IN_PROGRESS")
        self.assert_item(self.history, status="IN_PROGRESS", createdAt=NOW_MS, updatedAt=LATER_MS)
        self.assert_condition_failed("with result", self.set_status, "COMPLETED")
        self.assert_condition_failed("with errorMessage", self.set_status, "FAILED")
        self.assert_condition_failed("cannot become", self.set_status, "PENDING")
        self.assert_condition_failed("cannot become", self.set_status, "DONE")
        self.set_status("FAILED", ", errorMessage = :m", m="this is no text")
        self.assert_item(self.history, status="FAILED", errorMessage="this is no text")

    def test_what_belongs_to_a_state_comes_and_goes_with_it(self):
        """Covers TA3, TA5."""
        self.announce()
        self.assert_invalid("errorMessage", self.update, self.file, "SET errorMessage = :m", m="not yet")
        self.set_status("IN_PROGRESS")
        self.set_status("FAILED", ", errorMessage = :m", m="this is no text")
        self.set_status("IN_PROGRESS")
        for item in (self.file, self.history):
            self.assert_item(item, status="IN_PROGRESS", errorMessage=None)
        self.assert_invalid("File.result uniqueWords is required", self.set_status, "COMPLETED", ", #result = :r",
                            r={"totalWords": 1})
        self.set_status("COMPLETED", ", #result = :r", r=self.RESULT)
        self.assert_item(self.file, status="COMPLETED", result=self.RESULT)
        self.assert_item(self.history, status="COMPLETED", result=None)
        self.assert_invalid("result", self.update, self.file, "REMOVE #result")

    def test_what_is_complete_is_not_analysed_again(self):
        """Covers TA4."""
        self.announce()
        self.set_status("IN_PROGRESS")
        self.perform("complete", fileId="f1", result=self.RESULT)
        for change in ("SET #status = :status", "SET #status = :status REMOVE #result"):
            self.assert_condition_failed("cannot become", self.update, self.file, change, status="IN_PROGRESS")
        self.assertEqual(self.refusal("claim", fileId="f1"), "WRONG_STATE")
        self.assert_item(self.history, status="COMPLETED")

    def test_a_claim_is_a_conditional_update(self):
        """Covers TA4, TA6."""
        self.announce()
        claim = ("SET #status = :to", "#status IN (:p, :f)")
        values = {"to": "IN_PROGRESS", "p": "PENDING", "f": "FAILED"}
        self.update(self.file, *claim, **values)
        self.assert_condition_failed("The conditional request failed", self.update, self.file, *claim, **values)
        self.assertEqual(self.refusal("claim", fileId="f1"), "WRONG_STATE")

    def test_a_file_is_taken_over_by_those_who_know_that_it_is_claimed(self):
        """Covers TA3, TA4, TA8."""
        self.announce()
        self.set_status("IN_PROGRESS")
        self.assert_condition_failed("reclaim needs a condition", self.set_status, "IN_PROGRESS")
        statement = f"UPDATE \"{self.name}\" SET status='IN_PROGRESS' WHERE PK='FILE#f1' AND SK='META'"
        self.assert_condition_failed("reclaim needs a condition", self.client.execute_statement, Statement=statement)
        self.served.clock.set(LATER)
        self.update(self.file, "SET s3Key = :k, #status = if_not_exists(#status, :new)", k="other", new="PENDING")
        self.put(*self.file, ownerId="anna", s3Bucket="b", s3Key="k", originalFileName="a.txt", status="IN_PROGRESS")
        self.assert_item(self.history, status="IN_PROGRESS", updatedAt=NOW_MS)
        self.update(self.file, "SET #status = :to", "#status = :to AND updatedAt < :then", to="IN_PROGRESS",
                    then=LATER_MS)
        self.assert_item(self.history, status="IN_PROGRESS", updatedAt=LATER_MS)

    def test_a_file_has_no_other_attributes(self):
        """Covers TA6."""
        self.announce()
        self.assert_invalid("File has no attribute `owner`", self.update, self.file, "SET #owner = :o", o="ben")


class Catalogue(GovernedTest):
    design = "fus-main"
    site, rating = ("SITE#mdn", "METADATA"), ("USER#anna", "SITE#mdn")
    comment, under_site = ("USER#anna", "SITE#mdn#COMMENT#c1"), ("SITE#mdn", f"COMMENT#{NOW}#c1")

    def add_site(self, **attributes):
        self.put(*self.site, url="https://developer.mozilla.org/", title="MDN", **attributes)

    def tags_of(self, site):
        return {item["tag"] for item in self.query(None, PK=f"SITE#{site}") if item["SK"].startswith("TAG#")}

    def test_a_site_has_its_tags(self):
        """Covers FUS1, FUS2."""
        self.add_site(tags=["css", "c#"])
        self.assert_item(self.site, entityType="SITE", entitySk=f"{NOW}#SITE#mdn", ratingCount=0)
        self.assertEqual(self.tags_of("mdn"), {"css", "c#"})
        self.update(self.site, "SET tags = list_append(tags, :more)", more=["html"])
        self.assertEqual(self.tags_of("mdn"), {"css", "c#", "html"})
        self.assertEqual([item["PK"] for item in self.query("byTag", tag="html")], ["SITE#mdn"])
        self.update(self.site, "REMOVE tags[0]")
        self.assertEqual(self.tags_of("mdn"), {"c#", "html"})
        self.perform("updateSite", site="mdn", tags=["web"])
        self.assertEqual(self.tags_of("mdn"), {"web"})
        self.update(self.site, "REMOVE tags")
        self.assertEqual(self.tags_of("mdn"), set())

    def test_a_tag_belongs_to_its_site(self):
        """Covers FUS2."""
        self.add_site(tags=["css"])
        hint = "SiteTag is a copy; change the Site it is copied from"
        self.assert_invalid(hint, self.put, "SITE#mdn", "TAG#html", tag="html")
        self.assert_invalid(hint, self.delete, "SITE#mdn", "TAG#css")
        self.transact(("Update", self.update_request(self.site, "SET tags = :t", t=["html"])),
                      ("Delete", {"Key": self.key("SITE#mdn", "TAG#css")}),
                      ("Put", {"Item": self.key("SITE#mdn", "TAG#html") | {"tag": "html", "siteId": "SITE#mdn"}}))
        self.assertEqual(self.tags_of("mdn"), {"html"})

    def test_ratings_are_counted(self):
        """Covers FUS3, FUS7."""
        self.add_site()
        self.put(*self.rating, stars=5)
        self.assert_item(self.rating, starRating=5, siteId="SITE#mdn")
        self.client.batch_write_item(RequestItems={self.name: [
            {"PutRequest": {"Item": self.key(f"USER#{user}", "SITE#mdn") | {"stars": stars}}}
            for user, stars in (("ben", 1), ("eva", 3))]})
        self.assert_item(self.site, ratingCount=3, ratingSum=9)
        self.update(self.rating, "SET stars = :s", s=2)
        self.put(*self.rating, stars=2)  # again
        self.assert_item(self.site, ratingCount=3, ratingSum=6)
        self.assertEqual([item["PK"] for item in self.query("byStars", starRating=2)], ["USER#anna"])
        self.perform("rateSite", user="ben", site="mdn", stars=5)
        self.assert_item(self.site, ratingCount=3, ratingSum=10)
        self.delete(*self.rating)
        self.assert_item(self.site, ratingCount=2, ratingSum=8)

    def test_what_went_wrong_while_nobody_looked_is_mended(self):
        """A strictly governed table, repaired through its server."""
        self.add_site(tags=["css", "html"])
        self.put(*self.rating, stars=5)
        self.served.enforce(self.design, "off")
        self.update(self.site, "SET ratingSum = :s", s=50)
        self.delete("SITE#mdn", "TAG#css")
        self.put("SITE#mdn", "TAG#old", tag="old", siteId="SITE#mdn")
        self.served.enforce(self.design, "strict")
        found = {line.split()[0] for line in self.served.drift(self.design)}
        self.assertEqual(found, {"counter", "copy-missing", "copy-orphaned"})
        self.served.repair(self.design)
        self.assertEqual(self.served.drift(self.design), [])
        self.assert_item(self.site, ratingCount=1, ratingSum=5)
        self.assertEqual(self.tags_of("mdn"), {"css", "html"})
        self.assertIn("strict", self.served.enforce(self.design))

    def requests_seen(self):
        path = f"/admin/designs/{self.design}/requests"
        return ask(self.served.server, "GET", path, self.served.access.signed("GET", self.served.server.url + path))[2]

    @unittest.skipIf(HAS_FRONT, "a front sends reads on without counting them")
    def test_the_work_of_our_tools_is_not_counted_among_the_requests(self):
        self.add_site(tags=["css"])
        self.scan()
        seen = self.requests_seen()
        self.assertEqual([one["operation"] for one in seen["unexplained"] if one["operation"] == "Scan"], ["Scan"])
        endpoint = ["--endpoint", self.served.server.url]
        for command in (["design", "drift", design_file(self.design), "--repair"], ["dump", self.name, "--parallel", "1"],
                        ["dump", self.name, "--parallel", "2"]):
            subprocess.run([harness.PROGRAM, *command, *endpoint], capture_output=True, check=True, env=environment())
        self.assertEqual(self.requests_seen(), seen)
        subprocess.run([harness.PROGRAM, "run", design_file(self.design), "getSite", "site=mdn", *endpoint],
                       capture_output=True, check=True, env=environment())
        self.assertEqual(self.requests_seen()["patterns"]["getSite"], seen["patterns"]["getSite"] + 1)

    def test_ratings_that_are_none_are_refused(self):
        """Covers FUS3."""
        self.add_site()
        for stars in (0, 6, decimal.Decimal("2.5"), "five"):
            self.assert_invalid("Rating.stars", self.put, *self.rating, stars=stars)
        self.assert_invalid("there is no Site", self.put, "USER#anna", "SITE#gone", stars=3)
        self.assert_invalid("is maintained by siteRatings", self.update, self.site, "SET ratingSum = :s", s=100)
        self.assert_invalid("is maintained by siteRatings", self.update, self.site, "ADD ratingCount :s", s=1)
        self.assert_item(self.site, ratingCount=0, ratingSum=0)

    def test_comments_lie_under_their_site(self):
        """Covers FUS4."""
        self.add_site()
        self.put(*self.comment, body="Thank you")
        self.assert_item(self.under_site, user="anna", body="Thank you", createdAt=NOW)
        self.assert_item(self.site, commentCount=1)
        self.update(self.comment, "SET body = :b", b="Thanks")
        self.assert_item(self.under_site, body="Thanks")
        self.perform("editComment", user="anna", site="mdn", comment="c1", body="Thank you all")
        self.assert_item(self.under_site, body="Thank you all")
        self.assert_invalid("SiteComment is a copy; change the Comment it is copied from", self.update, self.under_site,
                            "SET body = :b", b="No")
        self.assert_invalid("siteComments already has a copy with the same key", self.put, "USER#ben",
                            "SITE#mdn#COMMENT#c1", body="In the same second, by the same id")
        self.delete(*self.comment)
        self.assertIsNone(self.get(*self.under_site))
        self.assert_item(self.site, commentCount=0)

    def test_a_group_goes_with_its_members(self):
        """Covers FUS5, FUS6."""
        self.assert_invalid("must be a Group that exists", self.put, "USER#anna", "MEMBERSHIP#editors")
        self.put("GROUP#editors", "METADATA", permissions=["createSite"])
        self.assert_item(("GROUP#editors", "METADATA"), name="editors", entityType="GROUP", entitySk="GROUP#editors")
        for user in ("anna", "ben"):
            self.put(f"USER#{user}", "MEMBERSHIP#editors", addedBy="root")
        self.perform("addMember", userId="eva", groupName="editors")
        members = {item["userId"] for item in self.query("byGroup", groupName="editors")}
        self.assertEqual(members, {"anna", "ben", "eva"})
        self.delete("GROUP#editors", "METADATA")
        self.assertEqual(self.scan(), [])

    def test_a_site_goes_with_its_tags_and_comments(self):
        """Covers FUS10."""
        self.add_site(tags=["css", "html"])
        for number in range(3):
            self.put("USER#anna", f"SITE#mdn#COMMENT#c{number}", body="Thank you")
        self.put(*self.rating, stars=5)
        stay = [("SITE#mdn", "STARS#5"), self.rating]  # ratings are their users', and counted as long as they exist
        self.delete(*self.site)
        self.assertEqual([(item["PK"], item["SK"]) for item in self.scan()], stay)
        self.add_site()  # it has the ratings that stayed
        self.assert_item(self.site, ratingCount=1, ratingSum=5, commentCount=0)
        self.perform("addComment", user="anna", site="mdn", body="Again")
        self.perform("deleteSite", site="mdn")
        self.assertEqual([(item["PK"], item["SK"]) for item in self.scan()], stay)

    def test_an_update_of_nothing_makes_no_ghost(self):
        """Covers FUS10."""
        self.assert_invalid("Site: url is required", self.update, self.site, "SET title = :t", t="MDN")
        self.assertEqual(self.refusal("updateSite", status=404, site="mdn", title="MDN"), "NOT_FOUND")
        self.assertEqual(self.scan(), [])

    def test_who_may_rate_moves_what_a_manager_keeps(self):
        """Covers FUS9."""
        self.add_site()
        anna = self.served.resource(key="AKIDANNA").Table(self.name)
        anna.put_item(Item=self.key(*self.rating) | {"stars": 4})
        anna.put_item(Item=self.key(*self.comment) | {"body": "Mine"})
        self.assert_item(self.site, ratingCount=1, ratingSum=4, commentCount=1)
        change = self.update_request(self.site, "SET title = :t", t="Mine")
        self.assert_refused("AccessDeniedException", "role needed to write Site is manager", anna.update_item, **change)
        self.assert_refused("AccessDeniedException", "own", anna.put_item, Item=self.key("USER#ben", "SITE#mdn") | {
            "stars": 1})
        ben = self.served.resource(key="AKIDBEN").Table(self.name)
        ben.update_item(**change)
        self.assert_invalid("is maintained by siteRatings", ben.update_item,
                            **self.update_request(self.site, "SET ratingSum = :s", s=5))


class Inventory(GovernedTest):
    design = "InventorySystem"
    shop, product = ("SHOP#s1", "META"), ("SHOP#s1", "PRODUCT#p1")

    def add_product(self, number=1, **attributes):
        known = {"name": "Lamp", "sku": f"SKU-{number}", "unitPrice": decimal.Decimal("29.99")}
        self.put("SHOP#s1", f"PRODUCT#p{number}", **known | attributes)

    def add_shop(self, **attributes):
        self.put(*self.shop, name="Corner Shop", **attributes)

    def sale(self, **attributes):
        return {"Item": self.key("SHOP#s1", f"SALE#{NOW}#x1") | {"productId": "p1", "quantity": 2} | attributes}

    def taken_out(self):
        return {"Item": self.key("PRODUCT#p1", f"TX#{NOW}#x1") | {"shopId": "s1", "quantityChange": -2, "type": "OUT"}}

    def fall(self, quantity):
        return self.update_request(self.product, "SET currentStock = currentStock - :n", "currentStock >= :n",
                                   n=quantity)

    def test_a_sale_by_a_program_that_knows_the_table(self):
        """Covers INV1, INV3."""
        self.add_shop()
        self.add_product(currentStock=5)
        self.transact(("Update", self.fall(2)), ("Put", self.sale()), ("Put", self.taken_out()))
        self.assert_item(self.product, currentStock=3)
        self.assert_item(("SHOP#s1", f"SALE#{NOW}#x1"), productName="Lamp", productSku="SKU-1", saleId="x1",
                         totalAmount=decimal.Decimal("59.98"), GSI1PK="SHOP#s1#PRODUCT#p1", entityType="SALE")
        self.assert_item(("PRODUCT#p1", f"TX#{NOW}#x1"), GSI1PK="SHOP#s1", transactionId="x1", entityType="TRANSACTION")
        self.assert_cancelled("ConditionalCheckFailed", ("Update", self.fall(4)), ("Put", self.sale()))
        self.perform("recordSale", shopId="s1", productId="p1", saleId="x2", quantity=1)
        self.assert_item(self.product, currentStock=2)

    def test_reports_sum_up_what_any_program_sold(self):
        """Covers INV9, C6."""
        self.add_shop()
        self.add_product(currentStock=5, category="Light")
        self.add_product(2, currentStock=100, unitPrice=decimal.Decimal("0.1"))
        times = [f"2026-01-{day:02}T{hour:02}:30:00Z" for day in range(5, 16) for hour in (0, 12, 23)]
        for number, time in enumerate(times):  # thirty-three sales, three of them on each day of UTC
            self.put("SHOP#s1", f"SALE#{time}#x{number}", productId=f"p{1 + number % 2}", quantity=1 + number % 3)
        sold = [item for item in self.scan() if item.get("entityType") == "SALE"]
        for zone, hours in (("UTC", 0), ("Asia%2FTokyo", 9)):
            days = {}
            for sale in sold:
                local = datetime.datetime.fromisoformat(sale["timestamp"]) + datetime.timedelta(hours=hours)
                days.setdefault(local.date().isoformat(), []).append(sale["totalAmount"])
            today = (datetime.datetime.fromisoformat(NOW) + datetime.timedelta(hours=hours)).date()
            week = [(today - datetime.timedelta(days=ago)).isoformat() for ago in range(6, -1, -1)]
            rows = self.rows(f"salesReport?shopId=s1&zone={zone}")
            self.assertEqual([(row["day"], row["sales"], row["revenue"], row["smallest"]) for row in rows],
                             [(day, len(days[day]), sum(days[day]), min(days[day])) for day in week])
            self.assertEqual(self.rows(f"salesToday?shopId=s1&zone={zone}")[0]["revenue"], sum(days[week[-1]]))
            month = self.rows(f"salesOfMonth?shopId=s1&zone={zone}")[0]
            self.assertEqual((month["sales"], month["revenue"]), (33, sum(sale["totalAmount"] for sale in sold)))
        by_product = {product: sum(sale["totalAmount"] for sale in sold if sale["productId"] == product) for product in ("p1", "p2")}
        top = self.rows("topProducts?shopId=s1&limit=1")
        self.assertEqual([(row["productId"], row["productName"], row["revenue"]) for row in top], [("p1", "Lamp", by_product["p1"])])
        self.assertEqual(self.rows("stockByCategory?shopId=s1"),
                         [{"products": 1, "units": 100, "value": 10},
                          {"category": "Light", "products": 1, "units": 5, "value": decimal.Decimal("149.95")}])
        status, problem = self.served.send("GET", "InventorySystem/salesToday?shopId=s1&zone=Europe%2FBelrin")
        self.assertEqual((status, problem["parameter"]), (400, "zone"))
        status, problem = self.served.send("GET", "InventorySystem/salesToday?shopId=s1&page=x")
        self.assertEqual((status, problem["parameter"]), (400, "page"))

    def rows(self, path):
        """Returns the rows of an aggregate, with exact numbers."""
        status, answer = self.served.send("GET", f"InventorySystem/{path}")
        self.assertEqual(status, 200, answer)
        self.assertIsNone(answer["next"])
        self.assertIn("itemsRead", answer)
        return json.loads(json.dumps(answer["items"]), parse_float=decimal.Decimal)

    def notices(self):
        """Returns the stock in each notice, the oldest first."""
        found = [item for item in self.query(None, PK="SHOP#s1") if item["entityType"] == "NOTIFICATION"]
        return [int(notice["currentStock"]) for notice in found]

    def test_low_stock_is_noticed_whoever_takes_it_out(self):
        """Covers INV4."""
        self.add_shop(notificationEmail="a@example.com")
        self.add_product(currentStock=9, reorderThreshold=5)
        self.update(self.product, "SET currentStock = :n", n=5)
        self.assertEqual(self.notices(), [])
        self.update(self.product, "ADD currentStock :n", n=-1)
        self.update(self.product, "SET currentStock = :n, description = :d", n=3, d="bright")
        self.assertEqual(self.notices(), [4])
        notice = next(item for item in self.scan() if item.get("entityType") == "NOTIFICATION")
        self.assertEqual((notice["email"], notice["productName"], notice["timestamp"]), ("a@example.com", "Lamp", NOW))
        self.update(self.product, "SET currentStock = :n", n=20)
        self.transact(("Update", self.fall(18)), ("Put", self.sale(quantity=18)))
        self.assertEqual(sorted(self.notices()), [2, 4])
        self.update(self.product, "SET currentStock = :n", n=20)
        self.client.execute_statement(Statement=f'UPDATE "{self.name}" SET currentStock = 1 WHERE PK = ? AND SK = ?',
                                      Parameters=["SHOP#s1", "PRODUCT#p1"])
        self.assertEqual(sorted(self.notices()), [1, 2, 4])
        self.client.batch_write_item(RequestItems={self.name: [{"PutRequest": {"Item": self.key("SHOP#s1", "PRODUCT#p2") | {
            "name": "Bulb", "sku": "SKU-2", "unitPrice": 3, "currentStock": 3, "reorderThreshold": 8}}}]})
        self.assertEqual(sorted(self.notices()), [1, 2, 3, 4])
        self.update(self.product, "SET currentStock = :n", n=20)
        self.perform("recordSale", shopId="s1", productId="p1", saleId="x2", quantity=20)
        self.assertEqual(sorted(self.notices()), [0, 1, 2, 3, 4])
        self.delete(notice["PK"], notice["SK"])  # that one is missing is no drift

    def test_a_notice_that_cannot_be_written_keeps_the_stock(self):
        """Covers INV4."""
        self.add_shop()
        self.add_product(currentStock=9, reorderThreshold=5)
        self.served.enforce(self.design, "off")
        self.update(self.shop, "SET notificationEmail = :m", m="nobody")
        self.served.enforce(self.design, "strict")
        words = "the consequence lowStockNotice (a new Notification) cannot be written: Notification: email"
        self.assert_invalid(words, self.update, self.product, "SET currentStock = :n", n=4)
        self.assert_item(self.product, currentStock=9)
        self.update(self.shop, "REMOVE notificationEmail")
        self.update(self.product, "SET currentStock = :n", n=4)
        self.assertEqual(self.notices(), [4])

    def test_a_wrong_sale_leaves_nothing(self):
        """Covers INV3."""
        self.add_shop()
        self.add_product(currentStock=5)
        self.assert_invalid("Product.currentStock must be", self.update, self.product,
                            "SET currentStock = currentStock - :n", n=6)
        for wrong, words in (({"totalAmount": 60}, "Sale.totalAmount"), ({"quantity": 0}, "Sale.quantity"),
                             ({"saleId": "other"}, "saleId"), ({"productId": "p9"}, "unitPrice is required"),
                             ({"productId": "p9", "unitPrice": 1}, "must be a Product that exists")):
            self.assert_cancelled(words, ("Update", self.fall(2)), ("Put", self.sale(**wrong)),
                                  ("Put", self.taken_out()))
        self.assert_item(self.product, currentStock=5)
        self.assertEqual(self.refusal("recordSale", shopId="s1", productId="p1", saleId="x", quantity=6),
                         "INSUFFICIENT_STOCK")
        self.assertEqual(len(self.scan()), 2)

    def test_what_comes_in_is_more_and_what_goes_out_is_less(self):
        """Covers INV3."""
        self.add_shop()
        self.add_product(currentStock=5)
        change = ("PRODUCT#p1", f"TX#{NOW}#x1")
        for type_, quantity in (("IN", -2), ("OUT", 2), ("IN", 0)):
            self.assert_invalid("Transaction.signFitsType: What comes IN is more than 0", self.put, *change, shopId="s1",
                                quantityChange=quantity, type=type_)
        self.put(*change, shopId="s1", quantityChange=2, type="IN")
        self.assert_invalid("Transaction.signFitsType", self.update, change, "SET quantityChange = :n", n=-2)
        self.assert_item(change, quantityChange=2)

    def test_low_stock_is_where_it_is_looked_for(self):
        """Covers INV4."""
        self.add_shop()
        self.add_product(currentStock=5, reorderThreshold=5)
        low = {"GSI2PK": "SHOP#s1#LOWSTOCK"}
        self.assertEqual(self.query("GSI2", **low), [])
        self.table.update_item(**self.fall(1))
        self.assertEqual([item["productId"] for item in self.query("GSI2", **low)], ["p1"])
        self.update(self.product, "ADD currentStock :n", n=1)
        self.assertEqual(self.query("GSI2", **low), [])
        self.update(self.product, "SET reorderThreshold = :n", n=6)
        self.assertEqual(len(self.query("GSI2", **low)), 1)
        self.perform("adjustStock", shopId="s1", productId="p1", transactionId="t1", quantityChange=1)
        self.assertEqual(self.query("GSI2", **low), [])
        self.assert_invalid("GSI2PK", self.update, self.product, "SET GSI2PK = :k, GSI2SK = :s", s="PRODUCT#p1",
                            k="SHOP#s1#LOWSTOCK")

    def test_a_product_follows_its_category(self):
        """Covers INV5."""
        self.add_shop()
        self.add_product(category="Light")
        self.update(self.product, "SET category = :c", c="Desk")
        self.assert_item(self.product, GSI1PK="SHOP#s1#CATEGORY#Desk", GSI1SK="PRODUCT#p1")
        self.perform("changeCategory", shopId="s1", productId="p1", category="Floor")
        self.assertEqual(len(self.query("GSI1", GSI1PK="SHOP#s1#CATEGORY#Floor")), 1)
        self.assertEqual(self.query("GSI1", GSI1PK="SHOP#s1#CATEGORY#Light"), [])
        self.update(self.product, "REMOVE category")
        self.assert_item(self.product, GSI1PK=None, GSI1SK=None)

    def test_a_sku_is_one_products(self):
        """Covers INV5."""
        self.add_shop()
        self.put("SHOP#s2", "META", name="Other")
        self.add_product(1)
        self.assert_condition_failed("another Product has the sku SKU-1", self.add_product, 2, sku="SKU-1")
        self.add_product(2)
        self.assert_condition_failed("another Product", self.update, ("SHOP#s1", "PRODUCT#p2"), "SET sku = :s",
                                     s="SKU-1")
        self.put("SHOP#s2", "PRODUCT#p1", name="Lamp", sku="SKU-1", unitPrice=1)  # of another shop
        self.update(self.product, "SET sku = :s", s="SKU-9")
        self.assertEqual(self.refusal("createProduct", shopId="s1", productId="p3", name="Lamp", sku="SKU-9",
                                      unitPrice=1), "SKU_TAKEN")
        self.perform("createProduct", shopId="s1", productId="p3", name="Lamp", sku="SKU-1", unitPrice=1)
        self.delete("SHOP#s1", "PRODUCT#p3")
        self.add_product(4, sku="SKU-1")

    def test_guards_are_seen_by_nobody(self):
        """Covers INV5."""
        self.add_shop()
        self.add_product(1, currentStock=5)
        self.perform("recordSale", shopId="s1", productId="p1", saleId="x1", quantity=1)
        self.assertEqual({item["entityType"] for item in self.scan()}, {"SHOP", "PRODUCT", "SALE", "TRANSACTION"})
        if not HAS_FRONT:  # whose records are items of the table
            self.assertEqual(self.client.describe_table(TableName=self.name)["Table"]["ItemCount"], 4)
        guard = ("$unique#Product.sku#s1#SKU-1", "$unique")
        self.assert_invalid("internal record of Tavola", self.delete, *guard)
        self.assert_invalid("internal record of Tavola", self.put, *guard, of={"PK": "SHOP#s1", "SK": "PRODUCT#p2"})

    def test_what_is_deleted_softly_is_in_no_list(self):
        """Covers INV6."""
        self.add_shop()
        self.add_product(currentStock=1, reorderThreshold=5)
        self.update(self.product, "SET deletedAt = :t", t=NOW)
        self.assert_item(self.product, GSI2PK=None, GSI2SK=None)
        for pattern in ("listProducts", "lowStock"):
            _, page = self.served.send("GET", f"InventorySystem/{pattern}?shopId=s1")
            self.assertEqual(page["items"], [], pattern)
        self.assertEqual(self.refusal("recordSale", shopId="s1", productId="p1", saleId="x", quantity=1), "DELETED")
        self.perform("restoreProduct", shopId="s1", productId="p1")
        self.assert_item(self.product, GSI2PK="SHOP#s1#LOWSTOCK", deletedAt=None)

    def test_owners_find_their_shops(self):
        """Covers INV8."""
        self.add_shop(ownerId="anna")
        self.update(self.shop, "SET #name = :n", n="Lamps")
        self.assert_item(("USER#anna", "SHOP#s1"), name="Lamps", entityType="OWNED_SHOP")
        self.update(self.shop, "SET ownerId = :o", o="ben")
        self.assertIsNone(self.get("USER#anna", "SHOP#s1"))
        self.perform("changeOwner", shopId="s1", ownerId="eva")
        self.assert_item(("USER#eva", "SHOP#s1"), name="Lamps")
        self.update(self.shop, "REMOVE ownerId")
        self.assertEqual([item["SK"] for item in self.scan()], ["META"])

    def test_products_are_in_shops_that_exist(self):
        """Covers INV1."""
        self.assert_invalid("must be a Shop that exists", self.add_product)
        self.transact(("Put", {"Item": self.key(*self.product) | {"name": "Lamp", "sku": "1", "unitPrice": 1}}),
                      ("Put", {"Item": self.key(*self.shop) | {"name": "Corner Shop"}}))
        self.assert_item(self.product, shopId="s1", productId="p1", currentStock=0, entityType="PRODUCT")
        self.assert_invalid("Product.unitPrice", self.update, self.product, "SET unitPrice = :p", p=-1)
        self.assert_invalid("no entity", self.put, "SHELF#1", "META", name="A")


if __name__ == "__main__":
    governed.main()
