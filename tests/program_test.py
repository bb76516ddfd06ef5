#!/usr/bin/env python3
"""The program as the person who starts it meets it: what it says, how it ends, what it does when something is wrong.

    tests/program_test.py PROGRAM
"""
import http.client
import json
import pathlib
import resource
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "clients"))

import harness  # noqa: E402
from server import Server  # noqa: E402


def run(*words):
    return subprocess.run([harness.PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=60, check=False)


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
            self.assert_fails(1, "another process .* has '.*data' open", "serve", "--data", self.folder / "data", "--port", 0)
        self.assert_fails(1, "it is a file, not a directory", "serve", "--data", a_file, "--port", 0)
        self.assert_fails(1, "say --insecure", "serve", "--in-memory", "--host", "0.0.0.0", "--port", 0)
        self.assert_fails(1, "nothing to listen on", "serve", "--in-memory", "--host", "")
        self.assert_fails(1, "cannot read the credentials", "serve", "--in-memory", "--credentials", self.folder / "none")
        self.assert_fails(1, "cannot read the TLS certificate", "serve", "--in-memory", "--tls-cert", "x", "--tls-key", "y")
        self.assert_fails(2, "--prot", "serve", "--prot", "1")
        self.assert_fails(2, "none was not readable", "serve", "--config", self.folder / "none")

    def test_a_config_file(self):
        config = self.folder / "tavola.conf"
        config.write_text(f"# where the data is\ndata = {self.folder}/from-config\nlog-format = json\nregion = nowhere\n")
        with Server(harness.PROGRAM, "--config", config, "--region", "eu-south-1") as server:
            harness.create_table(server, "things")
            arn = harness.call(server, "DescribeTable", TableName="things")["Table"]["TableArn"]
        self.assertIn(":eu-south-1:", arn)
        self.assertEqual((self.folder / "from-config").stat().st_mode & 0o777, 0o700)  # for its owner alone
        events = [json.loads(line) for line in server.log]
        self.assertEqual([event["event"] for event in events], ["listening", "stopping", "stopped"])

    def test_the_banner_says_where_and_what_next(self):
        with subprocess.Popen([harness.PROGRAM, "serve", "--port", "0", "--data", self.folder / "data"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
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

    # As with `tavola serve 2>&1 | head -1`.
    def test_it_stays_when_nobody_reads_its_log(self):
        with subprocess.Popen([harness.PROGRAM, "serve", "--port", "0", "--in-memory", "--quiet"],
                              stderr=subprocess.PIPE, text=True) as process:
            self.assertIn("listening", process.stderr.readline())
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
        item = {"pk": {"S": "p"}, "sk": {"N": str(i)}, "x": {"S": "x" * 300_000}}
        writer.request("POST", "/", json.dumps({"TableName": "things", "Item": item}), harness.headers_of("PutItem"))
        answer = writer.getresponse()
        self.assertEqual((answer.status, answer.read()), (200, b"{}"))

    def test_version_manual_and_completions(self):
        self.assertRegex(run("version").stdout, r"^tavola \d+\.\d+\.\d+\n$")
        self.assertIn(".TH", run("man").stdout)
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("tavola", run("completion", shell).stdout)
        subprocess.run(["bash", "-n", "-c", run("completion", "bash").stdout], check=True)


if __name__ == "__main__":
    harness.main()
