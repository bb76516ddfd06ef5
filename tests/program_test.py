#!/usr/bin/env python3
"""The program from the operator's view: its messages, its exit, its behaviour when something fails.

    tests/program_test.py PROGRAM
"""
import concurrent.futures
import contextlib
import datetime
import functools
import http.client
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "clients"))

import harness  # noqa: E402
from server import Server  # noqa: E402


def run(*words):
    return subprocess.run([harness.PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=60, check=False)


@contextlib.contextmanager
def running(*words, **settings):
    """The program, killed at the end: a test that failed would otherwise wait for it."""
    with subprocess.Popen([harness.PROGRAM, *map(str, words)], text=True, **settings) as process:
        try:
            yield process
        finally:
            process.kill()


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assert_fails(self, code, words, *command):
        done = run(*command)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, f"^tavola: .*{words}")
        self.assertEqual(done.stdout, "")
        if code == 1:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_what_is_wrong_is_told_in_a_line(self):
        a_file = self.folder / "file"
        a_file.touch()
        with Server(harness.PROGRAM, "--data", self.folder / "data") as server:
            port = server.url.rpartition(":")[2]
            self.assert_fails(1, "the port is in use", "serve", "--in-memory", "--port", port)
            self.assert_fails(1, "the port is in use", "serve", "--data", self.folder / "new", "--port", port)
            self.assertFalse((self.folder / "new").exists())
            self.assert_fails(1, "another process .* has '.*data' open", "serve", "--data", self.folder / "data", "--port", 0)
        self.assert_fails(1, "it is a file, not a directory", "serve", "--data", a_file, "--port", 0)
        self.assert_fails(1, "allow it with --insecure", "serve", "--in-memory", "--host", "0.0.0.0", "--port", 0)
        self.assert_fails(1, "nothing to listen on", "serve", "--in-memory", "--host", "")
        self.assert_fails(1, "need a --design", "serve", "--in-memory", "--jwt-secret-file", a_file)
        self.assert_fails(1, "cannot read the credentials", "serve", "--in-memory", "--credentials", self.folder / "none")
        self.assert_fails(1, "cannot read the TLS certificate", "serve", "--in-memory", "--tls-cert", "x", "--tls-key", "y")
        self.assert_fails(1, "cannot read the TLS certificate", "serve", "--data", self.folder / "new", "--tls-cert", "x",
                          "--tls-key", "y")
        self.assertFalse((self.folder / "new").exists())
        self.assert_fails(2, "Did you mean `--port`", "serve", "--prot", "1")
        self.assert_fails(2, "--durability must be synced or relaxed .was fast.", "serve", "--durability", "fast")
        self.assert_fails(2, "none cannot be read", "serve", "--config", self.folder / "none")

    def test_a_config_file(self):
        config = self.folder / "tavola.conf"
        config.write_text(f"# where the data is\ndata = {self.folder}/from-config\nlog-format = json\nregion = nowhere\n")
        with Server(harness.PROGRAM, "--config", config, "--region", "eu-south-1") as server:
            harness.create_table(server, "things")
            arn = harness.call(server, "DescribeTable", TableName="things")["Table"]["TableArn"]
        self.assertIn(":eu-south-1:", arn)
        self.assertEqual((self.folder / "from-config").stat().st_mode & 0o777, 0o700)  # for its owner alone
        events = [json.loads(line) for line in server.log]
        self.assertEqual([event["event"] for event in events], ["console", "listening", "stopping", "stopped"])

    def test_it_warns_about_files_that_others_can_read(self):
        names = ("keys", "jwt-secret", "metrics-token", "key.pem")
        files = {name: self.folder / name for name in names}
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-subj", "/CN=localhost", "-days", "2", "-keyout", files["key.pem"], "-out", self.folder / "cert.pem"],
                       check=True, capture_output=True)
        files["keys"].write_text("AKID secret\n")
        files["jwt-secret"].write_text("s" * 32)
        files["metrics-token"].write_text("m" * 32)
        data = self.folder / "data"
        data.mkdir()
        options = ["--data", data, "--credentials", files["keys"], "--jwt-secret-file", files["jwt-secret"],
                   "--metrics-auth", files["metrics-token"], "--tls-key", files["key.pem"], "--tls-cert",
                   self.folder / "cert.pem", "--design", harness.ROOT / "designs/fus-main.yaml"]
        for mode, directory_mode, count in ((0o600, 0o700, 0), (0o644, 0o755, 1), (0o640, 0o711, 1), (0o604, 0o750, 1)):
            for path in files.values():
                path.chmod(mode)
            data.chmod(directory_mode)
            with self.subTest(oct(mode)), Server(harness.PROGRAM, *options) as server:
                log = server.log_text()
                for path in files.values():
                    self.assertEqual(log.count(f"chmod 600 {path}"), count, log)
                self.assertEqual(log.count(f"chmod 700 {data}"), count, log)

    def test_the_log_says_who_calls_the_server_by_another_name(self):
        with Server(harness.PROGRAM, "--in-memory") as server:
            for head in ("Host: evil.example", "Host: localhost\r\nOrigin: https://evil.example"):
                self.receive_all(server, f"GET / HTTP/1.1\r\n{head}\r\nConnection: close\r\n\r\n")
            server.wait_for_log("evil.example")
            server.wait_for_log("--allowed-host")
            server.wait_for_log("--cors")

    def test_the_banner_says_where_and_what_next(self):
        with running("serve", "--port", 0, "--data", self.folder / "data", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            banner = ""
            while "Stop with" not in banner:
                line = process.stdout.readline()
                self.assertNotEqual(line, "", banner)
                banner += line
            process.terminate()
            self.assertEqual(process.wait(60), 0)
        self.assertRegex(banner, r"listening +http://127\.0\.0\.1:\d+")
        self.assertIn(str(self.folder / "data"), banner)
        self.assertRegex(banner, r"aws dynamodb list-tables --endpoint-url http://127\.0\.0\.1:\d+")

    def test_the_console_has_a_port_of_its_own(self):
        def console_of(server):
            return re.search(r"console url=(\S+)", server.log_text())

        def session(url):
            with urllib.request.urlopen(url + "/session", timeout=30) as answer:
                return json.load(answer)
        with Server(harness.PROGRAM, "--in-memory", "--console", "read-only") as server:
            server.wait_for_log("console url=")
            url = console_of(server)[1]
            self.assertNotEqual(url, server.url)
            self.assertEqual((session(url)["mode"], session(url)["endpoint"]), ("read-only", server.url))
            # A port that was asked for and is taken is an error, and leaves no data behind.
            taken = url.rpartition(":")[2]
            self.assert_fails(1, "the console .--console-port. cannot listen on", "serve", "--data", self.folder / "none", "--port", 0, "--console-port", taken)
            self.assertFalse((self.folder / "none").exists())
        with Server(harness.PROGRAM, "--in-memory", "--console", "off") as server:
            harness.call(server, "ListTables")
        self.assertIsNone(console_of(server))
        self.assert_fails(1, "contradict each other", "serve", "--in-memory", "--console", "off", "--console-port", 0)
        self.assert_fails(1, "--console-port and --port are both 9000", "serve", "--in-memory", "--port", 9000, "--console-port", 9000)
        self.assert_fails(1, "browsers do not use Unix sockets", "serve", "--in-memory", "--host", "", "--unix-socket",
                          self.folder / "socket", "--console-port", 0)

    # The database starts, too, while this test or something else on this machine has the usual port of the console.
    def test_a_console_whose_usual_port_is_taken_gets_another(self):
        try:
            holder = socket.create_server(("127.0.0.1", 8001))
        except OSError:
            holder = contextlib.nullcontext()
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with holder, running("serve", "--port", port, "--in-memory", "--quiet", stderr=subprocess.PIPE) as process:
            said = [process.stderr.readline() for _ in range(3)]
            process.terminate()
            self.assertEqual(process.wait(60), 0)
        self.assertIn("the usual port of the console is taken", said[0])
        self.assertRegex(said[1], r"console url=http://127\.0\.0\.1:(?!8001$)")
        self.assertIn("listening", said[2])

    # A client sends half a request and nothing more: a server that stops waits for it.
    def test_a_second_signal_ends_the_server_at_once(self):
        # A shell starts jobs in the background with SIGINT ignored.
        for number, disposition in ((signal.SIGINT, signal.SIG_DFL), (signal.SIGINT, signal.SIG_IGN), (signal.SIGTERM, signal.SIG_DFL)):
            with self.subTest(number, disposition=disposition), \
                    running("serve", "--port", 0, "--in-memory", "--quiet", stderr=subprocess.PIPE,
                            preexec_fn=functools.partial(signal.signal, signal.SIGINT, disposition)) as process:
                self.assertIn("console", process.stderr.readline())
                port = int(re.search(r":(\d+)$", process.stderr.readline().strip())[1])
                with socket.create_connection(("127.0.0.1", port)) as client:
                    client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n1")
                    time.sleep(0.2)
                    process.send_signal(number)
                    self.assertIn("stopping", process.stderr.readline())
                    self.assertIsNone(process.poll())
                    process.send_signal(number)
                    self.assertEqual(process.wait(60), -number)

    def test_requests_are_logged_without_values_and_credentials(self):
        with Server(harness.PROGRAM, "--in-memory", "--log", "requests", "--log-format", "json") as server:
            harness.create_table(server, "things")
            item = {"pk": {"S": "a secret"}, "sk": {"N": "1"}}
            harness.call(server, "PutItem", TableName="things", Item=item)
            harness.call(server, "BatchGetItem", RequestItems={"things": {"Keys": [item]}})
            harness.call(server, "TransactWriteItems", TransactItems=[{"Put": {"TableName": "things", "Item": item}}])
            status, answer = self.answer(server, "GetItem", TableName="a secret", Key=item)
            self.assertEqual(status, 400, answer)
            self.receive_all(server, "GET /nowhere?key=a%20secret HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.receive_all(server, "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
            self.receive_all(server, "NONSENSE\r\n\r\n")
            server.wait_for_log('"status":"403"')
            server.wait_for_log('"path":"-"')
        lines = [event for event in map(json.loads, server.log) if event["event"] == "request"]
        said = [(line.get("operation", line.get("path")), line.get("table"), line["status"], line.get("error")) for line in lines]
        for expected in (("CreateTable", "things", "200", None), ("PutItem", "things", "200", None),
                         ("BatchGetItem", "things", "200", None), ("TransactWriteItems", "things", "200", None),
                         ("GetItem", None, "400", "ValidationException"), ("GET /nowhere", None, "404", None),
                         ("GET /", None, "403", "AccessDeniedException")):
            self.assertIn(expected, said)
        put = next(line for line in lines if line.get("operation") == "PutItem")
        self.assertEqual(len(put["id"]), 52)
        self.assertGreaterEqual(float(put["ms"]), 0)
        self.assertEqual((put["sent"], int(put["received"]) > 50), ("2", True))
        self.assertNotIn("secret", server.log_text())
        self.assertNotIn("Credential", server.log_text())

    # As with `tavola serve 2>&1 | head -1`.
    def test_it_stays_when_nobody_reads_its_log(self):
        with running("serve", "--port", 0, "--in-memory", "--quiet", stderr=subprocess.PIPE) as process:
            self.assertIn("console", process.stderr.readline())
            process.stderr.close()
            process.terminate()
            self.assertEqual(process.wait(60), 0)

    # Half of the files are for the data. Each put of 300 KB brings new files nearer.
    def test_connections_leave_files_to_the_data(self):
        files = 200
        server = Server(harness.PROGRAM, "--data", self.folder / "data",
                        limits=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)))
        with server:
            harness.create_table(server, "things")
            writer = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
            self.put_large(writer, 0)  # and stays connected
            crowd = [socket.create_connection((writer.host, writer.port)) for _ in range(files + 50)]
            for i in range(250):
                self.put_large(writer, i)
            for connection in [*crowd, writer]:
                connection.close()

    def put_large(self, writer, i):
        self.assertEqual(self.try_large(writer, i), (200, b"{}"))

    @staticmethod
    def try_large(writer, i):
        item = {"pk": {"S": "p"}, "sk": {"N": str(i)}, "x": {"S": "x" * 300_000}}
        writer.request("POST", "/", json.dumps({"TableName": "things", "Item": item}), harness.headers_of("PutItem"))
        answer = writer.getresponse()
        return answer.status, answer.read()

    # The data of a running server is deleted or moved. The server reports it, refuses writes, serves reads and can be
    # stopped.
    def test_the_data_is_lost_under_a_running_server(self):
        def newest_log(data):
            return max(data.glob("*.log"), key=lambda log: (len(log.name), log.name))
        losses = {"directory deleted": shutil.rmtree,
                  "directory moved": lambda data: data.rename(self.folder / "elsewhere"),
                  "log deleted": lambda data: newest_log(data).unlink(),
                  "CURRENT deleted": lambda data: (data / "CURRENT").unlink(),
                  "manifest deleted": lambda data: [manifest.unlink() for manifest in data.glob("MANIFEST-*")]}
        for name, lose in losses.items():
            with self.subTest(name):
                self.lose_data(self.folder / name.replace(" ", "-"), lose)

    def lose_data(self, data, lose):
        server = Server(harness.PROGRAM, "--data", data)
        server.start()
        self.addCleanup(server.kill)
        harness.create_table(server, "things")
        key = {"pk": {"S": "p"}, "sk": {"N": "1"}}
        harness.call(server, "PutItem", TableName="things", Item=key)
        lose(data)
        for _ in range(2):
            status, answer = self.answer(server, "PutItem", TableName="things", Item={"pk": {"S": "q"}, "sk": {"N": "1"}})
            self.assertEqual(status, 500, answer)
            self.assertIn("cannot be found", answer)
            self.assertIn("Put it back unchanged, or stop the server", answer)
            self.assertEqual(harness.call(server, "GetItem", TableName="things", Key=key)["Item"], key)
        told = "the store does not take writes"
        server.wait_for_log(told)
        server.process.terminate()
        self.assertEqual(server.process.wait(60), 1)
        server.kill()  # reads the rest of the log
        self.assertEqual(server.log_text().count(told), 1, server.log_text())
        self.assertRegex(server.log[-1], "^tavola: the log .* cannot be found")

    # If another directory, such as a backup, takes the place of a running server's, the server must not change its
    # files.
    def test_a_directory_that_takes_the_place_of_the_open_one_is_left_alone(self):
        data, backup, moved = (self.folder / name for name in ("data", "backup", "moved"))
        text = {"S": "x" * 100_000}

        def put_more(server, numbers):
            for number in numbers:
                item = {"pk": {"S": "p"}, "sk": {"N": str(number)}, "x": text}
                harness.call(server, "PutItem", TableName="things", Item=item)
        with Server(harness.PROGRAM, "--data", data) as server:
            harness.create_table(server, "things")
            put_more(server, range(30))  # more than a megabyte: written to a data file at the end
        shutil.copytree(data, backup)
        server = Server(harness.PROGRAM, "--data", data)
        server.start()
        self.addCleanup(server.kill)
        put_more(server, range(30, 60))
        data.rename(moved)
        backup.rename(data)
        before = {path.name: path.read_bytes() for path in data.iterdir()}
        server.process.terminate()
        server.process.wait(60)
        self.assertEqual({path.name: path.read_bytes() for path in data.iterdir()}, before)
        for folder, count in ((data, 30), (moved, 60)):
            with Server(harness.PROGRAM, "--data", folder) as again:
                page = harness.call(again, "Scan", TableName="things", Select="COUNT")
                while "LastEvaluatedKey" in page:
                    count -= page["Count"]
                    page = harness.call(again, "Scan", TableName="things", Select="COUNT",
                                        ExclusiveStartKey=page["LastEvaluatedKey"])
                self.assertEqual(page["Count"], count, folder)

    def test_a_log_that_is_gone_after_a_kill_is_missed_or_given_up(self):
        data = self.folder / "data"
        server = Server(harness.PROGRAM, "--data", data)
        server.start()
        self.addCleanup(server.kill)
        harness.create_table(server, "things")
        for name in ("OWNER", "LOCK"):
            (data / name).unlink()
        self.assert_fails(1, "another process has '.*data' open", "serve", "--data", data, "--port", 0)
        server.kill()
        for path in data.rglob("*"):
            self.assertEqual(path.stat().st_mode & 0o777, 0o700 if path.is_dir() else 0o600, path)
        log = max(data.glob("*.log"))
        log.unlink()
        self.assert_fails(1, f"'{log}' is missing; restore .*tavola serve --accept-loss", "serve", "--data", data, "--port", 0)
        with Server(harness.PROGRAM, "--data", data, "--accept-loss") as given_up:
            self.assertIn(f"'{log}' is missing", given_up.log_text())
            self.assertEqual(harness.call(given_up, "ListTables"), {"TableNames": []})
        with Server(harness.PROGRAM, "--data", data) as again:
            self.assertNotIn("missing", again.log_text())

    # A sync hangs, and then fails. Data that was on the disk before is still read, and no other data is shown.
    def test_reads_wait_for_nobody_elses_write(self):
        library = self.folder / "faulty_sync.so"
        source = pathlib.Path(__file__).resolve().parent / "faulty_sync.c"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        old, new = ({"pk": {"S": "p"}, "sk": {"N": number}} for number in "12")
        with Server(harness.PROGRAM, "--data", self.folder / "data") as server:
            for table in ("things", "others"):
                harness.create_table(server, table)
                harness.call(server, "PutItem", TableName=table, Item={**old, "x": {"S": "durable"}})
        # This server has read no table before.
        server = Server(harness.PROGRAM, "--data", self.folder / "data",
                        environment={**os.environ, "LD_PRELOAD": str(library), "FAULTY_SYNC": str(self.folder)})
        server.start()
        self.addCleanup(server.kill)
        (self.folder / "hold").touch()
        with concurrent.futures.ThreadPoolExecutor() as clients:
            self.addCleanup(lambda: (self.folder / "hold").unlink(missing_ok=True))
            writes = [clients.submit(self.answer, server, "PutItem", TableName="things", Item=new)]
            while not (self.folder / "holding").exists():
                time.sleep(0.01)
            writes = [*writes,
                      clients.submit(self.answer, server, "PutItem", TableName="things", Item={**old, "x": {"S": "not yet"}}),
                      clients.submit(self.answer, server, "PutItem", TableName="things", Item=old,
                                     ConditionExpression="attribute_not_exists(pk)"),
                      clients.submit(self.answer, server, "ExecuteStatement",
                                     Statement="UPDATE things SET x = 'not yet' WHERE pk = 'p' AND sk = 1 RETURNING ALL NEW *"),
                      clients.submit(self.answer, server, "CreateTable", TableName="third", BillingMode="PAY_PER_REQUEST",
                                     AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                                     KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])]
            for _ in range(3):
                self.only_durable_is_shown(server, old, new)
            self.assertEqual([write.result() for write in writes if write.done()], [])  # a failed condition shows what it saw
            (self.folder / "fail").touch()
            (self.folder / "hold").unlink()
            for write in writes:
                self.assertEqual(write.result()[0], 500, write.result())
        self.only_durable_is_shown(server, old, new)
        self.assertEqual(self.answer(server, "PutItem", TableName="things", Item=new)[0], 500)
        server.process.terminate()
        self.assertEqual(server.process.wait(60), 1)

    def only_durable_is_shown(self, server, old, new):
        item = {**old, "x": {"S": "durable"}}
        for table in ("things", "others"):
            self.assertEqual(harness.call(server, "GetItem", TableName=table, Key=old), {"Item": item})
            self.assertEqual(harness.call(server, "GetItem", TableName=table, Key=new, ConsistentRead=True), {})
            self.assertEqual(harness.call(server, "Scan", TableName=table)["Items"], [item])
            self.assertEqual(harness.call(server, "Query", TableName=table, KeyConditionExpression="pk = :p",
                                          ExpressionAttributeValues={":p": {"S": "p"}})["Items"], [item])
            self.assertEqual(harness.call(server, "BatchGetItem", RequestItems={table: {"Keys": [old, new]}})["Responses"],
                             {table: [item]})
            self.assertEqual(harness.call(server, "TransactGetItems", TransactItems=[
                {"Get": {"TableName": table, "Key": key}} for key in (old, new)])["Responses"], [{"Item": item}, {}])
            self.assertEqual(harness.call(server, "ExecuteStatement", Statement=f'SELECT * FROM "{table}"')["Items"], [item])
            statement = f'SELECT * FROM "{table}" WHERE updatedAt > 1 OR x = \'durable\''  # no UPDATE
            self.assertEqual(harness.call(server, "ExecuteStatement", Statement=statement)["Items"], [item])
            self.assertEqual(harness.call(server, "DescribeTable", TableName=table)["Table"]["ItemCount"], 1)
        self.assertEqual(harness.call(server, "ListTables")["TableNames"], ["others", "things"])

    # The server gets no new files, until RocksDB fails to open one.
    def test_writes_resume_when_there_are_descriptors_again(self):
        with Server(harness.PROGRAM, "--data", self.folder / "data") as server:
            harness.create_table(server, "things")
            writer = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
            self.put_large(writer, 0)  # and stays connected
            soft, hard = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (3, hard))  # open files stay open
            status, answer = 200, b""
            for i in range(300):
                status, answer = self.try_large(writer, i)
                if status != 200:
                    break
            self.assertEqual(status, 500)
            self.assertIn(b"the store resumes by itself", answer)
            server.wait_for_log("the store does not take writes")
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (soft, hard))
            server.wait_for_log("the store takes writes again")
            self.put_large(writer, 0)
            writer.close()

    @staticmethod
    def answer(server, operation, **request):
        message = urllib.request.Request(server.url, json.dumps(request).encode(), harness.headers_of(operation))
        try:
            with urllib.request.urlopen(message, timeout=60) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def test_strangers_are_refused_before_their_body_is_read(self):
        keys = self.folder / "keys"
        keys.write_text("AKIDKNOWN secret\n")
        keys.chmod(0o600)
        now = datetime.datetime.now(datetime.timezone.utc)
        old = now - datetime.timedelta(hours=1)

        def head(key="AKIDKNOWN", time=now, more=""):
            day = time.strftime("%Y%m%d")
            return (f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\nX-Amz-Date: {day}T{time:%H%M%S}Z\r\n"
                    f"X-Amz-Target: DynamoDB_20120810.PutItem\r\nContent-Type: application/x-amz-json-1.0\r\n{more}"
                    f"Authorization: AWS4-HMAC-SHA256 Credential={key}/{day}/local/dynamodb/aws4_request, "
                    "SignedHeaders=host;x-amz-date;x-amz-target, Signature=0\r\n\r\n")

        with Server(harness.PROGRAM, "--in-memory", "--credentials", keys) as server:
            for text, exception in ((head(key="AKIDOTHER"), "UnrecognizedClientException"),
                                    (head(time=old), "InvalidSignatureException"),
                                    ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n",
                                     "MissingAuthenticationTokenException")):
                answer = self.receive_all(server, text)  # no byte of a body follows
                self.assertIn(exception, answer)
                self.assertIn("Connection: close", answer)
            for line in ("GET /health", "PUT /x", "GET /metrics"):  # a body is not allowed there
                answer = self.receive_all(server, f"{line} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 131072\r\n\r\n")
                self.assertIn("413 ", answer)
                self.assertIn("Connection: close", answer)
            # Compressed bytes are not read before the signature is verified.
            answer = self.receive_all(server, head(more="Content-Encoding: gzip\r\n") + "x" * 1_000_000)
            self.assertIn("InvalidSignatureException", answer)

    @staticmethod
    def receive_all(server, text):
        host, port = server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=60) as connection:
            connection.sendall(text.encode())
            answer = b""
            while b"\r\n\r\n" not in answer or b"}" not in answer:
                part = connection.recv(65536)
                if not part:
                    break
                answer += part
            return answer.decode()

    def test_it_lives_on_when_memory_runs_out(self):
        """Requests of all sizes, with room for those of some MB: each is done, or can be retried."""
        answers = []

        def ask(server, sizes):
            for size in sizes:
                body = json.dumps({"TableName": "things", "Item": {"pk": {"S": "a"}, "sk": {"N": "1"}}, "Unknown": []})
                body = body.replace("[]", "[" + "1," * (size // 2) + "1]")
                try:
                    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
                    connection.request("POST", "/", body.encode(), harness.headers_of("PutItem"))
                    answer = connection.getresponse()
                    answers.append((answer.status, answer.read(300)))
                except (OSError, http.client.HTTPException):  # without memory for a response the connection ends
                    answers.append((503, b""))

        with Server(harness.PROGRAM, "--in-memory", "--threads", "2") as server:
            harness.create_table(server, "things")
            status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
            used = int(re.search(r"VmSize:\s+(\d+) kB", status)[1]) << 10
            before = resource.prlimit(server.process.pid, resource.RLIMIT_AS, (used + (96 << 20), resource.RLIM_INFINITY))
            threads = [threading.Thread(target=ask, args=(server, range(500_000, 12_000_000, 700_000 + i))) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            resource.prlimit(server.process.pid, resource.RLIMIT_AS, before)
            harness.call(server, "DescribeTable", TableName="things")
        self.assertEqual({200} | {status for status, _ in answers if status < 500}, {200}, answers)
        self.assertTrue(any(status >= 500 for status, _ in answers), answers)

    def test_version_manual_and_completions(self):
        self.assertRegex(run("version").stdout, r"^tavola \d+\.\d+\.\d+\n$")
        self.assertIn(".TH", run("man").stdout)
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("tavola", run("completion", shell).stdout)
        subprocess.run(["bash", "-n", "-c", run("completion", "bash").stdout], check=True)
        self.assertEqual(run("-V").stdout, run("version").stdout)
        self.assertEqual(run("help", "serve").stdout, run("serve", "--help").stdout)

    def test_bash_completes_commands_options_values_and_files(self):
        (self.folder / "sub").mkdir()
        for words, expected in (("tavola de", ["design"]), ("tavola design fm", ["fmt"]), ("tavola help desi", ["design"]),
                                ("tavola serve --durab", ["--durability"]),
                                ("tavola serve --durability ", ["synced", "relaxed"]),
                                ("tavola serve --durability = re", ["relaxed"]),
                                ("tavola design check --format s", ["sarif"]),
                                ("tavola completion ", ["bash", "zsh", "fish"]),
                                ("tavola design import work", ["workbench"]),
                                ("tavola dump orders --data su", ["sub"]),
                                ("tavola design check ", []), ("tavola dump orders -o ", [])):  # files, by `-o default`
            script = (f"{run('completion', 'bash').stdout}\nCOMP_WORDS=({words.removesuffix(' ')}{' ' + chr(39) * 2 if words.endswith(' ') else ''})\n"
                      "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_tavola\nprintf '%s\\n' \"${COMPREPLY[@]}\"")
            done = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout.split(), expected, words)
        self.assertIn("complete -o default", run("completion", "bash").stdout)

    def test_colours_are_for_terminals(self):
        def on_terminal(*words, **environment):
            ours, theirs = pty.openpty()
            subprocess.run([harness.PROGRAM, *words], stderr=theirs, stdout=subprocess.DEVNULL, check=False,
                           env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **environment})
            os.close(theirs)
            text = os.read(ours, 10_000).decode()
            os.close(ours)
            return text
        red = "\x1b[31mtavola:"
        self.assertIn(red, on_terminal("nothing"))
        self.assertNotIn("\x1b", on_terminal("nothing", NO_COLOR="1"))
        self.assertNotIn("\x1b", on_terminal("nothing", TERM="dumb"))
        self.assertNotIn("\x1b", on_terminal("--color", "never", "nothing"))
        self.assertNotIn("\x1b", run("nothing").stderr)
        self.assertIn(red, run("--color", "always", "nothing").stderr)


if __name__ == "__main__":
    harness.main()
