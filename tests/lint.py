#!/usr/bin/env python3
"""Reads the code with clang: every warning is an error.

    tests/lint.py BUILD [--jobs N] [--locks] [FILE...]

Compiles with clang++-19 (syntax only), with -Wthread-safety: what is declared as guarded (base/locks.h) is proved to
be touched under its lock. With --locks that is all, for the files that hold locks, and quick enough for `make
test`. Otherwise it is every file, and clang-tidy-19 (.clang-tidy) follows. tests/canary/unlocked.cc shows it failing.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The commands are g++'s: clang reads its precompiled headers as text, and does not know all of its warnings.
NOT_OURS = ["-Wno-ignored-gch", "-Wno-unknown-warning-option"]
LOCKS = re.compile(r'^#include "base/locks\.h"$', re.MULTILINE)
INCLUDE = re.compile(r'^#include "([^"]+)"$', re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--locks", action="store_true")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()

    commands = json.loads((options.build / "compile_commands.json").read_text())
    chosen = {path.resolve() for path in options.files}
    entries = [entry for entry in commands if not chosen or pathlib.Path(entry["file"]) in chosen]
    if options.locks:
        entries = [entry for entry in entries if holds_locks(pathlib.Path(entry["file"]))]

    failed = run("thread safety", options.jobs, {entry["file"]: clang_command(entry) for entry in entries})
    if not options.locks:
        commands = {entry["file"]: tidy_command(options.build, entry["file"]) for entry in entries}
        failed += run("clang-tidy", options.jobs, commands)
    return 1 if failed else 0


def tidy_command(build, file):
    """A test may look into an optional unasked: an empty one stops the program, and that is a failed test. And it
    need not be quick."""
    less = ["--checks=-bugprone-unchecked-optional-access,-performance-*"] if file.endswith("_test.cc") else []
    return ["clang-tidy-19", "--quiet", "-p", str(build), *less, *(f"--extra-arg={word}" for word in NOT_OURS), file]


def holds_locks(path):
    """Whether the locks of this file are its own: in it, in its header, or in a header that has no .cc file."""
    headers = [ROOT / "src" / name for name in INCLUDE.findall(path.read_text())]
    own = [path, path.with_suffix(".h"), *(header for header in headers if not header.with_suffix(".cc").exists())]
    return any(LOCKS.search(file.read_text()) for file in own if file.is_file())


def clang_command(entry):
    arguments = shlex.split(entry["command"])
    del arguments[0]  # g++
    place = arguments.index("-o")
    del arguments[place:place + 2]
    arguments.remove("-c")
    return ["clang++-19", "-fsyntax-only", "-Wthread-safety", "-Werror", *arguments, *NOT_OURS]


def run(title, jobs, commands):
    """Runs the commands, by file; prints what those that failed said; returns the failed files."""
    failed = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = {pool.submit(subprocess.run, command, cwd=ROOT, text=True, check=False, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT): file for file, command in commands.items()}
        for done in concurrent.futures.as_completed(runs):
            if done.result().returncode != 0:
                failed.append(runs[done])
                print(done.result().stdout, flush=True)
    print(f"{title}: {len(commands)} files, {len(failed)} with findings", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
