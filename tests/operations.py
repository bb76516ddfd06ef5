#!/usr/bin/env python3
"""Compares the tables of docs/OPERATIONS.md with the operations that the server answers and the parameters that it reads.

    tests/operations.py [ROOT]     prints what is wrong, one line each, and fails if anything is
"""
import pathlib
import re
import sys

PAGE = "docs/OPERATIONS.md"
SDK_OPERATIONS = 62  # of the AWS SDK: DynamoDB and DynamoDB Streams together


def answered(root):
    """The operations of the server."""
    text = (root / "src/wire/codec/operations.inc").read_text()
    return set(re.findall(r"^TAVOLA_(?:STREAMS_)?OPERATION\((\w+),", text, re.MULTILINE))


def rows(root, head):
    """The rows of the page's table that begins with a line, as lists of cells."""
    found = re.search(re.escape(head) + r"\n\|---\|---\|---\|\n((?:\|.*\n)+)", (root / PAGE).read_text())
    if not found:
        sys.exit(f"{PAGE} has no table that begins with {head}")
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in found.group(1).splitlines()]


def documented(root):
    """The rows of the page's table: the operations that it lists as supported, and the others."""
    there_are, there_are_not = [], []
    for _, names, verdict in rows(root, "| group | operations | |"):
        (there_are if verdict == "yes" else there_are_not).extend(re.findall(r"\b[A-Z]\w+", names))
    return there_are, there_are_not


def wire_sources(root):
    return [path.read_text() for folder in ("operations", "stream_operations", "codec")
            for path in sorted((root / "src/wire" / folder).glob("*")) if path.suffix in (".cc", ".h")]


def read_parameters(root):
    """The members that the server reads from requests, and those that it refuses. A request, or a part of one, is called `in` there."""
    read, refused = set(), set()
    for text in wire_sources(root):
        read.update(re.findall(r'\b(?:in\.(?!path_of)\w+(?:<\w+>)?\(|\w+\(in, )"([A-Z]\w+)"', text))
        for names in re.findall(r"\brefuse\(\s*in,\s*\{([^}]*)\}", text):
            refused.update(re.findall(r'"(\w+)"', names))
    return read - refused, refused


def documented_parameters(root):
    """The same two sets, from the page."""
    read, refused = set(), set()
    for names, _, verdict in rows(root, "| parameters | operations | supported |"):
        (refused if verdict == "refused" else read).update(re.findall(r"\b[A-Z]\w+", names))
    return read, refused


def compare_parameters(root):
    wrong = []
    for verb, server, page in zip(("read", "refused"), read_parameters(root), documented_parameters(root)):
        wrong += [f"the parameter {name} is {verb} in src/wire, and {PAGE} does not list it so" for name in sorted(server - page)]
        wrong += [f"the parameter {name} is listed in {PAGE}, and not {verb} in src/wire" for name in sorted(page - server)]
    return wrong


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    server = answered(root)
    there_are, there_are_not = documented(root)
    wrong = [f"{name} is in operations.inc, and {PAGE} does not list it as supported" for name in sorted(server - set(there_are))]
    wrong += [f"{name} is in {PAGE}, and not in operations.inc" for name in sorted(set(there_are) - server)]
    everything = there_are + there_are_not
    wrong += [f"{name} stands twice in {PAGE}" for name in sorted(set(everything)) if everything.count(name) > 1]
    if len(everything) != SDK_OPERATIONS:
        wrong.append(f"{PAGE} has {len(everything)} operations, the SDK {SDK_OPERATIONS}")
    wrong += compare_parameters(root)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
