"""The npm packages: installed in an empty folder without a registry, and in a project with Vitest, Jest and TypeScript."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import product  # noqa: E402
from testing import PackageTest, free_port, server, use  # noqa: E402

PROJECT = product.ROOT / "build/npm-test"
NPM = ["npm", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]

STARTS = """
import { start } from "tavola";
const server = await start();
console.log(JSON.stringify({ endpoint: server.endpoint, pid: server.pid }));
"""
STOPS = STARTS + "await server.stop();"
WAITS = STARTS + "setInterval(() => {}, 1000);"


PACKAGES = {name: product.OUT / f"npm/{file}-{product.VERSION}.tgz"
            for name, file in (("tavola", "tavola"), (f"@tavola/linux-{product.NODE}", f"tavola-linux-{product.NODE}"))}


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class EmptyFolder(PackageTest):
    @classmethod
    def setUpClass(cls):
        cls.project = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        product.run(*NPM, "install", "--offline", *PACKAGES.values(), cwd=cls.project)

    def node(self, text, **settings):
        (self.project / "program.mjs").write_text(text)
        return subprocess.Popen(["node", "program.mjs"], cwd=self.project, text=True, stdout=subprocess.PIPE, **settings)

    def wait_for_end(self, pid):
        for _ in range(600):
            if not is_running(pid):
                return
            time.sleep(0.05)
        self.fail(f"the server {pid} is still there")

    def test_npx_runs_the_program(self):
        printed = product.run("npx", "--offline", "tavola", "--version", cwd=self.project)
        self.assertEqual(printed.splitlines()[-1], f"tavola {product.VERSION}")
        refused = subprocess.run(["npx", "--offline", "tavola", "nonsense"], cwd=self.project, check=False, capture_output=True)
        self.assertEqual(refused.returncode, 2)

    def test_npx_serve_passes_signals_on(self):
        port = free_port()
        with server("node_modules/.bin/tavola", "serve", "--in-memory", "--console", "off", "--port", port, port=port,
                    cwd=self.project) as endpoint:
            use(endpoint)

    def test_start_and_stop(self):
        process = self.node(STOPS)
        ready = json.loads(process.communicate(timeout=60)[0])
        self.assertEqual(process.returncode, 0)
        self.assertFalse(is_running(ready["pid"]))

    def test_a_program_ends_without_stop(self):
        process = self.node(STARTS)
        ready = json.loads(process.communicate(timeout=60)[0])
        self.wait_for_end(ready["pid"])

    def test_the_server_ends_with_a_program_that_is_killed(self):
        with self.node(WAITS) as process:
            ready = json.loads(process.stdout.readline())
            use(ready["endpoint"])
            process.send_signal(signal.SIGKILL)
        self.wait_for_end(ready["pid"])

    def test_a_server_that_cannot_start_says_why(self):
        process = self.node('import { start } from "tavola"; await start({ args: ["--port", "x"] });', stderr=subprocess.PIPE)
        _, log = process.communicate(timeout=60)
        self.assertIn("Tavola did not start (2)", log)
        self.assertIn("--port", log)


class Project(PackageTest):
    @classmethod
    def setUpClass(cls):
        lock = (HERE / "test/package-lock.json").read_text()
        done = PROJECT / "package-lock.json"
        PROJECT.mkdir(parents=True, exist_ok=True)
        is_installed = done.exists() and done.read_text() == lock
        done.unlink(missing_ok=True)
        for path in (HERE / "test").iterdir():
            if path != HERE / "test/package-lock.json":
                shutil.copy(path, PROJECT)
        done.write_text(lock)
        if not is_installed:
            try:
                product.run(*NPM, "ci", cwd=PROJECT)
            except SystemExit:
                done.unlink()
                raise
        # Unpacked where npm would install them, so that its registry is asked only once.
        for name, archive in PACKAGES.items():
            target = product.fresh(PROJECT / "node_modules" / name)
            product.run("tar", "-xzf", archive, "-C", target, "--strip-components=1")

    def test_vitest(self):
        found = product.run("npx", "vitest", "run", cwd=PROJECT, env={**os.environ, "NO_COLOR": "1"})
        self.assertIn("2 passed", found)

    def test_jest(self):
        self.assertIn("1 passed", product.run("npx", "jest", cwd=PROJECT))

    def test_types(self):
        product.run("npx", "tsc", cwd=PROJECT)


if __name__ == "__main__":
    unittest.main()
