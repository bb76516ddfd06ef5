"""A convenient form of JSON, with placeholders, for requests and expected responses.

    {Item: {pk: {S: "a"}, data: {S: "x" * 400}}, Count: <number>, LastEvaluatedKey: <any as next>, ...}

A `Reader` turns text into the nodes below. `to_json` turns a node into the text of a request; match.py compares a
node with a response. README.md describes the notation for authors of cases.
"""
import json
import re
from dataclasses import dataclass, field


class NotationError(Exception):
    """Text that is not in the notation. `offset` is the position in the text."""

    def __init__(self, message, offset):
        super().__init__(message)
        self.offset = offset


@dataclass
class Text:
    value: str


@dataclass
class Literal:
    """A number, true, false or null, as written."""
    text: str


@dataclass
class Object:
    pairs: list = field(default_factory=list)
    is_open: bool = False  # "...": a response may have further members


@dataclass
class List:
    items: list = field(default_factory=list)
    is_ordered: bool = True


@dataclass
class Repeated:
    """Inside a list: `count` times `item`, in which ${i} counts from 0."""
    count: int
    item: object


@dataclass
class Nested:
    """`item` within `count` maps of one attribute."""
    count: int
    item: object


@dataclass
class Reference:
    """$name: a captured value, or a column of the rows."""
    name: str


@dataclass
class Hole:
    """<any>, <time as created>: stands for any value of this kind in the response."""
    kind: str
    capture: str


@dataclass
class OneOf:
    choices: list


HOLE_KINDS = ("any", "string", "number", "bool", "list", "map", "time", "uuid", "arn")
SPACE = re.compile(r"(?:\s|^# [^\n]*$)*", re.MULTILINE)
KEY = re.compile(r"[#:]?[A-Za-z_][A-Za-z0-9_]*(?=\s*:)")
NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
WORD = re.compile(r"[A-Za-z_]+")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
HOLE = re.compile(r"<([a-z]+)(?: as ([A-Za-z_]\w*))?>")
VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)\}")


class Reader:
    """Reads values off `text` from `at` on."""

    def __init__(self, text, at=0):
        self.text = text
        self.at = at

    def value(self):
        self.skip_space()
        character = self.text[self.at:self.at + 1]
        if character == "{":
            return self.object()
        if character == "[":
            return self.list()
        if character == '"':
            return self.string()
        if character == "$":
            self.at += 1
            return Reference(self.take(NAME, "a name after $"))
        if character == "<":
            return self.hole()
        if character == "(":
            return self.one_of()
        if character == "-" or character.isdigit():
            return Literal(self.take(NUMBER, "a number"))
        return self.word()

    def object(self):
        self.expect("{")
        result = Object()
        while not self.accept("}"):
            if self.accept("..."):
                result.is_open = True
            else:
                result.pairs.append(self.pair())
            if not self.accept(","):
                self.expect("}")
                break
        return result

    def pair(self):
        self.skip_space()
        key = KEY.match(self.text, self.at)
        if key:
            self.at = key.end()
            name = key.group()
        else:
            name = self.string().value
        self.expect(":")
        return name, self.value()

    def list(self):
        self.expect("[")
        result = List()
        while not self.accept("]"):
            item = self.value()
            if isinstance(item, Literal) and self.accept("*"):
                item = Repeated(self.count(item.text), self.value())
            result.items.append(item)
            if not self.accept(","):
                self.expect("]")
                break
        return result

    def string(self):
        """A quoted string, repeated by `* 3`, joined by `+`."""
        text = self.quoted()
        if self.accept("*"):
            self.skip_space()
            text *= self.count(self.take(NUMBER, "how often to repeat"))
        if self.accept("+"):
            text += self.string().value
        return Text(text)

    def quoted(self):
        self.skip_space()
        if not self.text.startswith('"', self.at):
            raise self.error('expected "')
        try:
            text, length = json.JSONDecoder(strict=False).raw_decode(self.text[self.at:self.line_end()])
        except ValueError:
            raise self.error("a string that does not end in its line, or has a bad escape") from None
        self.at += length
        return text

    def hole(self):
        match = HOLE.match(self.text, self.at)
        if not match or match.group(1) not in HOLE_KINDS:
            raise self.error("an unknown placeholder; known are " + " ".join(f"<{kind}>" for kind in HOLE_KINDS))
        self.at = match.end()
        return Hole(match.group(1), match.group(2))

    def one_of(self):
        self.expect("(")
        choices = [self.value()]
        while self.accept("|"):
            choices.append(self.value())
        self.expect(")")
        return OneOf(choices)

    def word(self):
        word = self.take(WORD, "a value")
        if word in ("true", "false", "null"):
            return Literal(word)
        if word == "unordered":
            result = self.list()
            result.is_ordered = False
            return result
        if word == "nest":
            self.expect("(")
            self.skip_space()
            count = self.count(self.take(NUMBER, "how deep to nest"))
            self.expect(",")
            item = self.value()
            self.expect(")")
            return Nested(count, item)
        self.at -= len(word)
        raise self.error(f"expected a value, found '{word}'")

    def count(self, text):
        if not text.isdigit():
            raise self.error(f"expected a count, found {text}")
        return int(text)

    # ---- Characters ----

    def skip_space(self):
        self.at = SPACE.match(self.text, self.at).end()

    def accept(self, token):
        self.skip_space()
        if self.text.startswith(token, self.at):
            self.at += len(token)
            return True
        return False

    def expect(self, token):
        if not self.accept(token):
            raise self.error(f"expected '{token}', found '{self.text[self.at:self.at + 12].splitlines()[:1]}'")

    def take(self, pattern, what):
        match = pattern.match(self.text, self.at)
        if not match:
            raise self.error(f"expected {what}, found '{self.text[self.at:self.at + 12]}'")
        self.at = match.end()
        return match.group()

    def line_end(self):
        end = self.text.find("\n", self.at)
        return len(self.text) if end < 0 else end

    def error(self, message):
        return NotationError(message, self.at)


def interpolate(text, variables):
    """Returns text with its ${names} filled in."""
    def fill(match):
        name = match.group(1)
        if name not in variables:
            raise KeyError(f"${{{name}}} is neither a table of this file, nor captured, nor a column")
        value = variables[name]
        return value if isinstance(value, str) else json.dumps(value)
    return VARIABLE.sub(fill, text)


def to_json(node, variables):
    """Returns the JSON text of a node; placeholders have none."""
    if isinstance(node, Text):
        return json.dumps(interpolate(node.value, variables), ensure_ascii=False)
    if isinstance(node, Literal):
        return node.text
    if isinstance(node, Object):
        members = (json.dumps(interpolate(name, variables), ensure_ascii=False) + ":" + to_json(value, variables)
                   for name, value in node.pairs)
        return "{" + ",".join(members) + "}"
    if isinstance(node, List):
        return "[" + ",".join(to_json(item, scope) for item, scope in flat(node, variables)) + "]"
    if isinstance(node, Nested):
        return '{"M":{"n":' * node.count + to_json(node.item, variables) + "}}" * node.count
    if isinstance(node, Reference):
        value = resolve(node, variables)
        return json.dumps(value, ensure_ascii=False) if not is_node(value) else to_json(value, variables)
    raise TypeError(f"{type(node).__name__} has no place in a request")


def flat(node, variables):
    """Yields the items of a list, repeated ones one by one, each with its variables."""
    for item in node.items:
        if isinstance(item, Repeated):
            for i in range(item.count):
                yield item.item, {**variables, "i": str(i)}
        else:
            yield item, variables


def resolve(reference, variables):
    """Returns the value of $name: a captured value, or a column's text read as a value."""
    if reference.name not in variables:
        raise KeyError(f"${reference.name} was not captured and is no column")
    value = variables[reference.name]
    if isinstance(value, Cell):
        reader = Reader(value)
        node = reader.value()
        reader.skip_space()
        if reader.at != len(value):
            raise reader.error(f"something after the value in column {reference.name}")
        return node
    return value


class Cell(str):
    """Returns the text of a column: a text for ${name}, a value for $name."""


def is_node(value):
    return isinstance(value, (Text, Literal, Object, List, Repeated, Nested, Reference, Hole, OneOf))
