#!/usr/bin/env python3
"""Checks the walks of src/README.md and ARCHITECTURE.md: the files of each drawn line exist, each has its sentence in the same
order, and all pages draw the same walk for PutItem. tests/readme.py checks files that are mentioned elsewhere.

    tests/walks.py [ROOT]     prints what is wrong, one line each, and fails if anything is
"""
import pathlib
import re
import sys

WALKS = ["PutItem", "A governed write", "Query", "TransactWriteItems", "A request under /v1", "A restore"]


def files_of(line):
    return [part.strip() for part in line.split("→")]


def missing(root, page, line):
    return [f"{page}: {name} does not exist in src/" for name in files_of(line) if not (root / "src" / name).is_file()]


def walks_of_the_map(root):
    """The drawn line and the files with a sentence, for each walk of src/README.md."""
    text = (root / "src/README.md").read_text()
    found = {}
    for title, body in re.findall(r"^### (.*?)\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL):
        drawn = re.search(r"^```\n(.*→.*)\n```$", body, re.MULTILINE)
        found[title] = (drawn.group(1) if drawn else "", re.findall(r"^\d+\. `([^`]+)` [a-z].*\.$", body, re.MULTILINE))
    return found


def wrong_walks(root):
    wrong = []
    walks = walks_of_the_map(root)
    if list(walks) != WALKS:
        wrong.append(f"src/README.md: the walks are {', '.join(walks)}; expected {', '.join(WALKS)}")
    for title, (line, explained) in walks.items():
        wrong += missing(root, f"src/README.md, {title}", line)
        if files_of(line) != explained:
            wrong.append(f"src/README.md, {title}: the sentences are about {explained}, the line draws {files_of(line)}")
    drawn = re.findall(r"^([\w /]+):  (\S+ → .*)$", (root / "ARCHITECTURE.md").read_text(), re.MULTILINE)
    for title, line in drawn:
        wrong += missing(root, f"ARCHITECTURE.md, {title}", line)
    if dict(drawn).get("PutItem") != walks.get("PutItem", [""])[0]:
        wrong.append("ARCHITECTURE.md and src/README.md draw different walks for PutItem")
    return wrong


def main():
    wrong = wrong_walks(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
