#!/usr/bin/env python3
"""Keeps the prose plain: refuses the worst openings and phrases in comments and Markdown.

    tests/prose.py [ROOT]     prints what is wrong, one line each, and fails if there is anything

It reads the comments of C++, Python and CMake files, and the paragraphs and list items of Markdown files. Code, quotations and
tables are not prose. The rules:
  1. A comment or paragraph does not begin with a word of OPENINGS: it begins with its subject, or with a verb in the third person.
  2. It has none of PHRASES, each of which has a plain word beside it.
A comment behind code, on the same line, is a note: only rule 2 is for it.
LEFT lists the folders and files that are still to be rewritten. It may only shrink: an entry without a problem is refused.
tests/prose_selftest.py shows each rule failing.
"""
import pathlib
import re
import sys

OPENINGS = re.compile(r"(What|Of|Who|Whom|The same|Likewise|Nothing)\b(?!')")

# A phrase, and what to write instead.
PHRASES = [(re.compile(rf"\b(?:{phrase})\b", re.IGNORECASE), plain) for phrase, plain in (
    (r"(?:is|are|was|were|be|been|being) told", "reported, returned or documented; people are told"),
    (r"whoever|whomever", "name the subject"),
    (r"(?<!there )(?:is|are|was|were) no (?!longer|more|less)\w+", "is not a"),
    (r"go(?:es)? on (?:with|by itself|from)", "resumes, continues"),
    (r"(?:is|are) not there", "is missing"),
    (r"older parameters", "legacy parameters"),
    (r"records? of our own", "internal record"),
    (r"all the same", "nevertheless"),
    (r"meanwhile", "concurrently"),
    (r"hash keys?|range keys?", "partition key, sort key"),
)]

FOLDERS = ["include", "src", "tests", "bench", "fuzz", "examples", "systems", "web", "cmake", "docs", "designs", "packaging"]

LEFT = ("docs/designs/", "src/workshop/testdata/")

COMMENT = re.compile(r"^[ \t]*//[ ]?(.*)$")
HASH_COMMENT = re.compile(r"^[ \t]*#(?!!)[ ]?(.*)$")
NOTE = re.compile(r"^(?:[^\"'/]|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|/(?!/))*?\S[ \t]+//[ ](.*)$")
QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")
BULLET = re.compile(r"^[ \t]*(?:[-*]|\d+\.)[ ]+")


class Block:
    """A comment or a paragraph, with the line it begins on."""

    def __init__(self, line, lines, is_note=False):
        self.line = line
        self.lines = lines
        self.is_note = is_note


def comment_blocks(text, pattern, note=None):
    """Runs of comment lines; and, by `note`, comments behind code."""
    lines, first = [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        match = pattern.match(line)
        if match:
            first = first if lines else number
            lines.append(match.group(1))
            continue
        if lines:
            yield Block(first, lines)
            lines = []
        found = note.match(line) if note else None
        if found:
            yield Block(number, [found.group(1)], is_note=True)


def paragraphs(text):
    """Paragraphs and list items of Markdown; no headings, tables, quotations and code."""
    lines, first, is_code = [], 0, False
    for number, line in enumerate(text.split("\n") + [""], 1):
        is_fence = line.lstrip().startswith("```")
        is_code = is_code != is_fence
        ends = not line.strip() or is_fence or is_code or line.startswith(("#", "|", ">", "    "))
        if lines and (ends or BULLET.match(line)):
            yield Block(first, lines)
            lines = []
        if not ends:
            first = first if lines else number
            lines.append(BULLET.sub("", line))


def blocks_of(path, text):
    if path.suffix in (".h", ".cc"):
        return comment_blocks(text, COMMENT, NOTE)
    if path.suffix == ".md":
        return paragraphs(text)
    return comment_blocks(text, HASH_COMMENT)


def check_text(path, text):
    """The problems of one file, as lines of text."""
    problems = []
    for block in blocks_of(path, text):
        prose = QUOTED.sub("…", " ".join(block.lines))
        opening = None if block.is_note else OPENINGS.match(prose.lstrip("*_ "))
        if opening:
            problems.append(f'{path}:{block.line}: begins with "{opening.group(1)}"; begin with the subject, or with a verb')
        for phrase, plain in PHRASES:
            found = phrase.search(prose)
            if found:
                problems.append(f'{path}:{block.line}: "{found.group(0)}"; write: {plain}')
    return problems


def check(root, left=LEFT):
    """Everything that is wrong with the tree, as lines of text."""
    root = pathlib.Path(root)
    problems = []
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*")) + sorted(root.glob("*")):
        if path.suffix in (".h", ".cc", ".py", ".cmake", ".md") or path.name == "CMakeLists.txt":
            problems += check_text(path.relative_to(root), path.read_text())
    unused = [f"tests/prose.py: {entry} is not needed in LEFT any more" for entry in left
              if not any(problem.startswith(entry) for problem in problems)]
    return [problem for problem in problems if not problem.startswith(tuple(left))] + unused


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    problems = check(root)
    print("\n".join(problems) if problems else "The prose is plain.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
