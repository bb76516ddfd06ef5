"""Compares a response with the expectation of a case.

Objects are compared by name, lists in order, DynamoDB's sets (SS, NS, BS) in any order, JSON numbers by value; strings,
and with them DynamoDB's numbers, exactly.
"""
import decimal
import json
import re

from dt.notation import (Hole, List, Literal, Nested, Object, OneOf, Reference, Text, flat, interpolate, is_node,
                         resolve)

SETS = {"SS", "NS", "BS"}
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
# A prefix that some regions of AWS put before a message.
ENVELOPE = "1 validation error detected: "


def parse_json(text):
    """Parses JSON with exact numbers; a member given twice is an error."""
    return json.loads(text, parse_float=decimal.Decimal, object_pairs_hook=unique_members)


def unique_members(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has a member twice: " + ", ".join(name for name, _ in pairs))
    return members


def differences(expected, actual, variables, path=""):
    """Returns the differences, as lines "path: expected …, got …". Captures go into `variables`."""
    if isinstance(expected, Reference):
        expected = resolve(expected, variables)
        if not is_node(expected):
            return [] if expected == actual else [differ(path, json.dumps(expected), actual)]
    if isinstance(expected, Hole):
        return match_hole(expected, actual, variables, path)
    if isinstance(expected, OneOf):
        tries = [differences(choice, actual, variables, path) for choice in expected.choices]
        return min(tries, key=len)
    if isinstance(expected, Object):
        return match_object(expected, actual, variables, path)
    if isinstance(expected, List):
        return match_list(expected, actual, variables, path)
    if isinstance(expected, Nested):
        for depth in range(expected.count):
            if not (isinstance(actual, dict) and list(actual) == ["M"] and list(actual["M"]) == ["n"]):
                return [differ(f"{path} at depth {depth}", "a map of one attribute", actual)]
            actual = actual["M"]["n"]
        return differences(expected.item, actual, variables, path)
    wanted = interpolate(expected.value, variables) if isinstance(expected, Text) else parse_json(expected.text)
    same = type_name(wanted) == type_name(actual) and wanted == actual
    return [] if same else [differ(path, json.dumps(wanted, default=float, ensure_ascii=False), actual)]


def match_object(expected, actual, variables, path):
    if not isinstance(actual, dict):
        return [differ(path, "an object", actual)]
    found = []
    names = set()
    for name, value in expected.pairs:
        name = interpolate(name, variables)
        names.add(name)
        below = f"{path}.{name}" if path else name
        if name not in actual:
            found.append(f"{below}: is missing")
        elif name in SETS and len(expected.pairs) == 1 and isinstance(value, List):
            found += match_unordered(value, actual[name], variables, below)
        else:
            found += differences(value, actual[name], variables, below)
    if not expected.is_open:
        found += [f"{path}.{name}: is not expected, got {show(value)}".lstrip(".")
                  for name, value in actual.items() if name not in names]
    return found


def match_list(expected, actual, variables, path):
    if not expected.is_ordered:
        return match_unordered(expected, actual, variables, path)
    if not isinstance(actual, list):
        return [differ(path, "a list", actual)]
    items = list(flat(expected, variables))
    found = []
    if len(items) != len(actual):
        found.append(f"{path}: expected {len(items)} elements, got {len(actual)}: {show(actual)}")
    for i, ((item, scope), element) in enumerate(zip(items, actual)):
        found += differences(item, element, scope, f"{path}[{i}]")
        variables.update({name: value for name, value in scope.items() if name != "i"})
    return found


def match_unordered(expected, actual, variables, path):
    """Pairs every expected element with one that equals it."""
    if not isinstance(actual, list):
        return [differ(path, "a list", actual)]
    rest = list(actual)
    found = []
    for item, scope in flat(expected, variables):
        hit = next((element for element in rest if not differences(item, element, dict(scope), path)), None)
        if hit is None:
            found.append(f"{path}: has no {describe(item, scope)}")
        else:
            rest.remove(hit)
    found += [f"{path}: {show(element)} is not expected" for element in rest]
    return found


def match_hole(hole, actual, variables, path):
    is_text = isinstance(actual, str)
    is_number = isinstance(actual, (int, decimal.Decimal)) and not isinstance(actual, bool)
    fits = {
        "any": True,
        "string": is_text,
        "number": is_number,
        "bool": isinstance(actual, bool),
        "list": isinstance(actual, list),
        "map": isinstance(actual, dict),
        "time": is_number and 1_000_000_000 < actual < 10_000_000_000,
        "uuid": is_text and UUID.fullmatch(actual) is not None,
        "arn": is_text and actual.startswith("arn:aws:dynamodb:"),
    }[hole.kind]
    if fits and hole.capture:
        variables[hole.capture] = actual
    return [] if fits else [differ(path, f"<{hole.kind}>", actual)]


def message_fits(expected, actual):
    """Returns whether a message is the expected one, in which … stands for anything."""
    if actual is None:
        return False
    pattern = ".*".join(re.escape(piece) for piece in expected.split("…"))
    texts = [actual]
    if not expected.startswith("1 validation error"):
        texts.append(actual.removeprefix(ENVELOPE))
    return any(re.fullmatch(pattern, text, re.DOTALL) for text in texts)


# ---- Words ----

def differ(path, expected, actual):
    return f"{path or 'the body'}: expected {expected}, got {show(actual)}"


def show(value, length=300):
    text = json.dumps(value, default=float, ensure_ascii=False)
    return text if len(text) <= length else f"{text[:length]}… ({len(text)} characters)"


def describe(node, variables):
    """Returns a node as text, including placeholders."""
    if isinstance(node, Object):
        members = [f"{json.dumps(interpolate(name, variables))}: {describe(value, variables)}"
                   for name, value in node.pairs]
        return "{" + ", ".join(members + (["..."] if node.is_open else [])) + "}"
    if isinstance(node, List):
        items = ", ".join(describe(item, scope) for item, scope in flat(node, variables))
        return ("" if node.is_ordered else "unordered ") + "[" + items + "]"
    if isinstance(node, Text):
        return show(interpolate(node.value, variables))
    if isinstance(node, Literal):
        return node.text
    if isinstance(node, Hole):
        return f"<{node.kind}>"
    if isinstance(node, OneOf):
        return "(" + " | ".join(describe(choice, variables) for choice in node.choices) + ")"
    if isinstance(node, Nested):
        return f"nest({node.count}, {describe(node.item, variables)})"
    if isinstance(node, Reference):
        value = resolve(node, variables)
        return describe(value, variables) if is_node(value) else show(value)
    return str(node)


def type_name(value):
    if isinstance(value, bool):
        return "bool"
    return "number" if isinstance(value, (int, decimal.Decimal)) else type(value).__name__
