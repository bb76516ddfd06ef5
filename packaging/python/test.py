"""The wheel: installed without a network into a fresh environment, where a suite of pytest uses its fixtures."""
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import product  # noqa: E402
from testing import PackageTest, package  # noqa: E402

SUITE = HERE / "test"


class Wheel(PackageTest):
    def setUp(self):
        super().setUp()
        # boto3 and pytest are Debian's.
        self.run_in("/usr/bin/python3", "-m", "venv", "--system-site-packages", "env")
        self.python = self.folder / "env/bin/python"
        self.run_in(self.python, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", package("python/*.whl"),
                    env={**product.ENVIRONMENT, "PIP_FIND_LINKS": ""})

    def test_the_command_is_the_program(self):
        self.assertEqual(self.run_in(self.folder / "env/bin/tavola", "--version"), f"tavola {product.VERSION}\n")
        self.assertEqual(self.run_in(self.python, "-m", "tavola", "--version"), f"tavola {product.VERSION}\n")

    def test_a_suite_uses_the_fixtures(self):
        found = self.run_in(self.python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", SUITE)
        self.assertRegex(found, r"\b9 passed")

    def test_a_server_ends_with_its_process(self):
        text = "import os, tavola; server = tavola.Server(); print(server.pid, flush=True); os.kill(os.getpid(), 9)"
        outcome = subprocess.run([self.python, "-c", text], cwd=self.folder, check=False, capture_output=True, text=True)
        status = pathlib.Path(f"/proc/{int(outcome.stdout)}")
        for _ in range(600):
            if not status.exists() or ") Z " in (status / "stat").read_text():
                return
            subprocess.run(["sleep", "0.05"], check=True)
        self.fail("the server is still there")


if __name__ == "__main__":
    unittest.main()
