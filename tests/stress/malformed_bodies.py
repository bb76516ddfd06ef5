"""Requests that are valid HTTP with a broken or impossible body. Each must get a response, and none may cause an
internal failure."""
import copy
import json

from connection import request_bytes
from malformed_heads import Case
from valid_requests import BODIES, KEY, SCRATCH


def case(operation, text, kind, refused=False):
    return Case(request_bytes(operation, text), kind, must_be_answered=True, must_be_refused=refused)


def some_body(random):
    operation, body = random.choice(BODIES)
    return operation, json.dumps(body, ensure_ascii=random.random() < 0.5).encode()


# ---- Text that is not JSON ----

def cut_off(random):
    operation, text = some_body(random)
    return case(operation, text[:random.randrange(len(text))], "JSON cut off", refused=True)


def text_changed(random):
    operation, text = some_body(random)
    data = bytearray(text)
    for _ in range(random.randrange(1, 6)):
        at = random.randrange(len(data))
        data[at:at + random.randrange(2)] = random.choice(
            (b"", b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\x00", b"null", b"1e999", b"-", b"//", b"'", b"\xff"))
    return case(operation, bytes(data), "JSON changed")


NO_JSON = [b"", b" ", b"\x00", b"{", b"}", b"[]", b"null", b"0", b'"x"', b"{}{}", b"{} x", b"{,}", b'{"a":}', b"{'a':1}",
           b"\xef\xbb\xbf{}", "{}".encode("utf-16"), b'{"TableName":"scratch"', b"NaN", b"{\"a\":01}", b"{\"a\":+1}",
           b"{\"a\":.5}", b"{\"a\":1.}", b"{\"a\":tru}", b"{\"a\":\"\x01\"}", b"{\"a\":\"\\x\"}", b"{\"a\":\"\\u12\"}",
           b"<xml/>", b"TableName=scratch", b"{\"TableName\":\"scratch\",}", b"/**/{}"]


def no_json(random):
    operation = random.choice([name for name, _ in BODIES if name != "ListTables"])
    return case(operation, random.choice(NO_JSON), "no JSON", refused=True)


# ---- JSON that is not a request ----

STRANGERS = [None, True, False, 0, 1, -1, 1.5, 10 ** 30, "", "x", " ", "\u0000", "x" * 3000, [], {}, [None], {"": ""}, {"S": "x"},
             {"S": 1}, {"N": 1}, {"N": "x"}, {"N": ""}, {"N": "1" * 50}, {"N": "1e200"}, {"B": "%"}, {"BOOL": "true"},
             {"NULL": False}, {"SS": []}, {"SS": ["a", "a"]}, {"NS": ["1", "1.0"]}, {"L": {}}, {"M": []}, {"S": "a", "N": "1"},
             {"X": "y"}, [[]], [{}], {"a": {"b": {"c": {}}}}]


def places(node, path=()):
    """Yields the paths to every value in a JSON document."""
    if path:
        yield path
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, child in children:
        yield from places(child, (*path, name))


def value_changed(random):
    operation, body = random.choice(BODIES)
    body = copy.deepcopy(body)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        path = random.choice([*places(body), ("TableName",)])
        parent = body
        for name in path[:-1]:
            parent = parent[name]
        change = random.randrange(4)
        if change == 0 and isinstance(parent, dict):
            parent.pop(path[-1], None)
        elif change == 1 and isinstance(parent, dict):
            parent[random.choice(("", "x", "Unknown", "#", ":", "TableName", "\u0000"))] = parent.pop(path[-1], "x")
        else:
            parent[path[-1]] = copy.deepcopy(random.choice(STRANGERS))
    return case(operation, json.dumps(body).encode(), "value changed")


def name_twice(random):
    operation, text = some_body(random)
    return case(operation, text[:-1] + b"," + text[1:], "name twice")


def deep(random):
    levels = random.choice((33, 40, 200, 1100, 20_000, 200_000))
    shape = random.randrange(5)
    if shape == 0:
        return case("PutItem", b"[" * levels + b"]" * levels, "deep", refused=True)
    if shape == 1:
        return case("PutItem", b'{"a":' * levels, "deep", refused=True)
    opening, closing = random.choice(((b'{"L":[', b"]}"), (b'{"M":{"a":', b"}}")))
    value = opening * levels + b'{"S":"x"}' + closing * levels
    if shape == 2:
        value = opening * levels
    text = b'{"TableName":"scratch","Item":{"pk":{"S":"deep"},"v":' + value + b"}}"
    return case("PutItem", text, "deep", refused=True)


def deep_expression(random):
    levels = random.choice((50, 350, 1300, 100_000))
    condition = random.choice(("(" * levels + "a = b" + ")" * levels, "NOT " * levels + "a = b", "(" * levels,
                               "a" + ".b" * levels + " = c", "a" + "[0]" * levels + " = c",
                               " AND ".join(["a = b"] * levels), "size(" * levels + "a" + ")" * levels + " > b"))
    return case("PutItem", json.dumps({"TableName": SCRATCH, "Item": KEY, "ConditionExpression": condition}).encode(),
                "deep expression")


EXPRESSIONS = ["", " ", "=", "a", "a =", "a = :missing", "#missing = a", "a == b", "a = b = c", "a AND", "size(a)", "foo(a)",
               "attribute_exists(", "attribute_exists(a, b)", "contains(a)", "a IN ()", "a BETWEEN b", "a[", "a[-1] = b",
               "a[99999999999999999999] = b", "a..b = c", "\u00e9 = a", "a = 'b'", "a = 1", "a;b", "a = b -- c", "\x00",
               "a" * 5000, "NOT", "()", "a = b)", ":v", "#", ":", "begins_with(a, b) = c", "a <> b OR OR c = d", "if = then"]


def wrong_expression(random):
    member = random.choice(("ConditionExpression", "UpdateExpression"))
    text = random.choice(EXPRESSIONS)
    if member == "UpdateExpression":
        text = random.choice(("SET ", "SET a = ", "REMOVE ", "ADD a ", "DELETE a ", "", "SET a = b, ", "SET SET ")) + text
    return case("UpdateItem", json.dumps({"TableName": SCRATCH, "Key": KEY, member: text}).encode(), "expression")


NUMBERS = ["9" * 39, "1" + "0" * 200, "1e126", "1e-131", "-1e126", "1e" + "9" * 100, "1e99999999999999999999", "." * 100,
           "0." + "0" * 500 + "1", "1" * 100_000, "--1", "1-", "+", "-", "e5", "1e", "1e+", "0x1", "1,5", "\u0661", "Infinity",
           "NaN", "1 ", " 1", "1_000", "1e1e1", "-0" + "0" * 1000]


def huge_number(random):
    text = random.choice(NUMBERS)
    shape = random.randrange(4)
    if shape == 0:
        body = {"TableName": SCRATCH, "Item": {**KEY, "n": {"N": text}}}
        return case("PutItem", json.dumps(body).encode(), "number")
    if shape == 1:
        body = {"TableName": SCRATCH, "Key": KEY, "UpdateExpression": "ADD n :n",
                "ExpressionAttributeValues": {":n": {"N": text}}}
        return case("UpdateItem", json.dumps(body).encode(), "number")
    if shape == 2:
        body = {"TableName": SCRATCH, "Item": {**KEY, "n": {"NS": [text, text]}}}
        return case("PutItem", json.dumps(body).encode(), "number")
    limit = random.choice(("1e400", "-1", "0", "1.5", "9" * 30, "1e3", "2147483648", "1" + "0" * 400, "-0", "0.1e1"))
    return case("Scan", b'{"TableName":"scratch","Limit":' + limit.encode() + b"}", "number")


BAD_TEXT = [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\x80", b"\xfe\xff", b"\\ud800",
            b"\\udc00\\ud800", b"\\u0000", b"\xf8\x88\x80\x80\x80", b"\\ud83d", b"\xc3("]


def bad_text(random):
    operation, text = some_body(random)
    quotes = [at for at, byte in enumerate(text) if byte == 0x22]
    at = random.choice(quotes) + 1
    return case(operation, text[:at] + random.choice(BAD_TEXT) + text[at:], "text")


def keys_of(count):
    return [{"pk": {"S": f"k{i}"}} for i in range(count)]


TOO_MANY = [
    lambda n: ("BatchWriteItem", {"RequestItems": {SCRATCH: [{"PutRequest": {"Item": key}} for key in keys_of(n)]}}),
    lambda n: ("BatchGetItem", {"RequestItems": {SCRATCH: {"Keys": keys_of(n * 4)}}}),
    lambda n: ("BatchGetItem", {"RequestItems": {f"t{i}": {"Keys": keys_of(5)} for i in range(n)}}),
    lambda n: ("TransactGetItems",
               {"TransactItems": [{"Get": {"TableName": SCRATCH, "Key": key}} for key in keys_of(n * 4)]}),
    lambda n: ("PutItem", {"TableName": SCRATCH, "Item": {**KEY, "v": {"S": "x" * (410_000 + n)}}}),
    lambda n: ("PutItem", {"TableName": SCRATCH, "Item": {"pk": {"S": "x" * (2048 + n)}}}),
    lambda n: ("GetItem", {"TableName": "t" * (255 + n), "Key": KEY}),
    lambda n: ("GetItem", {"TableName": SCRATCH, "Key": KEY, "ProjectionExpression": "a" * (4096 + n)}),
]


def too_many(random):
    operation, body = random.choice(TOO_MANY)(random.choice((26, 101, 1000, 5000)))
    return case(operation, json.dumps(body).encode(), "too many", refused=True)


# ---- Large content in little text ----

LARGE_BYTES = 15_000_000  # of 16 MB that a request may have


def repeated(before, element, after):
    return before + (element + b",") * ((LARGE_BYTES - len(before)) // (len(element) + 1)) + element + after


def named(before, element, after):
    """Repeats it with a name before each."""
    length = len(element) + 9
    return before + b",".join(b'"a%05x":%b' % (i, element) for i in range(LARGE_BYTES // length)) + after


LARGE = [
    lambda: ("BatchGetItem", repeated(b'{"RequestItems":{"scratch":{"Keys":[', b"{}", b"]}}}")),
    lambda: ("BatchGetItem", b'{"RequestItems":{' + b",".join(
        b'"scratch%d":{"Keys":[%b{}]}' % (i, b"{}," * 200_000) for i in range(24)) + b"}}"),
    lambda: ("BatchGetItem", named(b'{"RequestItems":{', b'{"Keys":[{}]}', b"}}")),
    lambda: ("BatchWriteItem", repeated(b'{"RequestItems":{"scratch":[', b"{}", b"]}}")),
    lambda: ("TransactGetItems", repeated(b'{"TransactItems":[', b"{}", b"]}")),
    lambda: ("TransactWriteItems", repeated(b'{"TransactItems":[', b"{}", b"]}")),
    lambda: ("CreateTable", repeated(b'{"TableName":"large","AttributeDefinitions":[', b"{}", b"]}")),
    lambda: ("CreateTable", repeated(b'{"TableName":"large","GlobalSecondaryIndexes":[', b"{}", b"]}")),
    lambda: ("PutItem", named(b'{"TableName":"scratch","Item":{', b"{}", b"}}")),
    lambda: ("PutItem", repeated(b'{"TableName":"scratch","Item":{"pk":{"SS":[', b'""', b"]}}}")),
    lambda: ("PutItem", named(b'{"TableName":"scratch","Item":{},"Expected":{', b"{}", b"}}")),
    lambda: ("UpdateItem", named(b'{"TableName":"scratch","Key":{},"AttributeUpdates":{', b"{}", b"}}")),
    lambda: ("Query", repeated(b'{"TableName":"scratch","KeyConditions":{"pk":{"AttributeValueList":[', b"{}", b"]}}}")),
    lambda: ("Scan", named(b'{"TableName":"scratch","FilterExpression":"a = :a","ExpressionAttributeValues":{', b"{}", b"}}")),
    lambda: ("GetItem", named(b'{"TableName":"scratch","Key":{},"ExpressionAttributeNames":{', b'"a"', b"}}")),
    lambda: ("GetItem", b'{"Key":{},"TableName":"' + b"a;" * (LARGE_BYTES // 2) + b'"}'),
]


def large_cases():
    for make in LARGE:
        operation, text = make()
        yield case(operation, text, f"large {operation}", refused=True)


MAKERS = [cut_off, text_changed, no_json, value_changed, value_changed, value_changed, name_twice, deep, deep_expression,
          wrong_expression, huge_number, bad_text, too_many]
