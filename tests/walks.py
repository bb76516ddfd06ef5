#!/usr/bin/env python3
"""Checks the walks of src/README.md and ARCHITECTURE.md: the files of each drawn line exist, each has its sentence in the same
order, and both pages draw the same walk for PutItem. In the READMEs of rooms, the components of drawn lines (`write/joint_writes`) and of
tables (`service.*`) exist. tests/readme.py checks the files that are mentioned with their full name, in all pages.

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


def wrong_components(root):
    """Components that the README of a room names and that do not exist in the room or in src/."""
    wrong = []
    for page in sorted((root / "src").glob("*/README.md")):
        text = page.read_text()
        drawn = [line for block in re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) if "→" in block for line in block.splitlines()]
        named = re.findall(r"(?<!/)\b[a-z_]+(?:/[a-z_]+)+\b(?!/)", "\n".join(drawn)) + re.findall(r"`([\w/]+)\.\*`", text)
        for name in dict.fromkeys(named):
            in_a_sub_room = name.replace("/", "/*/", 1)  # wire/policy_guard is wire/access/policy_guard
            if not any([*page.parent.glob(f"**/{name}*"), *(root / "src").glob(f"{name}*"), *(root / "src").glob(f"{in_a_sub_room}.*")]):
                wrong.append(f"{page.relative_to(root)}: {name} does not exist")
    return wrong


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    wrong = wrong_walks(root) + wrong_components(root)
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
