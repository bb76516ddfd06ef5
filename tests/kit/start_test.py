#!/usr/bin/env python3
"""How programs start a server and learn that it is ready: --ready-fd, --ready-file, --die-with-parent, `tavola health` and `tavola env`.

    tests/kit/start_test.py PROGRAM
"""
import concurrent.futures
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "clients"))

import harness  # noqa: E402
from server import Server  # noqa: E402

PATIENCE = 60  # seconds; far more than it takes


def run(*words, **variables):
    return subprocess.run([harness.PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE,
                          check=False, env={**os.environ, **variables})


class Start(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def serve(self, *options, **popen):
        process = subprocess.Popen([harness.PROGRAM, "serve", "--port", "0", "--console-port", "0", "--quiet",
                                    *map(str, options)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **popen)

        def end():
            process.kill()
            process.wait()
            process.stdout.close()
        self.addCleanup(end)
        return process

    def line_of(self, descriptor):
        """Reads until the writer closes its end."""
        read = b""
        while True:
            self.assertTrue(select.select([descriptor], [], [], PATIENCE)[0], "nobody writes")
            part = os.read(descriptor, 4096)
            if not part:
                return read.decode()
            read += part

    def test_the_ready_line_says_where_requests_are_answered(self):
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        file = self.folder / "ready.json"
        file.write_text("an earlier server's")
        server = self.serve("--data", self.folder / "data", "--region", "eu-west-3", "--ready-fd", writing, "--ready-file", file,
                            pass_fds=[writing])
        os.close(writing)
        line = self.line_of(reading)  # ends: the server closes the descriptor
        self.assertTrue(line.endswith("}\n"))
        ready = json.loads(line)
        self.assertEqual(json.loads(file.read_text()), ready)
        self.assertEqual(ready["endpoint"], f"http://127.0.0.1:{ready['port']}")
        self.assertEqual(ready["pid"], server.pid)
        self.assertEqual(ready["region"], "eu-west-3")
        self.assertEqual(ready["data"], str(self.folder / "data"))
        for url in (ready["endpoint"] + "/health", ready["console"]):
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                self.assertEqual(answer.status, 200)
        server.terminate()
        self.assertEqual(server.wait(PATIENCE), 0)
        self.assertFalse(file.exists(), "nobody answers any more")

    def test_the_ready_line_on_standard_output(self):
        server = self.serve("--in-memory", "--ready-fd", 1)
        ready = json.loads(server.stdout.readline())
        self.assertNotIn("data", ready)
        self.assertEqual(run("health", "--endpoint", ready["endpoint"]).returncode, 0)

    def test_a_place_that_cannot_be_written_ends_the_start(self):
        done = run("serve", "--in-memory", "--port", 0, "--ready-fd", 250)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--ready-fd 250 is not an open file descriptor", done.stderr)
        done = run("serve", "--in-memory", "--port", 0, "--quiet", "--ready-file", self.folder / "missing" / "ready.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("missing/ready.json.tmp", done.stderr)

    def starter(self, *options):
        """A process that starts a server and waits; returns both process ids."""
        command = [harness.PROGRAM, "serve", "--in-memory", "--port", "0", "--quiet", "--ready-fd", "1", *options]
        code = f"import subprocess, sys; p = subprocess.Popen({command!r}); p.wait()"
        parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

        def end():
            parent.kill()
            parent.wait()
            parent.stdout.close()
        self.addCleanup(end)
        ready = parent.stdout.readline()
        return parent, json.loads(ready)["pid"]

    def test_the_server_ends_with_its_parent(self):
        parent, pid = self.starter("--die-with-parent")
        handle = os.pidfd_open(pid)
        self.addCleanup(os.close, handle)
        self.assertFalse(select.select([handle], [], [], 0)[0], "it runs")
        parent.send_signal(signal.SIGKILL)  # no handler of the parent could stop the server
        self.assertTrue(select.select([handle], [], [], PATIENCE)[0], "the server did not end with its parent")

    def test_the_thread_that_starts_a_server_may_end(self):
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            thread = pool.submit(threading.get_native_id).result()
            server = pool.submit(self.serve, "--in-memory", "--die-with-parent", os.getpid(), "--ready-fd", writing,
                                 pass_fds=[writing]).result()
            os.close(writing)
            ready = json.loads(self.line_of(reading))
        while os.path.exists(f"/proc/self/task/{thread}"):
            pass
        with self.assertRaises(subprocess.TimeoutExpired):
            server.wait(1)
        with urllib.request.urlopen(ready["endpoint"] + "/health", timeout=PATIENCE) as answer:
            self.assertEqual(answer.status, 200)

    def test_a_parent_that_ended_before_is_noticed(self):
        done = run("serve", "--in-memory", "--port", 0, "--die-with-parent", os.getpid() + 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not its parent, or has ended", done.stderr)

    def test_health(self):
        with Server(harness.PROGRAM, "--in-memory") as server:
            done = run("health", "--endpoint", server.url)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["status"], "healthy")
            self.assertEqual(run("health", AWS_ENDPOINT_URL_DYNAMODB=server.url).returncode, 0)
            self.assertEqual(run("health", AWS_ENDPOINT_URL=server.url + "/").returncode, 0)
            self.assertEqual(run("health", "--endpoint", server.url + "/nothing").returncode, 1)
            url = server.url
        done = run("health", "--endpoint", url)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, "^tavola: .*\n$")
        self.assertEqual(run("health", "--endpoint", "here").returncode, 1)

    def test_env_in_a_shell(self):
        shells = {"sh": ["sh", "-c"], "fish": ["fish", "-c"], "powershell": ["pwsh", "-Command"]}
        wanted = {"AWS_ENDPOINT_URL_DYNAMODB": "http://127.0.0.1:4711", "AWS_ENDPOINT_URL": "http://127.0.0.1:4711",
                  "AWS_REGION": "it's \"home\"", "AWS_DEFAULT_REGION": "it's \"home\"", "AWS_ACCESS_KEY_ID": "anna",
                  "AWS_SECRET_ACCESS_KEY": "anna"}
        printing = f"{sys.executable} -c 'import os, json; print(json.dumps(dict(os.environ)))'"
        for shell, command in shells.items():
            done = run("env", "--shell", shell, "--endpoint", "http://127.0.0.1:4711/", "--region", wanted["AWS_REGION"],
                       "--access-key", "anna")
            self.assertEqual(done.returncode, 0, done.stderr)
            if not shutil.which(command[0]):
                continue  # its lines are compared below
            told = subprocess.run([*command, done.stdout + printing], capture_output=True, text=True, timeout=PATIENCE,
                                  check=True, env={**os.environ, "AWS_PROFILE": "work", "AWS_SESSION_TOKEN": "old"})
            found = json.loads(told.stdout)
            self.assertEqual({name: found.get(name) for name in wanted}, wanted)
            self.assertFalse({"AWS_PROFILE", "AWS_SESSION_TOKEN"} & set(found))
        lines = run("env", "--shell", "powershell", "--region", "it's").stdout
        self.assertIn("$Env:AWS_REGION = 'it''s'\n", lines)
        self.assertIn("$Env:AWS_ENDPOINT_URL_DYNAMODB = 'http://127.0.0.1:8000'\n", lines)
        lines = run("env", SHELL="/usr/bin/fish").stdout
        self.assertIn("set -gx AWS_REGION 'local';\n", lines)


if __name__ == "__main__":
    harness.main()
