#!/usr/bin/env python3
"""`make demo` from the outside: everything it links to answers, and one signal ends all of it.

    tests/systems/demo_test.py BUILD
"""
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = None  # from the command line
PORTS = (8000, 8001, 8002, 8010, 8011, 8012, 8013, 8014)
SECONDS = 60


def free_shift():
    """What to add to the ports so that all of them are free."""
    for shift in range(20_000, 50_000, 97):
        try:
            for port in PORTS:
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port + shift))
            return shift
        except OSError:
            continue
    raise AssertionError("no free ports")


def status_of(url):
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, b""


class Demo(unittest.TestCase):
    def setUp(self):
        self.shift = free_shift()
        self.demo = subprocess.Popen([sys.executable, "-B", ROOT / "systems/demo.py", BUILD, "--shift", str(self.shift)],
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(self.end)

    def end(self):
        if self.demo.poll() is None:
            self.demo.send_signal(signal.SIGINT)
        self.demo.wait(SECONDS)
        self.demo.stdout.close()

    def test_everything_answers_and_ends(self):
        said = self.demo.stdout.readline()
        page = f"http://127.0.0.1:{8010 + self.shift}/"
        self.assertIn(page, said)
        code, body = status_of(page)
        self.assertEqual(code, 200)
        links = re.findall(r'href="([^"]+)"', body.decode())
        self.assertEqual(len(links), 7)
        for link in links[:6]:
            self.assertEqual(status_of(link)[0], 200, link)
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            crawler = json.loads(status_of(f"http://127.0.0.1:{8011 + self.shift}/status.json")[1])
            if crawler["pages"] >= 39:  # three shops of thirteen pages
                break
            time.sleep(0.2)
        self.assertGreaterEqual(crawler["pages"], 39)
        while time.monotonic() < deadline:
            texts = json.loads(status_of(f"http://127.0.0.1:{8012 + self.shift}/v1/text-analyzer-history/listFilesByOwner?ownerId=demo")[1])["items"]
            if all(text["status"] in ("COMPLETED", "FAILED") for text in texts):
                break
            time.sleep(0.2)
        self.assertEqual({text["originalFileName"]: text["status"] for text in texts},
                         {"README.md": "COMPLETED", "CONTRIBUTING.md": "COMPLETED", "ARCHITECTURE.md": "COMPLETED", "LICENSE": "COMPLETED", "cafe.txt": "COMPLETED", "noise.txt": "FAILED"})
        self.demo.send_signal(signal.SIGINT)
        self.assertEqual(self.demo.wait(SECONDS), 0)
        for port in PORTS:
            with socket.socket() as probe:
                self.assertNotEqual(probe.connect_ex(("127.0.0.1", port + self.shift)), 0, f"port {port} + {self.shift} still answers")

    def test_a_taken_port_is_named(self):
        self.demo.stdout.readline()
        second = subprocess.run([sys.executable, "-B", ROOT / "systems/demo.py", BUILD, "--shift", str(self.shift)],
                                capture_output=True, text=True, check=False, timeout=SECONDS)
        self.assertEqual(second.returncode, 1)
        self.assertIn(f"port {8000 + self.shift} is taken", second.stderr)
        self.assertIn(f"systems/demo.py {BUILD} --shift", second.stderr)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
