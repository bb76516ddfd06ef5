"""Reads a .dt file into its tables and cases. README.md describes the format.

A file is a head (tables, items) and cases; a case is a name, steps and perhaps rows. A line that is not indented is
a directive; indented lines belong to the directive above them.
"""
import re
from dataclasses import dataclass, field

from dt.notation import Cell, List, Literal, NotationError, Object, Reader, Text

COMMENT = re.compile(r"#(?: |$)")
OPERATION = re.compile(r"[A-Z][A-Za-z]+(?=\s|$)")
STATUS = re.compile(r"[1-5][0-9][0-9](?=\s|$)")
ERROR = re.compile(r"([A-Z][A-Za-z]+(?:Exception|Error|Exceeded))(?::(?: (.*))?)?$")
HEADER = re.compile(r"([A-Za-z0-9-]+):(?: (.*))?$")
SENDING = {"gzip", "chunked", "100-continue", "in-pieces"}


class CaseFileError(Exception):
    """A mistake in a file; the message begins with file:line."""


@dataclass
class Table:
    name: str
    request: Object  # of CreateTable, but for the TableName
    line: int


@dataclass
class Request:
    """An operation with its JSON, or an HTTP request of any kind."""
    line: int
    operation: str = None
    table: str = None
    body: object = None
    method: str = "POST"
    path: str = "/"
    headers: list = field(default_factory=list)
    without: list = field(default_factory=list)
    text: str = None  # a body that need not be JSON
    sending: set = field(default_factory=set)


@dataclass
class Expected:
    line: int
    status: int = 200
    body: object = None  # a node: the JSON that is expected
    error: str = None
    messages: list = field(default_factory=list)  # any of them is accepted
    members: object = None  # members of an error besides __type and message
    text: str = None
    headers: list = field(default_factory=list)
    no_headers: list = field(default_factory=list)


@dataclass
class Step:
    request: Request
    expected: Expected


@dataclass
class Case:
    name: str
    line: int
    given: list = field(default_factory=list)  # (table, item node, line)
    steps: list = field(default_factory=list)
    variables: dict = field(default_factory=dict)  # of its row


@dataclass
class CaseFile:
    path: object
    topic: str
    tables: list = field(default_factory=list)
    items: list = field(default_factory=list)  # (table, item node, line)
    created: list = field(default_factory=list)  # names of tables that cases create themselves
    cases: list = field(default_factory=list)


def read_case_file(path, topic):
    return FileReader(path, topic).read()


class FileReader:
    def __init__(self, path, topic):
        self.path = path
        self.file = CaseFile(path, topic)
        self.text = path.read_text(encoding="utf-8")
        self.at = 0

    def read(self):
        try:
            self.read_head()
            while self.peek() is not None:
                self.read_case()
        except NotationError as error:
            raise self.error(str(error), self.line_of(error.offset)) from None
        if not self.file.cases:
            raise self.error("has no case")
        return self.file

    # ---- Lines ----

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1

    @property
    def line(self):
        return self.line_of(self.at)

    def error(self, message, line=None):
        return CaseFileError(f"{self.path}:{line or self.line}: {message}")

    def peek(self):
        """Returns the next non-empty line, or None at the end; `at` is then its beginning."""
        while self.at < len(self.text):
            line = self.text[self.at:self.line_end()]
            if line.strip() and not COMMENT.match(line):
                return line
            self.at = self.line_end() + 1
        return None

    def line_end(self):
        end = self.text.find("\n", self.at)
        return len(self.text) if end < 0 else end

    def take_line(self):
        line = self.peek()
        self.at = self.line_end() + 1
        return line

    def take_indented(self):
        """Returns the next line without its indentation, if it is indented."""
        line = self.peek()
        return self.take_line().strip() if line is not None and line[0] == " " else None

    def take_values(self, offset):
        """Returns the values from `offset` on; they end a line."""
        values = []
        reader = Reader(self.text, offset)
        while True:
            values.append(reader.value())
            rest = self.text[reader.at:reader.line_end()]
            if not rest.strip():
                self.at = reader.line_end() + 1
                return values
            if not rest.strip().startswith("{"):
                raise NotationError(f"'{rest.strip()[:20]}' after the value", reader.at)

    # ---- The head ----

    def read_head(self):
        while (line := self.peek()) is not None and not line.startswith("=="):
            word, _, rest = line.partition(" ")
            if word == "table":
                self.read_table(rest.strip())
            elif word == "item":
                self.file.items += self.read_items()
            elif word == "creates":
                self.file.created += rest.replace(",", " ").split()
                self.take_line()
            else:
                raise self.error(f"'{word}' is no directive here; known are table, item, creates and == for a case")

    def read_table(self, name):
        line = self.line
        self.take_line()
        if not re.fullmatch(r"[A-Za-z]\w*", name):
            raise self.error(f"'{name}' is no name for a table", line)
        shape = TableShape()
        while (text := self.peek()) is not None and text[0] == " ":
            try:
                shape.add(text.split())
            except ValueError as problem:
                raise self.error(str(problem)) from None
            self.take_line()
        if not shape.key:
            raise self.error(f"table {name} has no key", line)
        self.file.tables.append(Table(name, shape.request(), line))

    def read_items(self):
        """item TABLE {…} {…}"""
        line = self.line
        match = re.compile(r"(?:item|given) (\w+)\s").match(self.text, self.at)
        if not match:
            raise self.error("expected a table and its items")
        if match.group(1) not in [table.name for table in self.file.tables]:
            raise self.error(f"there is no table {match.group(1)} in this file")
        return [(match.group(1), value, line) for value in self.take_values(match.end())]

    # ---- Cases ----

    def read_case(self):
        line = self.line
        name = self.take_line()[2:].strip()
        if not name:
            raise self.error("a case needs a name", line)
        case = Case(name, line)
        rows = None
        while (text := self.peek()) is not None and not text.startswith("=="):
            if text.startswith("given "):
                case.given += self.read_items()
            elif text.startswith("rows "):
                rows = self.read_rows()
            elif text.startswith("->"):
                raise self.error("a response without a request")
            else:
                case.steps.append(Step(self.read_request(), self.read_expected()))
        if not case.steps:
            raise self.error(f"case '{name}' has no step", line)
        self.file.cases += [case] if rows is None else [self.row_case(case, row, at) for row, at in rows]

    def row_case(self, case, row, line):
        title = " | ".join(row.values())
        return Case(f"{case.name}: {title}", line, case.given, case.steps, row)

    def read_rows(self):
        """rows NAME | NAME, then a line for each row, indented."""
        names = [name.strip() for name in self.take_line()[5:].split("|")]
        rows = []
        while (text := self.peek()) is not None and text[0] == " ":
            line = self.line
            cells = [Cell(cell.strip()) for cell in self.take_line().split(" | ")]
            if len(cells) != len(names):
                raise self.error(f"{len(cells)} cells for {len(names)} columns", line)
            rows.append((dict(zip(names, cells)), line))
        if not rows:
            raise self.error("rows without a row")
        return rows

    def read_request(self):
        match = OPERATION.match(self.text, self.at)
        if not match:
            raise self.error(f"'{self.peek().split()[0]}' is neither an operation nor given, rows, -> or ==")
        request = Request(self.line)
        if match.group() == "HTTP":
            words = self.take_line().split()
            if len(words) != 3:
                raise self.error("expected HTTP METHOD PATH", request.line)
            request.method, request.path = words[1:]
        else:
            request.operation = match.group()
            self.read_operation(request, match.end())
        while (text := self.take_indented()) is not None:
            self.read_modifier(request, text)
        return request

    def read_operation(self, request, offset):
        """Operation [TABLE] {…}"""
        rest = re.compile(r" *([A-Za-z]\w*)?[ \t]*").match(self.text, offset)
        request.table = rest.group(1)
        if request.table and request.table not in [table.name for table in self.file.tables] + self.file.created:
            raise self.error(f"there is no table {request.table} in this file")
        if self.text[rest.end():self.line_end()].strip():
            request.body = self.take_values(rest.end())[0]
        else:
            self.take_line()
            request.body = Object()
        if request.table:
            if not isinstance(request.body, Object):
                raise self.error("a table is named, but the body is no object", request.line)
            request.body.pairs.insert(0, ("TableName", Text(f"${{{request.table}}}")))

    def read_modifier(self, request, text):
        word, _, rest = text.partition(" ")
        if word == "header":
            request.headers.append(self.header(rest))
        elif word == "without":
            request.without.append(rest.lower())
        elif word == "body":
            request.text = rest if request.text is None else request.text + "\n" + rest
        elif word == "send" and set(rest.split()) <= SENDING:
            request.sending |= set(rest.split())
        else:
            raise self.error(f"'{text}' says nothing about a request; known are header, without, body, send "
                             + " ".join(sorted(SENDING)), self.line - 1)

    def header(self, text):
        match = HEADER.fullmatch(text)
        if not match:
            raise self.error(f"'{text}' is no header", self.line - 1)
        return match.group(1).lower(), match.group(2) or ""

    # ---- Expectations ----

    def read_expected(self):
        text = self.peek()
        if text is None or not text.startswith("->"):
            raise self.error("a request without a response (->)")
        expected = Expected(self.line)
        offset = self.at + 2
        while self.text[offset:offset + 1] == " ":
            offset += 1
        status = STATUS.match(self.text, offset)
        if status:
            expected.status = int(status.group())
            offset = status.end()
        rest = self.text[offset:self.line_end()].strip()
        if rest.startswith(("{", "[", "<", "$", "(")):
            expected.body = self.take_values(offset)[0]
        else:
            self.read_outcome(expected, rest, status is not None)
        while (text := self.take_indented()) is not None:
            self.read_detail(expected, text)
        return expected

    def read_outcome(self, expected, text, has_status):
        """Reads the text after -> that is not JSON."""
        error = ERROR.fullmatch(text)
        if error:
            expected.status = expected.status if has_status else 400
            expected.error = error.group(1)
            expected.messages = [error.group(2)] if error.group(2) else []
        elif text.startswith("text "):
            expected.text = text[5:]
        elif text == "nothing":
            expected.text = ""
        elif text or not has_status:
            raise self.error(f"'{text}' is no response: expected JSON, an error, text or nothing")
        self.take_line()

    def read_detail(self, expected, text):
        word, _, rest = text.partition(" ")
        if word == "or" and expected.error:
            expected.messages.append(rest)
        elif word == "with" and expected.error:
            start = self.text.rindex("with", 0, self.at) + 4
            expected.members = self.take_values(start)[0]
        elif word == "header":
            expected.headers.append(self.header(rest))
        elif word == "no" and rest.startswith("header "):
            expected.no_headers.append(rest[7:].lower())
        else:
            raise self.error(f"'{text}' says nothing about a response; known are or, with, header, no header",
                             self.line - 1)


class TableShape:
    """Reads the lines below `table`: key, gsi, lsi, throughput."""

    def __init__(self):
        self.key = []
        self.types = {}
        self.indexes = {"GlobalSecondaryIndexes": [], "LocalSecondaryIndexes": []}
        self.throughput = None

    def add(self, words):
        kind = words[0]
        if kind == "key":
            self.key = self.attributes(words[1:])
        elif kind in ("gsi", "lsi") and len(words) > 2:
            self.add_index(kind, words[1], words[2:])
        elif kind == "throughput" and len(words) == 3:
            self.throughput = words[1:]
        else:
            raise ValueError(f"'{' '.join(words)}' says nothing about a table; known are key, gsi, lsi, throughput")

    def attributes(self, words):
        names = []
        for word in words:
            name, _, kind = word.partition(":")
            if kind not in ("S", "N", "B") or self.types.setdefault(name, kind) != kind:
                raise ValueError(f"'{word}' is no key attribute")
            names.append(name)
        return names

    def add_index(self, kind, name, words):
        projection = Object([("ProjectionType", Text("ALL"))])
        if words[-1] == "keys":
            projection = Object([("ProjectionType", Text("KEYS_ONLY"))])
            words = words[:-1]
        elif len(words) > 2 and words[-2] == "include":
            projection = Object([("ProjectionType", Text("INCLUDE")),
                                 ("NonKeyAttributes", List([Text(text) for text in words[-1].split(",")]))])
            words = words[:-2]
        hashes, ranges = split_key(words)
        if kind == "lsi":
            schema = key_schema(self.key[:1], self.attributes(words))
        else:
            schema = key_schema(self.attributes(hashes), self.attributes(ranges))
        index = Object([("IndexName", Text(name)), ("KeySchema", schema), ("Projection", projection)])
        self.indexes["LocalSecondaryIndexes" if kind == "lsi" else "GlobalSecondaryIndexes"].append(index)

    def request(self):
        definitions = [Object([("AttributeName", Text(name)), ("AttributeType", Text(kind))])
                       for name, kind in self.types.items()]
        pairs = [("AttributeDefinitions", List(definitions)), ("KeySchema", key_schema(self.key[:1], self.key[1:]))]
        pairs += [(name, List(indexes)) for name, indexes in self.indexes.items() if indexes]
        if self.throughput is None:
            return Object(pairs + [("BillingMode", Text("PAY_PER_REQUEST"))])
        units = provisioned(*self.throughput)
        for index in self.indexes["GlobalSecondaryIndexes"]:
            index.pairs.append(("ProvisionedThroughput", units))
        return Object(pairs + [("ProvisionedThroughput", units)])


def split_key(words):
    """Reads x:S y:N, or several of each: x:S,y:S / z:N."""
    if "/" in words:
        slash = words.index("/")
        return [",".join(part).split(",") for part in (words[:slash], words[slash + 1:])]
    return words[:1], words[1:]


def key_schema(hashes, ranges):
    return List([Object([("AttributeName", Text(name)), ("KeyType", Text(kind))])
                 for names, kind in ((hashes, "HASH"), (ranges, "RANGE")) for name in names])


def provisioned(read, write):
    return Object([("ReadCapacityUnits", Literal(read)), ("WriteCapacityUnits", Literal(write))])
