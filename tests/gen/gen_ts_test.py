#!/usr/bin/env python3
"""The generated TypeScript modules: all of them compile with tsc under its strict rules, and systems_test.ts runs with the AWS
SDK against a server.

    tests/gen/gen_ts_test.py PATH/TO/tavola FOLDER_WITH_MODULES
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "clients"))

import harness  # noqa: E402
import node_packages  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
MODULES = None
OPTIONS = {"target": "es2022", "module": "nodenext", "moduleResolution": "nodenext", "strict": True,
           "noUncheckedIndexedAccess": True, "exactOptionalPropertyTypes": True, "noImplicitReturns": True,
           "skipLibCheck": True, "types": ["node"], "outDir": "out"}


class TypeScript(unittest.TestCase):
    def test_modules_compile_and_run(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            modules = sorted(MODULES.glob("*.ts"))
            self.assertTrue(modules, f"no modules in {MODULES}")
            for source in [*modules, HERE / "systems_test.ts"]:
                shutil.copy(source, folder)
            (folder / "node_modules").symlink_to(node_packages.MODULES)
            (folder / "package.json").write_text(json.dumps({"type": "module"}))
            (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS, "include": ["*.ts"]}))
            self.run_tool(folder, "node", node_packages.MODULES / "typescript/bin/tsc")
            with harness.Server(harness.PROGRAM, "--in-memory") as server:
                self.run_tool(folder, "node", "--test-reporter=spec", "out/systems_test.js", ENDPOINT=server.url)

    def run_tool(self, folder, *command, **surroundings):
        outcome = subprocess.run(command, cwd=folder, env={**harness.environment(), **surroundings}, check=False,
                                 timeout=600, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)
        self.assertEqual(outcome.returncode, 0, outcome.stdout)


if __name__ == "__main__":
    node_packages.install_once()
    MODULES = pathlib.Path(sys.argv.pop(2)).resolve()
    os.environ.pop("DYNAMODB_TABLE_NAME", None)  # the designs' own tables
    harness.main()
