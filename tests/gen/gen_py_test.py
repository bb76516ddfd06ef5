#!/usr/bin/env python3
"""The generated Python modules: mypy accepts all of them and their use under its strict rules, and systems_test.py runs against
a server, with boto3 and by /v1.

    tests/gen/gen_py_test.py PATH/TO/tavola FOLDER_WITH_MODULES
"""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "clients"))

import harness  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SYSTEMS = HERE / "systems_test.py"
RUNTIME = HERE / "py_runtime_test.py"
DESIGNS = [HERE.parents[1] / "designs" / (name + ".yaml")
           for name in ("aura-historia-data", "fus-main", "InventorySystem", "text-analyzer-history")] + [HERE / "clinic.yaml", HERE / "members.yaml"]
OPTIONS = [option for design in DESIGNS for option in ("--design", design)]
MODULES = None


class Python(unittest.TestCase):
    def test_mypy_accepts_all_modules_and_their_use(self):
        modules = sorted(MODULES.glob("*.py"))
        self.assertTrue(modules, f"no modules in {MODULES}")
        with tempfile.TemporaryDirectory() as cache:
            self.run_python("-m", "mypy", "--strict", "--python-version", "3.11", "--cache-dir", cache, *modules, SYSTEMS, RUNTIME)

    def test_the_runtime(self):
        self.run_python(RUNTIME)

    def test_tables_that_nothing_governs_have_no_drift(self):
        with harness.Server(harness.PROGRAM, "--in-memory") as server:
            harness.create_tables(server, DESIGNS)
            self.run_python(SYSTEMS, ENDPOINT=server.url, PLAIN="yes")
            self.assertEqual(harness.drift_of(server, DESIGNS), "")

    def test_direct_requests(self):
        with harness.Server(harness.PROGRAM, "--in-memory", *OPTIONS) as server:
            self.run_python(SYSTEMS, ENDPOINT=server.url)

    def test_requests_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            secret = pathlib.Path(folder) / "secret"
            secret.write_text("a secret of at least thirty-two bytes")
            with harness.Server(harness.PROGRAM, "--in-memory", "--jwt-secret-file", secret, *OPTIONS) as server:
                self.run_python(SYSTEMS, ENDPOINT=server.url, V1=json.dumps(harness.tokens(secret)))

    def run_python(self, *command, **surroundings):
        environment = {**harness.environment(), "PYTHONPATH": str(MODULES), "MYPYPATH": str(MODULES), **surroundings}
        outcome = subprocess.run([sys.executable, "-B", *command], env=environment, check=False, timeout=600, text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(outcome.returncode, 0, outcome.stdout)


if __name__ == "__main__":
    if importlib.util.find_spec("mypy") is None:
        sys.exit("mypy is missing: packaging/setup test installs it")
    MODULES = pathlib.Path(sys.argv.pop(2)).resolve()
    os.environ.pop("DYNAMODB_TABLE_NAME", None)  # use the designs' own tables
    harness.main()
