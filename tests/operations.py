#!/usr/bin/env python3
"""Compares the README's table of operations with the server.

    tests/operations.py [ROOT]     prints the differences, one line each, and fails if there are any
"""
import pathlib
import re
import sys

SDK_OPERATIONS = 62  # of the AWS SDK: DynamoDB and DynamoDB Streams together


def answered(root):
    """The operations of the server."""
    text = (root / "src/wire/codec/operations.inc").read_text()
    return set(re.findall(r"^TAVOLA_(?:STREAMS_)?OPERATION\((\w+),", text, re.MULTILINE))


def told(root):
    """Returns the rows of the README's table: the supported operations, and the unsupported ones."""
    there_are, there_are_not = [], []
    rows = re.search(r"^\| group \| operations \| \|\n\|---\|---\|---\|\n((?:\|.*\n)+)", (root / "README.md").read_text(), re.MULTILINE)
    if not rows:
        sys.exit("README.md has no table that begins with | group | operations | |")
    for row in rows.group(1).splitlines():
        _, names, verdict = (cell.strip() for cell in row.strip("|").split("|"))
        (there_are if verdict == "yes" else there_are_not).extend(re.findall(r"\b[A-Z]\w+", names))
    return there_are, there_are_not


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    server = answered(root)
    there_are, there_are_not = told(root)
    wrong = [f"{name} is in operations.inc, and the README does not say so" for name in sorted(server - set(there_are))]
    wrong += [f"{name} is in the README, and not in operations.inc" for name in sorted(set(there_are) - server)]
    everything = there_are + there_are_not
    wrong += [f"{name} stands twice in the README" for name in sorted(set(everything)) if everything.count(name) > 1]
    if len(everything) != SDK_OPERATIONS:
        wrong.append(f"the README has {len(everything)} operations, the SDK {SDK_OPERATIONS}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
