#!/usr/bin/env python3
"""Runs the tests of a build with ctest and prints a short summary.

    tests/run.py build/dev [--jobs N] [--only REGEX]

Every GoogleTest program also writes its results as JSON (build/*/results/), from which the single tests are counted.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="run the tests whose name matches this regular expression")
    options = parser.parse_args()

    results = (options.build / "results").resolve()
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir(parents=True)

    command = ["ctest", "--test-dir", str(options.build), "--parallel", str(options.jobs),
               "--output-on-failure", "--no-tests=error"]
    if options.only:
        command += ["--tests-regex", options.only]
    started = time.monotonic()
    outcome = subprocess.run(command, env={**os.environ, "GTEST_OUTPUT": f"json:{results}/"}, check=False)
    summarise(options, results, outcome.returncode, time.monotonic() - started)
    return outcome.returncode


def summarise(options, results, status, seconds):
    programs = [json.loads(path.read_text()) for path in sorted(results.glob("*.json")) if path.stat().st_size]
    skipped = [f"{suite['name']}.{test['name']}" for program in programs for suite in program["testsuites"]
               for test in suite["testsuite"] if test.get("result") == "SKIPPED"]
    tests = sum(program["tests"] for program in programs)

    print()
    for name in skipped:
        print(f"skipped: {name}")
    verdict = "All tests passed" if status == 0 else "TESTS FAILED"
    print(f"{verdict} ({options.build}): {tests} tests in {len(programs)} programs and the checks of the tree, "
          f"{seconds:.0f} s.")
    if status != 0:
        failed = options.build / "Testing/Temporary/LastTestsFailed.log"
        names = [line.split(":", 1)[1] for line in failed.read_text().split()] if failed.exists() else []
        for name in names:
            print(f"  failed: {name}    again alone: make test TESTS='^{name}$'")


if __name__ == "__main__":
    sys.exit(main())
