#!/usr/bin/env python3
"""The server under requests and conditions that are made to stop it: designs that take long to read, a log that is
not read, and the reports of /health.

    tests/bounds_test.py PROGRAM
"""
import fcntl
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "clients"))

import harness  # noqa: E402
from server import START_SECONDS, Server  # noqa: E402

TIMEOUT = float(os.environ.get("TAVOLA_TEST_TIMEOUT", "60"))  # seconds; far more than anything here takes
DESIGN = """design: 1
name: shop
table: { name: things-2, hash: pk, range: { name: sk, type: number } }
entities:
  Thing:
    key: { pk: THING#<id>, sk: "<number:number>" }
    ids: { id: string }
    attributes: { number: integer, %s }
"""


def things(ids, rest="", key=None):
    """A design with an entity whose ids are i0 to i<ids-1>; its key has `key` of them, or all."""
    placeholders = "#".join(f"<i{i}>" for i in range(ids if key is None else key))
    return "\n".join(["design: 1", "name: shop", "table: { name: things-2, hash: pk, range: sk }", "entities:", "  Thing:",
                      f'    key: {{ pk: "THING#{placeholders}", sk: META }}',
                      f"    ids: {{ {', '.join(f'i{i}: string' for i in range(ids))} }}",
                      "    attributes: { name: string }", rest])


def lines(count, line):
    return "".join(line.replace("$", str(i)) + "\n" for i in range(count))


GETS = "patterns:\n" + lines(990, "  p$: { get: Thing }")
OPERATIONS = "operations:\n" + lines(990, "  o$: { steps: [ { put: Thing } ] }")
STEPS = "operations:\n  o:\n    steps:\n" + lines(990, "      - { put: Thing }")


def asked(connection, method, path, body=None, headers=None):
    connection.request(method, path, body, headers or {})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


class Designs(unittest.TestCase):
    """Every request gets a response, and the server serves others afterwards."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Server(harness.PROGRAM, "--in-memory"))
        harness.create_table(cls.server, "things")

    def migrate(self, design):
        connection = http.client.HTTPConnection(self.server.url.removeprefix("http://"), timeout=TIMEOUT)
        self.addCleanup(connection.close)
        body = json.dumps({"action": "start", "newTable": "things-2", "from": "", "design": design, "file": "x.yaml",
                           "oldDesign": design, "oldFile": "x.yaml"})
        answer = asked(connection, "PUT", "/admin/migrations/things", body)
        self.assertEqual(harness.call(self.server, "ListTables")["TableNames"], ["things"])
        return answer

    def test_a_pattern_of_parentheses(self):
        for pattern in ("(" * 20_000 + ")" * 20_000, "(?=" * 300 + "a" + ")" * 300):
            status, told = self.migrate(DESIGN % f"code: {{ type: string, pattern: '{pattern}' }}")
            self.assertEqual(status, 400, told)
            self.assertIn("this pattern cannot be used", told)

    def test_very_many_unknown_keys(self):
        status, told = self.migrate(DESIGN % "a: string" + "".join(f"k{i}:\n" for i in range(120_000)))
        self.assertEqual(status, 400, told)
        self.assertIn("120004 parts here; at most 1000 are allowed", told)

    def test_keys_of_very_many_placeholders(self):
        cases = {"one key": things(1, key=100_000), "many patterns": things(1, GETS, key=2000), "gets": things(900, GETS),
                 "operations": things(900, OPERATIONS), "steps": things(900, STEPS)}
        for name, design in cases.items():
            with self.subTest(name):
                status, told = self.migrate(design)
                self.assertEqual(status, 400, told)
                self.assertRegex(told, "the template has [0-9]+ (bytes|placeholders); at most")

    def test_very_much_that_follows_from_a_short_text(self):
        unions = GETS[:GETS.index("  p500:")] + lines(400, "  u$: { union: [" + ", ".join(f"p{i}" for i in range(500)) + "] }")
        everything = "operations:\n  o:\n    steps:\n" + lines(990, "      - { update: Thing, take: all }")
        fields = things(1).replace("name: string", ", ".join(f"f{i}: string" for i in range(900)))
        for name, design in {"operations": things(900, OPERATIONS, key=1), "steps": things(900, STEPS, key=1),
                             "updates": fields + everything}.items():
            with self.subTest(name):
                status, told = self.migrate(design)
                self.assertEqual(status, 400, told)
                self.assertIn("the operations up to here have too many parameters and assignments", told)
        status, told = self.migrate(things(30, unions))
        self.assertEqual(status, 400, told)  # there is no revision

    def test_very_many_names_that_are_no_fields(self):
        fields = things(1).replace("name: string", ", ".join(f"fieldname{i}: string" for i in range(900)))
        names = ", ".join(f"fieldnam{i}x" for i in range(9000))
        rules = ", ".join(f"fieldname{i}: fieldnam{i}x" for i in range(900))
        for steps in (lines(6, f"  o$: {{ steps: [ {{ update: Thing, take: [{names}] }} ] }}"),
                      lines(25, f"  o$: {{ steps: [ {{ update: Thing, set: {{ {rules} }} }} ] }}")):
            status, told = self.migrate(fields + "operations:\n" + steps)
            self.assertEqual(status, 400, told)
            self.assertIn("fieldnam0x", told)

    def test_very_many_long_keys(self):
        key = "x".join(f"<i{i}>" for i in range(32)) + "y" * 1800
        status, told = self.migrate("design: 1\nname: shop\ntable: { name: things-2, hash: pk, range: sk }\nentities:\n" +
                                    lines(380, f'  E$: {{ key: {{ pk: "{key}", sk: $ }} }}'))
        self.assertEqual(status, 400, told)
        self.assertIn("the templates up to here have more than 128 KiB in all", told)

    def test_a_very_long_line(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.yaml"
            for text in ('{ design: 1, name: "' + "x" * 2_000_000 + '" }', '{ design: 1, "' + "x" * 900_000 + '": 1 }'):
                file.write_text(text)
                told = subprocess.run([harness.PROGRAM, "design", "check", file], capture_output=True, timeout=TIMEOUT)
                self.assertEqual(told.returncode, 1, told.stderr)
                self.assertLess(len(told.stdout + told.stderr), 10_000)

    def test_a_body_that_is_too_large(self):
        for path in ("/admin/migrations/things", "/admin/faults"):
            connection = http.client.HTTPConnection(self.server.url.removeprefix("http://"), timeout=TIMEOUT)
            self.addCleanup(connection.close)
            status, told = asked(connection, "PUT", path, json.dumps({"design": "x" * (4 << 20)}))
            self.assertEqual(status, 413, told)
            self.assertIn("at most 4194304 bytes", told)


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=TIMEOUT)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class FullLog(unittest.TestCase):
    """Standard error is a pipe that is full before the server starts."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        credentials = self.folder / "credentials"
        credentials.touch(mode=0o600)
        credentials.write_text("AKIDSOMEBODY secret\n")
        self.read_end, write_end = os.pipe()
        self.addCleanup(os.close, self.read_end)
        self.filled = fill(write_end)
        with open(write_end, "wb", buffering=0) as errors:
            self.process = subprocess.Popen(
                [harness.PROGRAM, "serve", "--in-memory", "--port", "0", "--host", "", "--unix-socket",
                 self.folder / "socket", "--credentials", credentials], stdout=errors, stderr=errors)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        self.connection = UnixConnection(self.folder / "socket")
        self.addCleanup(self.connection.close)
        self.wait_for_the_socket()

    def wait_for_the_socket(self):
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                return self.connection.connect()
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.01)
        self.fail("the server does not listen")

    def be_refused(self):
        # A refusal is logged.
        status, told = asked(self.connection, "POST", "/", "{}", harness.headers_of("ListTables"))
        self.assertEqual(status, 400, told)
        self.assertIn("InvalidSignatureException", told)

    def test_the_server_serves_and_ends(self):
        self.be_refused()
        self.assertEqual(asked(self.connection, "GET", "/")[0], 200)
        self.process.terminate()
        self.assertEqual(self.process.wait(TIMEOUT), 0)

    def test_nothing_is_lost_when_somebody_reads_in_the_end(self):
        self.be_refused()
        self.process.terminate()
        with open(self.read_end, "rb", closefd=False) as log:
            text = log.read()
        self.assertEqual(self.process.wait(TIMEOUT), 0)
        self.assertEqual(text[:self.filled], b"x" * self.filled)
        log = text[self.filled:].decode()
        for words in ("info  listening", "access refused", "stopping", "stopped"):
            self.assertEqual(log.count(words), 1, log)


class Health(unittest.TestCase):
    def connect(self, server):
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=TIMEOUT)
        self.addCleanup(connection.close)
        return connection

    def test_a_healthy_server(self):
        with Server(harness.PROGRAM, "--in-memory") as server:
            connection = self.connect(server)
            self.assertEqual(asked(connection, "GET", "/"), (200, f"healthy: {server.url.removeprefix('http://')} "))
            status, page = asked(connection, "GET", "/health")
            self.assertEqual(status, 200, page)
            self.assertEqual(json.loads(page)["status"], "healthy")
            self.assertEqual(json.loads(page)["problems"], [])
            self.assertEqual(json.loads(page)["log"], {"droppedLines": 0})
            self.assertEqual(json.loads(page)["indexBuilds"], {"count": 0, "tables": []})
            self.assertEqual(asked(connection, "HEAD", "/health"), (200, ""))
            self.assertEqual(asked(connection, "GET", "/health/live"), (200, '{"status":"alive"}\n'))

    # The server checks the store once a second.
    def wait_for_trouble(self, connection):
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            status, page = asked(connection, "GET", "/health")
            if status == 503:
                return page
            time.sleep(0.05)
        self.fail(f"/health still says {page}")

    # The data directory is moved away under the server.
    def test_a_server_that_cannot_write(self):
        with tempfile.TemporaryDirectory() as folder:
            data = pathlib.Path(folder) / "data"
            server = Server(harness.PROGRAM, "--data", data, "--log-format", "json")
            server.start()
            self.addCleanup(server.kill)
            harness.create_table(server, "things")
            connection = self.connect(server)
            self.assertEqual(asked(connection, "GET", "/health")[0], 200)
            data.rename(pathlib.Path(folder) / "elsewhere")
            put = json.dumps({"TableName": "things", "Item": {"pk": {"S": "a"}, "sk": {"N": "1"}}})
            for _ in range(100):
                status, told = asked(connection, "POST", "/", put, harness.headers_of("PutItem"))
                self.assertEqual(status, 500, told)
            page = self.wait_for_trouble(connection)
            self.assertEqual(json.loads(page)["status"], "unhealthy")
            self.assertEqual(len(json.loads(page)["problems"]), 1, page)
            self.assertEqual(asked(connection, "HEAD", "/health")[0], 503)
            self.assertEqual(asked(connection, "GET", "/health/live")[0], 200)
            server.process.terminate()
            server.process.wait(TIMEOUT)
            server.kill()  # reads the log to its end
            events = [json.loads(line) for line in server.log if line.startswith("{")]
            failures = [event for event in events if event["event"] == "request failed"]
            self.assertLess(len(failures), 50, failures)
            self.assertEqual(sum(int(event.get("times", 1)) for event in failures), 100)


def fill(descriptor):
    """Writes until nothing more can be written; returns the number of bytes."""
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    filled = 0
    try:
        while True:
            filled += os.write(descriptor, b"x" * 4096)
    except BlockingIOError:
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)
        return filled


if __name__ == "__main__":
    harness.main()
