"""The cases of designs (designs/*.cases.yaml; docs/DESIGN-TESTS.md describes them), in Python."""
import base64
import decimal
import pathlib
import re

import boto3.dynamodb.types
import yaml


class Loader(yaml.SafeLoader):
    """YAML 1.2's core schema, with exact decimals: texts that look like a time or a `no` stay texts."""
    yaml_implicit_resolvers = {}


Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(null|~|)$"), ["n", "~", ""])
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), ["t", "f"])
Loader.add_implicit_resolver("tag:tavola/number", re.compile(r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$"),
                             list("-0123456789"))
Loader.add_constructor("tag:tavola/number", lambda loader, node: decimal.Decimal(node.value))


def load(path):
    with open(path, encoding="utf-8") as file:
        return yaml.load(file, Loader)


class CaseFile:
    def __init__(self, path):
        path = pathlib.Path(path)
        self.name = path.name.removesuffix(".cases.yaml")
        said = load(path)
        self.design_file = path.parent / said["design"]
        self.design = load(self.design_file)
        self.now = said["now"]
        self.given = said.get("given", [])
        self.cases = said["cases"]

    def operations(self):
        return self.design.get("operations", {})

    def patterns(self):
        return self.design.get("patterns", {})

    def unstored(self):
        """Returns the fields that only keys hold."""
        names = set()
        for entity in self.design["entities"].values():
            names |= set(entity.get("ids", {}))
            names |= set(entity.get("lifecycles", {}))
        return names


def call_of(said):
    """Returns the name and the parameters in {recordSale: {…}, refused: NAME}."""
    name = next(key for key in said if key not in ("then", "refused", "invalid", "limit"))
    return name, said[name] or {}


# ---- Results ----

class Answer:
    """The result of a pattern or an operation: a value, or one of the two kinds of refusal."""

    def __init__(self, value=None, refused=None, invalid=None):
        self.value = value
        self.refused = refused
        self.invalid = invalid

    def __str__(self):
        if self.refused:
            return f"refused: {self.refused}"
        return f"invalid: {self.invalid}" if self.invalid else show(self.value)


def show(value):
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {show(member)}" for key, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(show, value)) + "]"
    return repr(value)


def why_not(expected, answer, ignore=frozenset()):
    """Returns the difference from the expectation; None if there is none. Fields in `ignore` may be missing."""
    for way in ("refused", "invalid"):
        wanted, got = expected.get(way), getattr(answer, way)
        # A command line reports a bad parameter in its message.
        in_words = way == "invalid" and wanted and got and re.search(rf"\b{wanted}\b", got)
        if wanted != got and not in_words:
            return f"expected {way + ': ' + wanted if wanted else show(expected.get('then'))}, got {answer}"
    if "then" not in expected:
        return None
    return differs(expected["then"], answer.value, ignore)


def differs(expected, found, ignore):
    if expected is None or found is None:
        return None if expected is None and found is None else f"expected {show(expected)}, got {show(found)}"
    if isinstance(expected, list):
        if not isinstance(found, list) or len(expected) != len(found):
            return f"expected {len(expected)} items, got {show(found)}"
        problems = [differs(one, other, ignore) for one, other in zip(expected, found)]
        return next((problem for problem in problems if problem), None)
    for field, value in expected.items():
        if field in ignore and field not in found:
            continue
        if found.get(field) != value:
            return f"{field}: expected {show(value)}, got {show(found.get(field))} in {show(found)}"
    return None


# ---- Values ----

DESERIALIZER = boto3.dynamodb.types.TypeDeserializer()


def plain(value):
    """Converts an item of boto3 to plain JSON."""
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(member) for member in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(member) for member in value), key=str)
    if isinstance(value, boto3.dynamodb.types.Binary):
        return base64.b64encode(value.value).decode()
    return value


def plain_item(item):
    return {name: plain(DESERIALIZER.deserialize(value)) for name, value in item.items()}


def to_json(value):
    """Writes JSON that keeps the digits of decimals."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, decimal.Decimal)):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{to_json(name)}:{to_json(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(to_json, value)) + "]"
    return quoted(value)


def quoted(text):
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(c) or (c if c >= " " else f"\\u{ord(c):04x}") for c in text) + '"'


def to_text(value):
    """Returns a parameter as in a query or a command line."""
    return value if isinstance(value, str) else to_json(value)
