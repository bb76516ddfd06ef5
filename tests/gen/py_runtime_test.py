"""The common part of all generated Python modules: exact numbers, times, parts of keys, the checks of values, and rules."""
from __future__ import annotations

import unittest
from decimal import Decimal
from typing import Any

import shelf as runtime

NOON = 1706702400500  # 2024-01-31T12:00:00.500Z


def evaluated(rule: list[Any], **fields: Any) -> Any:
    scope = runtime._Scope(it=fields, params={"n": 4}, names={"product": {"name": "Pen"}}, now=NOON)
    return runtime._evaluate(rule, scope)


class Values(unittest.TestCase):
    def test_numbers_are_exact(self) -> None:
        self.assertEqual(runtime._sum("+", Decimal("0.1"), Decimal("0.2")), Decimal("0.3"))
        self.assertEqual(runtime._written(runtime._sum("/", -2, 3)), "-0." + "6" * 37 + "7")
        self.assertEqual(runtime._written(runtime._sum("*", Decimal("1e20"), 10)), "1" + "0" * 21)
        self.assertEqual([runtime._written(Decimal(one)) for one in ("1.50", "-0", "1e2")], ["1.5", "0", "100"])
        self.assertEqual(runtime._exact_json("[12345678901234567890.5, 1]"), [Decimal("12345678901234567890.5"), 1])
        for wrong in (("/", 1, 0), ("+", "one", 1)):
            with self.assertRaises(runtime.Invalid):
                runtime._sum(*wrong)
        for number in (0.1, Decimal("NaN"), Decimal("1." + "1" * 38)):
            with self.assertRaises(runtime.Invalid):
                runtime._plain_json({"price": number})
            with self.assertRaises(runtime.Invalid):
                runtime._to_wire(number)

    def test_the_same_values_have_the_same_text(self) -> None:
        value = {"b": Decimal("1.50"), "a": ["x", True], "none": None, "bytes": b"\1\2", "set": {"z", "y"}}
        self.assertEqual(runtime._plain_json(value), '{"a":["x",true],"b":1.5,"bytes":"AQI=","set":["y","z"]}')

    def test_values_come_back_from_the_wire(self) -> None:
        item = {"n": Decimal("1.5"), "list": [True, {"a": "b"}], "set": {Decimal(1), Decimal(2)}, "bytes": b"\0"}
        self.assertEqual({name: runtime._from_wire(one) for name, one in runtime._item_to_wire(item).items()}, item)

    def test_times(self) -> None:
        self.assertEqual(runtime._iso(NOON), "2024-01-31T12:00:00Z")
        self.assertEqual(runtime._iso(NOON, 6), "2024-01-31T12:00:00.500000Z")
        self.assertEqual(runtime._ms("2024-01-31T13:00:00.5+01:00"), NOON)
        self.assertEqual(runtime._normal_time("2024-01-31T12:00:00.123456Z", 3), "2024-01-31T12:00:00.123Z")
        self.assertIsNone(runtime._normal_time("2024-02-30T12:00:00Z", 0))

    def test_periods_are_those_of_a_time_zone(self) -> None:
        cases: list[tuple[list[Any], str | None]] = [
            (["call", "day", ["value", "2024-03-31T22:30:00Z"], ["value", "Europe/Berlin"]], "2024-04-01"),
            (["call", "day", ["value", "2024-11-04T04:30:00Z"], ["value", "America/New_York"], ["value", -6]], "2024-10-28"),
            (["call", "week", ["value", "2024-01-01T04:59:59Z"], ["value", "America/New_York"]], "2023-W52"),
            (["call", "month", ["call", "now"], ["value", "UTC"], ["value", -25]], "2021-12"),
            (["call", "iso", ["call", "start_of", ["value", "2024-04"], ["value", "Europe/Berlin"]]], "2024-03-31T22:00:00Z"),
            (["call", "iso", ["call", "end_of", ["value", "2024-03-31"], ["value", "Europe/Berlin"]]], "2024-03-31T21:59:59Z"),
            (["call", "iso", ["call", "start_of", ["value", "2020-W53"]]], "2020-12-28T00:00:00Z"),
            (["call", "iso", ["call", "start_of", ["value", "2024-03-10"], ["value", "America/Havana"]]], "2024-03-10T05:00:00Z"),
            (["call", "day", ["call", "now"], ["param", "zone"]], None),
        ]
        for rule, expected in cases:
            self.assertEqual(evaluated(rule), expected)
        for wrong in (["call", "start_of", ["value", "2023-W53"]], ["call", "day", ["call", "now"], ["value", "Nowhere/Land"]]):
            with self.assertRaises(runtime.Invalid):
                evaluated(wrong)

    def test_parts_of_keys(self) -> None:
        self.assertEqual(runtime._padded(42, "count", 6), "000042")
        for wrong in (-1, Decimal("1.5"), 1234567):
            with self.assertRaises(runtime.Invalid):
                runtime._padded(wrong, "count", 6)
        template = ["A#", {"field": "a"}, "#", {"field": "at", "as": "desc"}]
        key = runtime._rendered(template, {"a": "x", "at": "2024-01-31T12:00:00Z"})
        self.assertEqual(key, "A#x#998293297599999")
        self.assertEqual(runtime._reader(template)(key), {"a": "x", "at": "998293297599999"})
        self.assertIsNone(runtime._reader(template)("A#x"))
        self.assertEqual(runtime._read_key({"type": "timestamp", "in_key": "desc"}, "998293297599999"), "2024-01-31T12:00:00Z")

    def test_a_key_shows_the_day_of_a_time(self) -> None:
        template = ["A#", {"field": "at", "as": "date", "type": "timestamp(epoch_ms)"}, "#", {"field": "a"}]
        for time in (NOON, "2024-01-31T23:59:59Z", "2024-01-31"):
            self.assertEqual(runtime._rendered(template, {"a": "x", "at": time}), "A#2024-01-31#x")
        in_seconds = [{"field": "at", "as": "date", "type": "timestamp(epoch_s)"}]
        self.assertEqual(runtime._rendered(in_seconds, {"at": NOON // 1000}), "2024-01-31")
        self.assertEqual(runtime._reader(template)("A#2024-01-31#x"), {"a": "x"})
        self.assertIsNone(runtime._reader(template)("A#today#x"))


class Fields(unittest.TestCase):
    def test_sensitive_values_are_not_shown(self) -> None:
        with self.assertRaises(runtime.Invalid) as refusal:
            runtime._accept("field", {"type": "string", "max_length": 2, "sensitive": True}, "secret")
        self.assertEqual(refusal.exception.reason, "field must have at most 2 characters")

    def test_what_the_design_does_not_allow_is_refused_with_the_name(self) -> None:
        cases: list[tuple[dict[str, Any], Any]] = [({"type": "integer"}, Decimal("1.5")), ({"type": "integer"}, True), ({"type": "number"}, 0.5),
                            ({"type": "number", "min": "0"}, -1), ({"type": "string", "max_length": 2}, "abc"),
                            ({"type": "string", "pattern": "[a-z]+"}, "a1"), ({"type": "enum", "values": ["A"]}, "B"),
                            ({"type": "list<string>", "max_items": 1}, ["a", "b"]), ({"type": "set<string>"}, []),
                            ({"type": "timestamp"}, "today"), ({"type": "email"}, "nobody"), ({"type": "list<string>"}, "ab")]
        for form, wrong in cases:
            with self.subTest(form), self.assertRaises(runtime.Invalid) as refusal:
                runtime._accept("field", form, wrong)
            self.assertTrue((refusal.exception.parameter or "").startswith("field"))

    def test_accepted_values_have_the_form_of_the_field(self) -> None:
        self.assertEqual(runtime._accept("f", {"type": "timestamp"}, NOON), "2024-01-31T12:00:00Z")
        self.assertEqual(runtime._accept("f", {"type": "timestamp(ms)"}, "2024-01-31T13:00:00.5+01:00"), "2024-01-31T12:00:00.500Z")
        self.assertEqual(runtime._accept("f", {"type": "string", "format": ["COUNTRY#", ""]}, "DE"), "COUNTRY#DE")
        self.assertEqual(runtime._accept("f", {"type": "list<integer>"}, (Decimal(1), 2)), [1, 2])


class Rules(unittest.TestCase):
    def test_functions(self) -> None:
        cases: list[tuple[list[Any], Any]] = [
            (["call", "lower", ["value", "AbC"]], "abc"),
            (["call", "join", ["value", "|"], ["it", "name"], ["it", "none"]], "Ada|"),
            (["call", "concat", ["it", "name"], ["it", "none"]], None),
            (["call", "first", ["it", "none"], ["param", "n"]], 4),
            (["call", "iso", ["call", "now"]], "2024-01-31T12:00:00Z"),
            (["call", "day", ["call", "now"]], "2024-01-31"),
            (["call", "week", ["value", "2024-12-30T00:00:00Z"]], "2025-W01"),
            (["call", "month", ["call", "now"]], "2024-01"),
            (["call", "round", ["value", Decimal("2.345")], ["value", 2]], Decimal("2.35")),
            (["call", "substring", ["value", "abcdef"], ["value", 1], ["value", 3]], "bcd"),
            (["call", "hostname", ["value", "https://me@Example.ORG:8080/a"]], "example.org"),
            (["call", "hostname", ["value", "https://ada@WWW.Example.com:8080/a?b=c@d"]], "www.example.com"),
            (["call", "hostname", ["value", "example.com/path"]], "example.com"),
            (["call", "hostname", ["value", "http://[::1]:8000/"]], "[::1]"),
            (["call", "lower", ["value", "ÀBC"]], "Àbc"),
            (["call", "day", ["value", "2024-01-31T23:30:00-02:00"]], "2024-02-01"),
            (["call", "day", ["value", "2024-01-31"]], "2024-01-31"),
            (["call", "week", ["value", "2023-01-01"]], "2022-W52"),
            (["call", "week", ["value", "2020-12-31T12:00:00Z"]], "2020-W53"),
            (["call", "round", ["value", Decimal("-2.345")], ["value", 2]], Decimal("-2.35")),
            (["call", "round", ["value", Decimal("0.05")], ["value", 0]], 0),
            (["call", "round", ["value", 7], ["value", 100]], 7),
            (["call", "substring", ["it", "name"], ["value", 5], ["value", 2]], ""),
            (["call", "size", ["value", "é"]], 2),
            (["call", "negate", ["param", "n"]], -4),
            (["name", "product", "name"], "Pen"),
            (["it", "tags", 1], "b"),
            (["call", "sha256", ["value", "a"]], "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"),
        ]
        for rule, result in cases:
            self.assertEqual(evaluated(rule, name="Ada", tags=["a", "b"]), result, rule)

    def test_wrong_operands_are_refused(self) -> None:
        rules: list[list[Any]] = [
            ["call", "month", ["value", "soon"]],
            ["call", "substring", ["value", "a"], ["value", -1], ["value", 2]],
            ["call", "round", ["value", 1], ["value", Decimal("0.5")]],
            ["call", "+", ["value", 1], ["value", "1"]],
        ]
        for rule in rules:
            with self.subTest(rule), self.assertRaises(runtime.Invalid):
                evaluated(rule)

    def test_conditions(self) -> None:
        cases: list[tuple[list[Any], Any]] = [
            (["is", "=", ["it", "count"], ["value", Decimal("3.0")]], True),
            (["is", "<>", ["it", "none"], ["value", 5]], True),  # as on the server
            (["is", "<", ["it", "none"], ["value", 5]], False),
            (["is", "<>", ["it", "count"], ["value", "3"]], True),
            (["is", ">", ["value", "\U00010000"], ["value", "\ufffd"]], True),  # by bytes of UTF-8
            (["between", ["it", "count"], ["value", 3], ["value", 4]], True),
            (["in", ["it", "count"], ["value", 1], ["value", 3]], True),
            (["not", ["call", "attribute_exists", ["it", "count"]]], False),
            (["and", ["call", "contains", ["it", "tags"], ["value", "a"]], ["call", "begins_with", ["value", "ab"], ["value", "a"]]], True),
        ]
        for rule, result in cases:
            self.assertEqual(evaluated(rule, count=3, tags=["a"]), result, rule)

    def test_filters_are_expressions_of_dynamodb(self) -> None:
        expression = runtime._Expression()
        rule = ["and", ["is", "<", ["it", "a", "b", 0], ["call", "+", ["param", "n"], ["value", 1]]],
                ["not", ["call", "attribute_exists", ["it", "c"]]]]
        text = expression.lower(rule, runtime._Scope(it={}, params={"n": 4}, names={}, now=NOON))
        self.assertEqual(text, "#n0.#n1[0] < :v0 AND NOT (attribute_exists(#n2))")
        self.assertEqual(expression.request(), {
            "ExpressionAttributeNames": {"#n0": "a", "#n1": "b", "#n2": "c"}, "ExpressionAttributeValues": {":v0": {"N": "5"}}})


if __name__ == "__main__":
    unittest.main()
