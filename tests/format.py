#!/usr/bin/env python3
"""Checks that every C++ file is laid out as clang-format-19 does it; with --write, lays it out (make format)."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["include", "src", "tests", "bench", "fuzz", "examples", "systems"]


def main():
    files = sorted(str(path.relative_to(ROOT)) for folder in FOLDERS for pattern in ("*.h", "*.cc")
                   for path in (ROOT / folder).rglob(pattern))
    mode = ["-i"] if "--write" in sys.argv[1:] else ["--dry-run", "--Werror", "--ferror-limit=1"]
    status = subprocess.run(["clang-format-19", *mode, *files], cwd=ROOT, check=False).returncode
    if status != 0:
        print("Run `make format`.", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
