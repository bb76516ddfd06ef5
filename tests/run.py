#!/usr/bin/env python3
"""Runs the tests of a build with ctest and prints a short summary.

    tests/run.py build/dev [--jobs N] [--only REGEX]

Every GoogleTest program also writes its results as JSON (build/*/results/), from which the single tests are counted.
The tests keep their files in memory if there is enough of it, because syncs to a disk would take most of their time;
`TMPDIR=/var/tmp make test` keeps them on the disk.
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

MEMORY = pathlib.Path("/dev/shm")
MEMORY_BYTES_MIN = 4 << 30  # the tests use less than a quarter of it


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
    with files_in_memory() as settings:
        outcome = subprocess.run(command, env={**os.environ, "GTEST_OUTPUT": f"json:{results}/", **settings},
                                 check=False)
    summarise(options, results, outcome.returncode, time.monotonic() - started)
    return outcome.returncode


@contextlib.contextmanager
def files_in_memory():
    """Yields the setting with which programs keep temporary files in memory; none if that is not possible or wanted."""
    if "TMPDIR" in os.environ or not has_memory():
        yield {}
        return
    with tempfile.TemporaryDirectory(prefix="tavola-tests-", dir=MEMORY, ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o711)  # tests that act as another user reach their own files in it
        yield {"TMPDIR": folder}


def has_memory():
    if not os.access(MEMORY, os.W_OK):
        return False
    space = os.statvfs(MEMORY)
    lines = dict(line.split(":") for line in pathlib.Path("/proc/meminfo").read_text().splitlines())
    return min(space.f_bavail * space.f_frsize, int(lines["MemAvailable"].split()[0]) << 10) >= MEMORY_BYTES_MIN


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
