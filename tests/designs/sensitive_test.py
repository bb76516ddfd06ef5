#!/usr/bin/env python3
"""Sensitive values are masked in audit trails, and no message, report or log shows one, whatever a client does wrong.

    tests/designs/sensitive_test.py PROGRAM [TEST ...]
"""
import decimal
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import governed  # noqa: E402, F401 (finds the modules below)
import harness  # noqa: E402
from cases import to_json  # noqa: E402
from governed import ClientError, Served, design_file, tavola  # noqa: E402

DESIGN = "tests/gen/clinic"
# Every sensitive value of these tests holds one of these.
MARKS = ("mango", "MANGO", "98765", "+4915")
PHONE = "+4915"
PATIENT = {"PK": "PATIENT#p1", "SK": "META"}
FIELDS = {"name": "Anna", "mail": "mango@example.com", "code": "mango", "kind": "A", "weight": decimal.Decimal("59.8765"),
          "contact": {"city": "Berlin", "phone": PHONE}, "calls": [{"about": "pain", "number": PHONE}], "file": {"word": "mango"},
          "fixed": {"city": "Rome", "phone": PHONE}}
# Changes of the first patient, and words of their refusals.
REFUSED = {
    "pattern": ({"code": "mango 1"}, "code must match"),
    "length": ({"code": "mango-" * 9}, "at most 40 characters"),
    "type": ({"code": 98765}, "code must be a text"),
    "enum": ({"kind": "mango"}, "kind must be one of A, B"),
    "upper bound": ({"weight": 98765}, "weight must be ≤ 500"),
    "lower bound": ({"weight": decimal.Decimal("0.98765")}, "weight must be ≥ 1"),
    "a number as a text": ({"weight": "mango"}, "weight must be a number"),
    "rule": ({"weight": decimal.Decimal("1.98765")}, "Nobody weighs so little"),
    "date": ({"born": "mango"}, "born must be a date"),
    "email": ({"mail": "mango"}, "mail must be an address"),
    "reference": ({"ward": "mango"}, "ward must be a Ward that exists"),
    "a part": ({"contact": {"city": "Berlin", "phone": "mango"}}, "phone must be a phone number"),
    "a part of a list": ({"calls": [{"about": "pain", "number": "mango"}]}, "[0].number must be a phone number"),
    "a map of the wrong type": ({"contact": ["mango"]}, "contact must be a map"),
    "a list of the wrong type": ({"calls": "mango"}, "calls must be a list"),
    "a part of a sensitive map": ({"file": {"word": "mango 1"}}, "word must match"),
    "a computed field": ({"loud": "mango"}, "loud is computed"),
    "a part that may not change": ({"fixed": {"city": "Rome", "phone": PHONE + "1"}}, "fixed may not change"),
    "an undeclared attribute": ({"cod": "mango"}, "has no attribute `cod`"),
}


class Sensitive(unittest.TestCase):
    def setUp(self):
        self.served = self.enterContext(Served([DESIGN], "--log", "requests"))
        self.table = self.served.resource().Table("clinic")
        self.shown = []  # all that people were shown

    def tearDown(self):
        self.shown.append(self.served.server.log_text())
        for text in self.shown:
            for mark in MARKS:
                self.assertNotIn(mark, text)

    def register(self, number=1, **more):
        self.table.put_item(Item={"PK": f"PATIENT#p{number}", "SK": "META", **FIELDS, **more})

    def refusal(self, call, *arguments, **parameters):
        with self.assertRaises(ClientError) as refused:
            call(*arguments, **parameters)
        error = refused.exception.response
        text = json.dumps([error["Error"], error.get("CancellationReasons")], ensure_ascii=False, default=str)
        self.shown.append(text)
        return text

    def ask(self, method, path, body=None):
        status, answer = self.served.send(method, path, None if body is None else to_json(body).encode())
        if status >= 400:
            self.shown.append(json.dumps(answer, ensure_ascii=False))
        return status, answer

    def trail(self):
        return sorted((item for item in self.table.scan()["Items"] if item["PK"].startswith("TRAIL#")), key=lambda item: item["SK"])

    def test_a_trail_masks_what_is_sensitive(self):
        self.register()
        self.table.update_item(Key=PATIENT, UpdateExpression="SET #n = :n, code = :c, contact.phone = :p",
                               ExpressionAttributeNames={"#n": "name"},
                               ExpressionAttributeValues={":n": "Anne", ":c": "mango-tree", ":p": PHONE + "2"})
        status, _ = self.ask("POST", "clinic/correct", {"id": "p1", "mail": "mango-tree@example.com"})
        self.assertEqual(status, 200)
        self.table.delete_item(Key=PATIENT)
        masked = {"id": "p1", "mail": "***", "code": "***", "loud": "***", "kind": "***", "weight": "***",
                  "contact": {"city": "Berlin", "phone": "***"}, "calls": [{"about": "pain", "number": "***"}], "file": "***",
                  "fixed": {"city": "Rome", "phone": "***"}, "status": "WAITING", "since": governed.NOW, "moved": governed.NOW}
        anna, anne = ({**masked, "name": name} for name in ("Anna", "Anne"))
        found = sorted(((entry["how"], entry.get("before"), entry.get("after")) for entry in self.trail()),
                       key=lambda entry: (entry[1] is not None, entry[2] is None, str(entry)))
        self.assertEqual(found, [("create", None, anna), ("update", anna, anne), ("update", anne, anne), ("delete", anne, None)])
        self.shown.append(str(found))

    def test_an_item_of_another_shape_is_masked_as_a_whole(self):
        self.served.enforce(DESIGN, "warn")
        self.register(contact=["mango"], calls="mango")
        self.assertEqual([(entry["after"]["contact"], entry["after"]["calls"]) for entry in self.trail()], [(["***"], "***")])
        self.shown.append(str(self.trail()))

    def test_refusals_of_plain_clients(self):
        self.register()
        for name, (fields, words) in REFUSED.items():
            with self.subTest(name):
                names = {f"#{at}": field for at, field in enumerate(fields)}
                values = {f":{at}": value for at, value in enumerate(fields.values())}
                change = "SET " + ", ".join(f"#{at} = :{at}" for at in range(len(fields)))
                request = {"Key": PATIENT, "UpdateExpression": change, "ExpressionAttributeNames": names, "ExpressionAttributeValues": values}
                self.assertIn(words, self.refusal(self.table.update_item, **request))
                if "may not" not in words:
                    self.assertIn(words, self.refusal(self.table.put_item, Item={"PK": "PATIENT#p2", "SK": "META", **FIELDS, "mail": "mango2@example.com", **fields}))
                self.refusal(self.table.meta.client.transact_write_items, TransactItems=[{"Update": {"TableName": "clinic", **request}}])
        self.assertIn("same mail", self.refusal(self.register, 2))
        copy = {"PK": "PATIENT#p1", "SK": "CARD", "code": "mango"}
        self.assertIn("is a copy", self.refusal(self.table.put_item, Item=copy))

    def test_refusals_by_name(self):
        self.assertEqual(self.ask("POST", "clinic/register", {"id": "p1", "code": "mango", "mail": "mango@example.com", "weight": 60})[0], 200)
        taken = ("register", {"id": "p2", "mail": "mango@example.com"}, 409)
        heavier = ("weigh", {"id": "p1", "weight": "98.765"}, 400)
        for operation, parameters, wanted in (taken, heavier, ("weigh", {"id": "p1", "weight": decimal.Decimal("1.98765")}, 409)):
            self.assertEqual(self.ask("POST", f"clinic/{operation}", parameters)[0], wanted)
        for name, (fields, words) in REFUSED.items():
            if "may not" in words:
                continue  # registering gives the first value
            with self.subTest(name):
                self.assertGreaterEqual(self.ask("POST", "clinic/register", {"id": "p3", **fields})[0], 400)

    def test_a_person_may_not_write_in_the_name_of_another(self):
        table = self.served.resource(key="AKIDANNA").Table("clinic")
        text = self.refusal(table.put_item, Item={"PK": "PATIENT#p1", "SK": "META", "doctor": "mango"})
        self.assertIn("doctor is caller()", text)

    def test_reports_of_adoption_drift_and_imports(self):
        self.served.enforce(DESIGN, "off")
        self.register(1, loud="mango", weight=98765, kind="mango", ward="mango", contact={"city": "x" * 30, "phone": "mango"})
        self.register(2, file=["mango"], since=governed.NOW)
        self.register(4, mail="mango4@example.com", loud="mango", status="WAITING", since=governed.NOW, moved=governed.NOW)
        self.register(5, mail="mango4@example.com", loud="MANGO", status="WAITING", since=governed.NOW, moved=governed.NOW)
        self.table.put_item(Item={"PK": "PATIENT#p4", "SK": "CARD", "code": "mango-x", "contact": {"phone": PHONE + "4"}})
        self.table.put_item(Item={"PK": "PATIENT#p3", "SK": "CARD", "code": "mango", "contact": {"phone": "mango"}})
        self.table.put_item(Item={"PK": "$unique#Patient.mail#mango@example.org", "SK": "$unique", "of": PATIENT})
        drift = tavola("design", "drift", design_file(DESIGN), "--endpoint", self.served.server.url)
        self.assertIn("guard-missing", drift.stdout)
        self.assertIn("$unique#Patient.mail#***", drift.stdout)
        self.assertIn("not what it should be", drift.stdout)
        as_json = tavola("design", "drift", design_file(DESIGN), "--endpoint", self.served.server.url, "--format", "json")
        adopted = tavola("design", "adopt", design_file(DESIGN), "--endpoint", self.served.server.url)
        self.assertIn("not-unique", adopted.stdout)
        with tempfile.TemporaryDirectory() as folder:
            items = pathlib.Path(folder) / "items.jsonl"
            items.write_text(json.dumps({"PK": "PATIENT#p8", "SK": "META", "code": "mango 1", "mail": "mango@example.com"}) + "\n")
            loaded = tavola("load", "clinic", items, "--format", "jsonl", "--endpoint", self.served.server.url)
        self.assertNotEqual(loaded.returncode, 0)
        self.shown += [one.stdout + one.stderr for one in (drift, as_json, adopted, loaded)]

    def test_the_list_of_stuck_items(self):
        self.register()
        self.served.clock.set("2026-01-15T13:00:00Z")
        status = self.served.enforce(DESIGN)
        self.assertIn('"name":"Anna"', status)
        self.assertIn('"code":"***"', status)
        self.shown.append(status)


if __name__ == "__main__":
    harness.main()
