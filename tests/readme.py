#!/usr/bin/env python3
"""Checks README.md: its commands are run and their output is compared, its C++ is part of the compiled example. Checks
also that the files which any page or comment of the tree mentions exist.

    tests/readme.py PROGRAM EXAMPLE     tavola, and the compiled example, which is run twice in an empty folder
"""
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import documented
import operations

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
PROGRAM = EXAMPLE = None  # from the command line

MENTION = re.compile(r"(?<![\w./*<-])(?:[\w*{},-]+/)*[\w*{},-]+\.(?:cc|h|md|py|cmake|cases|dt|inc|supp)\b(?!\.\w|/)")
COMMENT = {".h": "// ", ".cc": "// ", ".py": "# ", ".cmake": "# ", ".txt": "# "}
STANDS_FOR_OTHERS = re.compile(r"(^|/)x[._]|^rocksdb/|(^|/)(shop|tickets|shelf)\.")  # the last are files of a reader
NOT_OURS = re.compile(r"(\w's|\bits|\bscylladb) $")  # "RocksDB's x.cc": what stands before a file of somebody else


class Readme(unittest.TestCase):
    def test_its_commands_print_what_it_shows(self):
        with documented.Session(PROGRAM) as session:
            session.follow(ROOT / "README.md")

    def test_its_cpp_is_part_of_the_compiled_example(self):
        shown, = [text for language, text, _ in documented.blocks(ROOT / "README.md") if language == "cpp"]
        self.assertIn("\n" + shown, (ROOT / "examples/readme.cc").read_text())

    def test_the_example_prints_what_the_readme_shows(self):
        shown = re.search(r"^It prints `(.*?)`", README, re.MULTILINE).group(1) + "\n"
        with tempfile.TemporaryDirectory() as folder:
            printed = [subprocess.run([EXAMPLE], cwd=folder, text=True, check=True, stdout=subprocess.PIPE).stdout
                       for _ in range(2)]
        self.assertEqual(printed[0], shown)
        # The data is still there at the second run: the counter is incremented again.
        self.assertEqual(printed[1], printed[0].replace('"Plays":{"N":"1"}', '"Plays":{"N":"2"}'))
        self.assertNotEqual(printed[1], printed[0])

    def test_its_figures_are_those_of_the_tree(self):
        answered, known = len(operations.answered(ROOT)), operations.SDK_OPERATIONS
        self.assertIn(f"{answered} of DynamoDB's {known} [operations]", README)
        counted = subprocess.run([sys.executable, "-B", ROOT / "tests/conformance/run", "--count"], text=True, check=True,
                                 stdout=subprocess.PIPE).stdout
        stated = int(re.search(r"more than ([\d,]+) conformance cases", README).group(1).replace(",", ""))
        self.assertLess(stated, int(counted.split()[0]))

    def test_its_commands_exist(self):
        targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        commands = set(re.findall(r"\bmake ([a-z]+)\b", README))
        self.assertTrue({"serve", "test"} <= commands)
        self.assertEqual(commands - targets, set())

    def test_files_that_are_mentioned_exist(self):
        files = tree()
        for path in files:
            for line, mention in mentions(ROOT / path):
                with self.subTest(f"{path}:{line}"):
                    self.assertTrue(exists(mention, files), f"mentions {mention}")


def tree():
    """All files, as paths from the root with a slash in front."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in {".git", "build", "__pycache__", "corpus"}]
        found += [str((pathlib.Path(folder) / name).relative_to(ROOT)) for name in names]
    return found


def mentions(path):
    """The lines and names of files in a page, or in the comments of code."""
    comment = COMMENT.get(path.suffix)
    if path.suffix != ".md" and not comment:
        return
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = line if path.suffix == ".md" else line.partition(comment)[2]
        text = re.sub(r"\w+://\S+", "", text)
        for mention in MENTION.finditer(text):
            if not STANDS_FOR_OTHERS.search(mention.group()) and not NOT_OURS.search(text[:mention.start()]):
                yield number, mention.group()


def exists(mention, files):
    """Whether a file of the tree is called so, with as much of its path as is given; `x.{h,cc}` are two."""
    braces = re.search(r"\{([\w,]+)\}", mention)
    if braces:
        return all(exists(mention.replace(braces.group(0), part), files) for part in braces.group(1).split(","))
    return any(fnmatch.fnmatchcase("/" + file, "*/" + mention) for file in files)


if __name__ == "__main__":
    PROGRAM, EXAMPLE = (str(pathlib.Path(sys.argv.pop(1)).resolve()) for _ in range(2))
    unittest.main()
