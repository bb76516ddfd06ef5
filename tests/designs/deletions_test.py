#!/usr/bin/env python3
"""What happens to the items that name a deleted item, for plain clients and under /v1: at any size, beside concurrent writers, and
though the server is killed. Drift finds nothing after every test.

    tests/designs/deletions_test.py PROGRAM [--results FILE] [TEST ...]

TAVOLA_COMMENTS and TAVOLA_MEMBERS are the numbers of comments and members that follow their site and group (1,500 and 600). The
sizes of the requirements take some minutes, most of them to write the items:

    TAVOLA_COMMENTS=50000 TAVOLA_MEMBERS=10000 tests/designs/deletions_test.py build/dev/tavola Many
"""
import concurrent.futures
import os
import pathlib
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import governed  # noqa: E402
from governed import ClientError, GovernedTest, Served  # noqa: E402

COMMENTS = int(os.environ.get("TAVOLA_COMMENTS", "1500"))
MEMBERS = int(os.environ.get("TAVOLA_MEMBERS", "600"))
FEW_TOO_MANY = 130  # more than one transaction deletes
FINISH_SECONDS = 300
SITE = {"PK": "SITE#mdn", "SK": "METADATA"}


def add_comments(table, number):
    table.put_item(Item=SITE | {"url": "https://example.com/", "title": "MDN", "tags": ["css"]})
    with table.batch_writer() as batch:
        for i in range(number):
            batch.put_item({"PK": f"USER#u{i % 7}", "SK": f"SITE#mdn#COMMENT#c{i:05}", "body": "Thank you"})


def add_members(table, number):
    table.put_item(Item={"PK": "GROUP#editors", "SK": "METADATA", "name": "editors"})
    with table.batch_writer() as batch:
        for i in range(number):
            batch.put_item({"PK": f"USER#u{i}", "SK": "MEMBERSHIP#editors", "groupName": "editors", "userId": f"u{i}"})


def finish(served, design):
    """Waits until nothing is left to do in the background."""
    deadline = time.monotonic() + FINISH_SECONDS
    while "unfinished background work: 0\n" not in served.enforce(design):
        if time.monotonic() > deadline:
            raise AssertionError(f"the background work of {design} comes to no end:\n{served.enforce(design)}")
        time.sleep(0.05)


class Many(GovernedTest):
    design = "fus-main"

    def setUp(self):
        super().setUp()
        self.put("SITE#w3c", "METADATA", url="https://example.com/", title="W3C")
        self.put("USER#anna", "SITE#w3c#COMMENT#c1", body="Stays")

    def assert_only_the_other_is_left(self):
        finish(self.served, self.design)
        self.assertEqual(sorted((item["PK"], item["SK"].partition("#20")[0]) for item in self.scan()),
                         [("SITE#w3c", "COMMENT"), ("SITE#w3c", "METADATA"), ("USER#anna", "SITE#w3c#COMMENT#c1")])
        self.assert_item(("SITE#w3c", "METADATA"), commentCount=1)

    def test_a_site_goes_with_all_its_comments(self):
        """Covers FUS10."""
        add_comments(self.table, COMMENTS)
        self.assert_item(("SITE#mdn", "METADATA"), commentCount=COMMENTS)
        status, body = self.served.perform("fus-main/deleteSite", {"site": "mdn"})
        self.assertEqual((status, body["unfinished"], body["see"]), (202, True, "/admin/designs/fus-main"))
        self.assertIsNone(self.get("SITE#mdn", "METADATA"))
        self.assert_only_the_other_is_left()
        self.assertEqual(self.served.perform("fus-main/deleteSite", {"site": "mdn"})[0], 404)
        add_comments(self.table, 3)
        self.assert_item(("SITE#mdn", "METADATA"), commentCount=3)
        self.assertEqual(self.served.perform("fus-main/deleteSite", {"site": "mdn"})[0], 204)
        self.assert_only_the_other_is_left()

    def test_a_group_goes_with_all_its_members(self):
        """Covers FUS5."""
        add_members(self.table, MEMBERS)
        self.assertEqual(self.served.perform("fus-main/deleteGroup", {"name": "editors"})[0], 202)
        self.assert_only_the_other_is_left()

    def test_every_way_to_delete_is_followed(self):
        """Covers FUS10."""
        ways = {
            "DeleteItem": lambda: self.table.delete_item(Key=SITE),
            "BatchWriteItem": lambda: self.client.batch_write_item(
                RequestItems={self.name: [{"DeleteRequest": {"Key": SITE}}]}),
            "TransactWriteItems": lambda: self.transact(("Delete", {"Key": SITE})),
            "ExecuteStatement": lambda: self.client.execute_statement(
                Statement=f"DELETE FROM \"{self.name}\" WHERE PK = 'SITE#mdn' AND SK = 'METADATA'"),
        }
        for name, delete in ways.items():
            with self.subTest(name):
                add_comments(self.table, FEW_TOO_MANY)
                delete()
                self.assert_only_the_other_is_left()

    def test_what_was_deleted_does_not_come_back_half(self):
        """Covers FUS10."""
        add_comments(self.table, FEW_TOO_MANY)
        self.delete(*SITE.values())
        conflicts = 0
        while True:  # until the cascade is done
            try:
                self.put(*SITE.values(), url="https://example.com/", title="Again")
                break
            except ClientError as error:
                self.assertEqual(error.response["Error"]["Code"], "TransactionConflictException")
                conflicts += 1
                self.assertLess(conflicts, 100000)
        self.put("USER#ben", "SITE#mdn#COMMENT#new", body="New")
        finish(self.served, self.design)
        self.assert_item(SITE.values(), commentCount=1, title="Again")


class Kills(unittest.TestCase):
    def test_a_killed_server_goes_on_where_it_was(self):
        with tempfile.TemporaryDirectory() as data:
            for kill in range(3):
                served = Served(["fus-main"], "--durability", "relaxed", data=data)
                served.server.start()
                table = served.resource().Table("fus-main")
                if kill == 0:
                    add_comments(table, COMMENTS)
                table.delete_item(Key=SITE)
                served.server.kill()
                served.folder.cleanup()
            with Served(["fus-main"], data=data) as served:
                finish(served, "fus-main")
                self.assertEqual(served.resource().Table("fus-main").scan()["Items"], [])
                self.assertEqual(served.drift("fus-main"), [])


class References(GovernedTest):
    design = "src/design/testdata/deletions"

    def test_a_person_with_a_contract_stays(self):
        self.put("PERSON#a", "META")
        self.put("CONTRACT#1", "META", person="a")
        words = 'the Person {"person":"a"} cannot be deleted: the Contract {"contract":"1"} still names it'
        self.assert_condition_failed(words, self.delete, "PERSON#a", "META")
        self.assert_cancelled(words, ("Delete", {"Key": self.key("PERSON#a", "META")}))
        status, body = self.served.perform("deletions/removePerson", {"person": "a"})
        self.assertEqual((status, body["refusal"]), (409, "STILL_REFERENCED"))
        self.assertIn(words, body["detail"])
        self.transact(("Delete", {"Key": self.key("PERSON#a", "META")}),
                      ("Delete", {"Key": self.key("CONTRACT#1", "META")}))
        self.assertEqual(self.scan(), [])

    def test_many_people_lose_their_team(self):
        self.put("TEAM#t", "META")
        with self.table.batch_writer() as batch:
            for i in range(FEW_TOO_MANY):
                batch.put_item({"PK": f"PERSON#{i}", "SK": "META", "team": "t"})
        self.assert_item(("TEAM#t", "META"), people=FEW_TOO_MANY)
        self.assertEqual(self.served.perform("deletions/removeTeam", {"team": "t"})[0], 202)
        finish(self.served, self.design)
        self.assertEqual([item for item in self.scan() if set(item) != {"PK", "SK"}], [])
        self.assertEqual(len(self.scan()), FEW_TOO_MANY)
        self.assertEqual(self.query("byTeam", teamKey="TEAM#t"), [])

    def test_cascades_of_two_levels_are_finished(self):
        self.put("PROJECT#p", "META")
        with self.table.batch_writer() as batch:
            for i in range(FEW_TOO_MANY):
                batch.put_item({"PK": f"TASK#{i}", "SK": "META", "project": "p"})
        with self.table.batch_writer() as batch:
            for i in range(FEW_TOO_MANY):
                batch.put_item({"PK": f"NOTE#{i}", "SK": "META", "about": "129"})
        self.assertEqual(self.served.perform("deletions/removeProject", {"project": "p"})[0], 202)
        finish(self.served, self.design)
        self.assertEqual(self.scan(), [])

    def test_nobody_names_what_another_deletes(self):
        """Each round, one client deletes a person while others give them contracts: either all contracts are refused, or the deletion."""
        def attempt(write, *arguments, **attributes):
            try:
                write(*arguments, **attributes)
                return True
            except ClientError as error:
                self.assertIn(error.response["Error"]["Code"],
                              ("ConditionalCheckFailedException", "ValidationException", "TransactionConflictException"))
                return False

        with concurrent.futures.ThreadPoolExecutor(8) as clients:
            for round_number in range(40):
                person = f"p{round_number}"
                self.put(f"PERSON#{person}", "META")
                work = [clients.submit(attempt, self.put, f"CONTRACT#{person}-{i}", "META", person=person)
                        for i in range(3)]
                work.insert(round_number % 4, clients.submit(attempt, self.delete, f"PERSON#{person}", "META"))
                for one in work:
                    one.result()
        contracts = {item["person"] for item in self.scan() if "person" in item}
        people = {item["PK"].removeprefix("PERSON#") for item in self.scan() if item["PK"].startswith("PERSON#")}
        self.assertEqual(contracts - people, set())


if __name__ == "__main__":
    governed.main()
