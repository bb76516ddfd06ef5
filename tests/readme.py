#!/usr/bin/env python3
"""Checks that README.md tells the truth: its example is the one that is compiled, its commands exist; and that the
files which any page or comment of the tree mentions exist.

    tests/readme.py EXAMPLE     the compiled example, which is run in an empty folder, twice
"""
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
EXAMPLE = None  # the compiled program, from the command line

MENTION = re.compile(r"(?<![\w./*<-])(?:[\w*{},-]+/)*[\w*{},-]+\.(?:cc|h|md|py|cmake|cases|dt|inc|supp)\b(?!\.\w|/)")
COMMENT = {".h": "// ", ".cc": "// ", ".py": "# ", ".cmake": "# ", ".txt": "# "}
STANDS_FOR_OTHERS = re.compile(r"(^|/)x[._]|^rocksdb/")
NOT_OURS = re.compile(r"(\w's|\bits|\bscylladb) $")  # "RocksDB's x.cc": what stands before a file of somebody else


class Readme(unittest.TestCase):
    def test_the_example_is_the_one_that_is_compiled(self):
        blocks = re.findall(r"^```cpp\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
        self.assertEqual(blocks, [(ROOT / "examples/readme.cc").read_text()])

    def test_the_example_prints_what_the_readme_says(self):
        said = re.findall(r"^```json\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
        with tempfile.TemporaryDirectory() as folder:
            printed = [subprocess.run([EXAMPLE], cwd=folder, text=True, check=True, stdout=subprocess.PIPE).stdout
                       for _ in range(2)]
        self.assertEqual([printed[0]], said)
        # The data persists at the second run: the counter continues.
        self.assertEqual(printed[1], printed[0].replace('"Plays":{"N":"1"}', '"Plays":{"N":"2"}'))
        self.assertNotEqual(printed[1], printed[0])

    def test_its_commands_exist(self):
        targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        commands = set(re.findall(r"\bmake ([a-z]+)\b", README))
        self.assertTrue({"serve", "test"} <= commands)
        self.assertEqual(commands - targets, set())

    def test_its_links_lead_somewhere(self):
        for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
            for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
                self.assertTrue((ROOT / link).exists(), f"{page.name}: {link}")

    def test_files_that_are_mentioned_exist(self):
        files = tree()
        for path in files:
            for line, mention in mentions(ROOT / path):
                with self.subTest(f"{path}:{line}"):
                    self.assertTrue(exists(mention, files), f"mentions {mention}")


def tree():
    """Returns all files, as paths from the root with a slash in front."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in {".git", "build", "__pycache__", "corpus"}]
        found += [str((pathlib.Path(folder) / name).relative_to(ROOT)) for name in names]
    return found


def mentions(path):
    """Yields the lines and names of files in a page, or in the comments of code."""
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
    """Returns whether the tree has a file of this name, with as much of its path as is given; `x.{h,cc}` are two."""
    braces = re.search(r"\{([\w,]+)\}", mention)
    if braces:
        return all(exists(mention.replace(braces.group(0), part), files) for part in braces.group(1).split(","))
    return any(fnmatch.fnmatchcase("/" + file, "*/" + mention) for file in files)


if __name__ == "__main__":
    EXAMPLE = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
