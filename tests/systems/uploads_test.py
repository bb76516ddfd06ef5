#!/usr/bin/env python3
"""tavola-text-analyzer with uploads: one program with everything in it, and backend and workers as processes of their own on a database and a bucket elsewhere.

    tests/systems/uploads_test.py PATH/TO/tavola PATH/TO/tavola-text-analyzer [--results FILE] [TEST ...]
"""
import contextlib
import hashlib
import http.client
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests")]
sys.dont_write_bytecode = True

import covered  # noqa: E402
from server import Server  # noqa: E402

TAVOLA = PROGRAM = None  # from the command line
PATIENCE = 60
KEY, SECRET = "AKIDTEXTS", "secret-of-the-texts"
LEASE = "1500ms"


def environment():
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "DYNAMODB_"))}
    return {**kept, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "eu-central-1", "NO_PROXY": "*",
            "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}


def send(url, data=None, method=None, headers=None):
    """Returns the status and the body, also of a refusal."""
    request = urllib.request.Request(url, data, headers or {}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def wait_until(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"never happened: {what}")
        time.sleep(0.01)
    return found


class Program(Server):
    """tavola-text-analyzer serve, with a URL, or worker, whose URL is that of its metrics."""

    def __init__(self, command, *options):
        super().__init__(PROGRAM, environment=environment())
        where = ["--port", "0"] if command == "serve" else ["--metrics", "127.0.0.1:0"]
        self.command = [PROGRAM, command, *where, *map(str, options)]

    def _read_log(self):
        with self.process.stderr as stream:
            for line in stream:
                self.log.append(line)
                found = re.search(r"\b(?:listening|metrics) url=(https?://[\d.:]+)", line)
                if found and self.url is None:
                    self.url = found[1]
                    self._listening.set()
        self._listening.set()

    def metric(self, name):
        text = send(f"{self.url}/metrics")[1].decode()
        return int(re.search(rf"^{name} (\d+)$", text, re.MULTILINE)[1])

    # Requests to `serve`

    def announce(self, **body):
        status, answer = send(f"{self.url}/files", json.dumps(body).encode(), headers={"Content-Type": "application/json"})
        return status, json.loads(answer)

    def announced(self, **body):
        status, answer = self.announce(**body)
        assert status == 200, answer
        return answer

    def upload(self, text, owner="anna", name="letter.txt", fingerprint=None):
        """Announces and uploads a text. Returns the id of its file."""
        fingerprint = fingerprint or hashlib.sha256(text).hexdigest()
        answer = self.announced(ownerId=owner, name=name, size=len(text), fingerprint=fingerprint)
        status, why = send(answer["upload"]["url"], text, "PUT")
        assert status == 200, why
        return answer["fileId"]

    def ask(self, pattern, **parameters):
        return send(f"{self.url}/v1/text-analyzer-history/{pattern}?{urllib.parse.urlencode(parameters)}")

    def file(self, file_id):
        status, body = self.ask("getFile", fileId=file_id)
        return json.loads(body) if status == 200 else None

    def wait_for(self, file_id, *statuses):
        return wait_until(lambda: (file := self.file(file_id)) and file["status"] in statuses and file, f"{file_id} {statuses}")

    def done(self, file_id):
        return self.wait_for(file_id, "COMPLETED", "FAILED")


class OneProgram(unittest.TestCase):
    """Database, bucket, backend and worker in one process."""

    @classmethod
    def setUpClass(cls):
        cls.app = cls.enterClassContext(Program("serve", "--in-memory", "--max-size", "64KB"))

    def test_a_text_goes_all_the_way(self):
        """Covers TA8, TA9, TA5."""
        for text, result in (("Don't stop: e-mail 3rd naïve café Café".encode(), [9, 8, 3.11]), ("𝒜b 東京 東京".encode("utf-16"), [3, 2, 2.33]), (b"", [0, 0, 0])):
            file = self.app.done(self.app.upload(text))
            self.assertEqual(file["status"], "COMPLETED")
            found = file["result"]
            self.assertEqual([found["totalWords"], found["uniqueWords"], found["avgWordLength"]], result)
        file = self.app.done(self.app.upload(b"b a c b a d"))
        self.assertEqual([(entry["word"], entry["count"]) for entry in file["result"]["top10Words"]], [("a", 2), ("b", 2), ("c", 1), ("d", 1)])

    def test_a_url_is_for_one_upload_of_one_size(self):
        """Covers TA8."""
        answer = self.app.announced(ownerId="anna", name="a.txt", size=3, fingerprint="sized")
        url = answer["upload"]["url"]
        self.assertEqual(urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["X-Amz-Expires"], ["300"])
        for other, data in ((url, b"four"), (url.replace("uploads/", "uploads/x"), b"abc"), (url.replace("X-Amz-Expires=300", "X-Amz-Expires=900"), b"abc"),
                            (url.split("?")[0], b"abc")):
            self.assertEqual(send(other, data, "PUT")[0], 403, other)
        self.assertEqual(send(url)[0], 403)  # it is for PUT
        self.assertEqual(self.app.file(answer["fileId"])["status"], "PENDING")
        self.assertEqual(send(url, b"abc", "PUT")[0], 200)
        self.assertEqual(self.app.done(answer["fileId"])["result"]["totalWords"], 1)

    def test_the_same_content_is_the_same_file(self):
        """Covers TA7, TA8."""
        first = self.app.announced(ownerId="anna", name="one.txt", size=4, fingerprint="same")
        self.assertEqual(first["fileId"], hashlib.sha256(b"anna:same").hexdigest())
        again = self.app.announced(ownerId="anna", name="two.txt", size=4, fingerprint="same")  # still PENDING: another URL
        self.assertEqual((again["fileId"], again["status"]), (first["fileId"], "PENDING"))
        self.assertEqual(send(first["upload"]["url"], b"\xff\xff\xff\xff", "PUT")[0], 200)
        failed = self.app.done(first["fileId"])
        self.assertEqual((failed["status"], failed["originalFileName"]), ("FAILED", "two.txt"))
        self.assertIn("The file is not text: byte 1", failed["errorMessage"])
        again = self.app.announced(ownerId="anna", name="three.txt", size=4, fingerprint="same")
        self.assertEqual((again["fileId"], again["status"]), (first["fileId"], "FAILED"))
        # The first URL still holds, but its upload is not that of the file any more.
        self.assertEqual(send(first["upload"]["url"], b"a b ", "PUT")[0], 200)
        self.assertEqual(send(again["upload"]["url"], b"well", "PUT")[0], 200)
        file = self.app.wait_for(first["fileId"], "COMPLETED")
        self.assertEqual((file["result"]["totalWords"], file.get("errorMessage")), (1, None))
        self.assertEqual(self.app.announced(ownerId="anna", name="four.txt", size=4, fingerprint="same"), {"fileId": first["fileId"], "status": "COMPLETED"})
        self.assertNotEqual(self.app.announced(ownerId="ben", name="one.txt", size=4, fingerprint="same")["fileId"], first["fileId"])

    def test_a_file_without_a_fingerprint_is_announced_again_by_its_id(self):
        """Covers TA7, TA8."""
        first = self.app.announced(ownerId="anna", name="a.txt", size=1)
        self.assertNotEqual(self.app.announced(ownerId="anna", name="a.txt", size=1)["fileId"], first["fileId"])
        again = self.app.announced(ownerId="anna", name="a.txt", size=2, fileId=first["fileId"])
        self.assertEqual(send(again["upload"]["url"], b"ab", "PUT")[0], 200)
        self.app.wait_for(first["fileId"], "COMPLETED")
        self.assertEqual(self.app.announce(ownerId="ben", name="a.txt", size=2, fileId=first["fileId"])[0], 404)

    def test_what_may_not_be_uploaded_is_refused_with_the_reason(self):
        for status, words, body in ((413, "64 KB are allowed", {"name": "a.txt", "size": 65537}), (415, "A file .png is not taken for text", {"name": "a.PNG", "size": 3}),
                                    (400, "name", {"name": "", "size": 3}), (400, "size", {"name": "a.txt"}), (400, "size", {"name": "a.txt", "size": -1}),
                                    (400, "ownerId", {"name": "a.txt", "size": 3, "ownerId": "a#b"})):
            found, answer = self.app.announce(**{"ownerId": "anna", **body})
            self.assertEqual(found, status, answer)
            self.assertIn(words, answer["detail"])
        self.assertEqual(send(f"{self.app.url}/files", b"{", "POST")[0], 400)
        self.assertEqual(send(f"{self.app.url}/files", b"{}", "POST", {"Origin": "https://evil.example"})[0], 403)
        # Everybody may look, and only the program changes anything.
        self.assertEqual(send(f"{self.app.url}/v1/text-analyzer-history/discard", b'{"fileId":"x"}', "POST")[0], 401)

    def test_the_history_of_an_owner_is_the_newest_first_in_pages(self):
        """Covers TA6."""
        ids = [self.app.upload(f"text {number}".encode(), owner="cleo", name=f"{number}.txt") for number in range(5)]
        found, after = [], None
        while after is not None or not found:
            page = json.loads(self.app.ask("listFilesByOwner", ownerId="cleo", limit=2, **({"page": after} if after else {}))[1])
            found += page["items"]
            after = page["next"]
        self.assertEqual([file["fileId"] for file in found], ids[::-1])
        self.assertNotIn("result", found[0])


class Restarts(unittest.TestCase):
    def test_a_file_that_is_never_uploaded_is_removed(self):
        with Program("serve", "--in-memory", "--keep-announced", "1s", "--poll", "100ms") as app:
            failed = app.upload(b"\xff")
            lost = app.announced(ownerId="anna", name="a.txt", size=1, fingerprint="lost")["fileId"]
            self.assertEqual(app.file(lost)["status"], "PENDING")
            wait_until(lambda: app.file(lost) is None, "the file is removed")
            history = json.loads(app.ask("listFilesByOwner", ownerId="anna")[1])["items"]
            self.assertEqual([file["fileId"] for file in history], [failed])
            self.assertEqual(app.done(app.upload(b"late", fingerprint="lost"))["status"], "COMPLETED")  # announced anew

    def test_a_program_that_is_killed_goes_on_where_it_was(self):
        """Covers TA8."""
        text = b"abc de " * 6_000_000
        with tempfile.TemporaryDirectory() as folder:
            app = Program("serve", "--data", folder)
            app.start()
            self.addCleanup(app.kill)
            file_id = app.upload(text)
            app.wait_for(file_id, "IN_PROGRESS")
            app.kill()
            with Program("serve", "--data", folder) as again:
                self.assertEqual(again.wait_for(file_id, "COMPLETED")["result"]["totalWords"], 12_000_000)
                self.assertEqual(again.metric("tavola_texts_taken_over_total"), 1)
            wait_until(lambda: not list(pathlib.Path(folder, "uploads/texts/uploads").rglob("*")), "the upload is removed")


class Gate:
    """Passes requests on to the bucket, and holds those for the bytes of uploads while it is closed."""

    def __init__(self, target):
        self.open = threading.Event()
        self.held = threading.Event()
        host, port = urllib.parse.urlsplit(target).netloc.split(":")
        gate = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self):
                if "Range" in self.headers:
                    gate.held.set()
                    gate.open.wait(PATIENCE)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                connection = http.client.HTTPConnection(host, int(port), timeout=PATIENCE)
                connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    connection.putheader(name, value)
                connection.endheaders(body or None)
                answer = connection.getresponse()
                content = answer.read()
                self.send_response_only(answer.status)
                for name, value in answer.getheaders():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)
                connection.close()

            do_GET = do_HEAD = do_PUT = do_DELETE = pass_on

            def log_message(self, *_):
                pass

            def handle(self):
                with contextlib.suppress(ConnectionError):  # a worker was killed
                    super().handle()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.open.set()
        self.server.shutdown()
        self.server.server_close()


class ManyPrograms(unittest.TestCase):
    """A database and a bucket that verify every signature, a backend that does not work itself, and workers."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        keys = cls.folder / "keys.txt"
        keys.write_text(f"{KEY} {SECRET}\n")
        keys.chmod(0o600)
        buckets = cls.folder / "buckets"
        buckets.mkdir()
        database = Server(TAVOLA, "--in-memory", "--credentials", keys, "--buckets", buckets, "--s3-port", "0", environment=environment())
        database.command.remove("--quiet")  # it says where the buckets are
        cls.enterClassContext(database)
        cls.bucket = re.search(r"serving buckets url=(\S+)", database.log_text())[1]
        cls.endpoint = database.url
        cls.uploads = buckets / "texts" / "uploads"
        cls.app = cls.enterClassContext(Program("serve", *cls.where(cls.bucket), "--workers", "0"))

    @classmethod
    def where(cls, bucket):
        return ["--endpoint", cls.endpoint, "--s3", bucket, "--lease", LEASE, "--poll", "50ms"]

    def worker(self, bucket=None):
        return Program("worker", *self.where(bucket or self.bucket))

    def test_two_workers_share_the_files_and_one_that_is_killed_loses_none(self):
        """Covers TA8, TA4, TA9."""
        texts = [b"word " * number for number in range(1, 13)]
        with Gate(self.bucket) as gate:
            first = self.worker(gate.url)
            first.start()
            self.addCleanup(first.kill)
            stuck = self.app.upload(texts[0], owner="dora")
            gate.held.wait(PATIENCE)
            self.assertEqual(self.app.wait_for(stuck, "IN_PROGRESS")["status"], "IN_PROGRESS")
            with self.worker() as second:
                ids = [stuck, *(self.app.upload(text, owner="dora") for text in texts[1:])]
                for file_id in ids[1:]:
                    self.app.done(file_id)
                first.kill()
                self.assertEqual([self.app.done(file_id)["result"]["totalWords"] for file_id in ids], list(range(1, 13)))
                self.assertEqual([second.metric(f"tavola_texts_{name}_total") for name in ("completed", "failed", "superseded", "taken_over")], [12, 0, 0, 1])
                wait_until(lambda: not [path for path in self.uploads.rglob("*") if path.is_file()], "the uploads are removed")

    def test_a_worker_that_was_too_slow_stores_nothing(self):
        """Covers TA8, TA3."""
        with Gate(self.bucket) as gate, self.worker(gate.url) as slow:
            file_id = self.app.upload(b"one two three", owner="eve")
            gate.held.wait(PATIENCE)
            with self.worker() as quick:
                done = self.app.done(file_id)
                self.assertEqual(quick.metric("tavola_texts_taken_over_total"), 1)
            gate.open.set()
            slow.wait_for_log("another worker has finished this file")
            self.assertEqual(slow.metric("tavola_texts_completed_total"), 0)
            self.assertEqual(self.app.file(file_id), done)

    def test_mistakes_are_explained(self):
        for words, problem in ((["worker"], "worker needs --endpoint URL and --s3 URL"), (["serve", "--endpoint", self.endpoint], "--endpoint needs --s3 URL"),
                               (["serve", "--in-memory", "--lease", "x"], "--lease is a time like"), (["serve", "--in-memory", "--s3", "x"], "an S3 endpoint is a URL"),
                               (["serve", "--in-memory", "--max-size", "x"], "MB"), (["serve", "x"], "serve takes options only")):
            done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, timeout=PATIENCE, env=environment())
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(problem, done.stderr)


if __name__ == "__main__":
    RESULTS = covered.results_file()
    TAVOLA, PROGRAM = (str(pathlib.Path(sys.argv.pop(1)).resolve()) for _ in range(2))
    covered.run("tavola-text-analyzer", RESULTS)
