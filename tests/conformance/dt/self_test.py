"""Proves that the runner detects failures: runs small case files against a small server of its own.

Each example is a case file and the expected output of its run. Without this test a runner that compares nothing would
pass everything.
"""
import dataclasses
import http.server
import json
import pathlib
import tempfile
import threading
import zlib

from dt.case_file import CaseFileError, read_case_file
from dt.runner import FileRun, Settings

HEAD = 'table t\n  key pk:S\nitem t {pk: {S: "a"}, n: {N: "1.50"}, s: {SS: ["x", "y"]}}\n'
GET = 'GetItem t {Key: {pk: {S: "a"}}}\n'
ITEM = '{pk: {S: "a"}, n: {N: "1.50"}, s: {SS: ["y", "x"]}}'

# (name, the case below HEAD, the expected output; empty if the case must pass)
EXAMPLES = [
    ("a right answer passes, sets in any order", GET + f"-> {{Item: {ITEM}}}", None),
    ("a number is text: 1.5 is not 1.50", GET + "-> {Item: " + ITEM.replace("1.50", "1.5") + "}",
     'Item.n.N: expected "1.5", got "1.50"'),
    ("a member too few", GET + '-> {Item: {pk: {S: "a"}}}', 'Item.n: is not expected, got {"N": "1.50"}'),
    ("a member too many", GET + "-> {Item: " + ITEM[:-1] + ', q: {S: "a"}}}', "Item.q: is missing"),
    ("an open object takes further members", GET + '-> {Item: {pk: {S: "a"}, ...}}', None),
    ("a set that lacks an element", GET + '-> {Item: {s: {SS: ["x", "z"]}, ...}}', 'Item.s.SS: has no "z"'),
    ("a set with one element more", GET + '-> {Item: {s: {SS: ["x"]}, ...}}', 'Item.s.SS: "y" is not expected'),
    ("a list is ordered", 'Scan t {}\n-> {Items: [{}], ...}', "Items[0].pk: is not expected"),
    ("success where an error is expected", GET + "-> ValidationException: no", "status: expected 400, got 200"),
    ("an error where success is expected", "Refuse {}\n-> {}", "status: expected 200, got 400"),
    ("an error of another type", "Refuse {}\n-> ThrottlingException: Refused: 7 apples",
     "__type: expected ThrottlingException, got com.example#ValidationException"),
    ("another message", "Refuse {}\n-> ValidationException: Refused: 8 apples", "message: is another"),
    ("the right message", "Refuse {}\n-> ValidationException: Refused: 7 apples", None),
    ("a message with a gap", "Refuse {}\n-> ValidationException: Refused: … apples", None),
    ("a gap is no licence", "Refuse {}\n-> ValidationException: Refused: … pears", "message: is another"),
    ("one of two messages", "Refuse {}\n-> ValidationException: no\n   or Refused: 7 apples", None),
    ("a message that AWS says in an envelope",
     "Refuse {Envelope: true}\n-> ValidationException: Refused: 7 apples", None),
    ("members of an error are looked at", "Refuse {Extra: 1}\n-> ValidationException: Refused: 7 apples",
     "Extra: is not expected, got 1"),
    ("members of an error that are expected",
     "Refuse {Extra: 1}\n-> ValidationException: Refused: 7 apples\n   with {Extra: 2}", "Extra: expected 2, got 1"),
    ("another status", "Refuse {}\n-> 500 ValidationException", "status: expected 500, got 400"),
    ("a header", GET + "-> 200\n   header x-amz-crc32: <crc32>", None),
    ("a wrong header", GET + "-> 200\n   header content-type: text/html", "header content-type: expected text/html"),
    ("a header that must not be", GET + "-> 200\n   no header content-type", "header content-type: is not expected"),
    ("a body that is no JSON", "HTTP GET /\n-> {}", "body: is no JSON"),
    ("text", "HTTP GET /\n-> text healthy", None),
    ("other text", "HTTP GET /\n-> text ill", "body: expected 'ill'"),
    ("placeholders take what fits", GET + "-> {Item: {pk: {S: <string>}, n: {N: <any>}, s: <map>}}", None),
    ("placeholders refuse what does not", GET + "-> {Item: {pk: <string>, ...}}", "Item.pk: expected <string>"),
    ("what is captured comes back", GET + '-> {Item: <any as all>}\nPutItem t {Item: $all}\n-> {}\n'
     + GET + "-> {Item: $all}", None),
    ("captured text in text", GET + '-> {Item: {pk: {S: <string as key>}, ...}}\n'
     'PutItem t {Item: {pk: {S: "${key}${key}"}}}\n-> {}\nGetItem t {Key: {pk: {S: "aa"}}}\n'
     '-> {Item: {pk: {S: "aa"}}}', None),
    ("what was never captured", "PutItem t {Item: $all}\n-> {}", "$all was not captured"),
    ("alternatives", GET + '-> {Item: {pk: {S: ("b" | "a")}, ...}}', None),
    ("no alternative fits", GET + '-> {Item: {pk: {S: ("b" | "c")}, ...}}', 'Item.pk.S: expected "b"'),
    ("repetition and joining", 'PutItem t {Item: {pk: {S: "x" * 3 + "y"}}}\n-> {}\n'
     'GetItem t {Key: {pk: {S: "xxxy"}}}\n-> {Item: {pk: {S: "xxxy"}}}', None),
    ("rows, of which the second fails", 'GetItem t {Key: {pk: {S: "${key}"}}}\n-> $item\nrows key | item\n'
     '  a | {Item: {pk: {S: "a"}, ...}}\n  b | {Item: {}}', "Item: is missing"),
    ("a case sees nothing of the one before it", 'given t {pk: {S: "left"}}\nScan t {}\n-> {Count: 2, ...}\n'
     "== next\nScan t {}\n-> {Count: 1, ...}", None),
    ("an item that a case deleted is there again", 'DeleteItem t {Key: {pk: {S: "a"}}}\n-> {}\n'
     "== next\nScan t {}\n-> {Count: 1, ...}", None),
    ("an answer with a member twice", "Twice {}\n-> {a: 1}", "a member twice"),
]

# (name, a whole file, the expected error, beginning with the line)
BAD_FILES = [
    ("an unknown directive in the head", "tabel t\n== c\n", ":1: 'tabel' is no directive here"),
    ("an unknown directive in a case", HEAD + "== c\nexpect {}\n", ":5: 'expect' is neither an operation nor"),
    ("an unknown line below a table", "table t\n  key pk:S\n  index x\n", ":3: 'index x' says nothing about a table"),
    ("an unknown line below a request", HEAD + "== c\nGetItem t {}\n  heder x: 1\n-> {}\n",
     ":6: 'heder x: 1' says nothing about a request"),
    ("an unknown line below a response", HEAD + "== c\nGetItem t {}\n-> {}\n   maybe\n",
     ":7: 'maybe' says nothing about a response"),
    ("a request without a response", HEAD + "== c\nGetItem t {}\n== d\n", ":6: a request without a response"),
    ("a response without a request", HEAD + "== c\n-> {}\n", ":5: a response without a request"),
    ("a table that is not there", HEAD + "== c\nGetItem u {}\n-> {}\n", ":5: there is no table u"),
    ("JSON that does not end", HEAD + "== c\nGetItem t {Key: {\n-> {}\n", ":6: expected"),
    ("a string that does not end", HEAD + '== c\nGetItem t {Key: "x}\n-> {}\n', ":5: a string that does not end"),
    ("an unknown placeholder", HEAD + "== c\nGetItem t {}\n-> {a: <anything>}\n", ":6: an unknown placeholder"),
    ("a response that is none", HEAD + "== c\nGetItem t {}\n-> fine\n", ":6: 'fine' is no response"),
    ("a row with a cell too many", HEAD + "== c\nGetItem t {}\n-> {}\nrows a\n  1 | 2\n", ":8: 2 cells for 1 columns"),
    ("a case without a step", HEAD + "== c\n", ":4: case 'c' has no step"),
    ("a file without a case", "# nothing\n", ": has no case"),
]


def run():
    problems = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), FakeServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "example.dt"
        settings = Settings(f"http://127.0.0.1:{server.server_address[1]}", "run")
        for name, text, said in EXAMPLES:
            problems += [f"{name}: {problem}" for problem in try_example(path, text, said, settings)]
        for name, text, said in BAD_FILES:
            problems += [f"{name}: {problem}" for problem in try_bad_file(path, text, said)]
        problems += try_strict(path, settings)
        problems += try_no_server(path)
        problems += try_readme(path)
    server.shutdown()
    server.server_close()
    for problem in problems:
        print(problem)
    print(f"self-test: {len(EXAMPLES) + len(BAD_FILES) + 4} examples, {len(problems)} went wrong")
    return 1 if problems else 0


def try_example(path, text, said, settings):
    path.write_text(HEAD + "== example\n" + text + "\n", encoding="utf-8")
    outcome = FileRun(read_case_file(path, "example"), settings).run()
    lines = [line for failure in outcome.failures for line in failure.lines]
    if outcome.problem is not None:
        return [f"could not be run: {outcome.problem}"]
    if said is None:
        return [f"should have passed, but: {lines}"] if lines else []
    if not any(said in line for line in lines):
        return [f"should have said '{said}', but said {lines}"]
    return [] if str(path) in outcome.failures[0].place else ["does not say where"]


def try_strict(path, settings):
    """Strict mode accepts only the first of several messages."""
    strict = dataclasses.replace(settings, strict=True)
    first = "Refuse {}\n-> ValidationException: Refused: 7 apples\n   or no"
    second = "Refuse {}\n-> ValidationException: no\n   or Refused: 7 apples"
    return [f"strict: {problem}" for problem in try_example(path, first, None, strict)
            + try_example(path, second, "message: is another", strict)]


def try_bad_file(path, text, said):
    path.write_text(text, encoding="utf-8")
    try:
        read_case_file(path, "example")
    except CaseFileError as problem:
        return [] if str(path) in str(problem) and said in str(problem) else [f"said '{problem}'"]
    return ["was read without complaint"]


def try_no_server(path):
    path.write_text(HEAD + "== example\n" + GET + "-> {}\n", encoding="utf-8")
    with http.server.HTTPServer(("127.0.0.1", 0), FakeServer) as unused:
        endpoint = f"http://127.0.0.1:{unused.server_address[1]}"
    outcome = FileRun(read_case_file(path, "example"), Settings(endpoint, "run")).run()
    return [] if "cannot connect" in (outcome.problem or "") else [f"no server: said {outcome.problem}"]


def try_readme(path):
    """The example that people copy is a readable file."""
    readme = pathlib.Path(__file__).resolve().parent.parent / "README.md"
    path.write_text(readme.read_text(encoding="utf-8").split("## A file\n```\n")[1].split("```")[0], encoding="utf-8")
    try:
        cases = read_case_file(path, "example").cases
    except CaseFileError as problem:
        return [f"README.md's example: {problem}"]
    return [] if len(cases) == 3 else [f"README.md's example has {len(cases)} cases"]


class FakeServer(http.server.BaseHTTPRequestHandler):
    """The part of DynamoDB that the examples need."""
    protocol_version = "HTTP/1.1"
    tables = {}

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(200, b"healthy")

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        operation = self.headers["x-amz-target"].split(".")[1]
        status, body = getattr(self, operation)(request)
        self.answer(status, body if isinstance(body, bytes) else json.dumps(body).encode())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/x-amz-json-1.0")
        self.send_header("x-amz-crc32", str(zlib.crc32(body)))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def CreateTable(self, request):
        self.tables[request["TableName"]] = {}
        return 200, {}

    def DescribeTable(self, request):
        return (200, {"Table": {"TableStatus": "ACTIVE"}}) if request["TableName"] in self.tables else self.missing()

    def DeleteTable(self, request):
        return (200, {}) if self.tables.pop(request["TableName"], None) is not None else self.missing()

    def missing(self):
        return 400, {"__type": "com.example#ResourceNotFoundException"}

    def PutItem(self, request):
        self.tables[request["TableName"]][request["Item"]["pk"]["S"]] = request["Item"]
        return 200, {}

    def GetItem(self, request):
        item = self.tables[request["TableName"]].get(request["Key"]["pk"]["S"])
        return 200, {} if item is None else {"Item": item}

    def DeleteItem(self, request):
        self.tables[request["TableName"]].pop(request["Key"]["pk"]["S"], None)
        return 200, {}

    def Scan(self, request):
        items = list(self.tables[request["TableName"]].values())
        return 200, {"Items": items, "Count": len(items)}

    def Refuse(self, request):
        message = ("1 validation error detected: " if "Envelope" in request else "") + "Refused: 7 apples"
        extra = {"Extra": request["Extra"]} if "Extra" in request else {}
        return 400, {"__type": "com.example#ValidationException", "message": message, **extra}

    def Twice(self, _):
        return 200, b'{"a": 1, "a": 1}'
