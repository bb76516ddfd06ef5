#!/usr/bin/env python3
"""Roles from a client's view: tokens under /v1, and access keys that stand for a person.

    tests/designs/roles_test.py PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/clients"), str(ROOT / "tests/designs")]

import harness  # noqa: E402
from access import Access, WithKeys, ask  # noqa: E402
from server import Server  # noqa: E402

DESIGN = ["--design", ROOT / "designs/fus-main.yaml"]
TABLE = "fus-main"
RATING = {"PK": {"S": "USER#anna"}, "SK": {"S": "SITE#mdn"}}
OTHERS = {"PK": {"S": "USER#ben"}, "SK": {"S": "SITE#mdn"}}
SITE = {"PK": {"S": "SITE#mdn"}, "SK": {"S": "METADATA"}}
GROUP = {"PK": {"S": "GROUP#editors"}, "SK": {"S": "METADATA"}}


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

    def test_pages_about_the_design_are_for_those_who_are_known(self):
        for path in ("", "docs.md", "nothing"):
            with self.subTest(path):
                status, headers, problem = self.get(path, {})
                self.assertEqual((status, problem["type"]), (401, "urn:tavola:unauthorized"))
                self.assertEqual(headers["WWW-Authenticate"], 'Bearer realm="tavola"')
                self.assertNotIn("listSites", json.dumps(problem))
                expected = 404 if path == "nothing" else 200
                self.assertEqual(self.get(path, self.access.bearer({"sub": "anna"}))[0], expected)
                signed = self.access.signed("GET", self.server.url + "/v1/fus-main/" + path)
                self.assertEqual(self.get(path, signed)[0], expected)

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


class KeysAlone(WithServer):
    """A server with --credentials that verifies no tokens."""

    @classmethod
    def options(cls):
        return ["--credentials", cls.access.keys]

    def test_keys_log_in_and_strangers_do_not(self):
        self.assertEqual(self.get("listSites", {})[0], 401)
        url = self.server.url + "/v1/fus-main/"
        for key, pattern, expected in (("AKIDANNA", "myRatings", 200), ("AKIDANNA", "listGroups", 403),
                                       ("AKIDBEN", "listGroups", 200)):
            self.assertEqual(self.get(pattern, self.access.signed("GET", url + pattern, key=key))[0], expected, key)
        self.assertNotIn("nobody can log in", self.server.log_text())


class MetricsAuth(WithServer):
    """--metrics-auth: Prometheus's credentials_file, or a key without limits."""

    @classmethod
    def options(cls):
        cls.token = pathlib.Path(cls.folder) / "metrics-token"
        cls.token.write_text("5e" * 32 + "\n")
        cls.token.chmod(0o600)
        return [*cls.access.options(), "--metrics-auth", cls.token]

    def status(self, headers, path="/metrics"):
        return ask(self.server, "GET", path, headers)[0]

    def test_only_the_token_and_unlimited_keys_are_let_in(self):
        status, headers, problem = ask(self.server, "GET", "/metrics", {})
        self.assertEqual((status, headers["WWW-Authenticate"]), (401, 'Bearer realm="tavola"'))
        self.assertNotIn("tavola_", problem["detail"])
        right = self.token.read_text().strip()
        self.assertEqual(self.status({"Authorization": f"Bearer {right}"}), 200)
        for wrong in (f"Bearer {right}0", f"Bearer {right[:-1]}", "Bearer ", f"Basic {right}", right):
            self.assertEqual(self.status({"Authorization": wrong}), 401, wrong)
        self.assertEqual(self.status(self.access.bearer({"sub": "ben", "groups": ["admin"]})), 401)
        url = self.server.url + "/metrics"
        for key, expected in (("AKIDTEST", 200), ("AKIDANNA", 403)):
            self.assertEqual(self.status(self.access.signed("GET", url, key=key)), expected, key)
        self.assertEqual(self.status({}, "/health"), 200)
        self.assertIn("access refused", self.server.log_text())

    def test_a_token_that_can_be_guessed_is_refused(self):
        short = pathlib.Path(self.folder) / "short"
        short.write_text("secret\n")
        done = subprocess.run([harness.PROGRAM, "serve", "--in-memory", "--port", "0", "--metrics-auth", short],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("openssl rand -hex 32", done.stderr)


class AccessKeys(WithServer, WithKeys):
    def test_items_are_for_roles(self):
        root, anna, ben = (self.client(key) for key in ("AKIDTEST", "AKIDANNA", "AKIDBEN"))
        site = {"url": {"S": "https://developer.mozilla.org/"}, "title": {"S": "MDN"}}
        at = {"createdAt": {"S": "2026-01-15T10:00:00Z"}}
        root.put_item(TableName=TABLE, Item=SITE | site | at)
        self.assertIn("Item", anna.get_item(TableName=TABLE, Key=SITE))
        anna.put_item(TableName=TABLE, Item=RATING | {"stars": {"N": "5"}})
        self.assertEqual(anna.get_item(TableName=TABLE, Key=RATING)["Item"]["stars"], {"N": "5"})
        self.assert_denied("only for their own items", anna.put_item, TableName=TABLE, Item=OTHERS | {"stars": {"N": "1"}})
        self.assert_denied("only for their own items", anna.get_item, TableName=TABLE, Key=OTHERS)
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
        self.assert_denied("only for their own items", query(anna, "PK = :p AND begins_with(SK, :s)", p={"S": "USER#ben"},
                                             s=mine["s"]))
        self.assert_denied("only for their own items", query(anna, "starRating = :n", index="byStars", n={"N": "5"}))
        self.assert_denied("read Group", query(anna, "entityType = :e", index="byEntity", e={"S": "GROUP"}))
        self.assert_denied("no entity", query(anna, "PK = :p", p={"S": "$guard"}))
        self.assert_denied("Scan", anna.scan, TableName=TABLE)
        self.assert_denied("DeleteTable", ben.delete_table, TableName=TABLE)
        arn = ben.describe_table(TableName=TABLE)["Table"]["TableArn"]
        self.assert_denied("roles apply to items only", ben.export_table_to_point_in_time, TableArn=arn, S3Bucket="files")

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


class Grants(WithServer, WithKeys):
    """Nobody can grant a right that they do not have, in any way."""

    MANAGER = {"sub": "ben", "groups": ["manager"]}
    ADMIN = {"sub": "root", "groups": ["admin"]}

    def setUp(self):
        self.operator = self.client("AKIDTEST")
        self.manager = self.access.bearer(self.MANAGER)
        for name in ("admin", "manager"):
            self.assertEqual(self.as_operator("setStaffGroup", name=name)[0], 200)

    def tearDown(self):
        for page in self.operator.get_paginator("scan").paginate(TableName=TABLE):
            for item in page["Items"]:
                if not item["SK"]["S"].startswith(("TAG#", "COMMENT#", "STARS#")):  # these follow their sources
                    self.operator.delete_item(TableName=TABLE, Key={"PK": item["PK"], "SK": item["SK"]})

    def as_operator(self, operation, **parameters):
        url, body = f"{self.server.url}/v1/fus-main/{operation}", json.dumps(parameters)
        return ask(self.server, "POST", "/v1/fus-main/" + operation, self.access.signed("POST", url, body), body)

    def put_group(self, client, name, *permissions):
        client.put_item(TableName=TABLE, Item=group(name, *permissions))

    def assert_forbidden(self, words, answer):
        status, _, problem = answer
        self.assertEqual((status, problem.get("refusal")), (403, "FORBIDDEN"), problem)
        self.assertIn(words, problem["detail"])

    def member_of_admin(self, sub):
        return "Item" in self.operator.get_item(TableName=TABLE, Key=membership_key(sub, "admin"))

    # ---- By name ----

    def test_a_manager_does_not_become_an_admin(self):
        self.assert_forbidden("ben does not have the permission appoint, and cannot grant it to a group",
                              self.post("createGroup", self.manager, name="mine", permissions=["appoint", "setStaffGroup"]))
        self.assertEqual(self.post("createGroup", self.manager, name="mine")[0], 200)
        self.assert_forbidden("appoint", self.post("updateGroup", self.manager, name="mine", permissions=["appoint"]))
        self.assert_forbidden("write:Membership", self.post("updateGroup", self.manager, name="mine",
                                                            permissions=["createSite", "write:Membership"]))
        self.assertEqual(self.post("addMember", self.manager, groupName="mine", userId="ben")[0], 200)
        self.assert_forbidden("role needed to run appoint is admin",
                              self.post("appoint", self.manager, groupName="admin", userId="ben"))
        self.assertFalse(self.member_of_admin("ben"))

    def test_nobody_is_made_a_member_of_what_permits_more(self):
        self.put_group(self.operator, "owners", "appoint")
        self.assert_forbidden("cannot make anybody a member of owners, which has it",
                              self.post("addMember", self.manager, groupName="owners", userId="ben"))
        self.assertEqual(self.post("addMember", self.access.bearer(self.ADMIN), groupName="owners", userId="ben")[0], 200)
        # From then on ben may appoint, but only to groups whose rights he has: the managers, not the admins.
        self.assertEqual(self.post("appoint", self.manager, groupName="manager", userId="carl")[0], 200)
        self.assert_forbidden("cannot make anybody a member of admin",
                              self.post("appoint", self.manager, groupName="admin", userId="ben"))

    def test_who_has_a_permission_gives_it(self):
        self.assertEqual(self.post("createGroup", self.manager, name="editors", permissions=["updateSite"])[0], 200)
        self.assertEqual(self.post("addMember", self.manager, groupName="editors", userId="anna")[0], 200)
        self.as_operator("createSite", site="x", url="https://example.com/", title="X")
        anna = self.access.bearer({"sub": "anna"})
        self.assertEqual(self.post("updateSite", anna, site="x", title="Y")[0], 200)
        self.assert_forbidden("manager", self.post("deleteSite", anna, site="x"))

    def test_what_a_group_has_may_stay_when_something_else_changes(self):
        self.put_group(self.operator, "owners", "appoint", "createSite")
        status, _, changed = self.post("updateGroup", self.manager, name="owners", description="Ours")
        self.assertEqual((status, changed["permissions"]), (200, ["appoint", "createSite"]))
        self.assertEqual(self.post("updateGroup", self.manager, name="owners", permissions=["createSite"])[0], 200)
        self.assert_forbidden("appoint", self.post("updateGroup", self.manager, name="owners", permissions=["appoint"]))

    def test_nobody_writes_in_anothers_name(self):
        permissions = ["rateSite", "addComment", "editComment"]
        self.assertEqual(self.post("createGroup", self.manager, name="scribes", permissions=permissions)[0], 200)
        self.assertEqual(self.post("addMember", self.manager, groupName="scribes", userId="ben")[0], 200)
        self.as_operator("createSite", site="x", url="https://example.com/", title="X")
        for operation, parameters in (("rateSite", {"stars": 1}), ("addComment", {"body": "Bad"}),
                                      ("editComment", {"comment": "c1", "body": "Bad"})):
            self.assert_forbidden("only for their own items: user must be ben",
                                  self.post(operation, self.manager, user="anna", site="x", **parameters))
        self.assertEqual(self.post("rateSite", self.manager, site="x", stars=4)[0], 200)

    def test_a_permission_for_others_is_said_in_the_design(self):
        self.as_operator("createSite", site="x", url="https://example.com/", title="X")
        self.as_operator("addComment", site="x", user="anna", comment="c1", body="Boo")
        self.assert_forbidden("removeComment for everybody's items",
                              self.post("createGroup", self.manager, name="moderators", permissions=["removeComment"]))
        self.put_group(self.operator, "moderators", "removeComment")
        self.as_operator("addMember", groupName="moderators", userId="ben")
        self.assertEqual(self.post("removeComment", self.manager, site="x", user="anna", comment="c1")[0], 204)

    def test_moderators_and_admins_remove_comments(self):
        """A moderator by the operation that their group permits; an admin also item by item, because the role writes comments."""
        admin = self.access.bearer(self.ADMIN)
        self.put_group(self.operator, "moderators", "removeComment")
        self.as_operator("addMember", groupName="moderators", userId="ben")
        self.as_operator("createSite", site="x", url="https://example.com/", title="X")
        for comment in ("c1", "c2", "c3"):
            self.as_operator("addComment", site="x", user="anna", comment=comment, body="Boo")
        carl = self.access.bearer({"sub": "carl"})
        self.assert_forbidden("only for their own items", self.post("removeComment", carl, site="x", user="anna", comment="c1"))
        self.assertEqual(self.post("removeComment", self.manager, site="x", user="anna", comment="c1")[0], 204)
        self.assertEqual(self.post("removeComment", admin, site="x", user="anna", comment="c2")[0], 204)
        ben, key = self.client("AKIDBEN"), {"PK": {"S": "USER#anna"}, "SK": {"S": "SITE#x#COMMENT#c3"}}
        self.assert_refused("AccessDeniedException", "only for their own items", ben.delete_item, TableName=TABLE, Key=key)
        self.as_operator("setStaffGroup", name="admin")
        self.as_operator("appoint", groupName="admin", userId="ben")
        ben.delete_item(TableName=TABLE, Key=key)
        site = self.operator.get_item(TableName=TABLE, Key={"PK": {"S": "SITE#x"}, "SK": {"S": "METADATA"}})["Item"]
        self.assertEqual(site["commentCount"], {"N": "0"})
        left = self.operator.query(TableName=TABLE, KeyConditionExpression="PK = :pk AND begins_with(SK, :sk)",
                                   ExpressionAttributeValues={":pk": {"S": "SITE#x"}, ":sk": {"S": "COMMENT#"}})
        self.assertEqual(left["Count"], 0)

    def test_a_permission_names_something(self):
        for who in (self.manager, self.access.bearer(self.ADMIN)):
            status, _, problem = self.post("createGroup", who, name="mine", permissions=["updatSite"])
            self.assertEqual((status, problem["parameter"]), (400, "permissions"))
            self.assertIn("did you mean updateSite?", problem["detail"])
        self.assert_refused("ValidationException", "did you mean write:Site?", self.operator.put_item,
                            TableName=TABLE, Item=group("mine", "write:Sites"))

    def test_who_added_a_member_the_token_tells(self):
        self.assertEqual(self.post("createGroup", self.manager, name="mine")[0], 200)
        status, _, problem = self.post("addMember", self.manager, groupName="mine", userId="anna", addedBy="root")
        self.assertEqual(status, 400, problem)
        self.assertIn('addedBy is caller(), which is "ben" (was "root"); leave it out', problem["detail"])
        status, _, added = self.post("addMember", self.manager, groupName="mine", userId="anna")
        self.assertEqual((status, added["addedBy"]), (200, "ben"))
        status, _, added = self.post("addMember", self.manager, groupName="mine", userId="carl", addedBy="ben")
        self.assertEqual((status, added["addedBy"]), (200, "ben"))
        status, _, added = self.as_operator("addMember", groupName="mine", userId="dora", addedBy="root")
        self.assertEqual((status, added["addedBy"]), (200, "root"))

    # ---- Item by item, with a key that stands for ben ----

    def let_ben_write(self, *entities):
        self.put_group(self.operator, "clerks", *("write:" + entity for entity in entities))
        self.operator.put_item(TableName=TABLE, Item=membership("ben", "clerks"))

    def test_items_give_no_more(self):
        self.let_ben_write("Group", "Membership")
        ben = self.client("AKIDBEN")
        self.put_group(ben, "mine", "createSite")
        to_admin = membership("ben", "admin")
        update = {"TableName": TABLE, "Key": group_key("mine"), "ExpressionAttributeNames": {"#p": "permissions"},
                  "ExpressionAttributeValues": {":p": {"L": [{"S": "appoint"}]}}}
        statement = f"""INSERT INTO "{TABLE}" VALUE {{'PK': 'USER#ben', 'SK': 'MEMBERSHIP#admin', 'groupName': 'admin', 'userId': 'ben'}}"""
        change = f"""UPDATE "{TABLE}" SET permissions = ['appoint'] WHERE PK = 'GROUP#mine' AND SK = 'METADATA'"""
        for words, call, request in (
                ("appoint", ben.put_item, {"TableName": TABLE, "Item": group("mine", "appoint")}),
                ("appoint", ben.update_item, update | {"UpdateExpression": "SET #p = list_append(#p, :p)"}),
                ("appoint", ben.update_item, update | {"UpdateExpression": "SET #p = :p"}),
                ("appoint", ben.update_item, {"TableName": TABLE, "Key": group_key("mine"), "AttributeUpdates": {
                    "permissions": {"Action": "ADD", "Value": {"L": [{"S": "appoint"}]}}}}),
                ("member of admin", ben.put_item, {"TableName": TABLE, "Item": to_admin}),
                ("member of admin", ben.batch_write_item, {"RequestItems": {TABLE: [{"PutRequest": {"Item": to_admin}}]}}),
                ("member of admin", ben.transact_write_items, {"TransactItems": [
                    {"Put": {"TableName": TABLE, "Item": group("other")}}, {"Put": {"TableName": TABLE, "Item": to_admin}}]}),
                ("member of admin", ben.execute_statement, {"Statement": statement}),
                ("appoint", ben.execute_statement, {"Statement": change}),
                ("member of admin", ben.execute_transaction, {"TransactStatements": [{"Statement": statement}]})):
            with self.subTest(call.__name__):
                self.assert_denied(words, call, **request)
        batched = ben.batch_execute_statement(Statements=[{"Statement": statement}])["Responses"][0]["Error"]
        self.assertEqual(batched["Code"], "AccessDenied")
        self.assertFalse(self.member_of_admin("ben"))
        found = self.operator.get_item(TableName=TABLE, Key=group_key("mine"))["Item"]
        self.assertEqual(found["permissions"], {"L": [{"S": "createSite"}]})
        ben.put_item(TableName=TABLE, Item=membership("anna", "mine"))  # it permits only what ben may do

    def test_a_permission_to_write_is_for_ones_own(self):
        self.let_ben_write("Rating", "Comment")
        self.as_operator("createSite", site="mdn", url="https://developer.mozilla.org/", title="MDN")
        ben = self.client("AKIDBEN")
        mine = {"PK": {"S": "USER#ben"}, "SK": {"S": "SITE#mdn"}, "stars": {"N": "4"}}
        ben.put_item(TableName=TABLE, Item=mine)
        self.assert_denied("only for their own items: user must be ben", ben.put_item, TableName=TABLE,
                           Item=RATING | {"stars": {"N": "1"}})

    def test_items_are_added_by_who_adds_them(self):
        self.let_ben_write("Group", "Membership")
        ben = self.client("AKIDBEN")
        self.put_group(ben, "mine")
        words = 'addedBy is caller(), which is "ben" (was "root"); leave it out'
        forged = membership("anna", "mine") | {"addedBy": {"S": "root"}}
        self.assert_refused("ValidationException", words, ben.put_item, TableName=TABLE, Item=forged)
        ben.put_item(TableName=TABLE, Item=membership("anna", "mine"))
        key = {"TableName": TABLE, "Key": membership_key("anna", "mine")}
        self.assertEqual(self.operator.get_item(**key)["Item"]["addedBy"], {"S": "ben"})
        self.assert_refused("ValidationException", "addedBy", ben.update_item, **key,
                            UpdateExpression="SET addedBy = :r", ExpressionAttributeValues={":r": {"S": "root"}})
        self.operator.put_item(TableName=TABLE, Item=membership("carl", "mine") | {"addedBy": {"S": "root"}})


class TablesThatAreRestored(WithServer, WithKeys):
    """A table restored under the name of a design's table is taken over by the design before people use it."""

    def setUp(self):
        self.operator = self.client("AKIDTEST")
        made = self.operator.describe_table(TableName=TABLE)["Table"]
        same = {"KeySchema": made["KeySchema"], "AttributeDefinitions": made["AttributeDefinitions"]} | {
            "GlobalSecondaryIndexes": [{name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
                                       for index in made["GlobalSecondaryIndexes"]]}
        self.operator.create_table(TableName="plain", BillingMode="PAY_PER_REQUEST", **same)
        for item in (group("clerks", "write:Group", "write:Membership", "addMember"), membership("ben", "clerks")):
            self.operator.put_item(TableName="plain", Item=item)
        backup = self.operator.create_backup(TableName="plain", BackupName="plain")["BackupDetails"]["BackupArn"]
        self.operator.delete_table(TableName=TABLE)
        self.operator.restore_table_from_backup(TargetTableName=TABLE, BackupArn=backup)
        self.operator.get_waiter("table_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1, "MaxAttempts": 60})

    def test_people_give_nothing_there(self):
        words, token = "appoint", self.access.bearer({"sub": "ben", "groups": ["manager"]})
        while self.get("listGroups", token)[0] == 503:
            pass
        for headers in (token, None):
            for operation, parameters in (("createGroup", {"name": "mine", "permissions": ["appoint"]}),
                                          ("addMember", {"groupName": "admin", "userId": "ben"})):
                request = ("POST", f"{self.server.url}/v1/fus-main/{operation}", json.dumps(parameters))
                status, _, problem = self.post(operation, headers or self.access.signed(*request, key="AKIDBEN"), **parameters)
                self.assertIn(status, (403, 409), problem)
        ben, item = self.client("AKIDBEN"), group("mine", "appoint")
        self.assert_denied(words, ben.put_item, TableName=TABLE, Item=item)
        self.assert_denied(words, ben.batch_write_item, RequestItems={TABLE: [{"PutRequest": {"Item": item}}]})
        self.assert_denied(words, ben.transact_write_items, TransactItems=[{"Put": {"TableName": TABLE, "Item": item}}])
        self.assertNotIn("Item", self.operator.get_item(TableName=TABLE, Key=group_key("mine")))


def group_key(name):
    return {"PK": {"S": "GROUP#" + name}, "SK": {"S": "METADATA"}}


def group(name, *permissions):
    given = {"permissions": {"L": [{"S": permission} for permission in permissions]}} if permissions else {}
    return group_key(name) | {"name": {"S": name}} | given


def membership_key(sub, name):
    return {"PK": {"S": "USER#" + sub}, "SK": {"S": "MEMBERSHIP#" + name}}


def membership(sub, name):
    return membership_key(sub, name) | {"groupName": {"S": name}, "userId": {"S": sub}}


if __name__ == "__main__":
    harness.main()
