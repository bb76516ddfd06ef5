#!/usr/bin/env python3
"""Roles as clients meet them: tokens under /v1, and access keys that stand for somebody.

    tests/designs/roles_test.py PROGRAM
"""
import http.client
import json
import pathlib
import sys
import tempfile
import unittest

import boto3
import botocore.config
import botocore.exceptions

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/clients"), str(ROOT / "tests/designs")]

import harness  # noqa: E402
from access import SECRETS, Access  # noqa: E402
from server import Server  # noqa: E402

DESIGN = ["--design", ROOT / "designs/fus-main.yaml"]
TABLE = "fus-main"
RATING = {"PK": {"S": "USER#anna"}, "SK": {"S": "SITE#mdn"}}
OTHERS = {"PK": {"S": "USER#ben"}, "SK": {"S": "SITE#mdn"}}
SITE = {"PK": {"S": "SITE#mdn"}, "SK": {"S": "METADATA"}}
GROUP = {"PK": {"S": "GROUP#editors"}, "SK": {"S": "METADATA"}}


def ask(server, method, path, headers, body=None):
    """The status, the headers, and the JSON that came."""
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
    try:
        connection.request(method, path, body=body, headers=headers)
        response = connection.getresponse()
        text = response.read()
        is_json = (response.getheader("Content-Type") or "").endswith("json")
        return response.status, dict(response.getheaders()), json.loads(text) if text and is_json else None
    finally:
        connection.close()


class WithServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.access = Access(harness.PROGRAM, cls.folder)
        cls.server = cls.enterClassContext(Server(harness.PROGRAM, "--in-memory", *DESIGN, *cls.options()))

    @classmethod
    def options(cls):
        return cls.access.options()

    def get(self, path, headers):
        return ask(self.server, "GET", "/v1/fus-main/" + path, headers)

    def post(self, operation, headers, **parameters):
        return ask(self.server, "POST", "/v1/fus-main/" + operation, {"Content-Type": "application/json"} | headers,
                   json.dumps(parameters))


class Tokens(WithServer):
    def test_everybody_looks(self):
        status, _, page = self.get("listSites", {})
        self.assertEqual((status, page), (200, {"items": [], "next": None}))

    def test_who_is_not_logged_in_is_asked_to(self):
        status, headers, problem = self.post("rateSite", {}, site="mdn", stars=5)
        self.assertEqual((status, problem["refusal"]), (401, "FORBIDDEN"))
        self.assertEqual(headers["WWW-Authenticate"], 'Bearer realm="tavola"')
        self.assertIn("role needed to run rateSite is user", problem["detail"])

    def test_who_is_logged_in_and_may_not_is_told_which_role_may(self):
        status, _, problem = self.post("createSite", self.access.bearer({"sub": "anna"}), title="Mine")
        self.assertEqual((status, problem["type"]), (403, "urn:tavola:forbidden"))
        self.assertIn("manager", problem["detail"])

    def test_a_bad_token_is_refused_even_where_none_is_needed(self):
        for token in ("x", self.access.token("anna")[:-3] + "AAA"):
            status, headers, _ = self.get("listSites", {"Authorization": "Bearer " + token})
            self.assertEqual(status, 401)
            self.assertIn('error="invalid_token"', headers["WWW-Authenticate"])

    def test_the_owner_need_not_be_said(self):
        manager = self.access.bearer({"sub": "ben", "groups": ["manager"]})
        status, _, site = self.post("createSite", manager, url="https://example.com/", title="Ours")
        self.assertEqual(status, 200)
        anna = self.access.bearer({"sub": "anna"})
        status, _, rating = self.post("rateSite", anna, site=site["site"], stars=4)
        self.assertEqual((status, rating["user"]), (200, "anna"))
        status, _, page = self.get("myRatings", anna)
        self.assertEqual([(one["user"], one["stars"]) for one in page["items"]], [("anna", 4)])

    def test_a_signature_will_do_as_well(self):
        url = self.server.url + "/v1/fus-main/listGroups"
        for key, expected in (("AKIDTEST", 200), ("AKIDBEN", 200), ("AKIDANNA", 403)):
            status, _, _ = self.get("listGroups", self.access.signed("GET", url, key=key))
            self.assertEqual(status, expected, key)

    def test_pages_and_other_paths_stay_for_access_keys(self):
        for path in ("/v1/", "/v1/openapi.json", "/v1/nothing/"):
            self.assertEqual(ask(self.server, "GET", path, {})[0], 401, path)

    def test_openapi_tells_it(self):
        url = self.server.url + "/v1/openapi.json"
        _, _, document = ask(self.server, "GET", "/v1/openapi.json", self.access.signed("GET", url))
        self.assertEqual(document["components"]["securitySchemes"]["token"]["scheme"], "bearer")
        paths = document["paths"]
        self.assertEqual(paths["/v1/fus-main/listSites"]["get"]["security"], [{}, {"token": []}])
        self.assertEqual(paths["/v1/fus-main/rateSite"]["post"]["security"], [{"token": []}])
        self.assertLessEqual({"401", "403"}, set(paths["/v1/fus-main/rateSite"]["post"]["responses"]))


class WithoutVerification(WithServer):
    @classmethod
    def options(cls):
        return []

    def test_roles_hold_and_the_log_says_how_to_log_in(self):
        self.assertEqual(self.get("listSites", {})[0], 200)
        status, headers, problem = self.post("createSite", {}, url="https://example.com/", title="Mine")
        self.assertEqual(status, 403)
        self.assertNotIn("WWW-Authenticate", headers)
        self.assertIn("--jwt-secret-file", problem["detail"])
        status, _, problem = self.get("listSites", self.access.bearer({"sub": "anna"}))
        self.assertEqual(status, 401)
        self.assertIn("--jwt-secret-file", problem["detail"])
        self.assertIn("--jwt-secret-file", self.server.log_text())


class AccessKeys(WithServer):
    def client(self, key):
        config = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0})
        return boto3.client("dynamodb", endpoint_url=self.server.url, config=config, region_name="local",
                            aws_access_key_id=key, aws_secret_access_key=SECRETS[key])

    def assert_denied(self, words, call, **request):
        with self.assertRaises(botocore.exceptions.ClientError) as caught:
            call(**request)
        error = caught.exception.response["Error"]
        self.assertEqual(error["Code"], "AccessDeniedException")
        self.assertIn("is not authorized to perform: dynamodb:", error["Message"])
        self.assertIn(words, error["Message"])

    def test_items_are_for_roles(self):
        root, anna, ben = (self.client(key) for key in ("AKIDTEST", "AKIDANNA", "AKIDBEN"))
        site = {"url": {"S": "https://developer.mozilla.org/"}, "title": {"S": "MDN"}}
        at = {"createdAt": {"S": "2026-01-15T10:00:00Z"}}
        root.put_item(TableName=TABLE, Item=SITE | site | at)
        self.assertIn("Item", anna.get_item(TableName=TABLE, Key=SITE))
        anna.put_item(TableName=TABLE, Item=RATING | {"stars": {"N": "5"}})
        self.assertEqual(anna.get_item(TableName=TABLE, Key=RATING)["Item"]["stars"], {"N": "5"})
        self.assert_denied("for their own only", anna.put_item, TableName=TABLE, Item=OTHERS | {"stars": {"N": "1"}})
        self.assert_denied("for their own only", anna.get_item, TableName=TABLE, Key=OTHERS)
        self.assert_denied("role needed to write Site is manager", anna.delete_item, TableName=TABLE, Key=SITE)
        self.assert_denied("role needed to read Group is manager", anna.get_item, TableName=TABLE, Key=GROUP)
        self.assertNotIn("Item", ben.get_item(TableName=TABLE, Key=GROUP))
        self.assert_denied("role needed to write Group is admin", ben.delete_item, TableName=TABLE, Key=GROUP)
        ben.update_item(TableName=TABLE, Key=SITE, UpdateExpression="SET title = :t",
                        ExpressionAttributeValues={":t": {"S": "MDN Web Docs"}})
        self.assert_denied("no entity has a key like", ben.get_item, TableName=TABLE,
                           Key={"PK": {"S": "$unique"}, "SK": {"S": "x"}})

    def test_so_are_batches_and_transactions(self):
        anna = self.client("AKIDANNA")
        self.assert_denied("BatchGetItem", anna.batch_get_item, RequestItems={TABLE: {"Keys": [RATING, OTHERS]}})
        self.assert_denied("BatchWriteItem", anna.batch_write_item,
                           RequestItems={TABLE: [{"DeleteRequest": {"Key": OTHERS}}]})
        self.assert_denied("GetItem", anna.transact_get_items,
                           TransactItems=[{"Get": {"TableName": TABLE, "Key": OTHERS}}])
        self.assert_denied("DeleteItem", anna.transact_write_items,
                           TransactItems=[{"Delete": {"TableName": TABLE, "Key": SITE}}])
        self.assert_denied("ConditionCheckItem", anna.transact_write_items, TransactItems=[{"ConditionCheck": {
            "TableName": TABLE, "Key": GROUP, "ConditionExpression": "attribute_exists(PK)"}}])

    def test_queries_are_for_who_may_read_all_they_can_find(self):
        anna, ben = self.client("AKIDANNA"), self.client("AKIDBEN")

        def query(user, text, index=None, **values):
            request = {"TableName": TABLE, "KeyConditionExpression": text,
                       "ExpressionAttributeValues": {":" + name: value for name, value in values.items()}}
            return lambda: user.query(**request, **({"IndexName": index} if index else {}))

        mine = {"p": {"S": "USER#anna"}, "s": {"S": "SITE#"}}
        query(anna, "PK = :p AND begins_with(SK, :s)", **mine)()
        query(anna, "PK = :p", p={"S": "SITE#mdn"})()
        query(anna, "entityType = :e", index="byEntity", e={"S": "SITE"})()
        query(ben, "groupName = :g", index="byGroup", g={"S": "editors"})()
        self.assert_denied("read Membership", query(anna, "PK = :p", p=mine["p"]))
        self.assert_denied("own only", query(anna, "PK = :p AND begins_with(SK, :s)", p={"S": "USER#ben"},
                                             s=mine["s"]))
        self.assert_denied("own only", query(anna, "starRating = :n", index="byStars", n={"N": "5"}))
        self.assert_denied("read Group", query(anna, "entityType = :e", index="byEntity", e={"S": "GROUP"}))
        self.assert_denied("no entity", query(anna, "PK = :p", p={"S": "$guard"}))
        self.assert_denied("Scan", anna.scan, TableName=TABLE)
        self.assert_denied("DeleteTable", ben.delete_table, TableName=TABLE)

    def test_groups_in_the_table_count(self):
        root, anna = self.client("AKIDTEST"), self.client("AKIDANNA")
        self.assert_denied("Site", anna.update_item, TableName=TABLE, Key=SITE | {"PK": {"S": "SITE#x"}})
        manager = self.access.bearer({"sub": "root", "groups": ["admin"]})
        for operation, parameters in (("createGroup", {"name": "writers", "permissions": ["write:Site"]}),
                                      ("addMember", {"groupName": "writers", "userId": "anna"})):
            self.assertEqual(self.post(operation, manager, **parameters)[0], 200)
        anna.put_item(TableName=TABLE, Item={"PK": {"S": "SITE#x"}, "SK": {"S": "METADATA"}, "title": {"S": "X"},
                                             "url": {"S": "https://example.com/"},
                                             "createdAt": {"S": "2026-01-15T10:00:00Z"}})
        root.delete_item(TableName=TABLE, Key={"PK": {"S": "USER#anna"}, "SK": {"S": "MEMBERSHIP#writers"}})

    def test_tables_of_no_design_are_not_limited(self):
        anna = self.client("AKIDANNA")
        anna.create_table(TableName="elsewhere", BillingMode="PAY_PER_REQUEST",
                          AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                          KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])
        anna.put_item(TableName="elsewhere", Item={"id": {"S": "1"}})
        self.assertEqual(anna.scan(TableName="elsewhere")["Count"], 1)
        self.assertEqual(anna.list_tables()["TableNames"], ["elsewhere", TABLE])


if __name__ == "__main__":
    harness.main()
