"""What the tests of tavola-crawler share: a registry, a local web of shops, and the program as a process.

    tests/systems/crawler_test.py PATH/TO/tavola PATH/TO/tavola-crawler [--results FILE] [TEST ...]

A test names the requirements that it shows in its docstring, as the tests of designs do ("Covers AH17.").
"""
import contextlib
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/clients"), str(ROOT / "tests")]
sys.dont_write_bytecode = True

import covered  # noqa: E402
import harness  # noqa: E402
from local_web import LocalWeb, make_shop  # noqa: E402

CRAWLER = None
PATIENCE = 120


def now():
    """Returns the present second as the registry writes times."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Crawling(unittest.TestCase):
    """A registry in a directory of its own; subclasses put it on a server."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.web = self.enterContext(LocalWeb())
        self.where = ["--data", str(self.folder / "registry")]

    # ---- Running ----

    def network(self, *more):
        return ["--connect-to", f"::127.0.0.1:{self.web.port}", "--allow-private", "--scheme", "http", "--delay", "0s",
                "--retry-delay", "10ms", *more]

    def command(self, *words):
        return [CRAWLER, *map(str, words), *self.where, "--json"]

    def crawler(self, *words, code=0):
        """Runs a command to its end; returns its lines."""
        done = subprocess.run(self.command(*words), capture_output=True, text=True, check=False, timeout=PATIENCE,
                              cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stderr if code == 0 else "", "")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def start(self, *words):
        process = subprocess.Popen(self.command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        with contextlib.suppress(ValueError):  # its output was read
            process.communicate()

    def register(self, *domains, country="DE"):
        self.crawler("register", *domains, "--country", country)

    def crawl(self, *options):
        """Crawls what is due; returns the reports by domain."""
        return {report["domain"]: report for report in self.crawler("crawl", *self.network(*options))}

    def pages(self, domain):
        """Returns the stored pages of a shop and their types."""
        return {page["url"].removeprefix(f"http://{domain}"): page["type"] or None
                for page in self.crawler("pages", domain)}

    def add_shop(self, domain, **options):
        self.web.add(domain, make_shop(domain, **options))
        return self.web.shops[domain]


class OnAServer:
    """Puts the registry on a server: list it before the class whose tests it changes."""

    def setUp(self):
        super().setUp()
        self.server = self.enterContext(harness.Server(harness.PROGRAM, "--in-memory"))
        self.where = ["--endpoint", self.server.url]


def main():
    """Runs the tests of the script that was started."""
    global CRAWLER
    results = covered.results_file()
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    harness.PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    CRAWLER = str(pathlib.Path(sys.argv.pop(1)).resolve())
    harness.os.environ.update(harness.environment())
    harness.os.environ.pop("DYNAMODB_TABLE_NAME", None)
    covered.run("tavola-crawler", results)
