#!/usr/bin/env python3
"""Checks that README.md tells the truth: its example is the one that is compiled, its commands and files exist.

    tests/readme.py EXAMPLE     the compiled example, which is run in an empty folder, twice
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
EXAMPLE = None  # the compiled program, from the command line


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
        # The data is still there at the second run: the counter goes on.
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


if __name__ == "__main__":
    EXAMPLE = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
