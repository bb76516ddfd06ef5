#!/usr/bin/env python3
"""The generated TypeScript modules: all of them compile with tsc under its strict rules, and systems_test.ts runs
against a server, with the AWS SDK and by /v1.

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
RUNTIME = HERE.parents[1] / "src/workshop/runtime"  # the common part of all modules
DESIGNS = [HERE.parents[1] / "designs" / (name + ".yaml")
           for name in ("aura-historia-data", "fus-main", "InventorySystem", "text-analyzer-history")] + [HERE / "clinic.yaml", HERE / "members.yaml"]
MODULES = None
OPTIONS = {"target": "es2022", "module": "nodenext", "moduleResolution": "nodenext", "strict": True,
           "noUnusedLocals": True,
           "noUnusedParameters": True, "erasableSyntaxOnly": True, "noUncheckedIndexedAccess": True, "exactOptionalPropertyTypes": True, "noImplicitReturns": True,
           "skipLibCheck": True, "types": ["node"], "outDir": "out"}


class TypeScript(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_modules_compile_and_run(self):
        modules = sorted(MODULES.glob("*.ts"))
        self.assertTrue(modules, f"no modules in {MODULES}")
        self.compile([*modules, HERE / "systems_test.ts", HERE / "v1_test.ts"])
        designs = [option for design in DESIGNS for option in ("--design", design)]
        with harness.Server(harness.PROGRAM, "--in-memory", *designs) as server:
            self.run_systems(ENDPOINT=server.url)
            self.run_tool("node", "--test-reporter=spec", "out/v1_test.js", ENDPOINT=server.url)
        for module in MODULES.glob("*.v1.ts"):
            self.assertNotRegex(module.read_text(), r"(?m)^import ", "a page would load more than the module")
        with harness.Server(harness.PROGRAM, "--in-memory") as server:
            harness.create_tables(server, DESIGNS)
            self.run_systems(ENDPOINT=server.url, PLAIN="yes")
            self.assertEqual(harness.drift_of(server, DESIGNS), "")
        secret = self.folder / "secret"
        secret.write_text("a secret of at least thirty-two bytes")
        with harness.Server(harness.PROGRAM, "--in-memory", "--jwt-secret-file", secret, *designs) as server:
            self.run_systems(ENDPOINT=server.url, V1=json.dumps(harness.tokens(secret)))

    def run_systems(self, **surroundings):
        self.run_tool("node", "--test-reporter=spec", "out/systems_test.js", **surroundings)

    def test_the_runtime_is_modules_of_its_own(self):
        self.compile([*sorted(RUNTIME.glob("*.ts")), HERE / "runtime_test.ts"])
        self.run_tool("node", "--test-reporter=spec", "out/runtime_test.js")

    def compile(self, sources):
        for source in sources:
            shutil.copy(source, self.folder)
        (self.folder / "node_modules").symlink_to(node_packages.MODULES)
        (self.folder / "package.json").write_text(json.dumps({"type": "module"}))
        (self.folder / "tsconfig.json").write_text(
            json.dumps({"compilerOptions": OPTIONS, "include": ["*.ts"]}))
        self.run_tool("node", node_packages.MODULES / "typescript/bin/tsc")

    def run_tool(self, *command, **surroundings):
        outcome = subprocess.run(command, cwd=self.folder, env={**harness.environment(), **surroundings}, check=False,
                                 timeout=600, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)
        self.assertEqual(outcome.returncode, 0, outcome.stdout)


if __name__ == "__main__":
    node_packages.install_once()
    MODULES = pathlib.Path(sys.argv.pop(2)).resolve()
    os.environ.pop("DYNAMODB_TABLE_NAME", None)  # use the designs' own tables
    harness.main()
