#!/usr/bin/env python3
"""Roles item by item, for access keys that stand for a person: the tables they apply to, writes that read, and entries
of indexes.

    tests/designs/item_roles_test.py PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/clients"), str(ROOT / "tests/designs")]

import harness  # noqa: E402
from access import Access, WithKeys, ask  # noqa: E402
from server import Server  # noqa: E402

# A design with a letter box: every logged-in person may put letters in, and only their owners may read them.
LETTERS = """design: 1
name: letters
revision: "{revision}"
table: {{ name: letters, hash: PK, range: SK }}
indexes:
  byKind: {{ hash: kind, range: place, project: all }}
entities:
  Notice:
    key: {{ PK: NOTICE#<notice>, SK: META }}
    ids: {{ notice: string }}
    index: {{ byKind: {{ hash: NOTICE, range: <notice> }} }}
    attributes: {{ text: string }}
  Letter:
    key: {{ PK: BOX#<owner>, SK: LETTER#<letter> }}
    ids: {{ owner: string, letter: string }}
    attributes:
      text: string
      opened: integer
      seal: {{ type: string, immutable: true }}
      kind: string
      place: string{more}
patterns:
  notices: {{ query: Notice, via: byKind, hash: NOTICE }}
  letters: {{ query: Letter, via: table, hash: BOX#<owner>, range: begins_with LETTER# }}
  notice: {{ get: Notice }}
roles:
  everyone: {{ read: [Notice], run: [notices, notice] }}
  sender: {{ is: logged-in, write: [Letter], run: [letters] }}
  owner: {{ is: logged-in, read: [Letter], own: owner }}
"""
FIRST = LETTERS.format(revision="1", more="")
SECOND = LETTERS.format(revision="2", more="\n      stamp: string") + """revisions:
  - { from: "1", to: "2", changes: [ { add: [Letter.stamp] } ] }
"""
OPEN = """design: 1
name: open
table: { name: letters-2, hash: PK, range: SK }
entities:
  Letter:
    key: { PK: BOX#<owner>, SK: LETTER#<letter> }
    ids: { owner: string, letter: string }
    attributes: { text: string }
patterns:
  letter: { get: Letter }
operations:
  send: { steps: [ { put: Letter } ] }
"""
# A design whose table gives out groups for a time.
BADGES = """design: 1
name: badges
table: { name: badges, hash: PK, range: SK }
entities:
  Badge:
    key: { PK: PERSON#<person>, SK: BADGE#<group> }
    ids: { person: string, group: string }
    attributes: { until: timestamp }
  Room:
    key: { PK: ROOM#<room>, SK: META }
    ids: { room: string }
    attributes: { text: string }
patterns:
  badgesOf: { query: Badge, via: table, hash: PERSON#<person>, range: begins_with BADGE#, filter: until > iso(now()) }
  room: { get: Room }
groups: { member_of: badgesOf.group }
roles:
  guest: { is: guests, read: [Room], run: [room] }
"""
NOTICE = {"PK": {"S": "NOTICE#n1"}, "SK": {"S": "META"}}
MINE = {"PK": {"S": "BOX#anna"}, "SK": {"S": "LETTER#l1"}}
YOURS = {"PK": {"S": "BOX#ben"}, "SK": {"S": "LETTER#l1"}}
TEXT = {"text": {"S": "for the owner alone"}}


class WithLetters(WithKeys):
    """A server with the table `letters`, which holds a notice, a letter to anna and a letter to ben."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.access = Access(harness.PROGRAM, self.folder)
        self.design = self.folder / "letters.yaml"
        self.design.write_text(FIRST)

    def serve(self, *options):
        verified = self.access.options() if "--design" in options else ["--credentials", self.access.keys]
        self.server = self.enterContext(Server(harness.PROGRAM, *options, *verified))
        self.root, self.anna, self.ben = (self.client(key) for key in ("AKIDTEST", "AKIDANNA", "AKIDBEN"))

    def fill(self):
        for key in (NOTICE, MINE, YOURS):
            self.root.put_item(TableName="letters", Item=key | TEXT)

    def serve_letters(self):
        self.serve("--in-memory", "--design", self.design)
        self.fill()

    def admin(self, method, path, body=None):
        text = json.dumps(body) if body is not None else None
        status, _, answer = ask(self.server, method, path, self.access.signed(method, self.server.url + path, text), text)
        self.assertEqual(status, 200, answer)
        return answer

    def assert_roles_hold(self, table):
        """Anna sees her own items, and no others, through any operation."""
        anna = self.anna
        self.assertEqual(anna.get_item(TableName=table, Key=MINE)["Item"], MINE | TEXT)
        key = {"TableName": table, "Key": YOURS}
        self.assert_denied("only for their own items", anna.get_item, **key)
        self.assert_denied("only for their own items", anna.batch_get_item, RequestItems={table: {"Keys": [YOURS]}})
        self.assert_denied("only for their own items", anna.transact_get_items, TransactItems=[{"Get": key}])
        self.assert_denied("only for their own items", anna.execute_statement,
                           Statement=f"""SELECT * FROM "{table}" WHERE PK = 'BOX#ben' AND SK = 'LETTER#l1'""")
        self.assert_denied("only for their own items", anna.query, TableName=table, KeyConditionExpression="PK = :p",
                           ExpressionAttributeValues={":p": YOURS["PK"]})
        self.assert_denied("Scan", anna.scan, TableName=table)
        self.assert_denied("write Notice", anna.put_item, TableName=table, Item=NOTICE)
        self.assert_denied("write Notice", anna.delete_item, TableName=table, Key=NOTICE)
        self.assert_denied("write Notice", anna.batch_write_item, RequestItems={table: [{"PutRequest": {"Item": NOTICE}}]})
        for call in (anna.delete_table, anna.update_table):
            self.assert_denied("stands for a person", call, TableName=table)
        self.assert_denied("stands for a person", anna.create_backup, TableName=table, BackupName="mine")


class EveryTableOfADesign(WithLetters):
    """The roles are those of the design that the database keeps with a table, whatever the origin of the table."""

    def test_the_newer_table_of_a_migration(self):
        self.serve_letters()
        self.admin("PUT", "/admin/migrations/letters", {
            "action": "start", "newTable": "letters-2", "from": "1", "design": SECOND, "file": "letters.yaml"})
        while self.admin("GET", "/admin/migrations/letters")["copying"]:
            pass
        for table in ("letters", "letters-2"):
            self.assert_roles_hold(table)
        self.anna.put_item(TableName="letters-2", Item=YOURS | {"stamp": {"S": "red"}})
        self.assertIn("stamp", self.ben.get_item(TableName="letters-2", Key=YOURS)["Item"])
        self.admin("PUT", "/admin/migrations/letters", {"action": "finish"})
        self.assert_roles_hold("letters-2")

    def test_a_server_without_the_design(self):
        data = self.folder / "data"
        self.serve("--data", data, "--design", self.design)
        self.fill()
        self.server.stop()
        self.serve("--data", data)
        self.assert_roles_hold("letters")
        self.anna.put_item(TableName="letters", Item=YOURS)

    def test_another_design_of_the_table_is_no_way_around_the_roles(self):
        other = self.folder / "open.yaml"
        other.write_text(OPEN.replace("letters-2", "letters"))
        for files in ((self.design, other), (other, self.design)):
            done = subprocess.run([harness.PROGRAM, "serve", "--in-memory", "--port", "0", "--design", files[0],
                                   "--design", files[1]], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"both designs of the table letters, and {self.design} has roles", done.stderr)

    def test_nor_is_one_whose_table_a_migration_takes(self):
        other = self.folder / "open.yaml"
        other.write_text(OPEN)
        self.serve("--in-memory", "--design", self.design, "--design", other)
        self.fill()
        self.root.delete_table(TableName="letters-2")
        self.admin("PUT", "/admin/migrations/letters", {
            "action": "start", "newTable": "letters-2", "from": "1", "design": SECOND, "file": "letters.yaml"})
        while self.admin("GET", "/admin/migrations/letters")["copying"]:
            pass
        for method, path, body in (("GET", "/v1/open/letter?owner=ben&letter=l1", None),
                                   ("POST", "/v1/open/send", json.dumps({"owner": "ben", "letter": "l1"}))):
            for key, expected in (("AKIDANNA", 403), ("AKIDBEN", 403), ("AKIDTEST", 200)):
                headers = self.access.signed(method, self.server.url + path, body, key)
                status, _, answer = ask(self.server, method, path, headers, body)
                self.assertEqual(status, expected, answer)
                if expected == 403:
                    self.assertIn("come from the design letters, which governs it and has roles", answer["detail"])
        self.assertIn("Item", self.ben.get_item(TableName="letters-2", Key=YOURS))

    def test_a_restored_table_waits_for_its_design(self):
        self.serve_letters()
        backup = self.root.create_backup(TableName="letters", BackupName="daily")["BackupDetails"]["BackupArn"]
        self.root.restore_table_from_backup(BackupArn=backup, TargetTableName="restored")
        self.root.get_waiter("table_exists").wait(TableName="restored", WaiterConfig={"Delay": 1})
        self.assert_denied("has no design yet", self.anna.get_item, TableName="restored", Key=YOURS)
        self.assert_denied("has no design yet", self.anna.scan, TableName="restored")
        self.assertEqual(self.root.scan(TableName="restored")["Count"], 3)

    def test_backups_and_streams_of_a_table_that_is_gone(self):
        data = self.folder / "data"
        self.serve("--data", data, "--design", self.design)
        self.root.update_table(TableName="letters", StreamSpecification={
            "StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
        self.fill()
        backup = self.root.create_backup(TableName="letters", BackupName="daily")["BackupDetails"]["BackupArn"]
        stream = self.root.describe_table(TableName="letters")["Table"]["LatestStreamArn"]
        self.assert_stream_is_closed(stream, "only for their own items")
        self.server.stop()
        self.serve("--data", data)  # this server knows the design from the table only
        self.root.delete_table(TableName="letters")
        self.assert_stream_is_closed(stream, "table was deleted")
        restore = {"BackupArn": backup, "TargetTableName": "copy"}
        self.assert_denied("table had a design", self.anna.restore_table_from_backup, **restore)
        self.anna.create_table(TableName="letters", BillingMode="PAY_PER_REQUEST",
                               AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                               KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])
        self.assert_stream_is_closed(stream, "table was deleted")
        self.assert_denied("table had a design", self.anna.restore_table_from_backup, **restore)
        self.assert_denied("table had a design", self.anna.delete_backup, BackupArn=backup)

    def assert_stream_is_closed(self, stream, words):
        root, anna = (self.client(key, "dynamodbstreams") for key in ("AKIDTEST", "AKIDANNA"))
        shard = root.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"][0]["ShardId"]
        place = {"StreamArn": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
        self.assert_denied(words, anna.get_shard_iterator, **place)
        iterator = root.get_shard_iterator(**place)["ShardIterator"]
        self.assert_denied(words, anna.get_records, ShardIterator=iterator)


AT_YOURS = "WHERE PK = 'BOX#ben' AND SK = 'LETTER#l1'"
SHOWN = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
IF_ABSENT = {"ConditionExpression": "attribute_not_exists(PK)"}
GUESS = {"ConditionExpression": "begins_with(#t, :t)", "ExpressionAttributeNames": {"#t": "text"},
         "ExpressionAttributeValues": {":t": {"S": "a"}}}
OPENED = {"UpdateExpression": "SET opened = :o", "ExpressionAttributeValues": {":o": {"N": "1"}}}


def reading_writes():
    """Writes of one item that reveal its content: the operation and its parameters, without the table and the key."""
    for values in ("ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"):
        yield "UpdateItem", OPENED | {"ReturnValues": values}
    for operation in ("PutItem", "DeleteItem"):
        yield operation, {"ReturnValues": "ALL_OLD"}
        yield operation, IF_ABSENT | SHOWN
        yield operation, GUESS
        yield operation, {"Expected": {"text": {"Value": {"S": "a"}}}}
    yield "UpdateItem", OPENED | IF_ABSENT | SHOWN
    yield "UpdateItem", {"UpdateExpression": "SET #k = #t", "ExpressionAttributeNames": {"#k": "kind", "#t": "text"}}
    for value in ("kind.a", "#m.b", "place[1]", "opened", "if_not_exists(#m.b, :o)", "if_not_exists(opened, seal)"):
        yield "UpdateItem", update(f"SET #m.a = {value}", "#m", ":o")
    yield "UpdateItem", update("SET opened = opened", "")
    for value in ("opened + :o", ":o - opened", "if_not_exists(opened, :o) + :o"):
        yield "UpdateItem", update(f"SET opened = {value}", "", ":o")
    for value in ("list_append(opened, :l)", "list_append(:l, opened)", "list_append(if_not_exists(opened, :l), :l)"):
        yield "UpdateItem", update(f"SET opened = {value}", "", ":l")
    yield "UpdateItem", update("ADD opened :o", "", ":o")
    yield "UpdateItem", update("DELETE opened :s", "", ":s")
    yield "UpdateItem", {"AttributeUpdates": {"opened": {"Action": "ADD", "Value": {"N": "1"}}}}
    yield "UpdateItem", {"AttributeUpdates": {"opened": {"Action": "DELETE", "Value": {"SS": ["a"]}}}}


def update(expression, *used):
    """Returns UpdateItem's parameters, with the names and values that the expression uses."""
    names = {"#m": "map"}
    values = {":o": {"N": "1"}, ":k": {"S": "a"}, ":l": {"L": [{"S": "a"}]}, ":s": {"SS": ["a"]}}
    parts = {"ExpressionAttributeNames": {name: names[name] for name in used if name in names},
             "ExpressionAttributeValues": {value: values[value] for value in used if value in values}}
    return {"UpdateExpression": expression} | {name: part for name, part in parts.items() if part}


def reading_statements():
    for values in ("ALL OLD", "ALL NEW", "MODIFIED OLD", "MODIFIED NEW"):
        yield f"UPDATE letters SET opened = 1 {AT_YOURS} RETURNING {values} *", {}
    yield f"DELETE FROM letters {AT_YOURS} RETURNING ALL OLD *", {}
    for condition in ("", " AND text = 'a'"):
        yield f"UPDATE letters SET opened = 1 {AT_YOURS}{condition}", SHOWN
        yield f"DELETE FROM letters {AT_YOURS}{condition}", SHOWN
    yield f"UPDATE letters SET opened = 1 {AT_YOURS} AND text = 'a'", {}
    yield f"UPDATE letters SET kind = text {AT_YOURS}", {}
    for value in ("opened + 1", "list_append(opened, ['a'])", "set_add(opened, <<'a'>>)", "set_delete(opened, <<'a'>>)"):
        yield f"UPDATE letters SET opened = {value} {AT_YOURS}", {}
    yield "INSERT INTO letters VALUE {'PK': 'BOX#ben', 'SK': 'LETTER#l1'}", SHOWN


class WritesThatRead(WithLetters):
    """Anna may write letters to ben, but not read them."""

    def setUp(self):
        super().setUp()
        self.serve_letters()

    def call(self, operation, request, key="AKIDANNA"):
        """Sends as newer clients do. Returns the response as a text."""
        body = json.dumps(request)
        headers = self.access.signed("POST", self.server.url + "/", body, key, target="DynamoDB_20120810." + operation)
        _, _, answer = ask(self.server, "POST", "/", headers, body)
        return json.dumps(answer)

    def assert_not_told(self, operation, request, denied="AccessDeniedException"):
        with self.subTest(operation, **request):
            answer = self.call(operation, request)
            self.assertIn(denied, answer)
            self.assertIn("read Letter", answer)
            self.assertNotIn(TEXT["text"]["S"], answer)
            self.assertEqual(self.root.get_item(TableName="letters", Key=YOURS)["Item"], YOURS | TEXT)

    def test_one_by_one(self):
        for operation, request in reading_writes():
            self.assert_not_told(operation, {"TableName": "letters", "Item" if operation == "PutItem" else "Key": YOURS} | request)

    def test_in_transactions(self):
        for operation, request in reading_writes():
            if {"ReturnValues", "Expected", "AttributeUpdates"} & request.keys():
                continue  # transactions have no such parameters
            part = {"TableName": "letters", "Item" if operation == "PutItem" else "Key": YOURS} | request
            self.assert_not_told("TransactWriteItems", {"TransactItems": [{operation.removesuffix("Item"): part}]})

    def test_in_statements(self):
        for statement, request in reading_statements():
            self.assert_not_told("ExecuteStatement", {"Statement": statement} | request)
            self.assert_not_told("BatchExecuteStatement", {"Statements": [{"Statement": statement} | request]}, "AccessDenied")
            if "RETURNING" not in statement:
                self.assert_not_told("ExecuteTransaction", {"TransactStatements": [{"Statement": statement} | request]})

    def test_in_what_the_design_says_of_a_write(self):
        sealed = {"TableName": "letters", "Item": YOURS | {"seal": {"S": "red"}}}
        self.root.put_item(**sealed)
        other = {"TableName": "letters", "Item": YOURS | {"seal": {"S": "blue"}}}
        statement = f"UPDATE letters SET seal = 'blue' {AT_YOURS}"
        for operation, request in (("PutItem", other), ("TransactWriteItems", {"TransactItems": [{"Put": other}]}),
                                   ("BatchWriteItem", {"RequestItems": {"letters": [{"PutRequest": {"Item": other["Item"]}}]}}),
                                   ("ExecuteStatement", {"Statement": statement}),
                                   ("BatchExecuteStatement", {"Statements": [{"Statement": statement}]}),
                                   ("ExecuteTransaction", {"TransactStatements": [{"Statement": statement}]})):
            with self.subTest(operation):
                self.assertIn("red", self.call(operation, request, "AKIDTEST"))
                answer = self.call(operation, request)
                self.assertNotIn("red", answer)
                self.assertRegex(answer, r"you may not read the item \[.*letters.yaml:\d+\]")

    def test_plain_writes_and_whether_an_item_is_there(self):
        anna = self.anna
        anna.update_item(TableName="letters", Key=YOURS, **OPENED)
        for request in (update("SET opened = if_not_exists(opened, :o)", ":o"), update("SET opened = :o + :o", ":o"),
                        update("SET seal = if_not_exists(seal, PK)"), update("SET kind = :k REMOVE place", ":k"),
                        update("REMOVE opened, kind"), {"AttributeUpdates": {"opened": {"Action": "DELETE"}}},
                        {"AttributeUpdates": {"opened": {"Action": "PUT", "Value": {"N": "3"}}}}):
            with self.subTest(**request):
                anna.update_item(TableName="letters", Key=YOURS, **request)
        with self.assertRaises(anna.exceptions.ConditionalCheckFailedException):
            anna.put_item(TableName="letters", Item=YOURS, **IF_ABSENT)
        with self.assertRaises(anna.exceptions.DuplicateItemException):
            anna.execute_statement(Statement="INSERT INTO letters VALUE {'PK': 'BOX#ben', 'SK': 'LETTER#l1'}")
        anna.execute_statement(Statement=f"UPDATE letters SET opened = 2 {AT_YOURS}")
        anna.delete_item(TableName="letters", Key=YOURS)

    def test_who_may_read_is_shown_what_was_there(self):
        old = self.anna.put_item(TableName="letters", Item=MINE, ReturnValues="ALL_OLD")["Attributes"]
        self.assertEqual(old, MINE | TEXT)
        shown = self.call("PutItem", {"TableName": "letters", "Item": MINE} | IF_ABSENT | SHOWN)
        self.assertIn("ConditionalCheckFailedException", shown)
        self.assertIn("BOX#anna", shown)
        self.anna.put_item(TableName="letters", Item=MINE, ConditionExpression="attribute_not_exists(opened)")
        for request in (update("ADD opened :o", ":o"), update("SET opened = opened + :o", ":o")):
            self.anna.update_item(TableName="letters", Key=MINE, **request)
        self.assertEqual(self.root.get_item(TableName="letters", Key=MINE)["Item"]["opened"], {"N": "2"})


class ItemsThatStrayedIntoAnIndex(WithLetters):
    """A letter with attributes named like the keys of an index is in the index, although the design puts no letters
    there."""

    def setUp(self):
        super().setUp()
        self.serve_letters()
        for key, place in ((YOURS, "a"), (MINE, "b")):
            self.root.put_item(TableName="letters", Item=key | TEXT | {"kind": {"S": "NOTICE"}, "place": {"S": place}})

    def test_they_are_seen_by_who_may_read_them(self):
        notices = {"TableName": "letters", "IndexName": "byKind", "KeyConditionExpression": "kind = :k",
                   "ExpressionAttributeValues": {":k": {"S": "NOTICE"}}}
        every = {"TableName": "letters", "IndexName": "byKind"}
        self.assertEqual([self.root.query(**notices)["Count"], self.root.scan(**every)["Count"]], [3, 3])
        for read in (lambda **more: self.anna.query(**notices, **more), lambda **more: self.anna.scan(**every, **more)):
            page = read()
            self.assertEqual({item["PK"]["S"] for item in page["Items"]}, {"BOX#anna", "NOTICE#n1"})
            self.assertEqual([page["Count"], page["ScannedCount"]], [2, 2])
            self.assertEqual(read(Select="COUNT")["Count"], 2)
            self.assertEqual(read(ProjectionExpression="SK")["Count"], 2)
            self.assertNotIn("BOX#ben", str(list(self.pages(read))))
        found = self.anna.execute_statement(Statement="""SELECT PK FROM "letters"."byKind" WHERE kind = 'NOTICE'""")
        self.assertEqual(len(found["Items"]), 2)

    @staticmethod
    def pages(read):
        page = read(Limit=1)
        yield page
        while "LastEvaluatedKey" in page:
            page = read(Limit=1, ExclusiveStartKey=page["LastEvaluatedKey"])
            yield page


GROUPS = """groups:
  member_of: groupsOf.group
  permissions: permitted.permissions
"""
MEMBER = """  Member:
    key: { PK: USER#<user>, SK: IN#<group> }
    ids: { user: string, group: string }
  Group:
    key: { PK: GROUP#<group>, SK: META }
    ids: { group: string }
    attributes: { permissions: list<string> }
patterns:
  groupsOf: { query: Member, via: table, hash: USER#<user>, range: begins_with IN# }
  permitted: { get: Group }
"""


class ErrorsAreNoRefusals(WithLetters):
    """Anna's right to see a letter cannot be determined: she is in more groups than are read."""

    def setUp(self):
        super().setUp()
        self.design.write_text(FIRST.replace("patterns:\n", MEMBER) + GROUPS)
        self.serve_letters()
        self.root.put_item(TableName="letters", Item=YOURS | TEXT | {"kind": {"S": "NOTICE"}, "place": {"S": "a"}})

    def test_nothing_is_left_out_silently(self):
        notices = {"TableName": "letters", "IndexName": "byKind", "KeyConditionExpression": "kind = :k",
                   "ExpressionAttributeValues": {":k": {"S": "NOTICE"}}}
        self.assertEqual(self.anna.query(**notices)["Count"], 1)
        for first in range(0, 1001, 25):
            self.root.batch_write_item(RequestItems={"letters": [
                {"PutRequest": {"Item": {"PK": {"S": "USER#anna"}, "SK": {"S": f"IN#g{i}"}}}}
                for i in range(first, min(first + 25, 1001))]})
        self.assert_denied("anna is in 1001 groups", self.anna.query, **notices)
        self.assert_denied("anna is in 1001 groups", self.anna.scan, TableName="letters", IndexName="byKind")


# A design of things with owners: in the key, in an attribute, and only in the key of an index.
OWNERS = """design: 1
name: owners
enforce: {enforce}
table: {{ name: letters, hash: PK, range: SK }}
indexes:
  byOwner: {{ hash: owns, project: all }}
  keysByOwner: {{ hash: owns2, project: keys }}
entities:
  Note:
    key: {{ PK: NOTE#<user>, SK: NOTE#<note> }}
    ids: {{ user: string, note: string }}
    index: {{ byOwner: {{ hash: "NOTES#<user>" }} }}
    attributes: {{ text: string }}
  Card:
    key: {{ PK: CARD#<card>, SK: META }}
    ids: {{ card: string }}
    index: {{ byOwner: {{ hash: "CARDS#<owner>" }}, keysByOwner: {{ hash: "CARDS#<owner>" }} }}
    attributes: {{ owner: string, text: string }}
  Ticket:
    key: {{ PK: TICKET#<ticket>, SK: META }}
    ids: {{ ticket: string, holder: string }}
    index: {{ byOwner: {{ hash: "TICKETS#<holder>" }} }}
patterns:
  notes: {{ query: Note, via: byOwner, hash: NOTES#<user> }}
  cards: {{ query: Card, via: byOwner, hash: CARDS#<owner> }}
  tickets: {{ query: Ticket, via: byOwner, hash: TICKETS#<holder> }}
roles:
  user: {{ is: logged-in, read: [Note], own: user }}
  owner: {{ is: logged-in, read: [Card], own: owner }}
  holder: {{ is: logged-in, read: [Ticket], own: holder }}
"""


class ForeignItemsUnderOnesOwnKey(WithLetters):
    """An index key names anna as the owner of an item, and the item names ben."""

    KEYS = ({"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"})

    def put(self, hash_key, range_key, **attributes):
        item = {"PK": hash_key, "SK": range_key} | attributes
        self.root.put_item(TableName="letters", Item={name: {"S": value} for name, value in item.items()})

    def fill(self):
        for user in ("anna", "ben"):
            self.put(f"NOTE#{user}", "NOTE#1", owns="NOTES#anna")
            self.put(f"CARD#{user}", "META", owner=user, owns="CARDS#anna", owns2="CARDS#anna")
        self.put("CARD#nobodys", "META", text="nobody's", owns="CARDS#anna", owns2="CARDS#anna")
        self.put("TICKET#1", "META", owns="TICKETS#anna")

    def create_before(self):
        """The table before it had a design."""
        index = {"Projection": {"ProjectionType": "ALL"}}
        self.root.create_table(
            TableName="letters", BillingMode="PAY_PER_REQUEST", KeySchema=self.KEYS,
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "owns", "owns2")],
            GlobalSecondaryIndexes=[index | {"IndexName": name, "KeySchema": [
                {"AttributeName": key, "KeyType": "HASH"}]} for name, key in (("byOwner", "owns"), ("keysByOwner", "owns2"))])

    def found(self, index, hash_key):
        name = "owns" if index == "byOwner" else "owns2"
        page = self.anna.query(TableName="letters", IndexName=index, KeyConditionExpression=f"{name} = :o",
                               ExpressionAttributeValues={":o": {"S": hash_key}})
        self.assertEqual(page["Count"], page["ScannedCount"])
        return [item["PK"]["S"] for item in page["Items"]]

    def assert_only_annas(self, cards=("CARD#anna",)):
        self.assertEqual(self.found("byOwner", "NOTES#anna"), ["NOTE#anna"])
        self.assertEqual(self.found("byOwner", "CARDS#anna"), [*cards])
        self.assertEqual(self.found("keysByOwner", "CARDS#anna"), [*cards])
        self.assertEqual(self.found("byOwner", "TICKETS#anna"), ["TICKET#1"])

    def test_where_the_design_is_not_enforced(self):
        self.design.write_text(OWNERS.format(enforce="off"))
        self.serve_letters()
        self.assert_only_annas()

    def test_where_breaking_the_design_is_only_counted(self):
        self.design.write_text(OWNERS.format(enforce="warn"))
        self.serve_letters()
        self.assert_only_annas(("CARD#anna", "CARD#nobodys"))  # the design takes their owner from the index key

    def test_where_they_are_older_than_the_design(self):
        data = self.folder / "data"
        self.serve("--data", data)
        self.create_before()
        self.fill()
        self.server.stop()
        self.design.write_text(OWNERS.format(enforce="strict"))
        self.serve("--data", data, "--design", self.design)
        self.assert_only_annas()


class GroupsForATime(WithLetters):
    def test_the_time_is_that_of_the_server(self):
        self.design.write_text(BADGES)
        self.serve("--in-memory", "--design", self.design, "--clock", "2020-01-15T10:00:00Z")
        room = {"PK": {"S": "ROOM#7"}, "SK": {"S": "META"}}
        self.root.put_item(TableName="badges", Item=room)
        for person, until in (("anna", "2020-06-01T00:00:00Z"), ("ben", "2020-01-01T00:00:00Z")):
            self.root.put_item(TableName="badges", Item={"PK": {"S": f"PERSON#{person}"}, "SK": {"S": "BADGE#guests"},
                                                         "until": {"S": until}})
        for key, client, status in (("AKIDANNA", self.anna, 200), ("AKIDBEN", self.ben, 403)):
            path = "/v1/badges/room?room=7"
            headers = self.access.signed("GET", self.server.url + path, key=key)
            self.assertEqual((answer := ask(self.server, "GET", path, headers))[0], status, answer)
            if status == 200:
                self.assertEqual(client.get_item(TableName="badges", Key=room)["Item"], room)
            else:
                self.assert_denied("read Room", client.get_item, TableName="badges", Key=room)


if __name__ == "__main__":
    harness.main()
