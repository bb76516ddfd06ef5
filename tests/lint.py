#!/usr/bin/env python3
"""Checks every source file with clang-tidy-19 (.clang-tidy): every warning is an error.

    tests/lint.py BUILD [--jobs N] [FILE...]

BUILD is a built folder with the name of its preset. It may compile folders as one file and leave the benchmarks out; here every
file is read alone and without precompiled headers, so that a missing #include is an error too.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_intermixed_args()  # files may follow --jobs

    commands = commands_file_by_file(options.build.resolve())
    chosen = {path.resolve() for path in options.files}
    written = {pathlib.Path(entry["file"]) for entry in commands if not made(options.build, entry["file"])}
    if chosen - written:
        parser.error(f"not compiled here, or made by the build: {', '.join(map(str, sorted(chosen - written)))}")
    files = {str(path) for path in chosen or written}
    with tempfile.TemporaryDirectory() as folder:
        plain = [{**entry, "command": without_precompiled_headers(entry["command"])} for entry in commands]
        pathlib.Path(folder, "compile_commands.json").write_text(json.dumps(plain))
        return 1 if run(options.jobs, {file: tidy_command(folder, file) for file in sorted(files)}) else 0


def commands_file_by_file(build):
    """Configures the tree once more, to get a command for each file; it is never built. Generated headers are those of the build."""
    alone = build / "alone"
    subprocess.run(["cmake", "--preset", build.name, "-B", alone, "-DTAVOLA_UNITY=OFF", "-DTAVOLA_BENCH=ON"], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    return json.loads((alone / "compile_commands.json").read_text().replace(str(alone), str(build)))


def without_precompiled_headers(command):
    return re.sub(r" -Xclang -include(-pch)? -Xclang \S+", "", command)


def made(build, file):
    """Returns whether the build writes the file: generated code has the names of its design, in their own case."""
    return pathlib.Path(file).is_relative_to(build.resolve())


def tidy_command(build, file):
    """A test may use an optional unchecked: an empty one stops the program, and that is a failed test. And it need
    not be fast."""
    less = ["--checks=-bugprone-unchecked-optional-access,-performance-*"] if file.endswith("_test.cc") else []
    return ["clang-tidy-19", "--quiet", "-p", str(build), *less, file]


def run(jobs, commands):
    """Runs the commands, by file; prints the output of those that failed; returns the failed files."""
    failed = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = {pool.submit(subprocess.run, command, cwd=ROOT, text=True, check=False, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT): file for file, command in commands.items()}
        for read, done in enumerate(concurrent.futures.as_completed(runs), start=1):
            if done.result().returncode != 0:
                failed.append(runs[done])
                print(done.result().stdout, flush=True)
            if read % 25 == 0:  # it takes an hour on two cores
                print(f"clang-tidy: {read} of {len(runs)} files", flush=True)
    print(f"clang-tidy: {len(commands)} files, {len(failed)} with findings", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
