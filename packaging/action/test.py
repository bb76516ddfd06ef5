"""The GitHub Action, run by a runner of our own (runner.py): from a server of releases on this machine, and with a program that is there."""
import functools
import http.server
import os
import pathlib
import signal
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import product  # noqa: E402
import runner  # noqa: E402
from testing import PackageTest, use  # noqa: E402


class Releases(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Action(PackageTest):
    def setUp(self):
        super().setUp()
        self.action = self.folder / "action"
        self.action.mkdir()
        handler = functools.partial(Releases, directory=product.OUT)
        self.releases = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.releases.serve_forever, daemon=True).start()
        self.addCleanup(self.releases.server_close)
        self.addCleanup(self.releases.shutdown)
        for name in ("action.yml", "start.sh"):
            product.fill(pathlib.Path(__file__).parent / name, self.action / name,
                         RELEASES=f"http://127.0.0.1:{self.releases.server_port}")

    def run_action(self, **inputs):
        return runner.run(self.action, self.folder, inputs)

    def check(self, **inputs):
        code, printed, outputs, environment = self.run_action(**inputs)
        self.assertEqual(code, 0, printed)
        try:
            self.assertEqual(environment["AWS_ENDPOINT_URL_DYNAMODB"], outputs["endpoint"])
            use(outputs["endpoint"])
        finally:
            os.kill(int(environment["TAVOLA_PID"]), signal.SIGTERM)

    def test_a_release_is_downloaded(self):
        self.check()
        self.assertIn("bin", (self.folder / "GITHUB_PATH").read_text())

    def test_a_program_that_is_there_is_used(self):
        self.check(program=str(product.program()), arguments="--region eu-central-1")

    def test_a_damaged_release_is_refused(self):
        text = (self.action / "start.sh").read_text()
        (self.action / "start.sh").write_text(text.replace("(cd ", 'echo damaged >>"$folder/$archive"; (cd '))
        self.assertNotEqual(self.run_action()[0], 0)

    def test_a_server_that_cannot_start_is_reported(self):
        code, printed, _, _ = self.run_action(program=str(product.program()), arguments="--nonsense")
        self.assertEqual(code, 1)
        self.assertIn("::error::Tavola did not start", printed)
        self.assertIn("--nonsense", printed)


if __name__ == "__main__":
    unittest.main()
