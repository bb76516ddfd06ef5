#!/usr/bin/env python3
"""Prints which tests show which requirement of the systems in designs/, and fails if one is shown by none.

    tests/designs/seeds.py BUILD [--run]

The requirements are in seed_ids.txt. A case names them under `covers`, a test of governed tables in its docstring
(governed.py);
a GoogleTest by a comment above it:

    // covers AH12, AH13
    TEST(Domains, HaveACore) { … }

A test of an application in tests/systems/*.mjs is named in the same way, before test("…").

The results are read from BUILD/seeds (written by run_cases.py and governed.py) and from BUILD/results or the test
programs themselves.
--run runs the cases first.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COVERS = re.compile(r"//\s*covers\s+([A-Z0-9, ]+)\n(?:\s*//[^\n]*\n)*\s*TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)")

COVERS_IN_SCRIPTS = re.compile(r"//\s*covers\s+([A-Z0-9, ]+)\ntest\(\s*[\"']([^\"'`]+)[\"']")


def seed_ids():
    lines = (ROOT / "tests/designs/seed_ids.txt").read_text().splitlines()
    return dict(line.split(None, 1) for line in lines if line and not line.startswith("#"))


def run_cases(build):
    for path in sorted((ROOT / "designs").glob("*.cases.yaml")):
        name = path.name.removesuffix(".cases.yaml")
        subprocess.run([sys.executable, "-B", ROOT / "tests/designs/run_cases.py", build / "tavola", path,
                        "--results", build / "seeds" / f"{name}.json"], check=False)
    for name in ("governed", "governed_contention", "governed_model"):
        subprocess.run([sys.executable, "-B", ROOT / f"tests/designs/{name}_test.py", build / "tavola",
                        "--results", build / "seeds" / f"{name}.json"], check=False)
    subprocess.run([sys.executable, "-B", ROOT / "tests/designs/migrate_test.py", build / "tavola",
                    "--results", build / "seeds/migrate.json"], check=False)
    for name in ("crawler", "scraper", "orchestrator"):
        subprocess.run([sys.executable, "-B", ROOT / f"tests/systems/{name}_test.py", build / "tavola",
                        build / "tavola-crawler", "--results", build / "seeds" / f"{name}.json"], check=False)
    subprocess.run([sys.executable, "-B", ROOT / "tests/systems/uploads_test.py", build / "tavola",
                    build / "tavola-text-analyzer", "--results", build / "seeds/systems_uploads.json"], check=False)
    for script in sorted((ROOT / "tests/systems").glob("*_test.mjs")):
        run_application_tests(build, script)


def run_application_tests(build, script):
    covered = {name: re.findall(r"\w+", ids) for ids, name in COVERS_IN_SCRIPTS.findall(script.read_text())}
    if not covered:
        return
    environment = {**os.environ, "PROGRAM": str(build / f"tavola-{script.name.split('_')[0]}"),
                   "TAVOLA": str(build / "tavola"), "WEB_PACKAGES": str(build / "web/node_modules")}
    done = subprocess.run(["node", "--test-reporter=tap", script], capture_output=True, text=True, env=environment,
                          cwd=ROOT, check=False)
    passed = set(re.findall(r"^ok \d+ - (.*)$", done.stdout, re.MULTILINE))
    results = [{"case": f"{script.name}: {name}", "covers": ids, "passed": name in passed}
               for name, ids in covered.items()]
    (build / "seeds" / f"{script.stem}.json").write_text(json.dumps(results, indent=1))


def case_results(build):
    """Yields (id, test, passed)."""
    for path in sorted((build / "seeds").glob("*.json")):
        for result in json.loads(path.read_text()):
            for seed in result["covers"]:
                yield seed, result["case"], result["passed"]


def unit_tests(build):
    """Yields the files of GoogleTests with their programs."""
    for path in sorted(ROOT.glob("src/*/**/*_test.cc")):
        yield path, build / f"{path.relative_to(ROOT / 'src').parts[0]}_test"
    for path in sorted(ROOT.glob("systems/*/**/*_test.cc")):
        system = path.relative_to(ROOT).parts[1]
        yield path, build / f"systems/{system}/{system.replace('-', '_')}_test"


def unit_results(build):
    """Yields the same for GoogleTests, each of which is run alone."""
    for path, program in unit_tests(build):
        for ids, suite, test in COVERS.findall(path.read_text()):
            name = f"{suite}.{test}"
            command = [program, f"--gtest_filter={name}", "--gtest_brief=1", "--gtest_fail_if_no_test_selected"]
            environment = {key: value for key, value in os.environ.items() if key != "GTEST_OUTPUT"}
            done = program.exists() and subprocess.run(command, capture_output=True, text=True, env=environment,
                                                       check=False)
            passed = bool(done) and done.returncode == 0 and "0 tests" not in done.stdout
            for seed in re.findall(r"\w+", ids):
                yield seed, name, passed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--run", action="store_true")
    options = parser.parse_args()
    build = options.build.resolve()
    if options.run:
        run_cases(build)
    tests = {seed: [] for seed in seed_ids()}
    for seed, test, passed in [*case_results(build), *unit_results(build)]:
        tests.setdefault(seed, []).append((test, passed))
    missing = 0
    for seed, words in seed_ids().items():
        failed = [test for test, passed in tests[seed] if not passed]
        shown = len(tests[seed]) > len(failed)
        missing += not shown or bool(failed)
        verdict = "no test" if not tests[seed] else f"{len(failed)} FAILED" if failed else "passed"
        print(f"{seed:6} {words:70} {len(tests[seed]):4} tests  {verdict}")
        for test in [test for test, _ in tests[seed]][:3] if not failed else failed:
            print(f"         {test}")
    print(f"{len(seed_ids()) - missing} of {len(seed_ids())} requirements are shown by tests that pass.")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
