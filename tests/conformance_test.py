#!/usr/bin/env python3
"""Runs every conformance case against a server in memory, and once more against one that keeps its data on the disk.

    tests/conformance_test.py PROGRAM
"""
import pathlib
import subprocess
import sys
import tempfile

from server import Server

RUNNER = pathlib.Path(__file__).parent / "conformance/run"


def passes(program, *options):
    with Server(program, *options) as server:
        print(f"tavola serve {' '.join(options)}", flush=True)
        command = [sys.executable, "-B", RUNNER, "--strict", "--endpoint", server.url]
        return subprocess.run(command, check=False).returncode == 0


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        buckets = ["--buckets", f"{folder}/buckets"]  # of exports and imports
        like_aws = [*buckets, "--cors"]  # accepts web pages of every origin
        in_memory = passes(program, "--in-memory", *like_aws)
        on_disk = passes(program, "--data", f"{folder}/data", *like_aws)
    return 0 if in_memory and on_disk else 1


if __name__ == "__main__":
    sys.exit(main())
